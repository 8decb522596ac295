#!/usr/bin/env bash
# Compares the working tree's rows with those of another commit: compare.sh REV [PROGRAM…]
#
# REV is built in a worktree of its own, build/compare/tree, which stays: the next comparison builds what differs, and
# ccache knows the rest. The rows and kernels are the working tree's; compilers and loaders are those of each commit.
# PROGRAM: cpu, rows, algorithms, amdgpu; else all. Status 1: a row is lost. The page is docs/results/rows-cpu.md.
# SEXTANT_COMPARE_KIT=FOLDER: nothing is measured; what a machine with a GPU needs for it goes there (tests/kit), for
# SEXTANT_KIT_TARGETS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bench=$(dirname "$here")
root=$(cd "$bench/../.." && pwd)
build=$root/build
rev=${1:-}
shift || true
work=$build/compare
tree=$work/tree
jobs=${SEXTANT_JOBS:-$(nproc)}
kit=${SEXTANT_COMPARE_KIT:-}
isCheck=no
if [ "$rev" = --check ]; then # only whether there is such a commit
  isCheck=yes rev=${1:-}
  shift || true
fi
targets=${SEXTANT_KIT_TARGETS:-}

fail() {
  printf '%s\n' "$@" >&2
  exit 2
}

# The commit and the programs that are named.
[ -n "$rev" ] || fail "bench --compare: name a commit: a hash, a branch or a tag"
commit=$(git -C "$root" rev-parse --verify --quiet --end-of-options "$rev^{commit}") ||
  fail "bench --compare: '$rev' names no commit here" \
    "  help: give a hash, a branch or a tag; \`git fetch --tags\` brings the origin's"
[ $isCheck = no ] || exit 0
for program in "$@"; do
  case $program in
  cpu | rows | algorithms | amdgpu) ;;
  *) fail "bench --compare: no program '$program': cpu, rows, algorithms or amdgpu" ;;
  esac
