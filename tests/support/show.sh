#!/bin/sh
# show.sh SEXTANT FILE TARGET MODULE: compiles the kernels of FILE for TARGET into MODULE, and
# shows their code in the order of the file.
set -eu
"$1" compile "$2" -o "$4" --targets "$3" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$2"); do
  "$1" disasm "$4" -k "$kernel" -t "$3"
done
