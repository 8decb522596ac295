# Loops on the device, checkpoints and parallel sections (pages `graph` and `streams`).
from enum import IntEnum

import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
flag = qd.types.ndarray(dtype=qd.i32, ndim=0)


@qd.kernel(graph=True)
def count(x: ints, counter: flag):
    while qd.graph.do_while(counter):
        for i in range(x.shape[0]):
            x[i] = x[i] + 1
        counter[()] = counter[()] - 1


# Loops in a loop, beside each other, and with other loops before, between and after them.
@qd.kernel(graph=True)
def nested(x: ints, order: ints, outer: flag, inner: flag, third: flag):
    step = 0
    for i in range(x.shape[0]):
        x[i] = x[i] + 100
    while qd.graph.do_while(outer):
        inner[()] = 2 + outer[()] % 2
        while qd.graph.do_while(inner):
            for i in range(x.shape[0]):
                x[i] = 3 * x[i] + i
            order[step] = 10 * outer[()] + inner[()]
            step += 1
            inner[()] -= 1
        third[()] = 40
        while qd.graph.do_while(third):
            third[()] -= 1
            for i in range(x.shape[0]):
                x[i] ^= third[()]
        outer[()] -= 1
    order[step] = -step
    for i in range(x.shape[0]):
        x[i] -= step


# Breadth first, level by level. The changes of a level are counted with barriers inside the loop.
# Variables go from one round to the next: as a scalar, a vector, and what threads add to.
@qd.kernel(graph=True)
def levels(offsets: ints, targets: ints, level: ints, go: flag) -> tuple[qd.i32, qd.types.vector(3, qd.i32), qd.i32]:
    depth = 0
    seen = qd.Vector([0, 0, 0])
    reached = 0
    while qd.graph.do_while(go):
        go[()] = 0
        found = 0
        qd.loop_config(block_dim=64)
        for v in range(level.shape[0]):
            near = 0
            if level[v] == -1:
                for e in range(offsets[v], offsets[v + 1]):
                    if level[targets[e]] == depth:
                        near = 1
            total = qd.simt.block.reduce_add(near, 64, qd.i32)
            if near:
                level[v] = -2  # so that it does not count in this round
            if qd.simt.block.thread_idx() == 0:
                found += total
                reached += total
        for v in range(level.shape[0]):
            if level[v] == -2:
                level[v] = depth + 1
        seen[depth % 3] += found
        depth += 1
        if found != 0:
            go[()] = 1
    return depth, seen, reached


# Rounds of a loop draw different numbers.
@qd.kernel(graph=True)
def draws(x: qd.types.ndarray(dtype=qd.u32, ndim=2), counter: flag):
    row = 0
    while qd.graph.do_while(counter):
        for i in range(x.shape[1]):
            x[row, i] = qd.random(qd.u32)
        row += 1
        counter[()] -= 1


class Stage(IntEnum):
    COLLECT = 3
    SPREAD = -7


# Collects what is above a limit, into an array that may be too small: the host makes it larger.
@qd.kernel(graph=True, checkpoints=True)
def collect(x: ints, out: ints, used: ints, full: flag, rounds: flag, log: ints):
    step = 0
    while qd.graph.do_while(rounds):
        for i in range(x.shape[0]):
            x[i] += i
        log[0] += 1
        with qd.checkpoint(Stage.COLLECT, yield_on=full):
            for i in range(1):
                used[0] = 0
            for i in range(x.shape[0]):
                if x[i] % 3 == 0:
                    at = qd.atomic_add(used[0], 1)
                    if at < out.shape[0]:
                        out[at] = i
                    else:
                        full[()] = 1
        log[1] += 1
        for k in range(used[0]):
            x[out[k]] += 1000
        step += 1
        with qd.checkpoint(Stage.SPREAD, yield_on=full):
            for i in range(1):
                if step == 2 and log[2] == 0:
                    full[()] = 5
                    log[2] = 1
        rounds[()] -= 1
    log[3] = step
    for i in range(x.shape[0]):
        x[i] -= 1


# A checkpoint in the inner one of two loops, and a loop before it that has to be skipped.
@qd.kernel(graph=True, checkpoints=True)
def deep(x: ints, outer: flag, first: flag, inner: flag, stop: flag):
    while qd.graph.do_while(outer):
        first[()] = 2
        while qd.graph.do_while(first):
            x[0] += 1
            first[()] -= 1
        inner[()] = 3
        while qd.graph.do_while(inner):
            x[1] += 1
            with qd.checkpoint(1, yield_on=stop):
                for i in range(1):
                    x[2] += 1
                    if x[2] % 4 == 0:
                        stop[()] = 1
            x[3] += 1
            inner[()] -= 1
        outer[()] -= 1
    with qd.checkpoint(2, yield_on=stop):
        x[4] += 1


# Sections are independent of each other; what comes after them sees what all did.
@qd.kernel(graph=True)
def sections(a: ints, b: ints, c: ints, counter: flag):
    while qd.graph.do_while(counter):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(a.shape[0]):
                    a[i] += 1
                for i in range(a.shape[0]):
                    a[i] *= 2
            for k in qd.static(range(2)):
                with qd.graph.parallel():
                    for i in range(b.shape[0] // 2):
                        b[2 * i + k] += k + 1
            if qd.static(False):
                with qd.graph.parallel():
                    a[0] = -1
        for i in range(c.shape[0]):
            c[i] += a[i] + b[c.shape[0] - 1 - i]
        counter[()] -= 1


@qd.kernel
def streams(a: ints, b: ints, c: ints):
    with qd.stream_parallel():
        for i in range(a.shape[0]):
            a[i] += 7
        for i in range(a.shape[0]):
            a[i] *= 3
    with qd.stream_parallel():
        for i in range(b.shape[0]):
            b[i] -= 5
    for i in range(c.shape[0]):
        c[i] = a[i] + b[c.shape[0] - 1 - i]


# Functions whose loops are tasks of the kernel.
@qd.func(requires_top_level=True)
def scan_by_doubling(x: qd.template(), y: qd.template(), reach: qd.template(), go: qd.template()):
    reach[()] = 1
    go[()] = 1
    while qd.graph.do_while(go):
        for i in range(x.shape[0]):
            y[i] = x[i] + (x[i - reach[()]] if i >= reach[()] else 0)
        for i in range(x.shape[0]):
            x[i] = y[i]
        reach[()] *= 2
        go[()] = 1 if reach[()] < x.shape[0] else 0


@qd.kernel(graph=True)
def twice(x: ints, y: ints, reach: flag, go: flag):
    scan_by_doubling(x, y, reach, go)
    scan_by_doubling(x, y, reach, go)
