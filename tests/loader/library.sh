#!/bin/sh
# Checks the shared library as it is shipped: stripped it stays under 400 KB, exports
# nothing but the C API, and needs nothing but zstd and the system's libraries.
set -eu
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
size=$(stat -c %s "$stripped")
echo "$size bytes stripped"
[ "$size" -lt 409600 ] || { echo "too large: 400 KB is the limit"; exit 1; }
if nm -D --defined-only "$stripped" | awk '{print $3}' | grep -v '^sxt_'; then
  echo "exports more than sxt_*"; exit 1
fi
if readelf -d "$stripped" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
   grep -Ev '^(libzstd|libstdc\+\+|libm|libgcc_s|libc|libdl|libpthread|ld-linux[^.]*)\.so'; then
  echo "needs more than it may"; exit 1
fi
