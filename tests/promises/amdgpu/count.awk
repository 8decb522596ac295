# How many instructions of each kind the machine code of a kernel has, those of which it has any
# (count.sh).
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
function show(what, number) { if (number) line = line " " what " " number }
END {
  line = kernel ":"
  show("dpp", dpp); show("permlane", permlane); show("lane", lane); show("crossbar", crossbar)
  show("lds", lds); show("global", global); show("cas", cas); show("barrier", barrier)
  show("bytes", bytes)
  print line
}
