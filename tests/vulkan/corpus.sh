#!/bin/sh
# corpus.sh SEXTANT KERNELS: compiles the conformance kernels of that folder for every wave
# size of Vulkan. The compiler validates each image; what it says against one fails the test.
# Kernels that a wave size cannot have are warnings, as everywhere.
set -u
sextant=$1 kernels=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
build() { # build FILE OPTION...
  if ! "$sextant" compile "$kernels/$1.py" -o "$folder/$1.sxt" --targets vulkan:1.1 --allow-missing \
    $2 >"$folder/log" 2>&1 || grep -E 'not valid|optimiser refuses' "$folder/log"; then
    echo "$1 $2:"
    grep -A 3 -m 3 'error' "$folder/log"
    failed=1
  fi
}
for file in data_movement reductions scans votes sorting block_ops atomics arith; do
  build $file "--const T=qd.f32"
  build $file "--const T=qd.i64"
done
build arith_real "--const T=qd.f64"
for file in bit_scans atomics_int arith_int; do
  build $file "--const T=qd.u32"
done
for file in block_affine radix barriers language more; do
  build $file ""
done
exit $failed
