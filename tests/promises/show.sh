#!/bin/sh
# show.sh SEXTANT TARGET MODULE FILE: compiles the kernels of FILE, or of kernels/FILE here, for
# TARGET into MODULE, and shows their code in the order of the file.
set -eu
file=$4
[ -f "$file" ] || file=$(dirname "$0")/kernels/$file
"$1" compile "$file" -o "$3" --targets "$2" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$file"); do
  "$1" disasm "$3" -k "$kernel" -t "$2"
done
