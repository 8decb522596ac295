#!/bin/sh
# count.sh SEXTANT FILE TARGET MODULE: compiles the kernels of FILE for TARGET into MODULE, and
# prints a line a kernel: how many instructions of each kind its machine code has.
#
#   dpp       moves within rows, most of them part of an operation
#   permlane  between rows and halves
#   lane      from or to one lane by a scalar
#   crossbar  ds_bpermute, ds_swizzle: through the paths of shared memory, not its cells
#   lds       reads and writes of shared memory, and atomics on it
#   global    atomics on device memory
#   cas       compare-and-swaps among those two
#   barrier   block barriers
#   bytes     of shared memory that a block has
set -eu
"$1" compile "$2" -o "$4" --targets "$3" -j 1
for kernel in $(sed -n '/^@qd.kernel/{n;s/^def \([a-z0-9_]*\).*/\1/p;}' "$2"); do
  bytes=$("$1" inspect "$4" | awk -v kernel="$kernel(" '
    $1 == "kernel" { inside = index($2, kernel) == 1 }
    inside && $1 == "variant" { for (i = 1; i <= NF; i++) if ($i == "shared") column = i }
    inside && /^  amdgpu:/ { print $column; exit }')
  "$1" disasm "$4" -k "$kernel" | awk -v kernel="$kernel" -v bytes="${bytes:-0}" '
    {
      name = ""
      for (i = 1; i <= NF && name == ""; i++)
        if ($i ~ /^(v|s|ds|global|flat)_[a-z0-9_]+$/) name = $i
      if (name == "") next
    }
    name ~ /_dpp$/ { dpp++ }
    name ~ /^v_permlane/ { permlane++ }
    name ~ /^v_(read|write)lane/ { lane++ }
    name ~ /^ds_(b?permute|swizzle)/ { crossbar++; next }
    name ~ /^ds_/ { lds++ }
    name ~ /^(global|flat)_atomic/ { global++ }
    name ~ /cmpswap|cmpst/ { cas++ }
    name ~ /^s_barrier(_signal)?$/ { barrier++ }
    END {
      printf "%s: dpp %d permlane %d lane %d crossbar %d lds %d global %d cas %d barrier %d bytes %d\n", kernel,
        dpp, permlane, lane, crossbar, lds, global, cas, barrier, bytes
    }'
done
