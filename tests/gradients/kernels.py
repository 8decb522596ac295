"""Kernels whose gradients and tangents are compared: each maps its real arrays to what they are after it. T is their type."""

import quadrants as qd

A = qd.types.ndarray(T, 1)
V = qd.types.ndarray(qd.types.vector(3, T), 1)
M = qd.types.ndarray(T, 2)
D = qd.types.ndarray(T, 3)
I = qd.types.ndarray(qd.i32, 1)
H = qd.types.ndarray(qd.f16, 1)
HM = qd.types.ndarray(qd.f16, 2)


# --- Operations

@qd.kernel
def arithmetic(x: A, y: A, out: A):
    for i in x:
        out[i] = x[i] * y[i] + x[i] / y[i] - y[i] * 3 - (-x[i])


@qd.kernel
def functions(x: A, y: A, out: A):
    for i in x:
        a = qd.sin(x[i]) + qd.cos(x[i]) * qd.tan(y[i]) + qd.exp(x[i]) + qd.log(y[i])
        b = qd.sqrt(x[i]) + qd.rsqrt(y[i]) + qd.tanh(x[i]) + qd.asin(x[i] * 0.5) + qd.acos(y[i] * 0.5)
        out[i] = a * b + qd.atan2(x[i], y[i]) + qd.abs(x[i] - 0.7) + qd.floor(x[i] * 3) * y[i]


@qd.kernel
def powers(x: A, y: A, out: A):
    for i in x:
        out[i] = x[i] ** y[i] + x[i] ** 3 + (x[i] - 0.8) ** 2 + x[i] ** -1


@qd.kernel
def chooses(x: A, y: A, out: A):
    for i in x:
        a = qd.max(x[i], y[i]) * qd.min(x[i] * 2, y[i])
        b = x[i] * y[i] if x[i] > 0.8 else y[i] - x[i]
        out[i] = a + b + qd.select(y[i] > 0.7, x[i], y[i] * y[i]) + x[i] % 0.3


@qd.kernel
def vectors(x: V, y: V, out: A):
    for i in x:
        a = x[i].cross(y[i])
        b = x[i].normalized() * y[i].norm()
        out[i] = a.dot(b) + (x[i] + a).norm_sqr() + x[i].max()


@qd.kernel
def matrices(x: V, out: A):
    for i in x:
        m = qd.Matrix([[x[i][0] + 3, x[i][1], 0.5], [x[i][2], 4.0, x[i][0]], [0.2, x[i][1], 5.0]])
        out[i] = m.determinant() + (m @ m.transpose()).trace() + m.inverse().sum()


# --- Memory

@qd.kernel
def scattered(x: A, at: I, out: A):
    for i in x:
        out[at[i]] += x[i] * x[at[i]]


@qd.kernel
def in_place(x: A, y: A):
    for i in x:
        x[i] = x[i] * 2 + y[i] * y[i]
        x[i] += 1.5 * y[i]


@qd.kernel
def frames(x: M, y: A, n: qd.i32):
    for j in range(x.shape[1]):
        x[n + 1, j] = x[n, j] * x[n, x.shape[1] - 1 - j] * y[j]


# An array of 16 bits, of which each thread has its own elements.
@qd.kernel
def small_reals(x: A, h: H, rows: HM, out: A):
    for i in x:
        out[i] = x[i] * h[i] * h[i] + qd.sin(h[i])
    for i in range(rows.shape[0]):
        a = x[i] * h[i]
        for k in range(rows.shape[1]):
            out[i] += rows[i, k] * a
    for i in h:
        h[i] = x[i] * 0.5


# Loops of a thread from row to row: no iteration overwrites what an earlier one read.
@qd.kernel
def row_by_row(x: M, y: M, out: M):
    for j in range(x.shape[1]):
        for i in range(x.shape[0] - 1):
            h = i + 1
            x[h, j] += qd.sin(x[i, j]) * y[i, j]
            y[i, j] = qd.cos(x[h, j]) * 0.5
            out[i, j] = y[i, j] * y[i, j] * x[i, j]


