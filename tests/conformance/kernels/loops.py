# Parallel loops whose range is only known at run time, barriers in them, kernels that return
# early, fields of one name in two files.
import loops_left as left
import loops_right as right
import quadrants as qd
from loops_left import state
from quadrants.lang.simt import block

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def steps(begin: qd.i32, end: qd.i32, step: qd.i32, out: ints):
    for i in range(begin, end, step):
        out[i] += i + 1


@qd.kernel
def steps_in_memory(bounds: ints, out: ints):
    for i in range(bounds[0], bounds[1], bounds[2]):
        out[i] += i + 1


@qd.kernel
def wide_steps(begin: qd.i64, end: qd.i64, step: qd.i64, base: qd.i64, out: ints):
    for i in range(begin, end, step):
        out[i - base] += 1


@qd.kernel
def serial_steps(bounds: ints, out: ints):
    qd.loop_config(serialize=True)
    for i in range(bounds[0], bounds[1], bounds[2]):
        out[i] += out[0] + 1
        out[0] = out[0] + 1


@qd.kernel
def rounds(bounds: ints, values: ints, out: ints, sums: ints):
    # The bound is read on the device: each block runs as many rounds as it takes.
    qd.loop_config(block_dim=64)
    for i in range(bounds[0]):
        tile = block.SharedArray((64,), qd.i32)
        t = block.thread_idx()
        tile[t] = values[i]
        block.sync()
        out[i] = tile[63 - t]
        total = block.reduce_all_add(values[i], 64, qd.i32)
        if t == 0:
            sums[i // 64] = total


@qd.kernel
def early(n: qd.i32, flags: ints, out: ints) -> qd.i32:
    # Each return ends the kernel: tasks after it do nothing.
    for i in out:
        out[i] = 1
    if n == 0:
        return 10
    count = flags[1]
    for i in range(count):
        out[i] += n
    while flags[0] > 0:
        if flags[0] == 7:
            return 20
        flags[0] = flags[0] - 1
    out[0] = 100
    qd.loop_config(block_dim=64)
    for i in range(flags[2]):
        block.sync()
        out[i] += 1000
    return 30


@qd.kernel
def two_fields(out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(6):
        state[i] += i
        left.state[i] += 1
        right.state[i % 2, i // 2] += 0.5
    for i in range(6):
        out[i] = left.state[i]
        out[6 + i] = right.state[i % 2, i // 2]
