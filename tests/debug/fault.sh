#!/bin/sh
# fault.sh SEXTANT SOURCE FOLDER: a kernel built without -g faults in the middle of a large frame, and
# gdb's backtrace leads from there through the loader's frames to where the thread began. Exits with 77
# where gdb is missing or may trace nothing.
set -eu
sextant=$1 source=$2 folder=$3
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
mkdir -p "$folder"
"$sextant" compile "$source/tests/debug/fault.py" --targets=cpu:x86-64-v2 -o "$folder/fault.sxt"
export SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1 VK_ICD_FILENAMES=none
cat >"$folder/steps.gdb" <<'END'
set pagination off
set debuginfod enabled off
run
backtrace
END
timeout -k 5 120 gdb -nx -q -batch -x "$folder/steps.gdb" --args "$sextant" run "$folder/fault.sxt" \
  far 'x=iota:f32[64]' 'n=const:500000000:i32[64]' </dev/null >"$folder/log" 2>&1 || true
if grep -q 'ptrace: Operation not permitted' "$folder/log"; then
  echo "skipped: gdb may not trace processes here"
  exit 77
fi
for line in 'SIGSEGV' '^#0 .* in far_t[0-9]* ()' '^#1 .*Pool' '^#[0-9]* .* \(start_thread\|clone3\?\|main\) '; do
  grep -q "$line" "$folder/log" || { echo "gdb does not say '$line':"; cat "$folder/log"; exit 1; }
done
