#!/usr/bin/env bash
# Seconds to compile one small kernel, whole process, medians of 11 runs in turn,
# beside nvcc where it is installed: compile-time.sh SEXTANT WORK_FOLDER
set -euo pipefail
sextant=$1
work=$2
kernel=$(cd "$(dirname "$0")/../.." && pwd)/docs/examples/saxpy.py
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
cat >"$work/saxpy.cu" <<'CUDA'
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
CUDA

names=() commands=()
add() { names+=("$1"); commands+=("$2"); }
add "sextant --version (start-up)" "$sextant --version"
add "sextant, cpu x86-64-v3" "$sextant compile $kernel -o $work/o.sxt --targets=x86-64-v3"
add "sextant, compute_90 (PTX)" "$sextant compile $kernel -o $work/o.sxt --targets=compute_90"
if [ -n "$nvcc" ]; then
  add "sextant, sm_90 (cubin)" "$sextant compile $kernel -o $work/o.sxt --targets=sm_90"
  add "nvcc, compute_90 (PTX)" "$nvcc -ptx -arch=compute_90 $work/saxpy.cu -o $work/o.ptx"
  add "nvcc, sm_90 (cubin)" "$nvcc -cubin -arch=sm_90 $work/saxpy.cu -o $work/o.cubin"
fi

runs=11
for ((r = 0; r < runs; r++)); do
  for i in "${!commands[@]}"; do
    begin=$(date +%s%N)
    ${commands[$i]} >/dev/null
    end=$(date +%s%N)
    echo $(((end - begin) / 1000)) >>"$work/times.$i"
  done
done
printf '%-32s %10s\n' "what (one small kernel)" "ms, median"
for i in "${!commands[@]}"; do
  median=$(sort -n "$work/times.$i" | sed -n "$((runs / 2 + 1))p")
  printf '%-32s %10s\n' "${names[$i]}" "$((median / 1000)).$(printf '%03d' $((median % 1000)) | cut -c1)"
done
