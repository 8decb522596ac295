#!/usr/bin/env bash
# Every benchmark that this machine can run: tests/bench/run.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
sextant=$build/driver/sextant
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== CPU kernels beside plain C++ loops (clang-19 -O3 -march=x86-64-v3)"
"$sextant" compile "$here/cpu/kernels.py" -o "$work/kernels.sxt" --targets=x86-64-v3,x86-64-v4
echo "-- x86-64-v3, as the loops"
SEXTANT_VARIANT=cpu:x86-64-v3 "$build/tests/bench/bench-cpu" "$work/kernels.sxt"
if grep -q avx512vl /proc/cpuinfo; then
  echo "-- x86-64-v4, what the loader picks here"
  "$build/tests/bench/bench-cpu" "$work/kernels.sxt"
fi

echo
echo "== Compile time"
"$here/compile-time.sh" "$sextant" "$work"

echo
echo "== Opening a module"
"$build/tests/bench/bench-module"
