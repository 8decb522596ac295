#!/usr/bin/env bash
# Benchmarks that this machine can run, all or those named: run.sh BUILD_FOLDER [cpu] [math] [rows] [ispc]
# [algorithms] [compile] [open] [launch] [python] [corpus] [size] [amdgpu] [amdgpu-algorithms] [tune]
set -euo pipefail
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
sextant=$build/driver/sextant
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpu() {
  echo "== CPU kernels beside plain C++ loops (clang-19 -O3 -march=x86-64-v3)"
  "$sextant" compile "$here/cpu/kernels.py" -o "$work/kernels.sxt" --targets=x86-64-v3,x86-64-v4
  echo "-- x86-64-v3, as the loops"
  SEXTANT_VARIANT=cpu:x86-64-v3 "$build/tests/bench/bench-cpu" "$work/kernels.sxt"
  if grep -q avx512vl /proc/cpuinfo; then
    echo "-- x86-64-v4, what the loader picks here"
    "$build/tests/bench/bench-cpu" "$work/kernels.sxt"
  fi
}

math() {
  echo "== Math functions on the CPU beside libmvec and SLEEF, one thread"
  for type in f32 f64; do
    "$sextant" compile "$here/../math/functions.py" -o "$work/functions_$type.sxt" --const "T=qd.$type" \
      --targets=x86-64-v2,x86-64-v3,x86-64-v4
  done
  grep -m1 "model name" /proc/cpuinfo
  "$build/tests/bench/bench-cpu-math" "$work"
}

rows() {
  if ! [ -x "$build/tests/bench/bench-cpu-rows" ]; then
    echo "rows: not built, it needs OpenMP: install libomp-19-dev and run this again" >&2
    return
  fi
  "$sextant" compile "$here/cpu/rows.py" -o "$work/rows.sxt" --targets=cpu
  for threads in 1 "$(nproc)"; do
    echo "== CPU kernels beside C++ with OpenMP (clang-19 -O3 -march=native), threads: $threads"
    KMP_BLOCKTIME=1 "$build/tests/bench/bench-cpu-rows" "$work/rows.sxt" "$threads"
  done
}

ispc() {
  if ! [ -x "$build/tests/bench/bench-cpu-ispc" ]; then
    echo "ispc: not built, it needs ispc in the PATH, or -DSEXTANT_ISPC=PATH for CMake" >&2
    return
  fi
  echo "== CPU kernels beside ISPC, one thread"
  "$sextant" compile "$here/cpu/ispc.py" -o "$work/exact.sxt" --targets=x86-64-v3,x86-64-v4
  "$sextant" compile "$here/cpu/ispc.py" -o "$work/fast.sxt" --targets=x86-64-v3,x86-64-v4 --fast-math
  grep -m1 "model name" /proc/cpuinfo
  "$build/tests/bench/bench-cpu-ispc" "$work/exact.sxt" "$work/fast.sxt"
}

# Up to 2^24 elements; sorts by std::sort are slow.
algorithms() {
  if ! [ -x "$build/tests/bench/bench-cpu-algorithms" ]; then
    echo "algorithms: not built, it needs OpenMP and TBB: install libomp-19-dev and libtbb-dev and run this again" >&2
    return
  fi
  "$sextant" compile "$here/cuda/algorithms.py" -o "$work/algorithms.sxt" --targets=cpu
  for threads in 1 "$(nproc)"; do
    echo "== Algorithms on the CPU beside std's over TBB and a radix sort by hand, threads: $threads"
    KMP_BLOCKTIME=1 "$build/tests/bench/bench-cpu-algorithms" "$work/algorithms.sxt" "$threads"
  done
}

compile() {
  echo "== Compile time"
  "$here/compile-time.sh" "$sextant" "$work"
}

open() {
  echo "== Opening a module"
  "$build/tests/bench/bench-module"
}

launch() {
  echo "== What a launch costs"
  "$sextant" compile "$here/launch/kernels.py" -o "$work/launch.sxt" --targets=x86-64-v3
  "$build/tests/bench/bench-launch" "$work/launch.sxt"
  echo "-- of many arrays"
  python3 "$here/launch/arrays.py" 2 30 300 >"$work/arrays.py"
  "$sextant" compile "$work/arrays.py" -o "$work/arrays.sxt" --targets=x86-64-v3
  SEXTANT_DEVICE=cpu "$build/tests/bench/bench-arrays" "$work/arrays.sxt" 2 30 300
}