# Components are apart, whichever elements they are of.
@qd.kernel
def other_components(v: V, w: V, n: qd.i32):
    for i in v:
        v[i].y = v[i].x * w[i].z
        w[i][0] += v[i].y * w[i].z
        for k in range(n % 3):
            v[i].z += qd.sin(v[i].y * w[i].x) * v[i].x


# The gradient takes these from before the launch, and adds to them in the order of the iterations.
@qd.kernel
def updates_of_read(x: A, y: A):
    qd.loop_config(serialize=True)
    for i in range(x.shape[0] - 1):
        x[i] += qd.sin(x[i + 1]) * y[i]
        y[i] += x[i + 1] * 0.5


@qd.kernel
def rows_from_last(x: M, y: A):
    qd.loop_config(serialize=True)
    for i in range(x.shape[0] - 1):
        k = x.shape[0] - 1 - i
        for j in range(x.shape[1]):
            x[k - 1, j] += qd.sin(x[k, j] * y[k])
        if k % 3 != 0:
            y[k - 1] += qd.sin(y[k]) * x[k, 1] * x[k - 1, 2]


@qd.kernel
def overwritten(x: A, y: A, out: A):
    for i in x:
        out[i] = x[i] * x[i]
        out[i] = x[i] * 3 - qd.sin(y[i])


@qd.kernel
def constant_store(x: A, out: A):
    for i in x:
        if x[i] > 0.8:
            out[i] = 2.0
        else:
            out[i] = x[i] * x[i]


@qd.kernel
def read_back(x: A, y: A, out: A):
    for i in x:
        y[i] = x[i] * x[i]
        out[i] = y[i] * x[i] + qd.exp(y[i])


@qd.kernel
def stencil(x: M, out: M):
    for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        out[i, j] = x[i - 1, j] * x[i + 1, j] + x[i, j - 1] * x[i, j + 1] - x[i, j] * x[i, j]


@qd.kernel
def edges(x: M, y: M, out: M):
    for i, j in x:
        if i > 0 and i + 1 < x.shape[0]:
            out[i, j] = x[i - 1, j] * qd.sin(x[i + 1, j]) + y[i - 1, 2] * y[i + 1, 2]
        elif i == 0:
            out[i, j] = x[i + 2, j] * x[i, j]


@qd.kernel
def neighbours_of_vectors(x: V, out: V):
    for i in range(2, x.shape[0]):
        out[i] = x[i - 1].cross(x[i]) * x[i - 2][1]


@qd.kernel
def around(x: D, out: D, n: qd.i32):
    for I in qd.grouped(qd.ndrange((1, x.shape[0] - 1), (n - n, x.shape[1] - 1), x.shape[2])):
        out[I] = x[I] * x[I - qd.Vector([1, 0, 0])] + x[I + qd.Vector([1, 1, 0])] ** 2


@qd.kernel
def waves(x: D, n: qd.i32):
    for i, j in qd.ndrange((1, x.shape[1] - 1), x.shape[2]):
        x[n + 1, i, j] = x[n, i, j] * 0.5 + 0.25 * x[n, i - 1, j] - x[n, i + 1, j]
    for i, j in qd.ndrange((1, x.shape[1] - 1), x.shape[2]):
        x[n + 2, i, j] = x[n + 1, i, j] + 0.3 * (x[n + 1, i - 1, j] + x[n + 1, i + 1, j])


@qd.kernel
def whole_blocks(x: A, out: A):
    qd.loop_config(block_dim=32)
    for i in range(32):
        if i < 9:
            out[i] = x[i] * x[i + 1]


@qd.kernel
def returned(x: A, out: A, n: qd.i32) -> T:
    if n > 3:
        return x[3] * x[0]
    qd.loop_config(block_dim=32)
    for i in range(32):
        if i >= 2:
            out[i] = x[i - 2] * x[i]
    return x[1]


@qd.kernel
def maybe_none(x: M, out: M, n: qd.i32):
    for i, j in qd.ndrange(37, (2, qd.min(n, 4))):
        out[i, j] = x[i, j - 1] * x[i, j + 1]


@qd.kernel
def wrapped(x: A, y: A, out: A):
    for i in range(32):
        t = x[i * 65536 * 65536] * y[i]
        out[0] += t * t


