"""Lists at module level, and of objects that names lead to: of objects, fields, functions and numbers."""

import json

import quadrants as qd

qd.init(arch=qd.cpu)


@qd.data_oriented
class Ball:
    def __init__(self, center, radius):
        self.center, self.radius = qd.Vector(center), radius
        self.lift = qd.field(qd.f32, shape=2)

    @qd.func
    def distance(self, p):
        return (p - self.center).norm() - self.radius + self.lift[1]


class Floor:
    def __init__(self, height):
        self.height = height

    @qd.func
    def distance(self, p):
        return p.y - self.height


@qd.data_oriented
class Scene:
    def __init__(self):
        self.objects = []

    @qd.func
    def nearest(self, p):
        near = 1e9
        for i in qd.static(range(len(self.objects))):
            near = min(near, self.objects[i].distance(p))
        return near


scene = Scene()
scene.objects += [Ball([3.0, 0.0], 1.0), Ball([3.0, 8.0], 2.0), Floor(-2.5)]
scene.objects[1].lift[1] = 0.5
first, second = qd.field(qd.f32, shape=4), qd.field(qd.f32, shape=4)
fields = [first, second]


@qd.func
def plus(x):
    return x + 1


@qd.func
def twice(x):
    return x * 2


STEPS = (plus, twice)
MIXED = [0.25, (second, 3), twice]


@qd.kernel
def fill():
    for i in first:
        for k in qd.static(range(2)):
            fields[k][i] = scene.nearest(qd.Vector([3.0, 4.0 * k + i]))
    for i in first:
        for k in qd.static(range(2)):
            fields[k][i] = STEPS[k](fields[k][i])


@qd.kernel
def mix():
    for i in range(4):
        MIXED[1][0][i] += MIXED[0] + MIXED[2](MIXED[1][1])


@qd.kernel
def extent() -> qd.i32:
    count = 0
    for i in first:
        count += 1
    return count


fill()
mix()
print(json.dumps([first.to_numpy().tolist(), second.to_numpy().tolist(), extent()]))
