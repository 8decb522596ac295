# One kernel of each kind, for every processor: across lanes, in shared and in device memory, on f64 and i64.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
Rows = qd.types.ndarray(dtype=qd.i32, ndim=2)


@qd.kernel
def lanes(x: I32, out: Rows):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        v = x[i]
        out[0, i] = subgroup.reduce_all_add(v)
        out[1, i] = subgroup.inclusive_max(v)
        out[2, i] = subgroup.shuffle_xor(v, qd.u32(subgroup.group_size() // 2))
        out[3, i] = subgroup.shuffle(v, qd.u32((v & 1023) % subgroup.group_size()))


@qd.kernel
def counts(x: I32, bins: I32, total: F64):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        tid = block.thread_idx()
        local = block.SharedArray((16,), qd.i32)
        if tid < 16:
            local[tid] = 0
        block.sync()
        qd.atomic_add(local[x[i] & 15], 1)
        block.sync()
        if tid < 16:
            qd.atomic_add(bins[tid], local[tid])
        qd.atomic_max(bins[16], x[i])
        qd.atomic_add(total[0], qd.cast(x[i], qd.f64))


@qd.kernel
def turned(x: F32, out: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        tid = block.thread_idx()
        shared = block.SharedArray((128,), qd.f32)
        shared[tid] = x[i]
        block.sync()
        out[i] = shared[127 - tid]


@qd.kernel
def wide(x: F64, y: F64, quotients: F64, roots: F64, n: I64, products: I64):
    for i in range(x.shape[0]):
        quotients[i] = x[i] * y[i] / y[i]
        roots[i] = qd.sqrt(x[i] * x[i])
        products[i] = n[i] * n[i] + n[i]
