#!/usr/bin/env bash
# `sextant` is the same by a fork as by a start: prefork.sh START SEXTANT
set -uo pipefail
start=$1 real=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'import quadrants as qd\n\n\n@qd.kernel\ndef k(x: qd.types.ndarray(qd.f32, 1)):\n    for i in x:\n        x[i] = 1.0\n' >k.py
faults=0

# Words of a shell give the same output, errors and status.
same() {
  local which file
  for which in start real; do
    sextant() { "${!which}" "$@"; }
    (eval "$1") >$which.out 2>$which.err
    echo $? >$which.status
  done
  for file in out err status; do
    cmp start.$file real.$file || { echo "other $file: $1" && cat start.$file && faults=1; }
  done
}
same 'sextant --version | tail -n +2' # without the commit: one of the two may be built later
same 'sextant'
same 'sextant compile k.py -t cpu -o k.sxt && cat k.sxt'
same 'sextant run k.sxt k x=zeros:f32[3] --device cpu | grep x:'
same 'sextant compile - -o - -t cpu <k.py'
same 'cd / && sextant inspect k.sxt'
same 'sextant nothing "" "a b"'
same 'CLICOLOR_FORCE=1 sextant compile nowhere.py'
same 'sextant inspect k.sxt >/dev/full'
same 'for i in 1 2 3 4; do sextant inspect k.sxt >k$i & done; wait; cat k[1-4]'
grep -q 'x: .*\[1, 1, 1\]' <("$start" run k.sxt k x=zeros:f32[3] --device cpu) || { echo "no result" && faults=1; }
env -u PREFORK_SOCKET "$start" --version 2>/dev/null
[ $? = 127 ] || { echo "without sextant-prefork it does not fail" && faults=1; }
exit $faults
