# Classes, structs and objects: each mistake at its place.
# waves: 32
# build: objects[sim=Simulation, sim.n=3, sim.inner.m=2, sim.untyped=qd.types.ndarray()]
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