done
[ $# -gt 0 ] || set -- cpu rows algorithms amdgpu
wants() { [[ " $wanted " == *" $1 "* ]]; }
wanted=$*

# The working tree's build.
"$root/dev" build release sextant sextant_loader_static
grep -q SEXTANT_BUILD_BENCH:BOOL=ON "$build/CMakeCache.txt" || cmake -DSEXTANT_BUILD_BENCH=ON "$build" >/dev/null
ninja -C "$build" -j "$jobs" bench-compare bench-amdgpu

# The build of REV. Commits that differ only in tests and pages need none.
mkdir -p "$work"
if git -C "$root" diff --quiet "$commit" -- . ':!tests' ':!docs' ':!*.md' ':!dev' ':!.ci'; then
  echo "$rev has the working tree's sources: its build serves both"
  old=$build
else
  old=$tree/build
  git -C "$root" worktree prune
  if [ -e "$tree/.git" ]; then
    git -C "$tree" checkout --quiet --force --detach "$commit"
  else
    git -C "$root" worktree add --quiet --force --detach "$tree" "$commit"
  fi
  (cd "$tree" && cmake --preset release -DSEXTANT_BUILD_TESTS=OFF -DSEXTANT_BUILD_EXAMPLES=OFF \
    -DSEXTANT_BUILD_PYTHON=OFF) >"$work/configure.log" 2>&1 || fail "$(tail -5 "$work/configure.log")"
  ninja -C "$old" -j "$jobs" sextant sextant_loader_static
fi

# Both commits' folders: rows as libraries, modules. side NAME BUILD_FOLDER
side() {
  local folder=$work/$1
  rm -rf "$folder"
  mkdir -p "$folder"
  cmake -S "$bench/libraries" -B "$work/libraries-$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-19 \
    -DCMAKE_CXX_COMPILER=clang++-19 "-DSextant_DIR=$2" >"$work/configure.log" 2>&1 ||
    fail "$(tail -5 "$work/configure.log")"
  ninja -C "$work/libraries-$1" -j "$jobs"
  cp "$work/libraries-$1"/*.so "$folder"
  sextant=$2/driver/sextant
  keep=() # an older compiler may refuse some kernels
  if "$sextant" compile --help | grep -q -- --keep-going; then keep=(--keep-going); fi
}
compile() { # compile FOLDER MODULE SOURCE TARGETS [OPTION…]
  "$sextant" compile "$bench/$3" -o "$work/$1/$2.sxt" "--targets=$4" "${keep[@]}" "${@:5}" ||
    echo "$1: not all kernels of $3 are built"
}
for name in old new; do
  if [ $name = old ]; then side old "$old"; else side new "$build"; fi
  if [ -n "$kit" ]; then
    while read -r _ kernels _; do
      options=()
      if [[ $kernels == *-fast ]]; then options=(--fast-math); fi
      compile $name "$kernels" "cuda/${kernels%-fast}.py" "$targets" "${options[@]}"
    done <"$bench/cuda/programs.txt"
    compile $name rows jit/rows.py "$targets" --fast-math
    compile $name scans jit/scans.py "$targets"
    cp "${sextant%/driver/sextant}/loader/libsextant_loader.a" "$work/$name/"
    cp -r "${sextant%/build/driver/sextant}/loader/include" "$work/$name/"
    continue
  fi
  cpu=x86-64-v3,x86-64-v4
  if wants cpu; then compile $name kernels cpu/kernels.py $cpu; fi
  if wants rows; then compile $name rows cpu/rows.py $cpu; fi
  if wants algorithms; then compile $name algorithms cuda/algorithms.py $cpu; fi
done
git -C "$root" log -1 --format='%h %s' "$commit" >"$work/old/commit"
git -C "$root" log -1 --format='%h %s' >"$work/new/commit"
git -C "$root" diff --quiet HEAD -- || echo "with changes that are not committed" >>"$work/new/commit"

if [ -n "$kit" ]; then
  rm -rf "$kit"
  mkdir -p "$kit"
  cp -r "$work/old" "$work/new" "$build/tests/bench/compare/bench-compare" "$here/measure.py" "$kit/"
  exit
fi

# The rows' instructions of waves, old and new: amdsim's counts have no noise.
counts=()
if wants amdgpu && [ -e "$build/simulators/amdsim" ]; then
  : >"$work/counts.tsv"
  for target in gfx942/wave64 gfx1100/wave32; do
    arch=${target%/*}
    "$bench/amdgpu/peers.sh" "$arch" "$bench/amdgpu/peers.cl" "$work/peers.hsaco"
    for name in old new; do
      sextant=$build/driver/sextant
      [ $name = new ] || sextant=$old/driver/sextant
      compile $name amdgpu amdgpu/kernels.py "amdgpu:$target"
      AMDSIM_ARCH=$arch AMDSIM_STATS=1 "$bench/../simulators/hip/run.sh" "$build/simulators/amdsim" \
        "$build/tests/bench/bench-amdgpu" "$work/$name/amdgpu.sxt" "$work/peers.hsaco" 2>"$work/stats" ||
        echo "$name: amdsim ended early on $arch"
      awk -f "$bench/amdgpu/table.awk" "$work/stats" | sed "s/^| */$arch: /" |
        awk -F ' *[|] *' -v OFS='\t' '{ print $1, $2 }' >"$work/$name/counts.tsv"
    done
    join -t $'\t' <(LC_ALL=C sort "$work/old/counts.tsv") <(LC_ALL=C sort "$work/new/counts.tsv") >>"$work/counts.tsv"
  done
  counts=(--counts "$work/counts.tsv")
fi

# The rows of one thread and of all.
programs=()
if wants cpu; then programs+=("bench-cpu @/kernels.sxt"); fi
for threads in $(printf '%s\n' 1 "$(nproc)" | uniq); do
  if wants rows; then programs+=("bench-cpu-rows @/rows.sxt $threads"); fi
  if wants algorithms; then programs+=("bench-cpu-algorithms @/algorithms.sxt $threads 20"); fi
done
python3 -B "$here/measure.py" "$work/old" "$work/new" --runner "$build/tests/bench/compare/bench-compare" \
  --machine "$(nproc) cores of: $(lscpu | sed -n 's/^Model name: *//p' | head -1)" \
  --page "$root/docs/results/rows-cpu.md" "${counts[@]}" "${programs[@]}"
