#!/bin/sh
# lines.sh SEXTANT KERNELS NAME FOLDER KERNEL ARGUMENT…: compiles a kernel file without -g, runs the kernel under
# gdb with the script NAME.gdb, and looks for lines that match each pattern of NAME.lines. Exits with 77 where gdb
# is missing or may trace nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sextant=$1 kernels=$2 name=$3 folder=$4
shift 4
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
mkdir -p "$folder"
"$sextant" compile "$kernels" --targets=cpu:x86-64-v2 -o "$folder/kernels.sxt"
export SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1 VK_ICD_FILENAMES=none
timeout -k 5 120 gdb -nx -q -batch -x "$here/$name.gdb" --args "$sextant" run "$folder/kernels.sxt" "$@" \
  </dev/null >"$folder/log" 2>&1 || true
if grep -q 'ptrace: Operation not permitted' "$folder/log"; then
  echo "skipped: gdb may not trace processes here"
  exit 77
fi
while IFS= read -r line; do
  grep -q "$line" "$folder/log" || { echo "gdb does not say '$line':"; cat "$folder/log"; exit 1; }
done <"$here/$name.lines"
