"""A class of another file, whose `__init__` makes objects of a class that only that file names."""
import quadrants as qd

SCALE = 0.5


@qd.data_oriented
class Inner:
    def __init__(self, radius):
        self.radius = radius * SCALE


@qd.data_oriented
class Sphere:
    def __init__(self, radius):
        self.radius = radius
        self.inner = Inner(radius + 1.0)

    @qd.func
    def size(self):
        return self.radius + self.inner.radius
