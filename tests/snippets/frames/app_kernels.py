# The kernels that the pages' snippets call.
import dataclasses

import quadrants as qd

reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
flag = qd.types.ndarray(dtype=qd.i32, ndim=0)
pos = qd.field(qd.f32, shape=4)


@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: reals, y: reals):
    for i in range(n):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scale(x: reals, factor: qd.f32):
    for i in range(x.shape[0]):
        x[i] = x[i] * factor


@qd.kernel
def step():
    for i in pos:
        pos[i] = pos[i] + 1.0


@dataclasses.dataclass
class Contacts:
    count: flag
    normal: reals


@dataclasses.dataclass
class State:
    contacts: Contacts
    mass: reals
    dt: qd.f32


@qd.kernel
def advance(state: State, n: qd.i32):
    for i in range(n):
        state.mass[i] = state.mass[i] + state.dt * state.contacts.normal[i]
        qd.atomic_add(state.contacts.count[()], 1)


@qd.kernel(graph=True, checkpoints=True)
def grow(x: ints, found: ints, count: flag, full: flag):
    with qd.checkpoint(1, yield_on=full):
        for i in range(1):
            count[()] = 0
        for i in range(x.shape[0]):
            if x[i] > 0:
                at = qd.atomic_add(count[()], 1)
                if at < found.shape[0]:
                    found[at] = i
                else:
                    full[()] = 1
