# Kernels that LLVM 19's AMDGPU code generator compiles wrongly when left to itself.
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def quotients(
    a: qd.types.ndarray(dtype=qd.i8, ndim=1),
    b: qd.types.ndarray(dtype=qd.i16, ndim=1),
    narrow: qd.types.ndarray(dtype=qd.u32, ndim=1),
    wide: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    # Sign-extended, then unsigned: values with many leading ones.
    for i in range(a.shape[0]):
        narrow[i] = qd.cast(qd.cast(a[i], qd.i32), qd.u32) // qd.cast(qd.cast(b[i], qd.i32), qd.u32)
        wide[i] = qd.cast(qd.cast(a[i], qd.i64), qd.u64) // qd.cast(qd.cast(b[i], qd.i64), qd.u64)


@qd.kernel
def remainders(
    a: qd.types.ndarray(dtype=qd.i8, ndim=1),
    b: qd.types.ndarray(dtype=qd.i16, ndim=1),
    narrow: qd.types.ndarray(dtype=qd.u32, ndim=1),
    wide: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    for i in range(a.shape[0]):
        narrow[i] = qd.cast(qd.cast(a[i], qd.i32), qd.u32) % qd.cast(qd.cast(b[i], qd.i32), qd.u32)
        wide[i] = qd.cast(qd.cast(a[i], qd.i64), qd.u64) % qd.cast(qd.cast(b[i], qd.i64), qd.u64)


@qd.kernel
def leave(
    table: qd.types.ndarray(dtype=qd.i32, ndim=1),
    start: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    # The counters are the same in all lanes of the loop, which leave it one by one.
    for i in range(start.shape[0]):
        at = start[i]
        count = 0
        weight = 5
        while table[at + count] > 0:
            count += 1
            weight = weight * 3 + count
        out[0, i] = count
        out[1, i] = weight
        wide = qd.cast(1, qd.i64)
        steps = 0
        while table[at + steps] != -1:
            if table[at + steps] == 0:
                break
            steps += 1
            wide = wide * 5 + 1
        out[2, i] = steps
        out[3, i] = qd.cast(wide >> 20, qd.i32)


@qd.kernel
def high_half(
    y: qd.types.ndarray(dtype=qd.i64, ndim=1), n: qd.i32, out: qd.types.ndarray(dtype=qd.i64, ndim=2)
):
    for i in range(y.shape[0]):
        x = qd.cast(i, qd.i64)
        out[0, i] = 0
        if i < n:
            out[0, i] = (x ^ -5) | y[i]
            out[1, i] = (~(x << 32)) | y[i]


@qd.kernel
def zero_sign(x: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i in range(x.shape[0]):
        v = x[i]
        n = 0.0 - v
        out[0, i] = n - v
        out[1, i] = n * v
        out[2, i] = n + (0.0 - v)
        out[3, i] = 1.0 / n


@qd.kernel
def sunk(x: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # One lane wants the sum of all.
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        total = subgroup.reduce_add(x[i])
        if subgroup.invocation_id() == 0:
            out[i] = total


@qd.kernel
def publish(x: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # One thread of a wave waits for another one of it.
    qd.loop_config(block_dim=32)
    for i in range(x.shape[0]):
        flag = qd.simt.block.SharedArray((1,), qd.i32)
        value = qd.simt.block.SharedArray((1,), qd.i32)
        tid = qd.simt.block.thread_idx()
        if tid == 0:
            flag[0] = 0
        qd.simt.block.sync()
        if tid != 5:
            while flag[0] == 0:
                pass
        else:
            value[0] = x[i]
            qd.simt.block.mem_fence()
            flag[0] = 1
        out[i] = value[0]


@qd.kernel
def turns(out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Lanes leave an inner loop at different rounds; what they found there decides after it.
    qd.loop_config(block_dim=64)
    for i in range(out.shape[0]):
        count = qd.simt.block.SharedArray((1,), qd.u8)
        if i % 64 == 0:
            count[0] = 0
        qd.simt.block.sync()
        done = False
        while not done:
            seen = qd.atomic_or(count[0], 0)
            done = qd.atomic_cas(count[0], seen, seen + 1) == seen
        qd.simt.block.sync()
        out[i] = count[0]


@qd.kernel
def meet(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    n: qd.i32,
    m: qd.i32,
    counts: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=qd.i32, ndim=1),
):
    # Lanes meet after two sides of several blocks each: one value a side is two values there.
    qd.loop_config(block_dim=64)
    for i in range(out.shape[0]):
        place = n
        if i % 2 == 0:
            for k in range(i % 4, 5):
                qd.volatile_load(counts[2])
            for k in range(i % 4, 5):
                qd.volatile_load(counts[3])
            qd.atomic_add(counts[m], 4)
        else:
            if n > 5:
                qd.atomic_add(counts[6], 1)
            if m > 5:
                qd.atomic_add(counts[5], 1)
            place = x[m]
            qd.atomic_add(counts[n], 1)
        if place == n:
            qd.atomic_add(counts[4], 1)
        out[i] = 10 + place


# LLVM's division of numbers of 24 bits gives a quotient that is one too large, just below a multiple.
@qd.kernel
def divide_small(
    x: qd.types.ndarray(dtype=qd.u32, ndim=1),
    y: qd.types.ndarray(dtype=qd.u32, ndim=1),
    out: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    for i in range(x.shape[0]):
        below23 = x[i] & qd.u32(0x7FFFFF)
        out[0, i] = qd.i32(below23 // y[i])
        out[1, i] = qd.i32(below23 % y[i])
        out[2, i] = (qd.i32(x[i] << qd.u32(8)) >> 8) // (qd.i32(y[i] << qd.u32(8)) >> 8 | 1)


@qd.kernel
def divide_24_bits(
    x: qd.types.ndarray(dtype=qd.u32, ndim=1),
    y: qd.types.ndarray(dtype=qd.u32, ndim=1),
    out: qd.types.ndarray(dtype=qd.u32, ndim=1),
):
    for i in range(x.shape[0]):
        out[i] = (x[i] & qd.u32(0xFFFFFF)) // (y[i] & qd.u32(0xFFFFFF) | qd.u32(1))
