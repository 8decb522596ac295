#!/usr/bin/env bash
# What the corpus costs: seconds to compile it for all-major, and its CUDA part beside
# nvcc; bytes of the module beside all images in one tar; microseconds until an image is
# decompressed. Writes a page to FILE: run.sh BUILD_FOLDER FILE
set -euo pipefail
build=$(cd "$1" && pwd)
page=$2
here=$(cd "$(dirname "$0")" && pwd)
sextant=$build/driver/sextant
runs=${SEXTANT_BENCH_RUNS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
mapfile -t corpus < <("$here/collect.sh" "$work/corpus")

# Everything on the first two cores that this process may use.
cores=$(python3 -c 'import os; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:2])))')
two() { taskset -c "$cores" "$@"; }

# The architectures of all-major on NVIDIA, for both compilers.
mapfile -t cuda < <("$sextant" targets | sed -n 's/^cuda:\([a-z]*_[0-9]*\) .*(major).*/\1/p')
gencode=()
for arch in "${cuda[@]}"; do
  number=${arch#*_}
  gencode+=(-gencode "arch=compute_$number,code=$arch")
done

ours() { # ours TARGETS OUTPUT
  two "$sextant" compile "${corpus[@]}" -j 2 --targets="$1" --allow-missing -o "$2"
}
sextant_major() { ours all-major "$work/major.sxt"; }
sextant_cuda() { ours "$(IFS=,; echo "${cuda[*]}")" "$work/cuda.sxt"; }
nvcc_files() {
  printf '%s\n' pages block subgroup |
    two xargs -P 2 -I '{}' "$nvcc" -std=c++17 -fatbin "${gencode[@]}" "$here/{}.cu" -o "$work/{}.fatbin"
}
nvcc_threads() {
  local name
  for name in subgroup pages block; do
    two "$nvcc" -std=c++17 -fatbin --threads 2 "${gencode[@]}" "$here/$name.cu" -o "$work/$name.fatbin"
  done
}

load=$(cut -d' ' -f1 /proc/loadavg)
commands=(sextant_major sextant_cuda)
if [ -n "$nvcc" ]; then
  commands+=(nvcc_files nvcc_threads)
fi
for ((run = 0; run < runs; run++)); do
  for command in "${commands[@]}"; do
    TIMEFORMAT='%R %U %S'
    { time $command 2>"$work/log"; } 2>"$work/time" || { cat "$work/log" >&2; exit 1; }
    awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/seconds.$command"
  done
done
median() { sort -n "$work/seconds.$1" | sed -n "$((runs / 2 + 1))p" | cut -d' ' -f1; }
# "12.3 s (23.4 s of processor time)"
row() {
  sort -n "$work/seconds.$1" | sed -n "$((runs / 2 + 1))p" |
    awk '{ printf "%.1f s (%.1f s of processor time)", $1, $2 }'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# size_row NAME MODULE: the module beside all its images in one tar, each a file
# BACKEND/KERNEL.TARGET, in the orders in which a user might pack them. Leaves what decoding
# takes in MODULE.decode.
size_row() {
  local name=$1 module=$2 images=$2.images order option bytes best='' how
  "$build/tests/bench/bench-images" "$module" "$images" >"$module.decode"
  (cd "$images" && find . -type f | LC_ALL=C sort) >"$work/by-kernel"
  sed 's,^\./\([^/]*\)/\([^.]*\)\.\(.*\)$,\1 \3 &,' "$work/by-kernel" | LC_ALL=C sort -k1,1 -k2,2 -k3,3 |
    cut -d' ' -f3 >"$work/by-target"
  for order in by-kernel by-target; do
    for option in '' --long=27; do
      bytes=$(tar -C "$images" --mtime=@0 --owner=0 --group=0 -cf - -T "$work/$order" |
        zstd -19 $option -c | wc -c)
      if [ -z "$best" ] || [ "$bytes" -lt "$best" ]; then
        best=$bytes how="in order $order${option:+, $option}"
      fi
    done
  done
  bytes=$(stat -c %s "$module")
  echo "| the module for \`$name\`, $(wc -l <"$work/by-kernel") images | $bytes bytes | all images in one tar, \`zstd -19\`, $how | $best bytes | $(ratio "$bytes" "$best") |"
}
ours all "$work/all.sxt" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
sizes=$(size_row all-major "$work/major.sxt"; size_row all "$work/all.sxt")

{
  echo "# The corpus: compile time and size"
  echo
  echo "All kernels of \`tests/bench/corpus\` (one for each operation of the library) and all examples of the pages. Made by"
  echo "\`./dev bench corpus\`, $(date -u +%F), two cores of: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1); medians of $runs."
  echo "Other work on the machine at the beginning: load average $load."
  echo
  echo "| what | value | peer | peer's value | ratio |"
  echo "|---|---|---|---|---|"
  echo "| compile the corpus for \`all-major\`, one call, -j 2 | $(row sextant_major) | | | |"
  if [ -n "$nvcc" ]; then
    peer=nvcc_files peerName="three files, two at a time"
    if awk -v a="$(median nvcc_files)" -v b="$(median nvcc_threads)" 'BEGIN { exit !(b < a) }'; then
      peer=nvcc_threads peerName="three files, one after the other with --threads 2"
    fi
    version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    echo "| its CUDA part: ${cuda[*]} | $(row sextant_cuda) | nvcc $version, $peerName | $(row "$peer") | $(ratio "$(median sextant_cuda)" "$(median "$peer")") |"
  else
    echo "| its CUDA part: ${cuda[*]} | $(row sextant_cuda) | nvcc | not installed | |"
  fi
  echo "$sizes"
  echo
  echo "The table below is of the module for \`all-major\`. nvcc compiles the kernels' CUDA twins (\`*.cu\` beside the kernels),"
  echo "for the same architectures, on the same two cores; the faster of two ways counts."
  echo
  cat "$work/major.sxt.decode"
} >"$page.new"
mv "$page.new" "$page"
cat "$page"
