# `qd.clock_counter`: each read is one of its own, where it stands.
import quadrants as qd

longs = qd.types.ndarray(dtype=qd.i64, ndim=1)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def clocks(rounds: ints, out: longs, work: ints):
    for i in rounds:
        first = qd.clock_counter()
        value = i
        in_order = 1
        last = first
        for k in range(rounds[i]):
            value = value * 1664525 + 1013904223
            value ^= qd.atomic_add(work[i], value)
            now = qd.clock_counter()
            in_order = in_order if now >= last else 0
            last = now
        qd.clock_counter()  # nobody looks at it
        out[3 * i] = in_order
        out[3 * i + 1] = last - first
        out[3 * i + 2] = qd.clock_counter() - first
