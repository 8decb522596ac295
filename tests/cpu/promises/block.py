# What operations on blocks take on x86, where one thread runs a block, eight lanes at a time
# (count.awk counts): each subgroup's operations in registers, its aggregate to shared memory and
# back; no barrier, nothing locked, no call.
# RUN: %count_x86-64-v3_wave8 'lock|xchg|.fence|call|vp?gather|v(add|max|min)[sp]|vperm|vp?shuf|vmovs[hl]dup|vinsert|vmovmskps|vpmovmskb|vpcmpeq|vp?test|kortest|popcnt' | FileCheck %s --check-prefixes=CHECK,V3
# RUN: %count_x86-64-v4_wave8 'lock|xchg|.fence|call|vp?gather|v(add|max|min)[sp]|vperm|vp?shuf|vmovs[hl]dup|vinsert|vmovmskps|vpmovmskb|vpcmpeq|vp?test|kortest|popcnt' | FileCheck %s --check-prefixes=CHECK,V4
import quadrants as qd
from quadrants.lang.simt import block

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# One test or one count of the whole block's lanes, which one thread has in its registers.
# V3: {{^}}sync_all: 2 vpcmpeqd, 1 vpmovmskb{{$}}
# V4: {{^}}sync_all: 1 kortestw, 1 vptestnmd{{$}}
@qd.kernel
def sync_all(x: I32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.sync_all_nonzero(x[i])


# V3: {{^}}sync_any: 1 vptest{{$}}
# V4: {{^}}sync_any: 1 kortestw, 1 vptestmd{{$}}
@qd.kernel
def sync_any(x: I32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.sync_any_nonzero(x[i])


# V3: {{^}}sync_count: 1 popcnt, 3 vpcmpeqd, 1 vpmovmskb, 1 vpshufd{{$}}
# V4: {{^}}sync_count: 1 popcnt, 1 vptestmd{{$}}
@qd.kernel
def sync_count(x: I32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.sync_count_nonzero(x[i])


# 256 lanes: a count for each word of their mask, also for `all`; nothing shared.
# V3: {{^}}sync_count_256: 8 popcnt, 33 vpcmpeqd, 24 vpermq, 8 vpmovmskb{{$}}
# V4: {{^}}sync_count_256: 8 popcnt, 16 vptestmd{{$}}
@qd.kernel
def sync_count_256(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(1024):
        x[i] = block.sync_count_nonzero(x[i])


# V3: {{^}}sync_all_256: 8 popcnt, 32 vpcmpeqd, 24 vpermq, 8 vpmovmskb{{$}}
# V4: {{^}}sync_all_256: 8 popcnt, 16 vptestnmd{{$}}
@qd.kernel
def sync_all_256(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(1024):
        x[i] = block.sync_all_nonzero(x[i])


# A block that is one subgroup: nothing but the subgroup's three additions.
# CHECK: {{^}}reduce_one: 2 vaddps, 1 vaddss, 1 vmovshdup, 1 vshufpd{{$}}
@qd.kernel
def reduce_one(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = block.reduce_add(x[i], 8, qd.f32)


# Two subgroups: three additions each, and one that folds them, once for all threads.
# CHECK: {{^}}reduce_all: 4 vaddps, 3 vaddss, 2 vmovshdup, 2 vshufpd, bytes 8{{$}}
@qd.kernel
def reduce_all(x: F32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.reduce_all_add(x[i], 16, qd.f32)


# CHECK: {{^}}reduce_all_one: 2 vaddps, 1 vaddss, 1 vmovshdup, 1 vshufpd{{$}}
@qd.kernel
def reduce_all_one(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = block.reduce_all_add(x[i], 8, qd.f32)


# Sixteen: a loop of three additions, the first thread's fifteen, and one hop more.
# V3: {{^}}reduce_all_128: 2 vaddps, 16 vaddss, 1 vmovmskps, 1 vmovshdup, 1 vpcmpeqd, 1 vshufpd, stack, bytes 68{{$}}
# V4: {{^}}reduce_all_128: 1 kortestb, 2 vaddps, 16 vaddss, 1 vmovshdup, 1 vpcmpeqd, 1 vshufpd, stack, bytes 68{{$}}
@qd.kernel
def reduce_all_128(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(1024):
        x[i] = block.reduce_all_add(x[i], 128, qd.f32)


# Three additions a subgroup, and one for the second's prefix.
# V3: {{^}}inclusive: 7 vaddps, 4 vinsertf128, 3 vpermps, 2 vshufpd, 2 vshufps, bytes 8{{$}}
# V4: {{^}}inclusive: 7 vaddps, 2 vinsertf128, 1 vpermps, 2 vpermt2pd, 2 vpermt2ps, 2 vshufps, bytes 8{{$}}
@qd.kernel
def inclusive(x: F32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.inclusive_add(x[i], 16, qd.f32)


# V3: {{^}}inclusive_one: 3 vaddps, 2 vinsertf128, 1 vpermps, 1 vshufpd{{$}}
# V4: {{^}}inclusive_one: 3 vaddps, 1 vinsertf128, 1 vpermt2pd, 1 vpermt2ps{{$}}
@qd.kernel
def inclusive_one(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = block.inclusive_add(x[i], 8, qd.f32)


# An addition more a subgroup: its aggregate is that of the inclusive scan.
# V3: {{^}}exclusive: 9 vaddps, 4 vinsertf128, 5 vpermps, 2 vshufpd, 2 vshufps, bytes 8{{$}}
# V4: {{^}}exclusive: 9 vaddps, 2 vinsertf128, 1 vpermps, 2 vpermt2pd, 2 vpermt2ps, 2 vshufps, bytes 8{{$}}
@qd.kernel
def exclusive(x: F32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.exclusive_add(x[i], 16, qd.f32)


# V3: {{^}}exclusive_one: 3 vaddps, 2 vinsertf128, 2 vpermps, 1 vshufpd{{$}}
# V4: {{^}}exclusive_one: 3 vaddps, 1 vinsertf128, 1 vpermt2pd, 1 vpermt2ps{{$}}
@qd.kernel
def exclusive_one(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = block.exclusive_add(x[i], 8, qd.f32)