@qd.kernel
def red_and_black(x: M):
    for i, j in x:
        if (i + j) % 2 == 0 and i > 0 and i + 1 < x.shape[0]:
            x[i, j] = 0.3 * x[i - 1, j] + 0.7 * x[i + 1, j]


@qd.kernel
def added_around(x: A, y: A, out: A):
    for i in range(1, x.shape[0] - 1):
        out[i] = out[i] * x[i - 1] + x[i + 1]
        y[0] += x[i - 1] * x[i]
        y[i + 1] += x[i] * x[i + 1]


# --- Branches

@qd.kernel
def guarded(x: A, y: A, out: A):
    for i in x:
        a = x[i] if i % 3 != 0 else T(0)
        b = y[i] / a if a != 0 else y[i]
        c = qd.sqrt(a) if a > 0 else T(0)
        out[i] = b * c + (qd.log(a) if i % 3 == 1 else a)


@qd.func
def early(a, b):
    if a > b:
        return a * b
    c = a + b * b
    if c > 1.2:
        return c * a
    return qd.sin(c)


@qd.kernel
def returns(x: A, y: A, out: A):
    for i in x:
        out[i] = early(x[i], y[i]) * early(y[i], x[i])


@qd.kernel
def branches(x: A, y: A, out: A):
    for i in x:
        s = x[i]
        t = y[i] * y[i]
        if s > 0.5:
            s = s * t
            if t > 0.7:
                t = t * s + x[i]
        elif i % 2 == 0:
            t = qd.sqrt(t) * s
        else:
            s *= 1.5
        if i % 3 == 0:
            s = s * s
        out[i] = s * t


@qd.kernel
def skipped(x: A, out: A):
    for i in x:
        if x[i] < 0.6:
            continue
        out[i] = x[i] * x[i] * x[i]


# --- Loops of a thread

@qd.kernel
def static_loop(x: A, out: A):
    for i in x:
        s = x[i]
        for k in qd.static(range(5)):
            s = s * x[(i + k) % x.shape[0]] + 0.25
        out[i] = s


