# Further forms: atomics on vectors and matrix slots, bit searches,
# deprecated names, waits, literals, casts of bits, static code.
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup
from quadrants.lang.simt.subgroup import shuffle_xor as swap_lanes

vec3 = qd.types.vector(3, qd.f32)
mat2 = qd.types.matrix(2, 2, qd.i32)
MASKS = (1, 2, 4)


@qd.kernel
def slots(
    vectors: qd.types.ndarray(dtype=vec3, ndim=1), matrices: qd.types.ndarray(dtype=mat2, ndim=1), n: qd.i32
):
    for i in range(n):
        vectors[0] += qd.Vector([1.0, 2.0, 3.0])
        vectors[1][i % 3] += 1.0
        old = qd.atomic_max(vectors[2], qd.Vector([1.0 * i, -1.0 * i, 5.0]))
        matrices[0][i % 2, 1] += i
        matrices[1][0, 0] |= i


PAIR = qd.field(qd.i32, shape=64)


@qd.kernel
def swizzles(vectors: qd.types.ndarray(dtype=vec3, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(vectors.shape[0]):
        v = vectors[i]
        vectors[i].zx = v.xy if i % 2 == 0 else 5.0
        v.yz = v.zy
        v.xy *= 2.0
        m = qd.Matrix([[1, 2], [3, 4]])
        m[i % 2] = qd.Vector([i, -i])
        (out, PAIR)[0][i] = m[0, 0] * 1000 + m[1, 1]
        out[i] += 100000 * ((v > 0.0).all() + 2 * (v > 0.0).any())
        vectors[i].y += v.x + 4.0 * v.y + 16.0 * v.z


@qd.kernel
def searches(
    masks: qd.types.ndarray(dtype=qd.u32, ndim=1),
    bases: qd.types.ndarray(dtype=qd.i32, ndim=1),
    offsets: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=qd.u32, ndim=1),
):
    for i in range(masks.shape[0]):
        out[i] = qd.u32(qd.math.fns(masks[i], bases[i], offsets[i]))


@qd.kernel
def old_names(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        subgroup.barrier()
        subgroup.memory_barrier()
        block.mem_sync()
        grid.memfence()
        out[i] = subgroup.ballot_full_subgroup(src[i])


@qd.kernel
def aliases(src: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(len(MASKS))):
            if qd.static(MASKS[k] < subgroup.group_size()):
                v = swap_lanes(v, qd.u32(MASKS[k]))
        out[i] = v


@qd.kernel
def literals(out: qd.types.ndarray(dtype=qd.f64, ndim=1), big: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    for i in range(1):
        out[0] = 0x10 + 0b11 + 0o7 + 1_000
        out[1] = 7 // -2 + 7 % -3 * 100
        out[2] = 2**10 + 2.5
        out[3] = 1 if (3 in (1, 2, 3)) and not False else 2
        out[4] = qd.bit_cast(qd.f32(1.0), qd.i32)
        out[5] = qd.bit_cast(qd.u64(0x4000000000000000), qd.f64)
        out[6] = qd.cast(3.99, qd.i32) + int(-2.5) + float(3)
        out[7] = -7 // 2 + (-7) % 3 * 10
        out[8] = max(1, 5, 3) - min(4, 2)
        big[0] = 0xFFFFFFFFFFFFFFFF
        big[1] = qd.u64(1) << 63
        big[2] = qd.u32(0x80000000)


@qd.func
def pick(kind: qd.template(), a, b):
    if qd.static(kind == "sum"):
        return a + b
    elif qd.static(kind == "product"):
        return a * b
    return a - b


@qd.kernel
def statics(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(src.shape[0]):
        x = src[i]
        out[i] = pick("sum", x, 3) * 10000 + pick("product", x, 3) * 100 + pick("other", x, 3)


@qd.kernel
def nested(n: qd.i32, out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Uniform loops around divergent ones around subgroup operations in uniform code.
    qd.loop_config(block_dim=64)
    for i in range(n):
        total = 0
        for r in range(3):
            mine = 0
            j = i % 5
            while j > 0:
                mine += j
                j -= 1
            total += subgroup.reduce_all_add_tiled(mine, 2) * (r + 1)
        out[i] = total


@qd.kernel
def narrow(
    a: qd.types.ndarray(dtype=qd.i8, ndim=1),
    b: qd.types.ndarray(dtype=qd.u8, ndim=1),
    c: qd.types.ndarray(dtype=qd.i16, ndim=1),
    out: qd.types.ndarray(dtype=qd.i32, ndim=1),
):
    for i in range(a.shape[0]):
        s = a[i] + c[i]
        b[i] = b[i] + a[i]
        c[i] = c[i] * 3
        out[i] = s * 1000 + b[i]


@qd.kernel
def wide(n: qd.i64, a: qd.types.ndarray(dtype=qd.f64, ndim=1), k: qd.f64):
    for i in range(n):
        a[i] = a[i] * k + i


@qd.kernel
def inner_bounds(ends: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Trip counts from memory, a different one each lane; steps and changed loop variables.
    for i in range(ends.shape[0]):
        acc = 0
        for j in range(ends[i]):
            acc += j
        for j in range(20, ends[i], -3):
            acc += j * 100
        for j in range(2, ends[i], 4):
            j *= 2
            acc += j * 10000
        out[i] = acc


@qd.kernel
def negated(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    y: qd.types.ndarray(dtype=qd.i32, ndim=1),
    z: qd.types.ndarray(dtype=qd.i32, ndim=1),
    least: qd.types.ndarray(dtype=qd.i32, ndim=1),
    most: qd.types.ndarray(dtype=qd.i32, ndim=1),
    shifted: qd.types.ndarray(dtype=qd.i64, ndim=1),
):
    # NVIDIA joins minima of three, and multiplies by powers of two (tests/fuzz/found).
    for i in range(x.shape[0]):
        least[i] = qd.min(x[i], qd.min(y[i], -z[i]))
        most[i] = qd.max(x[i], qd.max(y[i], abs(z[i])))
        shifted[i] = qd.i64(z[i]) << 31
