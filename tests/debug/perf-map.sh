#!/bin/sh
# perf-map.sh SEXTANT SOURCE FOLDER: with SEXTANT_PERF_MAP=1 the loader adds each task of a CPU
# image to perf's map, and results are the same; without it there is no map. Where perf may
# count here, it finds the task by the map.
set -eu
sextant=$1 source=$2 folder=$3
export SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1 VK_ICD_FILENAMES=none
mkdir -p "$folder"
"$sextant" compile "$source/docs/examples/saxpy.py" --targets=cpu:x86-64-v2 -o "$folder/saxpy.sxt"

# A map of the process, whose number the shell knows, as it becomes the command.
run() { # SEXTANT_PERF_MAP, output
  sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$folder/pid" env SEXTANT_PERF_MAP="$1" "$sextant" run \
    "$folder/saxpy.sxt" saxpy n=4 a=2.0 x=iota:f32[4] y=const:1:f32[4] >"$2"
  map=/tmp/perf-$(cat "$folder/pid").map
}
run 0 "$folder/plain.txt"
[ ! -e "$map" ] || { rm -f "$map"; echo "a map that nobody asked for"; exit 1; }
run 1 "$folder/mapped.txt"
[ -e "$map" ] || { echo "no map"; exit 1; }
cat "$map"
grep -Eqx '[0-9a-f]+ [0-9a-f]+ saxpy_t0' "$map" || { rm -f "$map"; echo "the map lacks the task"; exit 1; }
rm -f "$map"
grep -qx 'y: f32\[4\] = \[1, 3, 5, 7\]' "$folder/mapped.txt" || { cat "$folder/mapped.txt"; exit 1; }

if command -v perf >/dev/null && perf record -q -e cpu-clock -o "$folder/try.data" true 2>/dev/null; then
  perf record -q -e cpu-clock -o "$folder/perf.data" sh -c 'echo $$ >"$1"; shift; exec "$@"' sh \
    "$folder/pid" env SEXTANT_PERF_MAP=1 "$sextant" bench "$folder/saxpy.sxt" saxpy n=1000000 a=2.0 \
    'x=iota:f32[1000000]' 'y=const:1:f32[1000000]' >/dev/null
  perf report -i "$folder/perf.data" --stdio 2>/dev/null >"$folder/report.txt"
  rm -f "/tmp/perf-$(cat "$folder/pid").map"
  grep -Eq '(JIT|perf-[0-9]*\.map).*saxpy_t0' "$folder/report.txt" || { head -40 "$folder/report.txt"; exit 1; }
else
  echo "perf may not count here: its report is not looked at"
fi