python() {
  echo "== The Python package beside the C API"
  "$sextant" compile "$here/python/kernels.py" -o "$work/python.sxt" --targets=cpu
  PYTHONPATH=$build/loader/python "${SEXTANT_PYTHON:-$build/venv/bin/python}" -B "$here/python/bench.py" \
    "$work/python.sxt" "$build/tests/bench/bench-python-call"
}

# The page is kept: docs/results/corpus.md.
corpus() {
  echo "== The corpus: compile time and size"
  "$here/corpus/run.sh" "$build" "$here/../../docs/results/corpus.md"
}

# The numbers of docs/decisions/0008-split-images.md.
size() {
  echo "== What images take, in every form, beside peers"
  "$here/size/run.sh" "$build"
}

# AMD code on amdsim, which counts instructions (docs/results/2026-11-29-amd.md). Needs amdsim, and ROCm's libraries.
amdgpu() {
  echo "== AMD kernels beside OpenCL C by clang-19 -O3: instructions that waves execute"
  for target in gfx942/wave64 gfx1100/wave32; do
    arch=${target%/*}
    "$here/amdgpu/peers.sh" "$arch" "$here/amdgpu/peers.cl" "$work/peers.hsaco"
    "$sextant" compile "$here/amdgpu/kernels.py" -o "$work/amdgpu.sxt" --targets="amdgpu:$target"
    AMDSIM_ARCH=$arch AMDSIM_STATS=1 "$here/../simulators/hip/run.sh" "$build/simulators/amdsim" \
      "$build/tests/bench/bench-amdgpu" "$work/amdgpu.sxt" "$work/peers.hsaco" 2>"$work/stats"
    printf '\n| %-13s | %9s | %9s | ratio |\n|---|---|---|---|\n' "$arch" sextant clang
    awk -f "$here/amdgpu/table.awk" "$work/stats"
  done
}

# Algorithms beside rocPRIM, of 2^16 or 2^SEXTANT_EXPONENT elements (docs/results/2026-11-26-amd-algorithms.md).
amdgpu-algorithms() {
  if ! [ -e /usr/include/rocprim/rocprim.hpp ]; then
    echo "amdgpu-algorithms: no rocPRIM: install librocprim-dev and libamdhip64-dev and run this again" >&2
    return
  fi
  echo "== Algorithms on AMD beside rocPRIM: instructions, memory and LDS operations of waves, a lane and element"
  for target in gfx90a/wave64 gfx1030/wave32; do
    arch=${target%/*}
    "$here/amdgpu/rocprim.sh" "$arch" "$work/rocprim.so"
    "$sextant" compile "$here/cuda/algorithms.py" -o "$work/algorithms.sxt" --targets="amdgpu:$target"
    printf '\n| %-18s | sextant | rocPRIM | ratio | memory | rocPRIM | LDS | rocPRIM |\n' "$arch"
    echo "|---|---|---|---|---|---|---|---|"
    # The trace has a line for each instruction of a wave, so it goes straight to what counts it.
    AMDSIM_ARCH=$arch AMDSIM_TRACE=1 AMDSIM_TIMEOUT=0 "$here/../simulators/hip/run.sh" "$build/simulators/amdsim" \
      "$build/tests/bench/bench-amdgpu-algorithms" "$work/algorithms.sxt" "$work/rocprim.so" "${SEXTANT_EXPONENT:-16}" \
      2>&1 | awk -v wave="${target#*/wave}" -f "$here/amdgpu/algorithms.awk"
  done
}

# The sorts take minutes to compile, so only the product is tuned here; the kit has all of it for GPUs.
tune() {
  echo "== Tuned constants beside exhaustive search, on the CPU"
  "$sextant" compile "$here/tune/kernels.py" -o "$work/tune.sxt" --targets=x86-64-v3 \
    --tune TILE=32,64,128 --tune PER=2,4,8 --tune-where 'TILE // PER <= 32'
  "$build/tests/bench/bench-tune" "$work/tune.sxt" "$work/tuning.txt" cpu
}

[ $# -gt 0 ] || set -- cpu math rows algorithms compile open launch python corpus
for name in "$@"; do
  case $name in
  cpu | math | rows | ispc | algorithms | compile | open | launch | python | corpus | size | amdgpu | amdgpu-algorithms | tune)
    "$name"
    echo
    ;;
  *)
    echo "no benchmark '$name': cpu, math, rows, ispc, algorithms, compile, open, launch, python, corpus, size, amdgpu," \
      "amdgpu-algorithms or tune" >&2
    exit 2
    ;;
  esac
done
