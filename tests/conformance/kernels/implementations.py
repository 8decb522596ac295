"""Kernels with several implementations, and a struct whose members only some code of a kernel uses."""
import dataclasses

import quadrants as qd
from quadrants import simt

I1 = qd.types.ndarray(qd.i32, 1)
I2 = qd.types.ndarray(qd.i32, 2)


@dataclasses.dataclass
class Rows:
    x: I2
    partial: I1
    sums: I1
    ran: I1
    small: I1
    large: I1


@qd.perf_dispatch(get_geometry_hash=lambda at, scale: at.x.shape)
def row_sums(at: Rows, scale: qd.i32):
    """The scaled sum of each row; the implementation's number goes to `ran`."""
    ...


@row_sums.register
@qd.kernel
def by_threads(at: Rows, scale: qd.i32) -> None:
    for i in range(at.x.shape[0]):
        s = 0
        for j in range(at.x.shape[1]):
            s += at.x[i, j]
        at.sums[i] = s * scale
        at.ran[i] = 1


@row_sums.register
@qd.kernel
def by_subgroups(at: Rows, scale: qd.i32) -> None:
    """Needs a row to have as many elements as the wave has lanes, or a multiple."""
    W = qd.static(simt.subgroup.group_size())
    qd.loop_config(block_dim=W * 2, name="subgroup sums")
    for t in range(at.x.shape[0] * W):
        i = t // W
        s = 0
        for j in range(at.x.shape[1] // W):
            s += at.x[i, j * W + t % W]
        total = simt.subgroup.reduce_all_add(s)
        if t % W == W - 1:
            at.partial[i] = total
    for i in range(at.x.shape[0]):
        at.sums[i] = at.partial[i] * scale
        at.ran[i] = 2


@row_sums.register
@qd.kernel
def by_atomics(at: Rows, scale: qd.i32) -> None:
    for i in range(at.x.shape[0]):
        at.sums[i] = 0
    for i, j in qd.ndrange(at.x.shape[0], at.x.shape[1]):
        at.sums[i] += at.x[i, j] * scale
    for i in range(at.x.shape[0]):
        at.ran[i] = 3


@qd.kernel
def by_wave(at: Rows):
    """A wave size uses one of two members, and both are arguments at all of them."""
    for i in range(at.sums.shape[0]):
        if qd.static(simt.subgroup.group_size() <= 16):
            at.small[i] = i + 1
        else:
            at.large[i] = i + 2
        at.sums[i] = i + 3
