# Some of the promises on x86-64-v2, where a subgroup of four lanes is one vector (count.awk counts).
# A `pshufd` spreads the scalar result to the lanes.
# RUN: %count_x86-64-v2_wave4 %s 'lock|call|add[sp]s|p?shuf|movs[hl]dup|movmskps|pmovmsk|ptest|popcnt|movhl|unpck' | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# CHECK: {{^}}shuffle_xor: 1 shufps{{$}}
@qd.kernel
def shuffle_xor(x: F32):
    qd.loop_config(block_dim=4)
    for i in range(64):
        x[i] = subgroup.shuffle_xor(x[i], qd.u32(1))


# CHECK: {{^}}ballot: 1 movmskps, 1 pshufd{{$}}
@qd.kernel
def ballot(x: U32):
    qd.loop_config(block_dim=4)
    for i in range(64):
        x[i] = subgroup.ballot_first_n(x[i], 32)


# CHECK: {{^}}all_true: 1 movmskps, 1 pshufd{{$}}
@qd.kernel
def all_true(x: I32):
    qd.loop_config(block_dim=4)
    for i in range(64):
        x[i] = subgroup.all_true(x[i])


# CHECK: {{^}}reduce: 1 addps, 1 addss, 1 movshdup, 1 shufps{{$}}
@qd.kernel
def reduce(x: F32):
    qd.loop_config(block_dim=4)
    for i in range(64):
        x[i] = subgroup.reduce_add(x[i])


# CHECK: {{^}}sync_count: 1 pmovmskb, 1 popcnt, 1 pshufd{{$}}
@qd.kernel
def sync_count(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = block.sync_count_nonzero(x[i])


# CHECK: {{^}}add_read: 4 lock xadd{{$}}
@qd.kernel
def add_read(x: I32, at: I32, old: I32):
    qd.loop_config(block_dim=4)
    for i in range(64):
        old[i] = qd.atomic_add(x[at[i]], 3)
