#!/usr/bin/env bash
# Commands whose memory runs out, at any point from the start on: they say so and end, never by a
# signal, and leave no output. And files that are not files where toolkits' files are named.
#
#   memory.sh SEXTANT
set -euo pipefail
sextant=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "FAILED: $*"
  cat said 2>/dev/null || true
  exit 1
}

cat >kernels.py <<'PYTHON'
import quadrants as qd


@qd.kernel
def sines(x: qd.types.ndarray(qd.f32, 1)):
    for i in x:
        for j in qd.static(range(100)):
            x[i] += qd.sin(x[i] * j)
PYTHON
"$sextant" compile kernels.py -o kernels.sxt --targets cpu

# limited KILOBYTES COMMAND…: runs it; 0 in `status`, or the error that was said.
limited() {
  local kilobytes=$1
  shift
  status=0
  (ulimit -v "$kilobytes" && exec "$sextant" "$@") >said 2>&1 || status=$?
  case $status in
  0) ;;
  1) grep -qE "memory|cannot allocate|has no memory" said || fail "$kilobytes KiB: sextant $*" ;;
  *) fail "status $status with $kilobytes KiB: sextant $*" ;;
  esac
}

# The least memory in which the system can load the program at all.
least=100000
while
  loads=0
  (ulimit -v "$least" && exec "$sextant" --version) >said 2>&1 || loads=$?
  [ "$loads" = 127 ]
do
  least=$((least + 4000))
done
failures=0
for more in 0 8000 20000 34000 40000 46000 60000; do
  rm -f made.sxt
  limited $((least + more)) compile kernels.py -o made.sxt --targets cpu -j 4
  if [ "$status" = 0 ]; then
    cmp -s made.sxt kernels.sxt || fail "another module with little memory"
  else
    failures=$((failures + 1))
    [ -z "$(ls -- made.sxt* 2>/dev/null)" ] || fail "something is left of an output"
  fi
  rm -f made.sxt
  limited $((least + more)) compile kernels.py -o made.sxt --targets cpu -j 4 --diagnostics=json
  python3 - said "$status" <<'PYTHON' || fail "not JSON with $((least + more)) KiB"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(sys.argv[2] != "0" and [line["severity"] for line in lines] != ["error"])
PYTHON
  limited $((least + more)) merge kernels.sxt kernels.sxt -o merged.sxt
  limited $((least + more)) inspect kernels.sxt
  limited $((least + more)) run kernels.sxt sines 'x=iota:f32[8]' --device cpu
done
[ "$failures" -gt 2 ] || fail "no command lacked memory"
# More than is left, and less than the limit.
limited $((least + 1500000)) run kernels.sxt sines 'x=zeros:f32[400000000]' --device cpu
[ "$status" = 1 ] || fail "an array larger than the limit"
"$sextant" inspect kernels.sxt >/dev/full 2>said && fail "written to a full device"
grep -q "cannot write to standard output" said || fail "no word of the full device"

mkfifo pipe
for file in "$PWD/pipe" /dev/zero; do
  for variable in SEXTANT_OCML SEXTANT_LIBDEVICE; do
    target=gfx942
    [ "$variable" = SEXTANT_OCML ] || target=compute_80
    ! env "$variable=$file" timeout 60 "$sextant" compile kernels.py -o made.sxt --targets "$target" >said 2>&1 ||
      fail "$variable=$file"
    grep -qF "\$$variable is '$file', which is not a file but a stream" said || fail "$variable=$file"
  done
done
