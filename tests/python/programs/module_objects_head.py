"""The names that module_objects.py imports."""
import quadrants as qd
import module_objects_state as state


@qd.data_oriented
class Lens:
    def __init__(self):
        self.power = 0.5
        self.total = qd.field(qd.f32, shape=())

    @qd.func
    def bend(self, u):
        return u * self.power


lens = Lens()


@qd.kernel
def shine(x: qd.f32):
    lens.total[None] += x * lens.power
