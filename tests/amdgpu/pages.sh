#!/bin/sh
# pages.sh SEXTANT PAGES: no example of the documentation's pages uses scratch memory or
# spills on the major processors, and a wave of 32 lanes adds up without ds_bpermute.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
for page in "$2"/*.py; do
  name=$(basename "$page" .py)
  case $name in
  block_reduce_add) set -- "$1" "$2" --kernel "kern[src=qd.f32, out=qd.f32]" ;;
  block_inclusive_add) set -- "$1" "$2" --kernel "kern[src=qd.i32, out=qd.i32]" ;;
  block_radix_rank) set -- "$1" "$2" --kernel "kern[keys_in=qd.u32, ranks_out=qd.i32]" ;;
  *) set -- "$1" "$2" ;;
  esac
  sextant=$1 pages=$2
  shift 2
  "$sextant" compile "$page" -o "$folder/$name.sxt" --targets amdgpu:all-major --allow-missing "$@" \
    2>"$folder/log" || { cat "$folder/log"; exit 1; }
  "$sextant" inspect "$folder/$name.sxt" >"$folder/$name.txt"
  # The columns' places come from the heading of the table of variants.
  awk -v name="$name" '
    $1 == "variant" { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $1 ~ /^amdgpu:/ {
      ++rows
      if ($column["stack"] != "0" || $column["spill"] != "0") {
        print name ": " $0; bad = 1
      }
    }
    END { if (!rows) { print name ": no AMD variants in the table"; bad = 1 } exit bad }
  ' "$folder/$name.txt"
  count=$((count + 1))
  set -- "$sextant" "$pages"
done
if "$1" disasm "$folder/subgroup_sum32.sxt" --target gfx1100/wave32 >"$folder/sum.s" &&
  grep -q v_permlanex16_b32 "$folder/sum.s" && ! grep -q ds_ "$folder/sum.s"; then
  echo "$count pages: no scratch, no spills"
else
  echo "subgroup_sum32 on gfx1100 at 32 lanes:"
  cat "$folder/sum.s"
  exit 1
fi
