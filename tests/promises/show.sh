#!/bin/sh
# show.sh SEXTANT TARGET MODULE FILE: compiles the kernels of FILE for TARGET into MODULE, and
# shows their code in the order of the file.
set -eu
"$1" compile "$4" -o "$3" --targets "$2" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$4"); do
  "$1" disasm "$3" -k "$kernel" -t "$2"
done
