# Loops over several axes, sums of a grid, a scan in one pass, values of arguments. Beside grids.cu.
import quadrants as qd
from quadrants.lang.simt import block, grid

BLOCK = 256
AGGREGATE = 1
PREFIX = 2
four = qd.types.vector(4, qd.i32)
Ints = qd.types.ndarray(qd.i32, 1)
Fours = qd.types.ndarray(four, 1)
Reals = qd.types.ndarray(qd.f32, 1)
Plane = qd.types.ndarray(qd.f32, 2)
Space = qd.types.ndarray(qd.f32, 3)


@qd.kernel
def stencil(x: Space, y: Space):
    for i, j, k in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1), (1, x.shape[2] - 1)):
        y[i, j, k] = (
            x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1] + x[i, j, k + 1]
        ) - 6.0 * x[i, j, k]


@qd.kernel
def stencil_wide(x: Space, y: Space):
    qd.loop_config(block_dim=512)
    for i, j, k in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1), (1, x.shape[2] - 1)):
        y[i, j, k] = (
            x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1] + x[i, j, k + 1]
        ) - 6.0 * x[i, j, k]


@qd.kernel
def rows(x: Plane, out: Reals):
    for i in range(x.shape[0]):
        for j in range(64):
            out[0] += x[i, j]


@qd.kernel
def blur(x: Plane, y: Plane):
    for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        total = 0.0
        for a, b in qd.static(qd.ndrange((-1, 2), (-1, 2))):
            total += x[i + a, j + b]
        y[i, j] = total * (1.0 / 9.0)


@qd.kernel
def total(x: Reals, out: Reals):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def seldom(x: Ints, least: qd.i32, out: Ints):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        if x[i] > least:
            out[0] += 1


@qd.kernel
def scaled(x: Reals, y: Reals):
    s = 1.0 / x.shape[0]
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        y[i] = s * x[i]


@qd.kernel
def scan(x: Fours, y: Fours, ticket: Ints, states: Ints, sums: Ints, prefixes: Ints):
    # Blocks take their numbers in the order in which they begin; `states` and `ticket` are zero at first.
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        shared = block.SharedArray((2,), qd.i32)
        t = block.thread_idx()
        if t == 0:
            shared[0] = qd.atomic_add(ticket[0], 1)
        block.sync()
        number = shared[0]
        v = x[number * BLOCK + t]
        before = block.exclusive_add(v[0] + v[1] + v[2] + v[3], BLOCK, qd.i32)
        if t == BLOCK - 1:
            aggregate = before + v[0] + v[1] + v[2] + v[3]
            prefix = 0
            if number > 0:
                sums[number] = aggregate
                grid.mem_fence()
                qd.atomic_exchange(states[number], AGGREGATE)
                at = number - 1
                while at >= 0:
                    state = qd.volatile_load(states[at])
                    while state == 0:
                        state = qd.volatile_load(states[at])
                    grid.mem_fence()
                    if state == PREFIX:
                        prefix += prefixes[at]
                        at = -1
                    else:
                        prefix += sums[at]
                        at -= 1
            prefixes[number] = prefix + aggregate
            grid.mem_fence()
            qd.atomic_exchange(states[number], PREFIX)
            shared[1] = prefix
        block.sync()
        base = shared[1] + before
        y[number * BLOCK + t] = four(base + v[0], base + v[0] + v[1], base + v[0] + v[1] + v[2], base + v[0] + v[1] + v[2] + v[3])


@qd.kernel
def clear(ticket: Ints, states: Ints):
    for i in range(states.shape[0]):
        states[i] = 0
        if i == 0:
            ticket[0] = 0
