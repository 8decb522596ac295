"""Kernels of whole blocks, whose lanes and threads exchange values: as kernels.py. Arrays have 192 elements, or 192 rows of 5."""

import quadrants as qd
from quadrants.lang.simt import block, subgroup

A = qd.types.ndarray(T, 1)
M = qd.types.ndarray(T, 2)
I = qd.types.ndarray(qd.i32, 1)


# --- Lanes

@qd.kernel
def shuffles(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        v = x[i] * x[i]
        lane = subgroup.invocation_id()
        a = subgroup.shuffle_xor(v, 5)
        b = qd.select(lane >= 2, subgroup.shuffle_up(v, 2), T(0))
        c = subgroup.shuffle_down(v, 3)
        d = c if lane < subgroup.group_size() - 3 else v
        out[i] = a * b + d * subgroup.broadcast(v, 3) + subgroup.broadcast_first(x[i]) * x[i]


@qd.kernel
def shuffles_by_number(x: A, n: qd.i32, at: I, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        v = qd.sin(x[i])
        size = subgroup.group_size()
        a = subgroup.shuffle(v, qd.cast(at[i] % size, qd.u32))
        b = subgroup.shuffle_xor(v, qd.cast(n % size, qd.u32))
        c = subgroup.shuffle(v * x[i], qd.cast(n % size, qd.u32))
        out[i] = a * b + c * v


@qd.kernel
def reductions(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        s = subgroup.reduce_all_add(x[i] * x[i])
        a = subgroup.reduce_all_max(x[i] * s)
        b = subgroup.reduce_min(qd.sin(x[i]))
        t = subgroup.reduce_all_add_tiled(x[i], 2)
        out[i] = s * x[i] + a * t
        if subgroup.invocation_id() == 0:
            out[i] = b * a + t


@qd.kernel
def equal_values(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        v = x[i // 8 * 8]
        out[i] = subgroup.reduce_all_max(v) * x[i] + subgroup.inclusive_min(v)


@qd.kernel
def scans(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        a = subgroup.inclusive_add(x[i] * x[i])
        b = subgroup.exclusive_add(x[i])
        c = subgroup.inclusive_max(qd.sin(x[i] * 7))
        d = subgroup.exclusive_min(x[i])
        out[i] = a * b + (c * d if subgroup.invocation_id() > 0 else c)


@qd.kernel
def products(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        v = x[i] - x[2] if i % 16 == 2 else x[i] * 1.1
        out[i] = subgroup.inclusive_mul(v) + subgroup.exclusive_mul(x[i]) * x[i]


@qd.kernel
def votes(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        s = x[i]
        if subgroup.any_true(x[i] > 1.1):
            s = s * subgroup.reduce_all_add(s)
        if block.sync_count_nonzero(x[i] > 0.5) > 3:
            s = s * s
        out[i] = s


# --- Blocks

@qd.kernel
def block_sums(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        s = block.reduce_all_add(x[i] * x[i], 64, T)
        m = block.reduce_all_max(x[i] * s, 64, T)
        f = block.reduce_add(qd.sin(x[i]), 64, T)
        out[i] = s * m * x[i]
        if block.thread_idx() == 0:
            out[i] = f * x[i]


@qd.func
def both(a, b):
    return a + b + a * b * 0.01


@qd.kernel
def block_scans(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        a = block.inclusive_add(x[i] * x[i], 64, T)
        b = block.exclusive_add(x[i], 64, T)
        out[i] = a * b + block.inclusive_scan(x[i], 64, both, T)


@qd.kernel
def turned(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        t = block.thread_idx()
        s = block.SharedArray((64,), T)
        s[t] = x[i] * x[i]
        block.sync()
        v = s[63 - t] * x[i]
        block.sync()
        s[63 - t] = v * v
        block.sync()
        out[i] = s[t] + s[0]


@qd.kernel
def tree(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        t = block.thread_idx()
        s = block.SharedArray((64,), T)
        s[t] = qd.exp(x[i])
        block.sync()
        half = 32
        while half > 0:
            if t < half:
                s[t] += s[t + half]
            block.sync()
            half //= 2
        out[i] = s[0] * x[i]


@qd.kernel
def products_of_tiles(x: M, y: M, out: M):
    qd.loop_config(block_dim=64)
    for k in range(x.shape[0]):
        t = block.thread_idx()
        row = k // 64 * 8 + t // 8
        column = t % 8
        a = block.SharedArray((8, 8), T)
        b = block.SharedArray((8, 8), T)
        s = T(0)
        for step in range(3):
            a[t // 8, t % 8] = x[row, (step * 8 + column) % 5] * 1.5
            b[t // 8, t % 8] = y[step * 8 + t // 8, column % 5]
            block.sync()
            for j in range(8):
                s += a[t // 8, j] * b[j, t % 8]
            block.sync()
        if column < 5:
            out[row, column] = s * s


@qd.kernel
def neighbours(x: A, n: qd.i32, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        t = block.thread_idx()
        v = x[i]
        for k in range(n):
            s = block.SharedArray((64,), T)
            s[t] = v
            block.sync()
            left = s[(t + 63) % 64]
            right = s[(t + 1) % 64]
            block.sync()
            v = v + 0.1 * (left - 2 * v + right) * v
        out[i] = v


@qd.kernel
def bins_of_block(x: A, at: I, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        t = block.thread_idx()
        s = block.SharedArray((64,), T)
        s[t] = 0
        block.sync()
        s[at[i] % 64] += x[i] * x[i]
        block.sync()
        out[i] = s[t] * s[t]


@qd.kernel
def copied(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        t = block.thread_idx()
        s = block.SharedArray((64,), T)
        block.memcpy_async(s, 0, x, i // 64 * 64, 64, 64)
        block.memcpy_wait()
        out[i] = s[63 - t] * s[t]


@qd.func
def mixed(a, b):
    return a + b + T(0.1) * a * b


# Lanes at the ends of subgroups shift in what no lane has, and drop it after a product.
@qd.kernel
def scans_by_function(x: A, out: A):
    qd.loop_config(block_dim=64)
    for i in x:
        up = block.inclusive_scan(T(0.05) * x[i], 64, mixed, T)
        lane = subgroup.invocation_id()
        down = mixed(x[i], subgroup.shuffle_down(x[i] * x[i], 1))
        out[i] = up * qd.select(lane < subgroup.group_size() - 1, down, x[i])


# A factorization, and a triangular solve.
@qd.kernel
def tiles(x: M, out: M):
    qd.loop_config(block_dim=32)
    for i in range(32):
        a = qd.simt.Tile16x16.eye(T)
        v = x[0:16, 1]
        a += qd.outer(v, v)
        a.cholesky_(1e-9)
        b = qd.simt.Tile16x16.eye(T)
        w = x[16:32, 2]
        b += qd.outer(w, w)
        a.solve_triangular_(b)
        out[0:16, 0:5] = a
        out[16:32, 0:5] = b
