"""Kernels that do as good as nothing: what is left is the launch."""

import quadrants as qd


@qd.kernel
def touch(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.i32):
    qd.loop_config(block_dim=32)
    for i in range(out.shape[0]):
        out[i] = value


@qd.kernel
def one(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.i32):
    out[0] = value
