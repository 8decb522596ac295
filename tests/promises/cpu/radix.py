# The radix rank on x86, 256 digits in a block of 256 (count.awk counts): a block's threads count their digits in turn,
# so that no ballot tells a key's equals, nothing is locked and no fence stands. The gathers read the digits' prefixes.
# Shared memory beside the caller's 2 KiB: a word for each digit, and one for each subgroup.
# RUN: %count_x86-64-v3_wave32 %s 'lock|xchg|.fence|call|vpgather|vpmovmskb|kmovq' | FileCheck %s --check-prefix=WAVE32-V3
# RUN: %count_x86-64-v4_wave32 %s 'lock|xchg|.fence|call|vpgather|vpmovmskb|kmovq' | FileCheck %s --check-prefix=WAVE32-V4
# RUN: %count_x86-64-v4_wave64 %s 'lock|xchg|.fence|call|vpgather|vpmovmskb|kmovq' | FileCheck %s --check-prefix=WAVE64
import quadrants as qd
from quadrants.lang.simt import block

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)


# WAVE32-V3: {{^}}radix: 4 vpgatherdd, stack, bytes 3136{{$}}
# WAVE32-V4: {{^}}radix: 16 vpgatherdd, stack, bytes 3136{{$}}
# WAVE64: {{^}}radix: 16 vpgatherdd, stack, bytes 3136{{$}}
@qd.kernel
def radix(x: U32, ranks: I32):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        bins = block.SharedArray((256,), qd.i32)
        first = block.SharedArray((256,), qd.i32)
        rank = block.radix_rank_match_atomic_or(x[i], 256, 8, 0, 8, bins, first)
        ranks[i] = rank + bins[i % 256] + first[i % 256]
