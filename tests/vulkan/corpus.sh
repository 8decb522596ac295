#!/bin/sh
# corpus.sh SEXTANT KERNELS SURFACE: compiles the conformance kernels, written and generated,
# for every wave size of Vulkan. The compiler validates each image; what it says against one
# fails the test. Kernels that a wave size cannot have are warnings, as everywhere.
set -u
sextant=$1 kernels=$2 surface=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
build() { # build FILE OPTIONS
  if ! "$sextant" compile "$1" -o "$folder/module.sxt" --targets vulkan:1.1 --allow-missing $2 \
    >"$folder/log" 2>&1 || grep -E 'not valid|optimiser refuses' "$folder/log"; then
    echo "$1 $2:"
    grep -A 3 -m 3 'error' "$folder/log"
    failed=1
  fi
}
for type in f32 i64; do
  build "$kernels/arith.py" "--const T=qd.$type"
  for family in move vote reduce segmented scan sort block_reduce block_scan atomic atomic_shared load shared; do
    build "$surface/${family}_$type.py" ""
  done
done
for name in ballot_u32 barrier_i32 lane_i32 atomic_f16 atomic_shared_f16 load_i8 shared_i8 shared_u1; do
  build "$surface/$name.py" ""
done
build "$kernels/arith_real.py" "--const T=qd.f64"
build "$kernels/narrow_atomics.py" "--const T=qd.i16"
for name in atomics_int arith_int; do
  build "$kernels/$name.py" "--const T=qd.u32"
done
for name in radix barriers language loops more; do
  build "$kernels/$name.py" ""
done
exit $failed
