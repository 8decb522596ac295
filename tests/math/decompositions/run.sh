#!/bin/sh
# run.sh BUILD [COUNT]: measures decompositions on every kind of device that can run here, COUNT
# matrices of each kind and family (100000). The simulators of AMD's GPUs take minutes each.
set -u
cd "$(dirname "$0")/../../.." || exit 1
build=$1
count=${2:-100000}
program=$build/tests/math/sextant-decompositions
modules=$build/tests/math/modules
results=$build/tests/math/results
cmake --build "$build" --target sextant-decompositions sextant-decomposition-modules || exit 1
measure() { # measure NAME COUNT COLUMN… [-- WRAPPER…]
  name=$1 number=$2 columns=
  shift 2
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    columns="$columns $1"
    shift
  done
  [ $# -eq 0 ] || shift
  # shellcheck disable=SC2086 # columns are words
  "$@" "$program" "$modules" "--count=$number" "--results=$results/decompositions-$name.tsv" $columns ||
    echo "not measured: $name"
}
case $(uname -m) in
aarch64 | arm64) cpu=cpu:aarch64/wave32 ;;
*) cpu="cpu:x86-64-v2/wave4 cpu:x86-64-v3/wave8 cpu:x86-64-v4/wave16" ;;
esac
# shellcheck disable=SC2086
SEXTANT_DEVICE=cpu measure cpu "$count" $cpu
SEXTANT_DEVICE=vulkan measure vulkan "$count" vulkan:1.1/wave8 -- tests/conformance/lavapipe.sh
SEXTANT_DEVICE=metal measure metal "$count" metal:3.0/wave32 -- \
  tests/simulators/metal/run.sh "$build/simulators/mslsim" "$build/tests/simulators/metal/libsextant-fakemetal.so"
for column in gfx942/wave64 gfx1100/wave32; do
  SEXTANT_DEVICE=hip AMDSIM_ARCH=${column%/*} AMDSIM_TIMEOUT=1200 measure "${column%/*}" "$count" \
    "amdgpu:$column" -- tests/simulators/hip/run.sh "$build/simulators/amdsim"
done
