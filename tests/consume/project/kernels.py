import dataclasses

import quadrants as qd
from helpers import shifted

SCALE = 1

counts = qd.field(qd.i32, shape=4)


@qd.kernel
def axpy(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        y[i] = shifted(a * x[i]) + y[i] * SCALE


@qd.kernel
def total(x: qd.types.ndarray(dtype=qd.i32, ndim=2)) -> qd.i32:
    sum = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sum += x[i, j]
    return sum


@qd.kernel
def fill(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.template()):
    for i in range(out.shape[0]):
        out[i] = value


@qd.kernel
def count(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        counts[x[i] % 4] += 1


@qd.kernel
def shift(v: qd.types.vector(3, qd.f32), on: qd.u1, m: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=2), stream: qd.i64, step: qd.u8):
    for i, j in qd.ndrange(m.shape[0], m.shape[1]):
        if on:
            m[i, j] += v + qd.cast(stream, qd.f32) + qd.cast(step, qd.f32)


@qd.kernel
def minmax(x: qd.types.ndarray(dtype=qd.i32, ndim=2)) -> (qd.i32, qd.types.vector(2, qd.f64)):
    return x[0, 0], qd.Vector([qd.f64(x[0, 1]), 0.5])


@dataclasses.dataclass
class Body:
    place: qd.types.ndarray(dtype=qd.f32, ndim=1)
    unused: qd.types.ndarray(dtype=qd.f32, ndim=1)
    speed: qd.types.vector(2, qd.f32)


@dataclasses.dataclass
class World:
    body: Body
    dt: float


@qd.kernel
def move(world: World, steps: qd.i32):
    for i in world.body.place:
        world.body.place[i] += world.dt * steps * world.body.speed[i % 2]


Spot = qd.types.struct(at=qd.types.vector(2, qd.f32), on=qd.u1)


@qd.dataclass
class Grain:
    kind: qd.u8
    spot: Spot
    turn: qd.types.matrix(2, 3, qd.f64)
    half: qd.f16
    short: qd.i16


Point = qd.types.struct(place=qd.types.vector(3, qd.f32), mass=qd.f32)
grains = Grain.field(shape=3, layout=qd.Layout.AOS)


@qd.kernel
def grow(
    x: qd.types.ndarray(dtype=Grain, ndim=1, layout=qd.Layout.AOS),
    points: qd.types.ndarray(dtype=Point, ndim=2, layout=qd.Layout.AOS),
):
    for i in x:
        x[i].kind += 1
        x[i].spot.at.y = x[i].short + 0.5
        x[i].turn[1, 2] = points[0, i].mass
        points[0, i].place.z = x[i].kind
        grains[i].short = 2 * x[i].short
