#!/usr/bin/env bash
# Sorts by each range of bits beside a stable sort on the CPU: all pairs (begin, end) of each key type,
# or every STEPth of them. A kernel takes about a second to compile, and u64 has 2080.
#
#   tests/algorithms/pairs.sh BUILD_FOLDER TYPE[:STEP]...     pairs.sh build u8 i16 u32:4 f64:20
#
# SEXTANT_PAIRS_TARGET: the target; SEXTANT_PAIRS_OPTIONS: more options of the compiler, such as
# --const qd.algorithms.CHUNKS=False, by which the CPU sorts as GPUs do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
target=${SEXTANT_PAIRS_TARGET:-cpu:x86-64-v3/wave8}
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
for type in "$@"; do
  name=pairs_${type%%:*}
  step=1
  [[ $type == *:* ]] && step=${type#*:}
  python3 -B "$here/pairs.py" "${type%%:*}" "$step" >"$modules/$name.py"
  "$build/driver/sextant" compile "$modules/$name.py" -o "$modules/$name.sxt" --targets "$target" \
    -j "${SEXTANT_JOBS:-$(nproc)}" ${SEXTANT_PAIRS_OPTIONS:-}
  "$build/tests/algorithms/sextant-sort-pairs" "$modules" "--filter=$name." "$target" |
    tail -n 1 | sed "s/^/$type: /"
done
