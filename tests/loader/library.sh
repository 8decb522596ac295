#!/bin/sh
# library.sh SHARED STATIC SOURCE: checks the loader's libraries as they ship. The shared one
# stays, stripped, under 441 KiB (14 more than before forks, addresses of other devices, unloading without a
# rest and measurements in linear time came, and 9 more than before the task that tries Vulkan's matrices). It
# needs nothing but zstd and the system's libraries; both define for others exactly what
# SOURCE/loader/exports.txt lists, which is what sextant.h declares, and the static one the backends of
# backends.h.
# STATIC may be empty.
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

strip -o "$work/stripped" "$1"
size=$(stat -c %s "$work/stripped")
echo "$size bytes stripped: $((451584 - size)) below the limit, $((size - 307200)) above the aim of 300 KB"
[ "$size" -lt 451584 ] || { echo "too large: 441 KiB is the limit"; exit 1; }
if readelf -d "$work/stripped" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
   grep -Ev '^(libzstd|libstdc\+\+|libm|libgcc_s|libc|libdl|libpthread|ld-linux[^.]*)\.so'; then
  echo "needs more than it may"; exit 1
fi

# Three lists that are one. A new function is added to exports.txt by hand: what is once
# released there stays (docs/loader-api.md, "Versions").
sed -n 's/^SXT_API[A-Z_]* .*[ *]\(sxt_[a-z0-9_]*\)(.*/\1/p' "$3/loader/include/sextant/sextant.h" |
  sort >"$work/declared"
nm -D --defined-only "$work/stripped" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' |
  sort >"$work/exported"
diff -u "$3/loader/exports.txt" "$work/declared" || { echo "sextant.h and loader/exports.txt differ"; exit 1; }
# GDB finds the CPU images through two names of its own (loader/devices/cpu/Debuggers.cpp).
grep -c '^__jit_debug_' "$work/exported" | grep -qx 2 || { echo "GDB's names are missing"; exit 1; }
sed -i '/^__jit_debug_/d' "$work/exported"
diff -u "$3/loader/exports.txt" "$work/exported" || { echo "the library and loader/exports.txt differ"; exit 1; }
if [ -n "$2" ]; then
  # The static library's backends are for programs that carry only some of them (sextant/backends.h).
  sed -n 's/^extern const sxt_backend .*\(sxt_[a-z_]*\)[^a-z_].*/\1/p' "$3/loader/include/sextant/backends.h" |
    sort - "$3/loader/exports.txt" >"$work/names"
  grep -c '^sxt_backend' "$work/names" | grep -qx 6 || { echo "five backends and their list are declared"; exit 1; }
  nm -g --defined-only "$2" | awk 'NF == 3 {print $3}' | sort >"$work/static"
  diff -u "$work/names" "$work/static" || { echo "the static library and loader/exports.txt differ"; exit 1; }
fi
