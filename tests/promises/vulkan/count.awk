# How much of each kind the SPIR-V or the Metal text of a kernel has; what it has nothing of is
# left out (count.sh).
#
#   index up down xor    shuffles by any lane, by a distance, by a mask
#   broadcast            of one lane's value
#   ballot vote
#   arith                the device's own reductions and scans
#   barrier              block barriers
#   sync                 subgroup barriers
#   fence                without a barrier
#   atomic               on memory, compare-and-swaps apart
#   cas                  compare-and-swaps
#   bytes                of shared memory that a block has
function say(name, count) { if (count > 0) printf " %s %d", name, count }
# SPIR-V
/ OpGroupNonUniformShuffle / { index_++ }
/ OpGroupNonUniformShuffleUp / { up++ }
/ OpGroupNonUniformShuffleDown / { down++ }
/ OpGroupNonUniformShuffleXor / { xor_++ }
/ OpGroupNonUniformBroadcast / { broadcast++ }
/ OpGroupNonUniformBallot / { ballot++ }
/ OpGroupNonUniformA(ll|ny) / { vote++ }
/ (Reduce|InclusiveScan|ExclusiveScan) %/ { arith++ }
/OpControlBarrier %uint_2 %uint_2 %uint_328/ { barrier++ }
/OpControlBarrier %uint_3 %uint_3 %uint_328/ { sync++ }
/OpMemoryBarrier / { fence++ }
/ OpAtomic[A-Z]/ && !/OpAtomic(CompareExchange|Load|Store)/ { atomic++ }
/ OpAtomicCompareExchange / { cas++ }
# Metal: what stands in the kernel, not in the helpers before it
/^kernel void / { inside = 1 }
inside && / = spvSubgroupShuffle\(/ { index_++ }
inside && / = spvSubgroupShuffleUp\(/ { up++ }
inside && / = spvSubgroupShuffleDown\(/ { down++ }
inside && / = spvSubgroupShuffleXor\(/ { xor_++ }
inside && / = spvSubgroupBroadcast\(/ { broadcast++ }
inside && / = spvSubgroupBallot\(/ { ballot++ }
inside && / = simd_(all|any)\(/ { vote++ }
inside && /simd_(sum|product|min|max|and|or|xor|prefix_[a-z]*_[a-z]*)\(/ { arith++ }
inside && /threadgroup_barrier\(/ { barrier++ }
inside && /simdgroup_barrier\(/ { sync++ }
inside && /atomic_thread_fence\(/ { fence++ }
inside && (/atomic_(fetch|exchange|min|max)_/ || / = atomicAdd\(/) { atomic++ }
inside && /atomic_compare_exchange/ { cas++ }
END {
  printf "%s:", kernel
  say("index", index_); say("up", up); say("down", down); say("xor", xor_)
  say("broadcast", broadcast); say("ballot", ballot); say("vote", vote); say("arith", arith)
  say("barrier", barrier); say("sync", sync); say("fence", fence); say("atomic", atomic)
  say("cas", cas); say("bytes", bytes)
  print ""
}
