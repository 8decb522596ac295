# Structs: records by value, in fields, in shared memory and across functions; containers of arrays;
# methods, which change what they are called on; objects whose members the build names.
import dataclasses
from enum import IntEnum, IntFlag, auto

import quadrants as qd
from quadrants.lang.simt import block

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
vec3 = qd.types.vector(3, qd.f32)


#===--- Records -----------------------------------------------------------===#


@qd.dataclass
class Box:
    low: qd.unpacked[qd.types.vector(2, qd.i32)]
    high: qd.types.vector(2, qd.i32)

    @qd.func
    def area(self):
        size = self.high - self.low
        return size.x * size.y


@qd.dataclass
class Thing:
    box: Box
    weight: qd.f32
    kind: qd.i8
    spin: qd.types.matrix(2, 2, qd.f32)

    @qd.func
    def grow(self, by: qd.i32):
        self.box.low -= by
        self.box.high += by
        self.weight *= 2

    @qd.func
    def grown(self, by: qd.i32):
        # A function may change what it gets by value; the caller's stays.
        other = self
        other.grow(by)
        return other


Pair = qd.types.struct(first=qd.i32, second=qd.types.vector(2, qd.f32))

things = Thing.field(shape=(4, 5))
pairs = qd.field(Pair, shape=64, layout=qd.Layout.AOS)


@qd.func
def area_after(thing: Thing, by: qd.i32) -> qd.i32:
    thing.grow(by)
    return thing.box.area()


@qd.func
def swapped(p: Pair) -> Pair:
    return Pair(qd.i32(p.second.y), second=qd.Vector([p.second.x, p.first]))


@qd.kernel
def set_things(n: qd.i32):
    for i, j in things:
        things[i, j] = Thing(Box([i, j], [i + 3, j + n]), weight=i * 0.5, kind=j - 2)
        things[i, j].spin = qd.Matrix([[i, j], [0.25, -i]])


@qd.kernel
def read_things(out: ints, weights: floats):
    for i, j in qd.ndrange(4, 5):
        t = things[i, j]
        k = (i * 5 + j) * 4
        out[k] = t.box.area()
        out[k + 1] = area_after(t, 1)
        out[k + 2] = t.grown(2).box.area() + t.kind
        out[k + 3] = qd.i32(4 * (t.spin @ qd.Vector([1.0, 2.0])).sum())
        weights[i * 5 + j] = t.weight + t.grown(0).weight


@qd.kernel
def change_things(out: ints):
    for i, j in things:
        things[i, j].grow(i)
        if j % 2 == 0:
            things[i, j].box = Box(low=[0, 0], high=things[i, j].box.low)
        things[i, j].box.low[j % 2] -= 1
        qd.atomic_add(things[0, 0].spin[1, 1], 1.0)
    for i, j in things:
        b = things[i, j].box
        k = (i * 5 + j) * 4
        out[k], out[k + 1], out[k + 2], out[k + 3] = b.low.x, b.low.y, b.high.x, b.high.y


@qd.kernel
def choose(out: floats):
    for i in pairs:
        pairs[i] = Pair(i, [i * 2, i * 3])
    for i in range(64):
        p = pairs[i] if i % 3 == 0 else swapped(pairs[63 - i])
        if i % 4 == 1:
            p = swapped(p)
            p.first = 7
        while p.first > 40:
            p.first -= 25
            p.second += 0.5
        out[3 * i] = p.first
        out[3 * i + 1] = p.second.x
        out[3 * i + 2] = p.second[1]


@qd.kernel
def in_shared_memory(out: floats):
    qd.loop_config(block_dim=64)
    for i in range(128):
        slots = block.SharedArray((64,), Pair)
        lane = i % 64
        slots[lane] = Pair(i, [i, -i])
        block.sync()
        other = slots[63 - lane]
        slots[lane ^ 1].second.x = lane if other.first >= 0 else 0
        block.sync()
        out[2 * i] = other.first + other.second.y * 2
        out[2 * i + 1] = slots[lane].second.x


