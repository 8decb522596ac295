# The code of atomics, counted in the PTX of kernels as users write them (count.awk tells what
# the words mean). Every operator and type: code/atomics.mlir.
# RUN: %count_cuda_75 %s | FileCheck %s
# RUN: %count_cuda_90 %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U64 = qd.types.ndarray(dtype=qd.u64, ndim=1)
F16 = qd.types.ndarray(dtype=qd.f16, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# One instruction: integers and reals, subtractions as well, at places of the thread's own choice
# (at one place for all: launches.txt),
# CHECK: {{^}}add: atom 1{{$}}
@qd.kernel
def add(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_add(x[i % 7], i)


# CHECK: {{^}}sub: atom 1{{$}}
@qd.kernel
def sub(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i % 7] -= 2.0


# CHECK: {{^}}add_f64: atom 1{{$}}
@qd.kernel
def add_f64(x: F64):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_add(x[i % 7], 2.0)


# CHECK: {{^}}add_f16: atom 1{{$}}
@qd.kernel
def add_f16(x: F16):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_add(x[i % 7], qd.f16(2.0))


# with the old value or without,
# CHECK: {{^}}old: atom 1{{$}}
@qd.kernel
def old(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i + 1] = qd.atomic_max(x[0], i)


# in shared memory too.
# CHECK: {{^}}shared: bar 2 shared 2 atom 1 bytes 512{{$}}
@qd.kernel
def shared(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        s = block.SharedArray((128,), qd.i32)
        s[block.thread_idx()] = 0
        block.sync()
        s[i % 7] ^= i
        block.sync()
        x[i] = s[block.thread_idx()]


# Exchanges; 16 bits are a part of a word, which takes compare-and-swaps.
# CHECK: {{^}}exchange: atom 1 cas 1{{$}}
@qd.kernel
def exchange(x: F16):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i + 1] = qd.atomic_exchange(x[0], x[i])


# CHECK: {{^}}exchange_f64: atom 1{{$}}
@qd.kernel
def exchange_f64(x: F64):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i + 1] = qd.atomic_exchange(x[0], x[i])


# CHECK: {{^}}cas: atom 1 cas 1{{$}}
@qd.kernel
def cas(x: U64):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i + 1] = qd.atomic_cas(x[0], x[i], qd.u64(3))


# Products are a loop of compare-and-swaps.
# CHECK: {{^}}mul: atom 1 cas 1{{$}}
@qd.kernel
def mul(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_mul(x[i % 7], 3)


# Minima and maxima of reals are integers', one of two by the sign; the loop is for NaNs.
# CHECK: {{^}}min_f32: real 1 atom 3 cas 1{{$}}
@qd.kernel
def min_f32(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_min(x[i % 7], x[i])


# Vectors are an atomic a component.
# CHECK: {{^}}vector: atom 3{{$}}
@qd.kernel
def vector(x: F32, v: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        v[i % 7] += qd.Vector([1.0, 2.0, x[i]])
