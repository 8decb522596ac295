#!/usr/bin/env bash
# The corpus in every form that docs/decisions/0008-split-images.md compares, and the peers
# beside it: nvcc's fat binaries, clang's compressed bundles and zstd over a tar of the same
# images. Takes minutes: run.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
corpus=$here/../corpus
sextant=$build/driver/sextant
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
bundler=$(command -v clang-offload-bundler-19 || command -v clang-offload-bundler || true)
mapfile -t files < <("$corpus/collect.sh" "$work/corpus")
mapfile -t cuda < <("$sextant" targets | sed -n 's/^cuda:\([a-z]*_[0-9]*\) .*(major).*/\1/p')

# compile TARGETS COMPRESS OUTPUT: its seconds
compile() {
  local TIMEFORMAT=%R
  { time "$sextant" compile "${files[@]}" -j 2 --targets="$1" --compress="$2" --allow-missing -o "$3" 2>/dev/null; } 2>&1
}
bytes() { stat -c %s "$@" | awk '{ sum += $1 } END { print sum }'; }
solid() { # solid FOLDER: all of its files, by target, in one frame
  (cd "$1" && find . -type f | sed 's,^\./\([^.]*\)\.\(.*\)$,\2 &,' | LC_ALL=C sort | cut -d' ' -f2 | xargs cat) |
    zstd -19 --long=27 -c | wc -c
}

echo "Load average $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
for targets in all-major all; do
  echo; echo "== The corpus for $targets"
  echo "| --compress | bytes | compiled in, s | an image first, median µs by backend |"
  echo "|---|---|---|---|"
  for compression in none fast balanced small; do
    seconds=$(compile "$targets" "$compression" "$work/$targets-$compression.sxt")
    "$build/tests/bench/bench-images" "$work/$targets-$compression.sxt" "$work/images-$targets" >"$work/table"
    echo "| $compression | $(bytes "$work/$targets-$compression.sxt") | $seconds | $(awk -F'|' 'NR > 2 && NF > 8 { printf "%s%s %d", n++ ? ", " : "", $2, $6 }' "$work/table") |"
  done
  echo; "$build/tests/bench/bench-size" "$work/$targets-none.sxt"
  echo; echo "One solid frame of zstd -19 --long over the images of each backend:"
  for backend in "$work/images-$targets"/*; do
    echo "  $(basename "$backend") $(solid "$backend")"
  done
done

echo; echo "== CUDA: ${cuda[*]}"
echo "a module of only these targets: $(compile "$(IFS=,; echo "${cuda[*]}")" balanced "$work/cuda.sxt" >/dev/null; bytes "$work/cuda.sxt")"
if [ -n "$nvcc" ]; then
  gencode=()
  for arch in "${cuda[@]}"; do
    gencode+=(-gencode "arch=compute_${arch#*_},code=$arch")
  done
  for mode in size balance speed none; do
    for name in pages block subgroup; do
      "$nvcc" -std=c++17 -fatbin --compress-mode=$mode "${gencode[@]}" "$corpus/$name.cu" -o "$work/$name.$mode.fatbin"
    done
    echo "nvcc --compress-mode=$mode, three files: $(bytes "$work"/*."$mode".fatbin)"
  done
else
  echo "no nvcc"
fi

echo; echo "== AMD: the images of all-major"
echo "a module of only these targets: $(compile "$("$sextant" targets | sed -n 's/^amdgpu:\([^ ]*\) .*(major).*/\1/p' | paste -sd,)" balanced "$work/amd.sxt" >/dev/null; bytes "$work/amd.sxt")"
if [ -n "$bundler" ]; then
  # A bundle has one image a processor: waves of 32 and of 64 get a bundle each.
  for level in 3 19; do
    total=0
    for kernel in $(ls "$work/images-all-major/amdgpu" | cut -d. -f1 | sort -u); do
      for wave in 32 64; do
        names=host-x86_64-unknown-linux-gnu- inputs=(--input=/dev/null)
        for image in "$work/images-all-major/amdgpu/$kernel".*-wave$wave; do
          [ -f "$image" ] || continue
          processor=${image##*"$kernel".}
          names+=,hipv4-amdgcn-amd-amdhsa--${processor%-wave*}
          inputs+=("--input=$image")
        done
        "$bundler" --type=o --compress --compression-level=$level --targets="$names" "${inputs[@]}" --output="$work/bundle"
        total=$((total + $(bytes "$work/bundle")))
      done
    done
    echo "clang-offload-bundler --compress --compression-level=$level, a bundle for each kernel and wave: $total"
  done
else
  echo "no clang-offload-bundler"
fi
