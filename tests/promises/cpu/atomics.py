# The code of atomics on x86: eight lanes at places of their own are eight of them (count.awk
# counts). A loop of compare-and-swaps has one. Where the places depend on data and nobody reads the
# old values, there are two tables beside them for calls of many threads: one of the first places,
# and one of any, whose entry is written back where a lane takes it; both are at the end of the call.
# RUN: %count_x86-64-v3_wave8 %s 'lock|xchg|.fence|call|v(add|max)s' | FileCheck %s
# RUN: %count_x86-64-v4_wave8 %s 'lock|xchg|.fence|call|v(add|max)s' | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block, grid

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
F16 = qd.types.ndarray(dtype=qd.f16, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# One locked instruction where nobody reads the old value,
# CHECK: {{^}}add_unread: 18 lock add, stack{{$}}
@qd.kernel
def add_unread(x: I32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] += 3


# CHECK: {{^}}sub_unread: 18 lock add, stack{{$}}
@qd.kernel
def sub_unread(x: I64, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] -= 3


# CHECK: {{^}}or_unread: 18 lock or, stack{{$}}
@qd.kernel
def or_unread(x: I32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] |= 5


# CHECK: {{^}}and_unread: 18 lock and, stack{{$}}
@qd.kernel
def and_unread(x: I64, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] &= 5


# CHECK: {{^}}xor_unread: 18 lock xor, stack{{$}}
@qd.kernel
def xor_unread(x: I32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] ^= 5


# and for additions also where somebody does; bitwise ones are a loop then.
# CHECK: {{^}}add_read: 8 lock xadd{{$}}
@qd.kernel
def add_read(x: I32, at: I32, old: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_add(x[at[i]], 3)


# CHECK: {{^}}xor_read: 8 lock cmpxchg{{$}}
@qd.kernel
def xor_read(x: I32, at: I32, old: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_xor(x[at[i]], 5)


# Loops: minima and maxima, reals, products.
# CHECK: {{^}}min_i32: 11 lock cmpxchg, stack{{$}}
@qd.kernel
def min_i32(x: I32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        qd.atomic_min(x[at[i]], 5)


# CHECK: {{^}}add_f32: 11 lock cmpxchg, 27 vaddss, stack{{$}}
@qd.kernel
def add_f32(x: F32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] += 2.0


# CHECK: {{^}}add_f64: 11 lock cmpxchg, 27 vaddsd, stack{{$}}
@qd.kernel
def add_f64(x: F64, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] += 2.0


# CHECK: {{^}}add_f16: 11 lock cmpxchg, 27 vaddss, stack{{$}}
@qd.kernel
def add_f16(x: F16, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[at[i]] += qd.f16(2.0)


# CHECK: {{^}}max_f32: 11 lock cmpxchg, 27 vmaxss, stack{{$}}
@qd.kernel
def max_f32(x: F32, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        qd.atomic_max(x[at[i]], 2.0)


# CHECK: {{^}}mul_i64: 11 lock cmpxchg, stack{{$}}
@qd.kernel
def mul_i64(x: I64, at: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        qd.atomic_mul(x[at[i]], 3)


# Exchanges are one instruction on every type,
# CHECK: {{^}}exchange_i32: 8 xchg{{$}}
@qd.kernel
def exchange_i32(x: I32, at: I32, old: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_exchange(x[at[i]], 5)


# CHECK: {{^}}exchange_f64: 8 xchg{{$}}
@qd.kernel
def exchange_f64(x: F64, at: I32, old: F64):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_exchange(x[at[i]], 5.0)


# CHECK: {{^}}exchange_f16: 8 xchg{{$}}
@qd.kernel
def exchange_f16(x: F16, at: I32, old: F16):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_exchange(x[at[i]], qd.f16(5.0))


# as is a compare-and-swap.
# CHECK: {{^}}cas: 8 lock cmpxchg{{$}}
@qd.kernel
def cas(x: I32, at: I32, old: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        old[i] = qd.atomic_cas(x[at[i]], 0, i)


# Lanes that meet at one place add up first.
# CHECK: {{^}}one_place: 1 lock add{{$}}
@qd.kernel
def one_place(x: I32, v: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[0] += v[i]


# A block runs on one thread: its shared memory and its barriers need nothing,
# CHECK: {{^}}in_shared: bytes 256{{$}}
@qd.kernel
def in_shared(x: I32, at: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        s = block.SharedArray((64,), qd.i32)
        s[block.thread_idx()] = 0
        block.sync()
        s[at[i]] += 1
        qd.atomic_max(s[at[i] ^ 1], 7)
        block.sync()
        x[i] = s[block.thread_idx()]


# and x86 keeps the order of stores, so that fences are only the compiler's.
# CHECK: {{^}}fences:{{$}}
@qd.kernel
def fences(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = 1
        block.mem_fence()
        x[i + 64] = 2
        grid.mem_fence()
        x[i + 128] = 3
