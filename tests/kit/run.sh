#!/usr/bin/env bash
# Runs the kit on this machine's NVIDIA GPU: the contract of devices, the conformance suite and the
# cases of algorithms, by the CUDA driver from cubins and from PTX, and by the Vulkan driver; the
# examples of gradients, those in Python if python3 finds sextant and numpy; then the benchmark beside
# CUB, that of instructions beside the steps that they replace, and those of tiles, loops, vectors,
# grids and counts beside CUDA; rows of data by both drivers; these and tiles also under Quadrants'
# JIT, where its package is installed; tuned constants beside exhaustive search. Results go to the
# folder given, or results/ here; its *.tsv are what table.py reads. Status 0: all that ran passed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
results=${1:-$here/results}
mkdir -p "$results"
failed=0
# shellcheck source=environment.sh
. "$here/environment.sh" "$here"

say() { printf '\n== %s\n' "$*"; }
step() { # step NAME COMMAND...: output to the results and, its end, to the screen
  local name=$1
  shift
  timeout "${limit:-120}" "$@" >"$results/$name.txt" 2>&1
  local status=$?
  tail -n "${lines:-25}" "$results/$name.txt"
  if [ $status -ne 0 ]; then
    echo "-- $name: status $status"
    failed=1
  fi
}

say "machine"
{
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  grep -m1 'model name' /proc/cpuinfo
} 2>&1 | tee "$results/machine.txt"

backends="cuda vulkan"
for backend in $backends; do
  if [ -x "$here/bin/sextant-contract-tests" ]; then
    say "the contract of devices, $backend"
    SEXTANT_DEVICE=$backend SEXTANT_TEST_MODULE=$here/modules/contract.sxt lines=12 \
      step "contract-$backend" "$here/bin/sextant-contract-tests"
    say "arrays of 2 and 4 GiB, $backend"
    SEXTANT_DEVICE=$backend SEXTANT_TEST_MODULE=$here/modules/contract.sxt lines=12 limit=300 \
      step "large-$backend" "$here/bin/sextant-contract-tests" "[large],[larger]"
  fi
done

suite() { # suite FOLDER TABLE NAME ARGUMENT...: TABLE is the file of results
  local folder=$1 table=$2 name=$3
  shift 3
  say "$folder, $name"
  timeout 200 "$here/bin/sextant-$folder" "$here/modules/$folder" \
    "--results=$results/$table" "$@" >"$results/$folder-$name.txt" 2>&1 || failed=1
  grep -E 'FAILED|error' "$results/$folder-$name.txt" | head -40
  tail -n 1 "$results/$folder-$name.txt"
}
for folder in conformance algorithms gradients; do
  if [ -x "$here/bin/sextant-$folder" ]; then
    [ $folder = conformance ] && prefix= || prefix=$folder-
    suite $folder "${prefix}cubin.tsv" cubin --device=cuda cuda/wave32
    suite $folder "${prefix}ptx.tsv" ptx --device=cuda cuda:compute_80/wave32
    suite $folder "${prefix}vulkan.tsv" vulkan --device=vulkan vulkan/wave32
  fi
done

if [ -x "$here/examples/walker/walker" ]; then
  say "an example of gradients: walker"
  lines=4 step walker "$here/examples/walker/walker" --device cuda --out "$results/walker.svg"
fi
for name in heat field; do
  if [ -e "$here/examples/$name/$name.sxt" ] && python3 -c 'import sextant, numpy' 2>/dev/null; then
    say "an example of gradients: $name"
    lines=4 step "$name" python3 "$here/examples/$name/$name.py" "$here/examples/$name/$name.sxt" --device cuda \
      --out "$results/$name.svg"
  fi
done

bench() { # bench NAME MODULE SOURCE...: builds a benchmark here and runs it
  local name=$1 module=$2 sources=()
  for source in "${@:3}"; do sources+=("$here/bench/cuda/$source"); done
  if compile_cuda "$module" -I "$here/bench/include" "${sources[@]}" -o "$results/$name-program" \
    -L "$here/lib" -lsextant_loader 2>"$results/nvcc-$name.txt"; then
    SEXTANT_DEVICE=cuda step "$name" "$results/$name-program" "$here/modules/$module.sxt"
    rm -f "$results/$name-program"
  else
    echo "-- nvcc failed"
    cat "$results/nvcc-$name.txt"
    failed=1
  fi
}
if [ -n "$nvcc" ]; then
  say "benchmarks beside CUDA C++ (built by $("$nvcc" --version | tail -n 2 | head -n 1))"
  while read -r name kernels sources; do
    say "$name"
    # shellcheck disable=SC2086
    bench "$name" "$kernels" $sources
  done <"$here/bench/cuda/programs.txt"
  if python3 -c 'import quadrants' 2>/dev/null; then
    say "the same tiles under Quadrants' JIT"
    limit=300 step jit-tiles python3 "$here/bench/jit/tiles.py" "$here/bench/tiles.py"
  else
    say "no Python package quadrants: its JIT is not measured"
  fi
else
  say "no nvcc: the benchmarks are skipped"
fi
if [ -x "$here/bin/bench-jit-rows" ]; then
  say "rows of data, by the CUDA driver and the Vulkan driver"
  limit=200 step rows "$here/bin/bench-jit-rows" "$here/modules/rows.sxt" "$here/modules/scans.sxt" cuda vulkan
  if python3 -c 'import quadrants' 2>/dev/null; then
    say "the same rows under Quadrants' JIT"
    limit=300 step jit-rows python3 "$here/bench/jit/run_rows.py"
  fi
fi
if [ -x "$here/bin/bench-tune" ]; then
  say "tuned constants beside exhaustive search"
  SEXTANT_DEVICE=cuda limit=300 step tune "$here/bin/bench-tune" "$here/modules/tune.sxt" "$results/tuning.txt" cuda
fi
if [ -x "$here/compare/compare.sh" ]; then
  say "rows of two commits"
  limit=3600 step compare "$here/compare/compare.sh" "$results"
fi
exit $failed
