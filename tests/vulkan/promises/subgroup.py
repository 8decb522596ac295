import quadrants as qd
from quadrants.lang.simt import subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
U64 = qd.types.ndarray(dtype=qd.u64, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


@qd.kernel
def moves(x: F32, at: U32, out: F32):
    for i in range(x.shape[0]):
        a = subgroup.shuffle(x[i], at[i])
        b = subgroup.shuffle_down(a, qd.u32(3))
        c = subgroup.shuffle_up(b, qd.u32(4))
        d = subgroup.shuffle_xor(c, qd.u32(5))
        e = subgroup.broadcast(d, qd.u32(6))
        out[i] = subgroup.broadcast_first(e + x[i])


@qd.kernel
def wide_moves(x: F64, y: I64, out: F64):
    for i in range(x.shape[0]):
        out[i] = subgroup.shuffle_down(x[i], qd.u32(3)) + qd.cast(subgroup.shuffle_xor(y[i], qd.u32(1)), qd.f64)


@qd.kernel
def identity(out: I32):
    for i in range(out.shape[0]):
        out[i] = subgroup.invocation_id() * subgroup.group_size() + subgroup.elect()


@qd.kernel
def orders(out: I32):
    for i in range(out.shape[0]):
        out[i] = 1
        subgroup.sync()
        out[i] = 2
        subgroup.mem_fence()
        out[i] = 3


@qd.kernel
def ballots(x: I32, out: U64):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot(x[i])


@qd.kernel
def first_32(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 32)


@qd.kernel
def first_7(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 7)


@qd.kernel
def votes(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_true(x[i]) + subgroup.any_true(x[i] - 1)


@qd.kernel
def tile_vote(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_true_tiled(x[i], 3)


@qd.kernel
def equal(x: F32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal(x[i])


@qd.kernel
def tile_equal(x: F32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal_tiled(x[i], 3)


@qd.kernel
def reduce_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_add(x[i]) + subgroup.reduce_all_max(x[i])


@qd.kernel
def reduce_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_min(x[i])


@qd.kernel
def reduce_all_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_all_min(x[i])


@qd.kernel
def reduce_wide(x: I64, out: I64):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_all_add(x[i])


@qd.kernel
def reduce_tile(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_add_tiled(x[i], 3)


@qd.kernel
def scan_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.inclusive_add(x[i]) + subgroup.exclusive_min(x[i])


@qd.kernel
def scan_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.inclusive_min(x[i])


@qd.kernel
def scan_before(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.exclusive_min(x[i])


@qd.kernel
def segments(x: F32, heads: I32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.segmented_reduce_add(x[i], heads[i])


@qd.kernel
def sort(keys: F32, values: I32):
    for i in range(keys.shape[0]):
        k, v = subgroup.bitonic_sort_kv(keys[i], values[i])
        keys[i] = k
        values[i] = v


@qd.kernel
def masks(lanes: U32, lt: U32, le: U32, eq: U32, gt: U32, ge: U32):
    for i in range(lanes.shape[0]):
        lt[i] = subgroup.lanemask_lt(lanes[i])
        le[i] = subgroup.lanemask_le(lanes[i])
        eq[i] = subgroup.lanemask_eq(lanes[i])
        gt[i] = subgroup.lanemask_gt(lanes[i])
        ge[i] = subgroup.lanemask_ge(lanes[i])
