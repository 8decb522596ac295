#!/bin/sh
# names.sh SEXTANT SOURCE FOLDER: gdb knows tasks by their names in images that were built without -g,
# for breakpoints and in backtraces. Exits with 77 where gdb is missing or may trace nothing.
set -eu
sextant=$1 source=$2 folder=$3
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
mkdir -p "$folder"
"$sextant" compile "$source/docs/examples/saxpy.py" --targets=cpu:x86-64-v2 -o "$folder/saxpy.sxt"
export SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1 VK_ICD_FILENAMES=none
cat >"$folder/steps.gdb" <<'END'
set breakpoint pending on
set pagination off
set debuginfod enabled off
break saxpy_t0
run
backtrace 2
info symbol $pc
delete
continue
END
timeout -k 5 120 gdb -nx -q -batch -x "$folder/steps.gdb" --args "$sextant" run "$folder/saxpy.sxt" \
  saxpy n=4 a=2.0 'x=iota:f32[4]' 'y=const:1:f32[4]' </dev/null >"$folder/log" 2>&1 || true
if grep -q 'ptrace: Operation not permitted' "$folder/log"; then
  echo "skipped: gdb may not trace processes here"
  exit 77
fi
for line in '^#0 .* in saxpy_t0 ()' '^#1 .*Pool' '^saxpy_t0 in section .text of' \
  '^y: f32\[4\] = \[1, 3, 5, 7\]' 'exited normally'; do
  grep -q "$line" "$folder/log" || { echo "gdb does not say '$line':"; cat "$folder/log"; exit 1; }
done
