# Loops on the device, checkpoints and parallel sections.
from enum import IntEnum

import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
flag = qd.types.ndarray(dtype=qd.i32, ndim=0)
real = qd.types.ndarray(dtype=qd.f32, ndim=0)


@qd.kernel
def no_graph(x: ints, go: flag):
    while qd.graph.do_while(go):  # error: `qd.graph.do_while` needs a kernel that is decorated with `graph=True`
        x[0] = 1
    with qd.graph.parallel_context():  # error: `qd.graph.parallel_context` needs a kernel that is decorated with `graph=True`
        pass


@qd.kernel(graph=True)
def no_checkpoints(x: ints, go: flag):
    with qd.checkpoint(1, yield_on=go):  # error: `qd.checkpoint` needs a kernel that is decorated with `checkpoints=True`
        x[0] = 1


@qd.kernel(graph=True)
def flags(x: ints, r: real, n: qd.i32, go: flag):
    while qd.graph.do_while(n):  # error: `qd.graph.do_while` takes an array of one integer, not a run-time i32
        x[0] = 1
    while qd.graph.do_while(x):  # error: `qd.graph.do_while` takes an array of one integer
        x[0] = 1
    while qd.graph.do_while(r):  # error: `qd.graph.do_while` takes an array of one integer
        x[0] = 1
    while qd.graph.do_while():  # error: `qd.graph.do_while` needs `condition`
        x[0] = 1
    while qd.graph.do_while(go):  # error: `while … else` is not supported
        x[0] = 1
    else:
        x[0] = 2


@qd.kernel(graph=True)
def places(x: ints, go: flag):
    for i in range(3):
        while qd.graph.do_while(go):  # error: `qd.graph.do_while` stands at the top of a kernel
            x[i] = 1
    if x[0] > 1:
        with qd.graph.parallel_context():  # error: `qd.graph.parallel_context` stands at the top of a kernel
            pass
    a = qd.graph.do_while(go)  # error: `qd.graph.do_while` is not a value
    qd.checkpoint(1, yield_on=go)  # error: `qd.checkpoint` is not a value


@qd.kernel(graph=True)
def jumps(x: ints, go: flag):
    while qd.graph.do_while(go):
        if x[0] > 1:
            break  # error: `break` cannot leave a round of `qd.graph.do_while`
        if x[0] > 2:
            continue  # error: `continue` cannot leave a round of `qd.graph.do_while`
        if x[0] > 3:
            return  # error: a kernel cannot return from a loop on the device, a checkpoint or a parallel section


class Stage(IntEnum):
    A = 1


@qd.kernel(graph=True, checkpoints=True)
def checkpoints(x: ints, n: qd.i32, go: flag):
    with qd.checkpoint(n, yield_on=go):  # error: the label of a checkpoint is an integer that is known when kernels are built
        x[0] = 1
    with qd.checkpoint(1.5, yield_on=go):  # error: the label of a checkpoint is an integer that is known when kernels are built
        x[0] = 1
    with qd.checkpoint(Stage.A, yield_on=go):
        with qd.checkpoint(2, yield_on=go):  # error: checkpoints cannot be nested
            x[0] = 1
    with qd.checkpoint(1, yield_on=go):  # error: two checkpoints of the kernel have the label 1
        x[0] = 1
    with qd.checkpoint(3):  # error: `qd.checkpoint` needs `yield_on`
        x[0] = 1


@qd.kernel(graph=True, checkpoints=True)
def result(x: ints, go: flag) -> qd.i32:  # error: a kernel with checkpoints returns no value: a launch tells how it ended
    with qd.checkpoint(1, yield_on=go):
        x[0] = 1
    return 3


@qd.kernel(graph=True)
def sections(x: ints, go: flag):
    with qd.graph.parallel():  # error: `with qd.graph.parallel():` stands in `with qd.graph.parallel_context():`
        x[0] = 1
    with qd.graph.parallel_context():
        with qd.graph.parallel():
            while qd.graph.do_while(go):  # error: `qd.graph.do_while` cannot stand in a parallel section
                x[0] = 1
        with qd.graph.parallel_context():  # error: `with qd.graph.parallel():` stands in `with qd.graph.parallel_context():`
            pass
        for i in range(3):  # error: `with qd.graph.parallel_context():` holds only `with qd.graph.parallel():`
            x[i] = 1
    with qd.static(x):  # error: `with` of a kernel takes a checkpoint or a parallel section
        pass


@qd.func(requires_top_level=True)
def phases(x):
    for i in range(3):
        x[i] = 1


@qd.func(requires_top_level=True)
def returns(x):
    if x[0] > 1:
        return 1
    for i in range(3):
        x[i] = 1
    return 2


@qd.kernel
def calls(x: ints):
    phases(x)
    for i in range(3):
        phases(x)  # error: `phases` requires the top level: its loops are tasks of the kernel
    returns(x)  # error: `returns` requires the top level: its loops are tasks of the kernel
