#!/bin/sh
# count.sh SEXTANT FILE TARGET MODULE PATTERN: compiles the kernels of FILE for TARGET into
# MODULE, and prints a line a kernel: how often each x86 instruction that PATTERN matches stands
# in its code. A prefix `lock` is part of the instruction's name.
set -eu
"$1" compile "$2" -o "$4" --targets "$3" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$2"); do
  "$1" disasm "$4" -k "$kernel" | sed -n 's/^ *[0-9a-f]*:[ \t]*//p' |
    awk '$1 == "lock" && NF == 1 { prefix = "lock "; next }
         $1 == "lock" { prefix = "lock "; $1 = $2 }
         { print prefix $1; prefix = "" }' |
    grep -E "^($5)" | sort | uniq -c |
    awk -v line="$kernel:" '{ line = line " " $1 " " $2 ($3 ? " " $3 : "") "," } END { sub(/,$/, "", line); print line }'
done
