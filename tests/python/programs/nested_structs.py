"""Structs in structs: in fields of any layout, in functions, methods and arguments. Prints what kernels made, as JSON."""

import dataclasses
import json

import numpy as np
import quadrants as qd

from nested_structs_shapes import Point, Segment, stretched

qd.init(arch=qd.cpu, fast_math=False)

vec2 = qd.types.vector(2, qd.f32)
Plain = qd.types.struct(near=Point, weight=qd.f32)  # a type without a class


@qd.dataclass
class Small:
    byte: qd.u8
    word: qd.u16


@qd.dataclass
class Mixed:
    """Quadrants has `small.byte` at 9; as a struct of C it is at 10. Both are 16 bytes."""

    wide: qd.f64
    first: qd.u8
    small: Small


@qd.dataclass
class Tail:
    small: Mixed
    last: qd.f32
    count: qd.i32

    @qd.func
    def counted(self):
        self.count += 1
        return self.small.wide + self.last


@qd.dataclass
class Path:
    segment: Segment
    end: Point
    tag: qd.i32

    @qd.func
    def moved(self, by):
        return Path(segment=self.segment.moved(by), end=self.end.moved(by), tag=self.tag + 1)


@dataclasses.dataclass(frozen=True)
class Inner:
    weights: qd.types.NDArray[qd.f32, 1]


@dataclasses.dataclass(frozen=True)
class Middle:
    inner: Inner
    values: qd.types.NDArray[qd.f32, 1]


@dataclasses.dataclass(frozen=True)
class Outer:
    middle: Middle
    other: Inner


mixed = Mixed.field(shape=3, layout=qd.Layout.AOS)
tails, pieces = Tail.field(shape=3), Tail.field(shape=3, layout=qd.Layout.SOA)
paths, plain = Path.field(shape=3), Plain.field(shape=3)
out = qd.field(qd.f64, shape=3)


@qd.kernel
def fill_mixed():
    for i in range(3):
        mixed[i].wide = 0.5 * i
        mixed[i].first = 1 + i
        mixed[i].small.byte = 10 + i
        mixed[i].small.word = 300 + i
        tails[i] = Tail(small=mixed[i], last=0.25, count=i)
        pieces[i] = tails[i]
        pieces[i].small.small = Small(byte=20 + i, word=mixed[i].small.word)


@qd.kernel
def fill_paths():
    for i in range(3):
        paths[i] = Path(segment=Segment(a=Point(x=vec2(i, 0)), b=Point(x=vec2(0, i))), end=Point(x=vec2(1, 1)), tag=i)
        paths[i].segment.a.x[1] = 2.0
        path = paths[i].moved(vec2(10.0, 20.0))
        path.segment.flip()
        paths[i].end = path.segment.middle()
        plain[i].near = path.segment.a
        plain[i].weight = stretched(path.segment, 2.0) + path.tag


@qd.func
def weighed(middle: Middle, i):
    return middle.values[i] * middle.inner.weights[i]


@qd.kernel
def add(outer: Outer, tail: Tail, kind: qd.template()):
    for i in range(3):
        fresh = kind(x=vec2(i, 3.0))
        out[i] = weighed(outer.middle, i) + outer.other.weights[i] + tail.small.wide + tail.small.small.word + fresh.x[1]


@qd.kernel
def count() -> qd.f64:
    total = qd.f64(0.0)
    for i in range(3):
        tail = tails[i]
        total += tail.counted() + tails[i].counted() + tail.count
    return total


@qd.kernel
def last_tail() -> Tail:
    return tails[2]


@qd.kernel
def both() -> tuple[Segment, vec2]:
    return Segment(a=Point(x=vec2(1, 2)), b=Point(x=vec2(3, 4))), vec2(5, 6)


def make_total(scale):
    @qd.dataclass
    class Part:
        value: qd.i32

        @qd.func
        def scaled(self):
            return self.value * scale

    @qd.dataclass
    class Whole:
        part: Part

        @qd.func
        def total(self):
            return self.part.scaled() + 1

    wholes = Whole.field(shape=2)

    @qd.kernel
    def total() -> qd.i32:
        for i in range(2):
            wholes[i].part.value = i + 1
        found = 0
        for i in range(2):
            found += wholes[i].total()
        return found

    return total


def main():
    fill_mixed()
    result = [[f.to_numpy().tolist() for f in (field.wide, field.first, field.small.byte, field.small.word)]
              for field in (mixed, tails.small, pieces.small)]
    fill_paths()
    result += [paths.end.x.to_numpy().tolist(), plain.near.x.to_numpy().tolist(), plain.weight.to_numpy().tolist()]

    def weights(*numbers):
        array = qd.ndarray(qd.f32, (3,))
        array.from_numpy(np.float32(numbers))
        return Inner(array)

    one, two = weights(1, 2, 3), weights(4, 5, 6)
    tail = Tail(small=Mixed(wide=0.5, first=1, small=Small(byte=2, word=700)), last=1.0, count=0)
    for outer in (Outer(Middle(one, two.weights), two), Outer(Middle(two, two.weights), one)):
        add(outer, tail, Point)
        result.append(out.to_numpy().tolist())
    result.append([count(), tails.count.to_numpy().tolist()])
    segment, corner = both()
    result += [last_tail().to_dict(), segment.to_dict(), corner.to_list(), make_total(3)(), make_total(4)()]
    print(json.dumps(result))


main()
