# Minima of f32 by an order of integers: lib_min_keys takes the subgroup's minimum of keys,
# tree_min_keys the reduction that the compiler has for reals. NaNs are above all numbers.
import quadrants as qd
from quadrants.lang.simt import subgroup

ROUNDS = 8
UNROLLED = 8

Array = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def key_of(v):
    bits = qd.bit_cast(v, qd.u32)
    key = bits ^ (qd.bit_cast(qd.bit_cast(bits, qd.i32) >> 31, qd.u32) | qd.u32(0x80000000))
    return qd.select(v != v, qd.u32(0xFFFFFFFF), key)


@qd.func
def real_of(key):
    below = qd.select(key >= qd.u32(0x80000000), qd.u32(0x80000000), qd.u32(0xFFFFFFFF))
    return qd.bit_cast(key ^ below, qd.f32)


@qd.kernel
def lib_min_keys(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = real_of(subgroup.reduce_all_min(key_of(v))) + v
        out[i] = v


@qd.kernel
def tree_min_keys(x: Array, out: Array):
    for i in range(x.shape[0]):
        v = x[i]
        for r in range(ROUNDS):
            for u in qd.static(range(UNROLLED)):
                v = subgroup.reduce_all_min(v) + v
        out[i] = v
