# Faults that `--check` builds find. CheckTest.cpp expects each report at its line and column.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
grid_field = qd.field(qd.i32, shape=(4, 8))


@qd.func
def half_of(v: qd.i32, d: qd.i32) -> qd.i32:
    assert v % 2 == 0, "an odd number\nhas no half {}"
    return v // d


@qd.func
def until(limit: qd.i32, t: qd.i32) -> qd.i32:
    result = 0
    if t >= limit:
        return -1
    result = block.sync_count_nonzero(1)
    return result


@qd.kernel
def asserts(n: qd.i32, x: I32):
    for i in range(n):
        assert x[i] >= 0


@qd.kernel
def messages(n: qd.i32, x: I32, d: qd.i32):
    for i in range(n):
        x[i] = half_of(x[i], d)


@qd.kernel
def modulo(n: qd.i32, x: I32, d: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    for i in range(n):
        x[i] = qd.i32(qd.u32(x[i]) % d[i])


@qd.kernel
def raw(n: qd.i64, x: qd.types.ndarray(dtype=qd.i64, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = qd.raw_div(n, x[i]) + qd.raw_mod(n, x[i])


@qd.kernel
def gather(x: I32, at: I32, y: I32):
    for i in range(at.shape[0]):
        y[i] = x[at[i]]


@qd.kernel
def scatter(x: I32, at: I32):
    for i in range(at.shape[0]):
        x[at[i]] = 7


@qd.kernel
def update(x: I32, at: qd.types.ndarray(dtype=qd.i64, ndim=1), y: I32):
    for i in range(at.shape[0]):
        y[i] = qd.atomic_add(x[at[i]], 5)
        qd.atomic_cas(x[at[i]], 5, 6)


@qd.kernel
def unsigned_index(x: I32, at: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    for i in range(at.shape[0]):
        x[at[i]] += 1


@qd.kernel
def planes(x: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=2), i: qd.i32, j: qd.i32, k: qd.i32):
    for t in range(64):
        if t == 37:
            x[i, j][k] = 1.0
            v = x[0, 0]
            v[k] = 2.0
            x[0, 0] = v


@qd.kernel
def fields(i: qd.i32, j: qd.i32, out: I32):
    for t in range(4):
        if t == 2:
            grid_field[i, j] = 3
            out[0] = grid_field[i, j]


@qd.kernel
def shared(out: I32, at: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        s = block.SharedArray((64,), qd.i32)
        s[i] = i
        block.sync()
        out[i] = s[at[i]]


@qd.kernel
def lanes(x: I32, lane: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(64):
        x[i] = subgroup.shuffle(x[i], lane[i])


@qd.kernel
def exchange(x: I32, mask: qd.u32, offset: qd.u32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        x[i] = subgroup.shuffle_xor(x[i], mask)
        x[i] = subgroup.shuffle_down(x[i], offset)


@qd.kernel
def broadcasts(x: I32, lane: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(64):
        x[i] = subgroup.broadcast(x[i], lane[i])


@qd.kernel
def divergent_if(x: I32, limit: qd.i32):
    qd.loop_config(block_dim=64)
    for i in range(128):
        if block.thread_idx() < limit:
            x[i] = 1
            block.sync()
        else:
            x[i] = 2


@qd.kernel
def divergent_for(x: I32, count: I32):
    qd.loop_config(block_dim=64)
    for i in range(128):
        for k in range(count[i]):
            block.sync()
            x[i] += 1


@qd.kernel
def divergent_while(x: I32, count: I32):
    qd.loop_config(block_dim=64)
    for i in range(128):
        k = 0
        while k < count[i]:
            k += 1
            if k == 5:
                continue
            x[i] += 1
            block.sync()
            if x[i] > 90:
                break


@qd.kernel
def divergent_return(x: I32, limit: qd.i32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        x[i] = until(limit, block.thread_idx())


@qd.kernel
def divergent_library(x: I32, limit: qd.i32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        s = 0
        if i < limit or limit < 0:
            s = block.reduce_all_add(x[i], 128, qd.i32)
        x[i] = s


@qd.kernel
def uniform(x: I32, rounds: qd.i32, odd: qd.i32):
    qd.loop_config(block_dim=64)
    for i in range(128):
        for k in range(rounds):
            if odd > 0 and k % 2 == 1:
                block.sync()
            stride = 64
            while stride > 0:
                stride //= 2
                block.sync()
                x[i] += 1
                if stride == 4:
                    break


@qd.kernel
def waits(flags: I32, at: qd.i32, out: I32):
    qd.loop_config(block_dim=1)
    for i in range(2):
        if i == 0:
            flags[at] = 1
        else:
            while qd.volatile_load(flags[0]) == 0:
                pass
            out[0] = 1


@qd.kernel
def serial(n: qd.i32, x: I32) -> qd.i32:
    total = 100 // n
    for i in range(x.shape[0]):
        x[i] += total
    assert x[0] < 1000, f"{x[0]} is 100% too much, for {n // 2} of {1.5:.2f}{{}}"
    return total


@qd.kernel
def cut(count: I32, x: I32):
    qd.loop_config(block_dim=64)
    for i in range(count[0]):
        block.sync()
        x[i] = 1


@qd.kernel
def sums(x: I32, y: I32, which: qd.i32):
    for i in range(x.shape[0]):
        if which == 0:
            x[i] = x[i] + y[i]
        elif which == 1:
            x[i] = x[i] - y[i]
        elif which == 2:
            x[i] = x[i] * y[i]
        elif which == 3:
            x[i] = x[i] // y[i]
        elif which == 4:
            x[i] = -x[i]
        elif which == 5:
            x[i] = abs(x[i])
        elif which == 6:
            x[i] = x[i] << y[i]
        else:
            x[i] = qd.i32(qd.u32(x[i]) * qd.u32(y[i]) + qd.u32(y[i]))


@qd.kernel
def wide_products(x: qd.types.ndarray(dtype=qd.i64, ndim=1), y: qd.types.ndarray(dtype=qd.i64, ndim=1)):
    for i in range(x.shape[0]):
        x[i] *= 1
        product = x[i] * y[i]
        x[i] = product


@qd.kernel
def narrow_sums(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = qd.i32(qd.i8(x[i]) + qd.i8(100))


moved_field = qd.field(qd.i32, shape=(4, 5), offset=(-2, 3))


@qd.kernel
def moved(i: qd.i32, j: qd.i32, out: I32):
    for k in range(1):
        moved_field[i, j] = 7
        out[0] = moved_field[i, j]


@qd.kernel
def views(v: qd.BufferView[qd.i32], begin: qd.i32, size: qd.i32):
    for k in range(1):
        part = v.subview(begin, size)
        part[0] = 1
