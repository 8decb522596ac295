#!/bin/sh
# count.sh PROGRAM SEXTANT TARGET MODULE FILE [PATTERN [OPTION…]]: compiles the kernels of FILE, or of
# kernels/FILE here, for TARGET into MODULE, and prints a line a kernel, in the order of the
# file: what the awk PROGRAM counts in its code. PROGRAM has the variables `kernel`, `bytes` (of
# shared memory that a block has) and `pattern`. OPTION: further options of `sextant compile`.
set -eu
program=$1 sextant=$2 target=$3 module=$4 file=$5 pattern=${6:-}
[ $# -ge 6 ] && shift 6 || shift 5
[ -f "$file" ] || file=$(dirname "$0")/kernels/$file
"$sextant" compile "$file" -o "$module" --targets "$target" -j 1 "$@"
"$sextant" inspect "$module" >"$module.txt"
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$file"); do
  bytes=$(awk -v kernel="$kernel(" '
    $1 == "kernel" { inside = index($2, kernel) == 1 }
    inside && column { print $column + 0; exit }
    inside && $1 == "variant" { for (i = 1; i <= NF; i++) if ($i == "shared") column = i }
    ' "$module.txt")
  "$sextant" disasm "$module" -k "$kernel" -t "$target" |
    awk -v kernel="$kernel" -v bytes="${bytes:-0}" -v pattern="$pattern" -f "$program"
done
