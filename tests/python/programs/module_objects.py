"""Objects at module level, which kernels read by their names."""
import json
import quadrants as qd
from module_objects_head import *


@qd.data_oriented
class Camera:
    def __init__(self, gain, lens):
        self.gain = gain
        self.lens = lens
        self.spot = qd.Vector.field(2, qd.f32, shape=())

    @qd.func
    def ray(self, u):
        gain = self.gain
        return self.shift(u * gain) + self.lens.bend(u)

    @qd.func
    def shift(self, u):
        return u + self.spot[None]


camera = Camera(2.0, lens)
other = Camera(5.0, lens)
out = qd.Vector.field(2, qd.f32, shape=3)


@qd.kernel
def aim(x: qd.f32):
    camera.spot[None] = qd.Vector([x, 1.0])
    other.spot[None] = qd.Vector([0.0, x])


@qd.kernel
def render():
    for i in out:
        out[i] = camera.ray(qd.Vector([i, 1.0])) + other.ray(qd.Vector([1.0, i])) + state.base[i]


@qd.kernel
def fill():
    for i in state.base:
        state.base[i] = 100 * i


aim(10.0)
fill()
render()
shine(3.0)
print(json.dumps([out.to_numpy().tolist(), camera.spot.to_numpy().tolist(), [lens.total[None]]]))
