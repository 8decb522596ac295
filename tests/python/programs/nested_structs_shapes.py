"""Structs that nested_structs.py imports."""

import quadrants as qd

HALF = 0.5


@qd.dataclass
class Point:
    x: qd.types.vector(2, qd.f32)

    @qd.func
    def moved(self, by):
        return Point(x=self.x + by)


@qd.dataclass
class Segment:
    a: Point
    b: Point

    @qd.func
    def moved(self, by):
        return Segment(a=self.a.moved(by), b=self.b.moved(by))

    @qd.func
    def middle(self) -> Point:
        return Point(x=(self.a.x + self.b.x) * HALF)

    @qd.func
    def flip(self):
        first = self.a
        self.a = self.b
        self.b = first


@qd.func
def stretched(segment: Segment, by) -> qd.f32:
    return segment.middle().x[0] * by + segment.b.x[1]
