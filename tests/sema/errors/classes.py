# Classes, structs and objects: each mistake at its place.
# waves: 32
# build: objects[sim=Simulation, sim.n=3, sim.inner.m=2, sim.untyped=qd.types.ndarray()]
# build: inObjects[sim=Simulation, sim.inner=State]
# build: inTemplates[s=State, s.name=3]
# build: otherType[s=State, s.pair=qd.f32]
# build: otherName[s=State, s.y=qd.f32]
import dataclasses

import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.dataclass
class Pair:
    first: qd.f32
    second: qd.types.vector(2, qd.i32)

    @qd.func
    def sum(self):
        return self.first

    @qd.func
    def lost():  # error: `lost` is a method, but has no `self`
        return 1

    def host(self):
        return 1


@qd.dataclass
class WithArray:
    x: A


@dataclasses.dataclass
class State:
    x: A
    untyped: qd.types.ndarray()
    name: str
    pair: Pair


@qd.data_oriented
class Simulation:
    @qd.func
    def get(self, i):
        return self.missing + i  # error: this build gives `sim.missing` no value


arrays = WithArray.field(shape=3)  # error: a field of `WithArray` cannot be made: of its member `x`, a `@qd.dataclass` holds numbers, vectors, matrices and other such classes, not arrays
unnamed = qd.types.struct(qd.f32)
untyped = qd.types.struct(a=3)


axes = qd.field(qd.f32)
gap = qd.field(qd.f32)
sparse = qd.field(qd.f32)
host = qd.field(qd.f32)
many = qd.field(qd.f32)
whole = qd.field(qd.f32)
qd.root.dense(qd.x, 3).place(axes)  # error: these are not axes
qd.root.dense(qd.j, 3).place(gap)  # error: a field's axes are `i`, `ij`, `ijk`, …, without gaps
qd.root.pointer(qd.i, 3).dense(qd.i, 4).place(sparse)  # error: `pointer`: sparse structures are not supported
make().place(host)  # error: a field is placed here, but this is not a node that `qd.root` gives
qd.root.dense(qd.ij, (1, 2, 3)).place(many)  # error: 2 axes have 3 extents here
qd.root.dense(qd.i).place(whole)  # error: `dense` takes axes and their extents


@qd.kernel
def fields(a: A):
    a[0] = axes[0] + gap[0] + sparse[0] + host[0] + many[0] + whole[0]


OPTIONS = {"fast": 1, 2: "two"}
named = qd.Struct.field({1: qd.f32}, shape=2)  # error: the name of a member is a string, not the integer 1
listed = qd.Struct.field([1], shape=2)  # error: `qd.Struct.field` needs a dictionary of types, not a list
typed = qd.Struct.field({"a": 3}, shape=2)  # error: the member `a` needs a type, not the integer 3


@qd.kernel
def dictionaries(a: A):
    for i in range(4):
        a[i] = OPTIONS["slow"]  # error: the dictionary has no such key `slow`
        a[i] = OPTIONS.pop(2)  # error: a dictionary has no `pop`
        a[i] = OPTIONS.get()  # error: `get` takes a key and a default
        a[i] = named[0].a + listed[0].a + typed[0].a


@qd.kernel
def slices(a: A, n: qd.i32):
    for i in range(4):
        v = qd.Vector([1, 2, 3])
        m = qd.Matrix([[1, 2], [3, 4]])
        w = v[n:]  # error: a bound of a slice has to be a compile-time integer
        w = v[::0]  # error: the step of a slice cannot be 0
        w = v[2:2]  # error: this slice has no components
        w = v[1:, 0]  # error: a vector takes 1 index, not 2
        v[1:] = [1, 2, 3]  # error: does not fit
        m[0, :, 1] = 2  # error: this takes 2 indices, not 3
        p = Pair(1.0, [1, 2])
        qd.atomic_add(p, 1)  # error: `qd.atomic_add` needs a number or a vector, not the struct `Pair`
        qd.atomic_cas(p, 1, 2)  # error: `qd.atomic_cas` takes a single element, not the struct `Pair`


@qd.func
def takes(p: Pair):
    return p.first


@qd.kernel
def values(a: A):
    for i in range(4):
        p = Pair(1.0, [1, 2])
        a[i] = p.frist  # error: `Pair` has no `frist`
        p.third = 1  # error: `Pair` has no `third`
        q = Pair(1, 2, 3)  # error: `Pair` has 2 members, but is given 3
        r = Pair(first=1, frist=2)  # error: `Pair` has no member `frist`
        s = Pair(1, first=2)  # error: `Pair` is given `first` twice
        p = 1 if i > 2 else p  # error: the two sides differ at run time
        p = a  # error: the array `a` does not fit the struct `Pair`
        t = p + p  # error: `+` does not take
        b = p == p  # error: cannot compare the struct `Pair` with the struct `Pair`
        a[i] = takes(a[i])  # error: `p` has to be a `Pair`, not a run-time f32
        a[i] = p.lost()
        a[i] = p.host()  # error: `host` is a host function
        w = WithArray(a)  # error: `WithArray` cannot be made
        a[i] = arrays[i].x[0]
        u = unnamed(1)  # error: `unnamed` has no value when kernels are built
        v = untyped(1)  # error: `untyped` has no value when kernels are built


@qd.kernel
def containers(s: State, n: qd.i32):
    for i in range(n):
        s.x[i] = s.untyped[i]  # error: the ndarray `s.untyped` has no element type
        s.x[i] = s.name  # error: `s.name` means nothing to kernels
        s.x = s.x  # error: a whole array cannot be assigned
        s.pair.first = 1  # error: `s` cannot be changed here
        s.pair = Pair()  # error: `s` cannot be changed here
        t = State(s.x)  # error: `State` holds arrays, and host code makes it


@qd.kernel
def objects(sim: qd.template(), a: A):
    for i in range(sim.n):
        a[i] = sim.get(i) + sim.inner.m
        a[i] = sim.untyped[i]  # error: the ndarray `sim.untyped` has no element type
        sim.n = 4  # error: `sim` cannot be changed here


@qd.kernel
def inObjects(sim: qd.template(), a: A):
    for i in a:
        a[i] = sim.inner.x[i] + sim.inner.pair.first
        a[i] = sim.inner.untyped[i]  # error: the ndarray `sim.inner.untyped` has no element type


@qd.kernel
def inTemplates(s: qd.template(), a: A):
    for i in a:
        a[i] = s.x[i] + s.pair.first
        a[i] = s.untyped[i]  # error: the ndarray `s.untyped` has no element type


@qd.kernel
def otherType(s: qd.template(), a: A):  # error: `s.pair` is a `Pair`, and an instantiation of `otherType` names something else
    for i in a:
        a[i] = s.x[i]


@qd.kernel
def otherName(s: qd.template(), a: A):  # error: `State` has no member `y`, which `s.y` names
    pass


@qd.kernel
def unpacked(a: A):
    for i in range(3):
        t = qd.unpacked[qd.f32]  # error: `qd.unpacked` takes the type of a vector, not f32
        t = qd.unpacked()  # error: `qd.unpacked` annotates members and cannot be called
        a[i] = 1.0
