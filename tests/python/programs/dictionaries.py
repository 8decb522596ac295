"""Dictionaries of fields, objects and functions at module level, and functions of one name that branches of a function
make. Prints what the kernels made, as JSON."""

import json

import quadrants as qd

qd.init(arch=qd.cpu, fast_math=False)


@qd.data_oriented
class Ball:
    def __init__(self, radius):
        self.radius = radius
        self.heights = qd.field(qd.f32, shape=2)

    @qd.func
    def size(self, i):
        return self.radius * self.radius + self.heights[i]


@qd.func
def next_one(x):
    return x + 1


@qd.func
def tripled(x):
    return x * 3


fields = {"u": qd.field(qd.f32, shape=3), "v": qd.Vector.field(2, qd.f32, shape=3)}
numbered = {0: qd.field(qd.i32, shape=3), 1: qd.field(qd.i32, shape=3)}
balls = {"a": Ball(1.0), "b": Ball(2.0)}
operations = {"next": next_one, "triple": tripled}
mixed = {"type": qd.f32, "none": None, "inner": {"q": 3, "r": (1, 2)}}
nested = {"list": [qd.field(qd.f32, shape=2)], "dict": {"k": qd.field(qd.f32, shape=2)}}


@qd.kernel
def fill(s: qd.f32):
    for i in fields["u"]:
        fields["u"][i] = operations["triple"](s) + operations["next"](i) + mixed["inner"]["q"] + mixed["inner"]["r"][1]
        fields["v"][i][0] = qd.cast(fields["u"][i], mixed["type"])
        numbered[0][i] = i
        numbered[1][i] += 2 * numbered[0][i]
    for i in range(2):
        balls["a"].heights[i] = i
        balls["b"].heights[i] = 10 * i
        nested["list"][0][i] = balls["a"].size(i) + balls["b"].size(i)
        nested["dict"]["k"][i] = 5


def make(x, order):
    if order == 1:
        @qd.func
        def rule(value, by):
            return value + by
    else:
        @qd.func
        def rule(value, by):
            return value + 10 * by

    @qd.kernel
    def go():
        for i in x:
            x[i] = rule(x[i], i)

    return go


def main():
    fill(2.0)
    arrays = [fields["u"], fields["v"], numbered[1], nested["list"][0], nested["dict"]["k"]]
    result = [array.to_numpy().tolist() for array in arrays]
    for order in 1, 2:
        make(numbered[0], order)()
        result.append(numbered[0].to_numpy().tolist())
    print(json.dumps(result))


main()
