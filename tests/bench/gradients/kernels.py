"""Kernels whose gradients are timed beside them (main.cpp). All arrays have N elements, or N rows of ROW."""

import quadrants as qd

A = qd.types.ndarray(qd.f32, 1)
M = qd.types.ndarray(qd.f32, 2)
V = qd.types.ndarray(qd.types.vector(3, qd.f32), 1)
ROW = 64


@qd.kernel
def saxpy(x: A, out: A):
    for i in x:
        out[i] = 2.5 * x[i] + out[i]


@qd.kernel
def functions(x: A, out: A):
    for i in x:
        out[i] = qd.exp(-x[i] * x[i]) * qd.sin(x[i]) + qd.sqrt(1.0 + x[i] * x[i])


@qd.kernel
def energy(x: V, out: A):
    for i in x:
        out[0] += 0.5 * x[i].norm_sqr() * qd.exp(-x[i].norm())


@qd.kernel
def stencil(x: A, out: A):
    for i in range(1, x.shape[0] - 1):
        out[i] = (x[i - 1] - 2.0 * x[i] + x[i + 1]) * x[i]


@qd.kernel
def rows(m: M, x: A, out: A):
    for i in range(m.shape[0]):
        s = 0.0
        for k in range(m.shape[1]):
            s += m[i, k] * qd.tanh(x[k])
        out[i] = s * s


@qd.kernel
def pendulum(x: A, out: A):
    for i in x:
        p = x[i]
        v = 0.0
        for k in range(30):
            v -= 0.1 * qd.sin(p)
            p += 0.1 * v
        out[i] = p * v


@qd.kernel
def long_pendulum(x: A, out: A):
    for i in x:
        p = x[i]
        v = 0.0
        for k in range(500):
            v -= 0.01 * qd.sin(p)
            p += 0.01 * v
        out[i] = p * v


@qd.kernel
def newton(x: A, out: A):
    for i in x:
        r = 1.0
        while qd.abs(r * r - x[i]) > 1e-5 * x[i]:
            r = 0.5 * (r + x[i] / r)
        out[i] = r
