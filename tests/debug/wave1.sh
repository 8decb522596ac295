#!/bin/sh
# wave1.sh SEXTANT SOURCE FOLDER: subgroup operations in waves of one lane, optimised and not,
# and that the loader takes such code only where it is asked for or the only code.
set -eu
sextant=$1 source=$2 folder=$3
export SEXTANT_DEVICE=cpu VK_ICD_FILENAMES=none
mkdir -p "$folder"
# Worked out by hand, for v = 0, 1, 2, 3: group_size, lane, sum and maximum of only v, scans, ballot, votes,
# v from lane 0; then the block's sum, its exclusive scan, and how many v are above 1.
expected='1 0 0 0 0 0 0 0 6 0 2
1 0 101 1 0 0 0 101 6 0 2
1 0 202 2 0 1 11 202 6 1 2
1 0 303 3 0 1 11 303 6 3 2'
run() { # module, wave expected
  "$sextant" run "$1" alone x=iota:i32[4] 'y=zeros:i32[4,11]' --save "y=$folder/y.npy" \
    >"$folder/out.txt" || { cat "$folder/out.txt"; exit 1; }
  grep -q "ran as cpu:x86-64-v2/wave$2 " "$folder/out.txt" || { cat "$folder/out.txt"; exit 1; }
}
check() { # its argument says what was run
  od -An -v -t d4 -w44 -j "$(($(stat -c %s "$folder/y.npy") - 176))" "$folder/y.npy" |
    sed 's/  */ /g; s/^ //' >"$folder/y.txt"
  [ "$(cat "$folder/y.txt")" = "$expected" ] || { echo "$1:"; cat "$folder/y.txt"; exit 1; }
}
for options in -O3 "-g -O0" "-O1 --check"; do
  # shellcheck disable=SC2086
  "$sextant" compile "$source/tests/debug/wave1.py" $options --targets=cpu:x86-64-v2/wave1 -o "$folder/alone.sxt"
  run "$folder/alone.sxt" 1
  check "$options"
done
"$sextant" compile "$source/tests/debug/wave1.py" --targets=cpu:x86-64-v2/wave1,cpu:x86-64-v2/wave4 -o "$folder/both.sxt"
run "$folder/both.sxt" 4
export SEXTANT_VARIANT=/wave1
run "$folder/both.sxt" 1
check "with both waves"
