#!/usr/bin/env bash
# Kernels that do nothing wrong, built with --check: conformance kernels and the pages'
# examples. They report nothing and compute what they always do.
#
#   corpus.sh SEXTANT CONFORMANCE PROJECT FOLDER TARGET/waveN     e.g. cpu:x86-64-v3/wave32
#
# CONFORMANCE "-": the modules are built, no more.
set -euo pipefail
sextant=$1 conformance=$2 project=$3 folder=$4 column=$5
kernels=$project/tests/conformance/kernels
rm -rf "$folder"
mkdir -p "$folder"
names=
build() { # build NAME SOURCE [OPTION…]
  local name=$1
  shift
  "$sextant" compile "$@" -o "$folder/$name.sxt" --check --targets "$column" -j 1 2>"$folder/$name.txt" ||
    { cat "$folder/$name.txt"; exit 1; }
  names=$names${names:+,}$name. # list of "module.case"
}
for name in radix barriers barrier_rounds language large_grid lookback_atomic more; do
  build $name "$kernels/$name.py"
done
build atomics_int_i32 "$kernels/atomics_int.py" --const T=qd.i32
for name in arith arith_int; do # with signed integers these overflow
  build ${name}_u32 "$kernels/$name.py" --const T=qd.u32
done
for page in "$project"/docs/examples/pages/*.py; do
  name=$(basename "$page" .py)
  case $name in
  block_reduce_add) build $name "$page" --kernel 'kern[src=qd.f32, out=qd.f32]' ;;
  block_inclusive_add) build $name "$page" --kernel 'kern[src=qd.i32, out=qd.i32]' ;;
  block_radix_rank) build $name "$page" --kernel 'kern[keys_in=qd.u32, ranks_out=qd.i32]' ;;
  *) build $name "$page" ;;
  esac
done
[ "$conformance" = - ] || "$conformance" "$folder" "--filter=$names" "$column"
