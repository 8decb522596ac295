# Functions of qd.math that are written in the kernel language.
import quadrants as qd


@qd.func
def fns(mask, base, offset):
    # The position of the offset-th set bit of `mask` at or above `base` (below, where offset is
    # negative); offset 0 asks for bit `base` itself. All ones where there is none.
    bits = qd.cast(mask, qd.u32)
    at = qd.cast(base, qd.i32)
    left = qd.abs(qd.cast(offset, qd.i32))
    step = qd.select(qd.cast(offset, qd.i32) < 0, -1, 1)
    found = qd.u32(0xFFFFFFFF)
    if left == 0:
        if (bits >> qd.cast(at, qd.u32)) & qd.u32(1) != 0:
            found = qd.cast(at, qd.u32)
    while left > 0 and at >= 0 and at < 32:
        if (bits >> qd.cast(at, qd.u32)) & qd.u32(1) != 0:
            left -= 1
            if left == 0:
                found = qd.cast(at, qd.u32)
        at += step
    return found