@qd.kernel
def of_the_kernel(n: qd.i32) -> Pair:
    total = Pair(0, [0.5, 0.0])
    for i in range(n):
        total.first += i
        total.second.y += 1.0
    return swapped(total) if n > 1000 else total


@qd.kernel
def by_value(b: Box, t: Thing, out: ints):
    for i in range(1):
        out[0] = b.area()
        out[1] = t.grown(1).box.area()
        out[2] = t.kind
        out[3] = t.box.high.y


@qd.kernel
def arrays_of_pairs(p: qd.types.ndarray(dtype=Pair, ndim=1), q: qd.types.NDArray[Pair, 1]):
    for i in p:
        q[i] = swapped(p[i])
        q[i].second += p[p.shape[0] - 1 - i].second
        q[i].second.x -= 1


#===--- Containers --------------------------------------------------------===#


@dataclasses.dataclass
class Contacts:
    count: ints
    normal: qd.types.ndarray(dtype=vec3, ndim=2)
    never: qd.types.ndarray(dtype=qd.f32, ndim=3)


@dataclasses.dataclass(frozen=True)
class State:
    contacts: Contacts
    mass: floats
    dt: float
    steps: qd.types.vector(2, qd.i32)
    flags: qd.types.ndarray()
    box: Box


@qd.func
def contact(c: Contacts, i: qd.i32, j: qd.i32):
    c.normal[i, j] += qd.Vector([1.0, i, j])
    c.count[i] += 1


@qd.func
def all_contacts(s: State, i: qd.i32):
    for j in range(s.contacts.normal.shape[1]):
        contact(c=s.contacts, i=i, j=j)


@qd.kernel
def containers(s: State, scale: qd.f32):
    for i in s.mass:
        all_contacts(s, i)
        s.mass[i] = s.mass[i] * s.dt + scale * s.steps.y + s.box.area()


@qd.kernel
def parts(box: Box, c: Contacts, other: Contacts):
    for i in c.count:
        c.count[i], other.count[i] = other.count[i] + box.high.x, c.count[i]


#===--- Objects -----------------------------------------------------------===#


class Mode(IntEnum):
    ADD = auto()
    MULTIPLY = auto()


class Level(IntEnum):
    LOW = auto()
    HIGH = 7
    MIDDLE = 3
    NEXT = auto()


class Part(IntFlag):
    LEFT = auto()
    BOTH = 5
    RIGHT = auto()


@qd.kernel
def enumerated(out: qd.types.ndarray(qd.i32, 1)):
    for i in range(1):
        out[0] = Level.LOW
        out[1] = Level.NEXT
        out[2] = Part.LEFT
        out[3] = Part.RIGHT
        out[4] = Mode.MULTIPLY


class Base:
    OFFSET = 100

    @qd.func
    def offset(self, i):
        return self.OFFSET + i

    @qd.kernel
    def inherited(self, out: ints):
        for i in range(self.n):
            out[i] = self.offset(i) * self.n


@qd.data_oriented
class Material:
    @qd.func
    def stress(self, strain):
        return strain * self.stiffness + self.bias[0]


@qd.data_oriented
class Simulation(Base):
    def __init__(self, n):
        self.n = n
        self.table = {"not": "for kernels"}

    @qd.func
    def at(self, i):
        return self.x[i] + self.material.stress(0.5)

    @qd.kernel
    def step(self, y: floats, gain: qd.f32):
        for i in range(self.n):
            if qd.static(self.mode == Mode.ADD):
                self.x[i] = self.at(i) + gain * y[i]
            else:
                self.x[i] = self.at(i) * gain * y[i] * self.scale
            self.count[None] += 1

    @qd.kernel
    def counted(self) -> qd.i32:
        return self.count[None]


@qd.kernel
def outside(sim: qd.template(), out: floats):
    for i in range(sim.n):
        out[i] = sim.at(i) * sim.factor
