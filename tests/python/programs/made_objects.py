"""Objects that kernels make: what their classes have is Python's, which quadrants does not see."""
import dataclasses
import functools
import json
import math

import quadrants as qd

import made_objects_shapes as shapes
from made_objects_shapes import Sphere

qd.init(arch=qd.cpu)
BIAS = 0.25


def half(x: int) -> int:  # annotations that Python does not heed
    return x * 0.5 + BIAS


@qd.func
def doubled(x):
    return x * 2.0


@qd.data_oriented
class Ray:
    REACH = 100.0

    def __init__(self, origin, direction: int = 1.0) -> None:
        self.origin = origin
        self.direction = direction
        self.half = half(self.origin)
        self.double = doubled(origin)
        self.prepare(count=4)

    def prepare(self, count):
        self.count = count
        self.reach = self.REACH + Ray.REACH

    @property
    def length(self):
        return self.direction * self.limit

    @functools.cached_property
    def limit(self):
        return self.reach - self.count

    @staticmethod
    def turned(x):
        return x * -1.0

    @classmethod
    def along(cls, origin):
        return cls(origin, Ray.turned(2.0))

    @qd.func
    def at(self, t):
        return self.origin + t * self.direction

    def past(self, t):
        return self.at(t) + self.length


@qd.data_oriented
class Named:
    def __init__(self, ray):
        self.ray = ray
        self.kind = self.KIND

    KIND = 3


@qd.data_oriented
class Beam(Ray, Named):
    WIDTH = 2

    def __init__(self, origin, other):
        super().__init__(origin)
        Named.__init__(self, Ray(other, direction=0.5))
        self.area = math.sqrt(4.0) * self.WIDTH + self.ray.length


class Laser(Beam):  # has the mark of its base
    REACH = 50.0


@qd.data_oriented
@dataclasses.dataclass
class Hit:
    t: float
    normal: float = 3.0

    def __post_init__(self):
        self.both = self.t + self.normal

    @qd.func
    def total(self):
        return self.t * self.normal + self.both


@qd.data_oriented
class Scene:
    def __init__(self):
        self.gain = 10.0
        self.out = qd.field(qd.f32, shape=4)

    @qd.kernel
    def trace(self):
        for i in self.out:
            ray = Ray(i * 1.0)
            self.out[i] = self.shade(ray) + ray.half + ray.double + ray.count

    @qd.func
    def shade(self, ray):
        return ray.at(1.0) * self.gain


out = qd.field(qd.f32, shape=4)
scene = Scene()


@qd.kernel
def properties():
    for i in out:
        ray = Ray.along(i * 1.0)
        out[i] = ray.length + ray.past(1.0)


@qd.kernel
def bases():
    for i in out:
        beam = Beam(i * 1.0, 2.0)
        laser = Laser(i * 1.0, 4.0)
        out[i] = beam.at(1.0) + beam.ray.at(2.0) + beam.area + beam.kind + laser.reach + Laser.REACH


@qd.kernel
def nested():
    for i in out:
        ball = Sphere(i * 1.0)
        other = shapes.Sphere(ball.size())
        hit = Hit(other.size())
        out[i] = ball.inner.radius + other.size() * 100.0 + hit.total()


def taken(kernel):
    kernel()
    return [round(x, 3) for x in out.to_numpy().tolist()]


scene.trace()
print(json.dumps([[round(x, 3) for x in scene.out.to_numpy().tolist()], taken(properties), taken(bases), taken(nested)]))
