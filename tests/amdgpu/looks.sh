#!/bin/sh
# looks.sh SEXTANT MODULE: the commands that look into code do so under every name of the module's variants,
# and a device of a variant's name can run it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "$1: $(head -3 "$folder/out" "$folder/err")"
  exit 1
}
# run COMMAND…: `sextant COMMAND…` succeeds and complains of nothing.
run() {
  "$sextant" "$@" >"$folder/out" 2>"$folder/err" && [ ! -s "$folder/err" ] || fail "$*"
}
sextant=$1 module=$2
run inspect "$module"
# Every processor has waves of 64.
sed -n 's/^  \(amdgpu:[^ ]*\/wave64\) .*/\1/p' "$folder/out" | sort -u >"$folder/targets"
while read -r target; do
  run disasm "$module" lanes --target "$target"
  grep -q s_endpgm "$folder/out" || fail "disasm of $target"
  name=${target#amdgpu:}
  run explain "$module" --as "${name%/*}"
  grep -Eq "(runs|could) +$target:" "$folder/out" || fail "explain --as ${name%/*}"
done <"$folder/targets"
[ "$(wc -l <"$folder/targets")" -gt 1 ] || fail "no variants"
