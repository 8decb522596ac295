#!/bin/sh
# bench-amd.sh SEXTANT KERNELS FOLDER: `sextant bench` measures both wave sizes of an RDNA
# processor, and a run follows the file that it wrote, whichever won.
set -eu
mkdir -p "$3"
cd "$3"
rm -f best.txt
"$1" compile "$2" -o saxpy.sxt --targets=gfx1100/all-waves
set -- "$1" saxpy.sxt saxpy n=300 a=2 'x=iota[300]' 'y=zeros[300]' --device=hip
sextant=$1
shift
"$sextant" bench "$@" --samples=3 --prefer best.txt | tee table.txt
for wave in 32 64; do
  grep -q "^  amdgpu:gfx1100/wave$wave .* ms " table.txt || { echo "no times of wave$wave"; exit 1; }
done
grep -q "wave32 .*selected" table.txt || { echo "wave32 is not the rule's choice"; exit 1; }
winner=$(sed -n 's/^saxpy amdgpu:gfx1100 //p' best.txt)
grep -q "^  $winner .*fastest" table.txt || { echo "best.txt has '$winner'"; exit 1; }
for wave in 32 64; do
  echo "saxpy amdgpu:gfx1100 amdgpu:gfx1100/wave$wave" >best.txt
  SEXTANT_PREFER=$PWD/best.txt "$sextant" run "$@" | grep -q "ran as amdgpu:gfx1100/wave$wave " ||
    { echo "the preference for wave$wave is not followed"; exit 1; }
done