@qd.kernel
def sums(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for k in range(n):
            s += x[k % x.shape[0]] * x[i]
            if k % 3 == 0:
                s -= qd.sin(x[i])
        out[i] = s * s


@qd.kernel
def powers_in_loop(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for k in range(n):
            s = s * x[i] * 0.7 + 0.1 * x[k % x.shape[0]]
        out[i] = s


@qd.kernel
def steps_of_three(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for k in range(2, n, 3):
            s = s * x[k % x.shape[0]] + 0.3
        for k in range(n, 1, -2):
            s = qd.sin(s) + x[k % x.shape[0]]
        out[i] = s


@qd.kernel
def two_states(x: A, y: A, n: qd.i32, out: A):
    for i in x:
        p = x[i]
        v = y[i]
        for k in range(n):
            v -= 0.1 * qd.sin(p)
            p += 0.1 * v
        out[i] = p * v


@qd.kernel
def swaps(x: A, y: A, n: qd.i32, out: A):
    for i in x:
        a = x[i]
        b = y[i]
        for k in range(n):
            c = a
            a = b * 0.5 + qd.cos(c)
            b = c
        out[i] = a * b


@qd.kernel
def linear_state(x: A, y: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for k in range(n):
            s = 0.5 * s + y[k % y.shape[0]]
        out[i] = s


@qd.kernel
def halves(x: A, limit: A, out: A):
    for i in x:
        s = x[i] * 100
        steps = 0
        while s > limit[0]:
            s = s * 0.5 + qd.sin(s) * 0.1
            steps += 1
        out[i] = s * s * steps


@qd.kernel
def leaves(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for k in range(n):
            s = s * 1.3 + 0.1 * x[k % x.shape[0]]
            if s > 4:
                break
            if k % 4 == 1:
                continue
            s = qd.sqrt(s)
        out[i] = s


@qd.kernel
def leaves_inside(x: A, n: qd.i32, out: A):
    for i in x:
        for k in range(n):
            if k % 3 != 1:
                if x[(i + k) % x.shape[0]] > 1.25:
                    break
            else:
                out[i] += x[i] * x[k % x.shape[0]]


@qd.kernel
def nested(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for j in range(n):
            t = s
            for k in range(j % 5):
                t = t * x[k] + 0.2
            s = qd.tanh(s * t) + x[j % x.shape[0]]
        out[i] = s


@qd.kernel
def nested_sums(x: M, y: A, out: A):
    for i in range(x.shape[0]):
        s = T(0)
        for j in range(x.shape[1]):
            t = T(0)
            for k in range(x.shape[1]):
                t += x[i, k] * y[k]
            s += t * x[i, j] * t
        out[i] = s


@qd.kernel
def while_in_for(x: A, n: qd.i32, out: A):
    for i in x:
        s = x[i]
        for j in range(n):
            k = 0
            while k < 3 and s < 2:
                s = s * 0.9 + 0.3 * qd.sin(s)
                k += 1
            s = s * 0.4 + 0.2 * k * x[j % x.shape[0]]
        out[i] = s


@qd.kernel
def last_value(x: A, n: qd.i32, out: A):
    for i in x:
        t = x[i]
        for k in range(n):
            t = x[(i + k) % x.shape[0]] * x[i]
        out[i] = t * t


@qd.kernel
def stores_in_loop(x: A, n: qd.i32, out: A):
    for i in x:
        for k in range(n):
            out[i] = x[i] * x[k % x.shape[0]]


@qd.kernel
def vectors_in_loop(x: V, y: V, n: qd.i32, out: A):
    for i in x:
        p = x[i]
        for k in range(n):
            p = p.cross(y[i]) * 0.3 + x[i] * 0.5
        out[i] = p.norm()


# --- Arrays of a thread

@qd.kernel
def indexed(x: A, at: I, out: A):
    for i in x:
        v = qd.Vector.zero(T, 12)
        for k in qd.static(range(12)):
            v[k] = x[(i + k) % x.shape[0]] * x[i]
        v[at[i] % 12] *= x[i]
        s = T(0)
        for k in range(12):
            s += v[(at[i] + k) % 12] * v[k]
        out[i] = s * s


@qd.kernel
def factored(x: A, out: A):
    for i in x:
        m = qd.Matrix.zero(T, 4, 4)
        for r in range(4):
            for c in range(4):
                m[r, c] = x[(i + r) % x.shape[0]] * x[(i + c) % x.shape[0]]
            m[r, r] += 1 + x[i]
        for c in range(4):
            m[c, c] = qd.sqrt(m[c, c])
            for r in range(c + 1, 4):
                m[r, c] /= m[c, c]
            for k in range(c + 1, 4):
                for r in range(k, 4):
                    m[r, k] -= m[r, c] * m[k, c]
        out[i] = m[3, 3] + m[2, 1] * m[0, 0]


@qd.kernel
def history(x: A, n: qd.i32, out: A):
    for i in x:
        last = qd.Vector.zero(T, 10)
        last[0] = x[i]
        for k in range(n):
            last[(k + 1) % 10] = qd.sin(last[k % 10]) + 0.3 * last[(k + 7) % 10] * x[k % x.shape[0]]
        out[i] = last[n % 10]


# A branch goes by what the one before it stored.
@qd.kernel
def marks(x: A, n: qd.i32, out: A):
    for i in x:
        seen = qd.Vector([0] * 40, dt=qd.i32)
        turn = 0
        for k in range(n):
            if k % 3 == turn:
                out[i] += x[i] * x[k % x.shape[0]]
                seen[k % 40] = seen[(k + 1) % 40] + k % 2 + 1
            turn = seen[k % 40] % 3


# The inner loop is reversed from states of the array, which then is as it was before that loop.
@qd.kernel
def marks_of_rounds(x: A, n: qd.i32, out: A):
    for i in x:
        seen = qd.Vector([0] * 40, dt=qd.i32)
        for j in range(n % 50):
            s = x[i]
            for k in range(5):
                seen[k] = seen[k] + 1
                s = s * x[k] + seen[k] % 7 * 0.01 * s
            out[i] += s


# The inner loop fills the array in each iteration. The last one is what the next round begins with.
@qd.kernel
def last_marks(x: A, n: qd.i32, out: A):
    for i in x:
        seen = qd.Vector([0] * 40, dt=qd.i32)
        for j in range(n % 50):
            first = seen[3] % 5
            s = x[i]
            for k in range(5):
                for e in range(40):
                    seen[e] = k * 3 + e + j
                s = s * x[k] + seen[(k + j) % 40] % 7 * 0.01 * s
            out[i] += s * first


# --- Random numbers

@qd.kernel
def noisy(x: A, out: A):
    scale = x[0] * qd.random(T)
    for i in x:
        s = x[i] * qd.random(T)
        while qd.random(T) < 0.7:
            s = s * x[i] + qd.random(T) * scale
        out[i] = s * s


# --- Several tasks

@qd.kernel
def tasks(x: A, y: A, out: A):
    for i in x:
        y[i] = x[i] * x[i]
    for i in x:
        out[0] += y[i] * qd.sin(y[i])
    for i in x:
        out[i] += y[i]


@qd.kernel
def carried(x: A, y: A, out: A):
    scale = x[0] * x[1]
    for i in x:
        y[i] = x[i] * scale
    shift = y[0] * scale
    for i in x:
        out[i] = y[i] * shift


@qd.kernel
def runtime_bound(x: A, n: I, out: A):
    for i in range(n[0]):
        out[i] = x[i] * x[i]


@qd.kernel
def serial(x: A, out: A):
    s = T(1)
    for k in qd.static(range(4)):
        s *= x[k]
    out[0] = s


# --- Arrays that are overwritten after they were read (--keep-overwritten)

@qd.kernel
def overwritten_later(x: A, y: A, at: I, out: A):
    for i in x:
        a = x[i] * x[i]
        y[i] = a * y[i]
        x[i] = qd.sin(x[i]) + y[i]
        out[at[i]] += x[i] * x[i] * y[i]


@qd.kernel
def overwritten_by_a_task(x: V, y: A, at: I, out: A):
    for i in x:
        out[i] = x[at[i]].norm_sqr() * y[at[i]] + out[i] * out[i]
    for i in x:
        x[i] = x[i] * y[i]
        y[i] = x[i][0] * out[i]


# --- Results

@qd.kernel
def result(x: A, out: A) -> T:
    s = T(0)
    for i in x:
        s += x[i] * x[i] * x[i]
        out[i] = x[i]
    return s * s * 0.1


@qd.kernel
def results(x: A, y: A, out: A, n: qd.i32) -> tuple[qd.types.vector(2, T), qd.i32, T]:
    if n > 31:
        return qd.Vector([x[0] * y[1], x[n % 5]]), n, 2 * y[0]
    s = T(0)
    for i in x:
        s += x[i] * y[i]
        out[i] = x[i] * y[i]
    return qd.Vector([s * s, x[2] * s]), -n, qd.sin(s)


# --- Derivatives that functions have by others

@qd.func
def cube_root(x, y):
    s = x
    for k in range(40):
        s = s - (s * s * s - x) / (3.0 * s * s)
    return s * y


@qd.ad.grad_for(cube_root)
@qd.func
def cube_root_grad(x, y, g):
    s = cube_root(x, 1.0)
    return g * y / (3.0 * s * s), g * s


@qd.ad.dual_for(cube_root)
@qd.func
def cube_root_dual(x, y, dx, dy):
    s = cube_root(x, 1.0)
    return dx * y / (3.0 * s * s) + dy * s


@qd.func
def scaled(v, n):
    if n > 2:
        return v * v.norm(), v[0] * n
    return v * 2.0, v[1] * v[1]


@qd.ad.dual_for(scaled)
@qd.func
def scaled_dual(v, n, d):
    if n > 2:
        return d * v.norm() + v * (v.dot(d) / v.norm()), d[0] * n
    return d * 2.0, 2.0 * v[1] * d[1]


@qd.func
def outer(x, y):
    return cube_root(x, y) * y


@qd.ad.dual_for(outer)
@qd.func
def outer_dual(x, y, dx, dy):
    s = cube_root(x, 1.0)
    return cube_root(s * s * s, 2.0 * y * dy) + dx * y * y / (3.0 * s * s)


@qd.func
def pair(v, k, z):
    return v.norm() * k, v * z


@qd.ad.grad_for(pair)
@qd.func
def pair_grad(v, k, z, first, second):
    return v * (first * k / v.norm()) + second * z, second.dot(v)


@qd.ad.dual_for(pair)
@qd.func
def pair_dual(v, k, z, dv, dz):
    return v.dot(dv) / v.norm() * k, dv * z + v * dz


@qd.func
def squares(v, n):
    s = v[0]
    qd.loop_config(serialize=True)
    for k in range(n):
        s += v[k] * v[k]
    return s


@qd.ad.grad_for(squares)
@qd.func
def squares_grad(v, n, g):
    r = qd.Vector([g, T(0), T(0)])
    qd.loop_config(serialize=True)
    for k in range(n):
        if k == 3:
            return r
        r[k] += 2.0 * v[k] * g
    return r


@qd.ad.dual_for(squares)
@qd.func
def squares_dual(v, n, d):
    s = d[0]
    qd.loop_config(serialize=True)
    for k in range(n):
        if k == 3:
            return s
        s += 2.0 * v[k] * d[k]
    return s


@qd.kernel
def own_derivatives_in_tasks(x: V, out: A):
    s = squares(x[0], 3) * 0.5
    for i in x:
        out[i] = squares(x[i], i % 4) * s if x[i][0] > 0.7 else s
    t = squares(x[1], 2) * s
    for i in x:
        out[i] += squares(x[i] * t, 2)


@qd.kernel
def own_derivatives(x: A, y: A, out: A):
    for i in x:
        s = cube_root(x[i] * y[i], y[i]) * cube_root(x[i], 2.0)
        if x[i] > 0.7:
            s = outer(s, y[i]) * x[i]
        length, v = pair(qd.Vector([s, x[i], 0.5]), i % 3, y[i])
        out[i] = s + length * v[1] + pair(v, 1, 2.0)[1][0]


@qd.kernel
def own_derivatives_of_loads(x: A, out: A):
    for i in x:
        u = qd.Vector.zero(T, 12)
        for k in qd.static(range(12)):
            u[k] = x[i] * (k + 1)
        for k in range(3):
            u[k] = u[k] * x[i]
        out[i] = qd.min(cube_root(2.0, u[i % 12]), 1.4)


@qd.kernel
def own_derivatives_in_loop(x: V, n: qd.i32, out: A):
    for i in x:
        a, b = scaled(x[i], i % 4)
        s = T(0)
        for k in range(n):
            s = s * 0.5 + a.dot(x[i]) * b
            a, c = scaled(a * (0.8 / a.norm()), k)
            if k % 2 == 0:
                b = cube_root(c + 3.0, b * 0.5)
        out[i] = s + b


# The largest exponent changes nothing but the rounding.
@qd.kernel
def constants(x: A, y: A, out: A):
    for i in x:
        m = qd.ad.stop_gradient(qd.max(x[i], y[i]))
        out[i] = qd.log(qd.exp(x[i] - m) + qd.exp(y[i] - m)) + m


# --- Linear algebra

@qd.func
def matrix_of(v, n: qd.template()):
    return qd.Matrix([[v[(r + c) % 3] * v[r % 3] - v[c % 3] * (0.3 * r) + (4 + r) * (r == c) for c in range(n)] for r in range(n)])


@qd.func
def weighted(m):
    s = T(0)
    for r in qd.static(range(m.n)):
        for c in qd.static(range(m.m)):
            s += m[r, c] * (0.3 + 0.7 * r - 0.4 * c * c)
    return s


@qd.kernel
def large_matrices(x: V, out: A):
    for i in x:
        m = matrix_of(x[i], 5)
        out[i] = weighted(m.inverse()) + m.determinant() * 0.001


@qd.kernel
def solutions(x: V, out: A):
    for i in x:
        s = qd.solve(matrix_of(x[i], 3), qd.Vector([x[i][1] * x[i][2], 0.5, x[i][2]]))
        out[i] = s[0] * s[1] - s[2]


@qd.kernel
def singular_values(x: V, out: A):
    for i in x:
        m = matrix_of(x[i], 3)
        m[1, 1] -= 9
        u, s, v = qd.svd(m)  # the determinant is negative
        out[i] = weighted(u) * weighted(s) + weighted(v)


@qd.kernel
def eigenvalues(x: V, out: A):
    for i in x:
        m = matrix_of(x[i], 3)
        values, vectors = qd.sym_eig(m + m.transpose())
        out[i] = values[0] + 2 * values[1] * values[2] + weighted(vectors)


@qd.kernel
def positive_parts(x: V, out: A):
    for i in x:
        m = matrix_of(x[i], 2)
        m[1, 1] -= 9
        out[i] = weighted(qd.make_spd(m + m.transpose()))


@qd.kernel
def polar_factors(x: V, out: A):
    for i in x:
        r, s = qd.polar_decompose(matrix_of(x[i], 3))
        out[i] = weighted(r) * weighted(s)


# A matrix that stays what it is, with a derivative by each row.
@qd.func
def moved(diagonal, v):
    d = v - qd.ad.stop_gradient(v)
    return qd.Matrix([[d[r] * (1 + c) + (diagonal[r] if r == c else T(0)) for c in range(diagonal.n)] for r in range(diagonal.n)])


# The derivative of each value, worked out by hand, is subtracted from it: that of `left` is 0.
@qd.kernel
def equal_values(x: V, out: A):
    for i in x:
        d = x[i] - qd.ad.stop_gradient(x[i])
        m = moved(qd.Vector([T(2), T(2)]), x[i])
        u, s, v = qd.svd(m)
        left = s.trace() - (d[0] + 2 * d[1]) + u[0, 1] - (2 * d[0] - d[1]) / 8
        r, t = qd.polar_decompose(m)
        left += r[0, 1] - (2 * d[0] - d[1]) / 4 + t[0, 1] - (2 * d[0] + d[1]) / 2
        values, w = qd.sym_eig(m)
        left += values.sum() - (d[0] + 2 * d[1]) + weighted(w)
        out[i] = left + x[i][0]


@qd.kernel
def equal_eigenvalues(x: V, out: A):
    for i in x:
        d = x[i] - qd.ad.stop_gradient(x[i])
        p = qd.make_spd(moved(qd.Vector([T(2), T(2), T(-1)]), x[i]))
        out[i] = p[0, 1] - (2 * d[0] + d[1]) / 2 + p[0, 2] - (3 * d[0] + d[2]) / 3 + p[2, 2] + x[i][0]


@qd.kernel
def zero_values(x: V, out: A):
    for i in x:
        m = moved(qd.Vector([T(0), T(0)]), x[i])
        u, s, v = qd.svd(m)
        left = s.trace() - (u.transpose() @ m @ v).trace() + weighted(u) * weighted(v)
        r, t = qd.polar_decompose(m)
        e = r.transpose() @ m
        left += weighted(r) + t[0, 1] - (e[0, 1] + e[1, 0]) / 2
        values, w = qd.sym_eig(m)
        left += values.sum() - m.trace() + weighted(w)
        out[i] = left + x[i][0]


# Two singular values are each other's negatives.
@qd.kernel
def opposite_values(x: V, out: A):
    for i in x:
        d = x[i] - qd.ad.stop_gradient(x[i])
        u, s, v = qd.svd(moved(qd.Vector([T(3), T(1), T(-1)]), x[i]))
        out[i] = s[0, 0] - d[0] + 0 * (s.sum() * u.sum() * v.sum()) + x[i][0]


@qd.kernel
def singular_matrices(x: V, out: A):
    for i in x:
        d = x[i] - qd.ad.stop_gradient(x[i])
        v = qd.Vector([x[i][0], x[i][1], x[i][2], x[i][0], x[i][1]])
        once = moved(qd.Vector([T(1), T(2), T(0), T(3), T(4)]), v).determinant()
        twice = moved(qd.Vector([T(1), T(0), T(3), T(0), T(4)]), v).determinant()
        out[i] = once - 24 * 3 * d[2] + twice + x[i][0]


# The mantissas are made of bits, and the numbers stay between powers of two.
@qd.kernel
def mantissas(x: A, out: A):
    for i in x:
        s = qd.sin(x[i])
        m, e = qd.frexp(1.2 + 0.5 * s * s)
        p, f = qd.frexp(-0.6 - 0.3 * s * s)
        out[i] = m * m * e + p * x[i]
