# The things that names stand for: members of arrays of structs, names and properties of classes, fields of several names,
# arrays that an instance leaves out, values that functions may change.
import typing
from enum import IntEnum

import quadrants as qd

floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)

Grain = qd.types.struct(pos=qd.types.vector(3, qd.f32), kind=qd.i32)
grains = Grain.field(shape=(4, 8))
pieces = Grain.field(shape=(4, 8), layout=qd.Layout.AOS)

first = second = qd.field(qd.i32, shape=4)
left, right = qd.field(qd.f32), qd.field(qd.i32)
qd.root.dense(qd.ij, (2, 4)).place(left, right)
copied = qd.field(qd.f32, shape=(2, 4))
here = there = qd.field(qd.f32)
qd.root.dense(qd.i, 8).place(there)
one, (two, three) = 1, (2, 3)
tensor = qd.Vector.tensor(3, qd.f32, shape=(4,), backend=qd.Backend.FIELD)


@qd.func
def numbered(kinds, by):
    for i, j in kinds:
        kinds[i, j] = by * i + j


@qd.kernel
def arrays_of_members(out: floats, kinds: ints):
    for i, j in grains:
        grains[i, j].pos.fill(i)
        pieces[i, j].pos.fill(j + 0.5)
    numbered(grains.kind, 10)
    numbered(pieces.kind, 100)
    for i, j in grains:
        out[8 * i + j] = grains.pos[i, j].sum() + 100 * pieces.pos[i, j].y
        kinds[8 * i + j] = grains[i, j].kind + pieces.kind[i, j]


@qd.kernel
def names_of_fields(out: floats):
    for i in range(4):
        first[i] = i + 1
        tensor[i].z = 0.25 * i
    for i in range(8):
        here[i] = 0.5 * i
    for i, j in left:
        left[i, j] = i - j
        right[i, j] = 10 * i + j
    for i in range(4):
        out[i] = second[i] + there[2 * i] + left[1, i] * 100 + right[1, i] * 1000 + tensor[i].z
    there.copy_from(here)
    copied.copy_from(left)
    for i in range(4):
        out[i] += copied[1, i]
    out[4] = one + 10 * two + 100 * three


@qd.data_oriented
class Box:
    class Side(IntEnum):
        LEFT = 3
        RIGHT = 5

    @property
    def area(self):
        """Width times height."""
        return self.width * self.height

    @property
    def twice(self):
        return 2 * self.area

    @staticmethod
    @qd.func
    def squared(v):
        return v * v

    @staticmethod
    @qd.kernel
    def alone(out: ints):
        for i in out:
            out[i] = Box.squared(i)


@qd.func
def doubled(v):
    return 2 * v


@qd.data_oriented
class Bundle:
    """All that a list may hold."""

    @qd.func
    def shifted(self, v):
        return v + self.items[5]

    @qd.kernel
    def mix(self, out: floats):
        for i in out:
            total = 0.0
            for x in qd.static(self.items[0]):
                total += x[i]
            scaled = self.items[2](self.items[1](total)) * self.items[3]
            out[i] = scaled + self.items[4].kind + qd.cast(2.75, self.items[6])
            self.items[0][1][i] = 3 * i


@qd.data_oriented
class Store:
    pass


@qd.data_oriented
class Owner:
    @property
    def store(self):
        return self._store

    @property
    def grains(self):
        return self.store.grains

    @qd.kernel
    def write(self, out: floats):
        for i in out:
            self.store.grains[i].kind = i + 1
            self.store.grains[i].pos[1] = 2.5 * i
            self.grains[i].pos.x = 100.0
            self.store.y[i] = 1000.0
            self.store.y[i] += 1000.0
        for i in out:
            out[i] = self.grains[i].kind + self.store.grains[i].pos.sum() + self.store.y[i]


class Crate(Box):
    @qd.kernel
    def fill(self, out: ints, flag: qd.bool):
        for i in out:
            n = 0
            for j in qd.static(range(self.twice)):
                n += j
            out[i] = n + 100 * self.Side.RIGHT + 1000 * self.squared(i) if flag else self.area


@qd.kernel
def optional(x: floats | None, y: "typing.Optional[floats]", z: qd.Tensor, out: floats):
    for i in out:
        v = 0.0
        if qd.static(x is not None):
            v += x[i]
        if qd.static(y is not None):
            v += 10 * y[i]
        if qd.static(z is not None):
            v += 100 * z[i]
        out[i] = v


@qd.kernel
def given_arrays(x: qd.Template, y: qd.types.ndarray(element_dim=1)):
    for i in x:
        x[i] += y[i].dot(y[i])


@qd.func
def sets_first(v: qd.template()):
    v[0] = 5.0


@qd.func
def halves(v: qd.types.vector(3)) -> tuple[qd.types.vector(3), qd.types.vector(3)]:
    return v * 0.25, v * 0.75


@qd.func
def first_set(v: qd.types.vector(3)):
    sets_first(v)
    quarter, rest = halves(v)
    return (quarter + rest).sum()


@qd.kernel
def changed_values(out: floats):
    v = qd.Vector([out[0], 2.0, 3.0])
    out[0] = first_set(v) + 100 * v.sum()
    out[1] = first_set(qd.Vector([1, 2, 3]))
    x = qd.solve(qd.Matrix([[2.0, 1.0], [0.0, 4.0]]), qd.Vector([4.0, 8.0]))
    out[2] = x[0] + 10 * x[1]
    total = qd.Struct(sum=0.0, n=0, last=[0.0, 0.0])
    for i in range(4):
        total.sum += 1.5 * i
        total.n += 1
        total.last[1] += i
    out[3] = total.sum + 100 * total.n + 1000 * total.last.y
