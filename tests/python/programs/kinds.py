"""Kernels of all kinds that `sextant freeze` records. Prints what they made, as JSON."""

import dataclasses
import enum
import json
import math
import sys

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, fast_math=False)

COUNT = 6
ONE = 1
OFFSETS = (1, 4, 9)
LIMIT = np.float32(2.5)
vec3 = qd.types.vector(3, qd.f32)

numbers = qd.field(qd.i32, shape=COUNT)
points = qd.Vector.field(3, qd.f32, shape=(COUNT, 2))
flags = qd.field(qd.u1, shape=COUNT)


class Mode(enum.IntEnum):
    ADD = 1
    MULTIPLY = 2


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


chosen = Side.RIGHT


@qd.dataclass
class Grain:
    pos: vec3
    mass: qd.f32

    @qd.func
    def moved(self, by):
        return self.pos + by * self.mass * ONE


grains = Grain.field(shape=4, layout=qd.Layout.SOA)
cells = qd.types.struct(q=qd.types.vector(2, qd.f32)).field(shape=3)


@dataclasses.dataclass(frozen=True)
class Inner:
    weights: qd.types.NDArray[qd.f32, 1]


@dataclasses.dataclass(frozen=True)
class State:
    values: qd.types.NDArray[qd.f32, 1]
    inner: Inner
    unused: qd.types.NDArray[qd.f64, 3]


@qd.func
def weighted(state: State, i):
    return state.values[i] * state.inner.weights[i]


@qd.kernel
def count_up(start: qd.i32):
    for i in numbers:
        numbers[i] = start + i * i
        flags[i] = numbers[i] % 2 == 0
        for j in qd.static(range(3)):
            points[i, 1][j] = OFFSETS[j] + i


@qd.kernel
def update(state: State, mode: qd.template(), factor: qd.f32):
    for i in range(state.values.shape[0]):
        if qd.static(mode == Mode.ADD):
            state.values[i] += factor * weighted(state, i)
        else:
            state.values[i] *= factor


def doublings(first, last):
    """Runs in Python while a kernel is compiled."""
    found = []
    while first < last:
        found.append(first)
        first *= 2
    return tuple(found)


@qd.kernel
def clamp(x: qd.types.ndarray(), closest: qd.template()):
    for i in x:
        if qd.static(chosen == Side.RIGHT):
            x[i] = qd.min(x[i], float(np.nextafter(np.float32(LIMIT), np.float32(0))) + closest)
            x[i] -= qd.static(len(doublings(3, 7)))


@qd.kernel
def move_grains(by: vec3):
    for i in grains:
        grains[i].mass = 1.0 + i
        grains[i].pos = grains[i].moved(by)
    for i in range(3):
        cells.q[i][1] = 2.0 * i  # `q` is a member here, and no component


@qd.kernel
def fill_columns(x: qd.Tensor):
    for i, j in qd.ndrange(2, 3):
        x[i, j] = 10 * i + j


@qd.kernel
def total(x: qd.types.NDArray[qd.f32, 1], half: qd.template()) -> tuple[qd.f32, qd.i32]:
    s, n = 0.0, 0
    for i in range(x.shape[0] // (2 if qd.static(half) else 1)):
        s += x[i]
        n += 1
    return s, n


@qd.kernel(graph=True)
def halve_until(x: qd.types.NDArray[qd.f32, 1], go_on: qd.types.NDArray[qd.i32, 0]):
    while qd.graph.do_while(go_on):
        for i in x:
            x[i] *= 0.5
        for _ in range(1):
            go_on[None] = 0
            for i in range(x.shape[0]):
                if x[i] > 1.0:
                    go_on[None] = 1


class Base:
    @qd.func
    def scaled(self, i):
        return self.x[i] * self.SCALE


@qd.data_oriented
class Solver(Base):
    SCALE = 3

    def __init__(self, n, mode):
        self.n, self.mode = n, mode
        self.x = qd.ndarray(qd.f32, (n,))
        self.y = qd.Vector.field(2, qd.f32, shape=(n,))

    @property
    def last(self):
        return self.n - 1

    @qd.kernel
    def step(self, out: qd.types.ndarray()):
        for i in range(self.n):
            out[i] = self.scaled(i)
            if qd.static(self.mode == Mode.MULTIPLY):
                out[i] *= self.y[i][1]
        for i in range(1):
            out[self.last] = -1.0


def make_power(exponent):
    @qd.func
    def power(v):
        p = 1
        for _ in qd.static(range(exponent)):
            p *= v
        return p

    @qd.kernel
    def raise_all(x: qd.types.NDArray[qd.i32, 1]):
        for i in x:
            x[i] = power(x[i]) + exponent

    return raise_all


def main():
    result = {}
    count_up(5)
    result["numbers"], result["flags"] = numbers.to_numpy().tolist(), flags.to_numpy().astype(int).tolist()
    result["points"] = points.to_numpy()[3, 1].tolist()

    values, weights, unused = qd.ndarray(qd.f32, (4,)), qd.ndarray(qd.f32, (4,)), qd.ndarray(qd.f64, (1, 1, 1))
    values.from_numpy(np.arange(4, dtype=np.float32) + 1)
    weights.from_numpy(np.float32([1, 2, 0.5, 4]))
    state = State(values, Inner(weights), unused)
    update(state, Mode.ADD, 2.0)
    update(state, mode=Mode.ADD, factor=0.5)
    update(state, Mode.MULTIPLY, 4.0)
    result["state"] = values.to_numpy().tolist()

    ramp = np.arange(8, dtype=np.float32)
    clamp(ramp, 1)
    result["ramp"] = ramp.tolist()
    move_grains(qd.Vector([1.0, 0.0, -2.0]))
    result["grains"] = grains.pos.to_numpy().tolist()
    result["cells"] = cells.q.to_numpy().tolist()
    columns = qd.tensor(qd.f32, shape=(2, 3), layout=(1, 0))
    fill_columns(columns)
    result["columns"] = columns.to_numpy().tolist()
    result["total"], result["half"] = list(total(values, False)), list(total(values, True))
    go_on = qd.ndarray(qd.i32, ())
    go_on[()] = 1
    halve_until(values, go_on)
    result["halved"] = values.to_numpy().tolist()

    for mode in Mode:
        solver = Solver(4 + mode, mode)
        solver.x.fill(1.5)
        solver.y.fill(2.0)
        out = np.zeros(4 + mode, np.float32)
        solver.step(out)
        if mode == Mode.ADD:
            solver.x = qd.ndarray(qd.f32, (5,))  # members may be set again
            solver.x.fill(0.5)
            solver.step(out)
        result[mode.name] = out.tolist()

    powers = qd.ndarray(qd.i32, (3,))
    powers.from_numpy(np.int32([1, 2, 3]))
    make_power(2)(powers)
    make_power(3)(powers)
    result["powers"] = powers.to_numpy().tolist()
    if "--more" in sys.argv:
        total(qd.ndarray(qd.f32, (2,)), 7)
    assert math.isfinite(result["total"][0])
    print(json.dumps(result))


main()
