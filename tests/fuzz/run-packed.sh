#!/usr/bin/env bash
# run-packed.sh DEVICE VARIANT WAVE [SECONDS]: launches what `sextant-fuzz --pack` put into the folder
# packed/ beside this script, by sextant-fuzz-run beside it, and prints what is not clean and
# the sums. For machines without the compiler; lib/ beside it has the loader.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
end=$((SECONDS + ${4:-600}))
for module in "$here"/packed/*.sxt; do
  [ $SECONDS -lt $end ] || { echo "out of time before $(basename "$module")"; break; }
  timeout 60 "$here/sextant-fuzz-run" "$module" "${module%.sxt}-wave$3.cases" \
    "--device=$1" "--variant=$2" "--wave=$3" 2>&1 | sed "s|^|$(basename "$module" .sxt) |"
  [ "${PIPESTATUS[0]}" -lt 2 ] || echo "$(basename "$module") died"
done >"$here/packed.txt"
grep -vE ' (clean|launching) ' "$here/packed.txt" | cut -c1-400
echo "$2/wave$3: $(grep -c ' clean ' "$here/packed.txt") clean, $(grep -c ' differs ' "$here/packed.txt") differ," \
  "$(grep -c ' failed ' "$here/packed.txt") failed, $(grep -c ' refused ' "$here/packed.txt") refused of $(grep -c ' launching ' "$here/packed.txt") launched"
