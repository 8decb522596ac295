# Reductions and scans of tiles of 2**K lanes, as the compiler has them and as trees of shuffles
# written out: pairs of kernels lib_X and tree_X that say the same. T and K come from the
# command line. Each thread does ROUNDS of them, one on the other's result.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32
K = 5
ROUNDS = 8
UNROLLED = 8
SCALE = 1.0 / (1 << K) if T == qd.f32 or T == qd.f64 else 1

Array = qd.types.ndarray(dtype=T, ndim=1)


@qd.func
def plus(a, b):
    return a + b


@qd.func
def least(a, b):
    return qd.min(a, b)


@qd.func
def tree(v, op: qd.template()):
    for s in qd.static(range(K)):
        v = op(v, subgroup.shuffle_xor(v, qd.u32(1 << s)))
    return v


@qd.func
def steps(v, op: qd.template()):
    lane = subgroup.invocation_id() % (1 << K)
    for s in qd.static(range(K)):
        before = subgroup.shuffle_up(v, qd.u32(1 << s))
        if lane >= (1 << s):
            v = op(before, v)
    return v


@qd.kernel
def lib_add(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = subgroup.reduce_all_add_tiled(v, K) * qd.cast(SCALE, T)
        out[i] = v


@qd.kernel
def tree_add(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = tree(v, plus) * qd.cast(SCALE, T)
        out[i] = v


@qd.kernel
def lib_min(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = subgroup.reduce_all_min_tiled(v, K) + v
        out[i] = v


@qd.kernel
def tree_min(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = tree(v, least) + v
        out[i] = v


@qd.kernel
def lib_scan_add(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = subgroup.inclusive_add_tiled(v, K) * qd.cast(SCALE, T)
        out[i] = v


@qd.kernel
def tree_scan_add(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = steps(v, plus) * qd.cast(SCALE, T)
        out[i] = v


@qd.kernel
def lib_scan_min(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = subgroup.inclusive_min_tiled(v, K) + v
        out[i] = v


@qd.kernel
def tree_scan_min(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = steps(v, least) + v
        out[i] = v
