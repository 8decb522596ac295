#!/usr/bin/env bash
# Compares the rows of two commits on this machine's GPU, as tests/bench/compare does on a CPU: compare.sh [RESULTS]
# [PROGRAM…]. old and new beside this script have each commit's modules and its loader; nvcc builds the rows here, once for
# each. PROGRAM: of bench/cuda/programs.txt, or bench-jit-rows; else all. Status 1: a row is lost; the page is
# RESULTS/rows.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kit=$(dirname "$here")
results=${1:-$kit/results}
shift || true
mkdir -p "$results"
# shellcheck source=environment.sh
. "$kit/environment.sh" "$kit"
export SEXTANT_DEVICE=cuda
programs=()
wants() { [ -z "$wanted" ] || [[ " $wanted " == *" $1 "* ]]; }
wanted=$*

build() { # build SIDE NAME SOURCE…
  local side=$1 name=$2
  # Two libraries are loaded side by side: each calls its own functions, with the loader's.
  cd "$kit/bench/cuda"
  compile_cuda "$name" -shared -Xcompiler -fPIC,-fno-gnu-unique -Xlinker -Bsymbolic,--exclude-libs,ALL \
    -I "$here/$side/include" "${@:3}" "$here/$side/libsextant_loader.a" -Xlinker "$kit/lib/libzstd.so.1" \
    -o "$here/$side/$name.so" >"$results/nvcc-$name-$side.txt" 2>&1
}
while read -r name _ sources; do
  wants "$name" || continue
  for side in old new; do
    rm -f "$here/$side/$name.so"
    # shellcheck disable=SC2086
    build $side "$name" $sources &
  done
done <"$kit/bench/cuda/programs.txt"
wait
while read -r name kernels _; do
  wants "$name" || continue
  if [ -e "$here/old/$name.so" ] && [ -e "$here/new/$name.so" ]; then
    programs+=("$name @/$kernels.sxt")
  else
    echo "not compared: $name: nvcc failed, see $results/nvcc-$name-*.txt"
  fi
done <"$kit/bench/cuda/programs.txt"
if wants bench-jit-rows; then programs+=("bench-jit-rows @/rows.sxt @/scans.sxt cuda vulkan"); fi

python3 -B "$here/measure.py" "$here/old" "$here/new" --runner "$here/bench-compare" --page "$results/rows.md" \
  --machine "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1 | sed 's/, / with driver /')" \
  "${programs[@]}"
