#!/bin/sh
# gdb.sh SEXTANT SOURCE NAME FOLDER ARGUMENT…: compiles kernels.py without optimisation and
# with -g, runs the kernel NAME under gdb with the script NAME.gdb, and compares what gdb shows
# of the kernel with NAME.expected. Exits with 77 where gdb is missing or may trace nothing.
set -eu
sextant=$1 source=$2 name=$3 folder=$4
shift 4
if ! command -v gdb >/dev/null; then
  echo "skipped: gdb is not installed"
  exit 77
fi
mkdir -p "$folder"
cd "$source/tests/debug"
"$sextant" compile kernels.py -g -O0 --targets=cpu:x86-64-v2/wave8 -o "$folder/kernels.sxt"

if ! timeout 60 gdb -nx -q -batch -ex "set debuginfod enabled off" -x start.gdb -ex run --args true </dev/null 2>&1 |
   grep -q 'exited normally'; then
  echo "skipped: gdb may not trace processes here"
  exit 77
fi
export SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1 VK_ICD_FILENAMES=none
timeout -k 5 120 gdb -nx -q -batch -ex "set debuginfod enabled off" -x start.gdb -x "$name.gdb" \
  --args "$sextant" run "$folder/kernels.sxt" "$name" "$@" </dev/null >"$folder/$name.log" 2>&1 || true
./shown.sh <"$folder/$name.log" >"$folder/$name.seen" || true
diff -u "$name.expected" "$folder/$name.seen" || { echo "--- gdb's output:"; cat "$folder/$name.log"; exit 1; }
