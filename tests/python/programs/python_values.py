"""Values that Python works out for kernels: names of star imports, arrays of numpy, functions of Python's libraries.
Prints what the kernels made, as JSON."""

import collections
import json
import math
import operator
from math import *

import numpy as np
from numpy import float32, sqrt as root
import quadrants as qd
from quadrants.math import *
from python_values_more import *

qd.init(arch=qd.cpu, fast_math=False)

Step = collections.namedtuple("Step", "size count")
step = Step(0.5, 3)
HYPOTENUSE = hypot(3.0, 4.0)
weights = np.array([1.0, 2.0, 4.0])
table = np.array([[1, 2, 3], [4, 5, 6]])
zeros, spaced = np.zeros(2), np.linspace(0, 1, 3)
squares = [i * i for i in range(4)]
rows = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
named = {"a": np.array([7, 8])}
whether = np.array([True, False])
single = np.array(0.25)
steps, allowed = range(1, 6, 2), {"slow", "fast"}
many = np.arange(3000).reshape(1000, 3)
x = qd.field(qd.f32, shape=4)


@qd.func
def twice(values: qd.template(), i: qd.template()):
    return values[i] * 2


@qd.kernel
def stars(s: qd.f32):
    x[0] = HYPOTENUSE + root(16.0) + floor(2.5) + fabs(-1.0)
    x[1] = lifted(s) + SHIFT + HIDDEN_NOT
    x[2] = dot(vec2(s, 1.0), vec2(3.0, 4.0)) + clamp(s, 0.0, 1.5)
    x[3] = float32(0.5) + factorial(4) + operator.add(1, 2) + gcd(12, 18)
    for i in qd.static(range(3)):
        x[3] += math.floor(i * 0.5) + math.sqrt(i * i)


@qd.kernel
def arrays(s: qd.f32):
    x[0] = weights.sum() + weights[-1] + table[1, 2] + table[-1, -1] + len(table) + np.dot(weights, weights)
    x[1] = table.shape[1] + table.size + weights.ndim + many.shape[0] + single + zeros[1] + spaced[1]
    v = qd.Vector(weights)
    m = qd.Matrix(table)
    x[2] = v.sum() * s + m[1, 0] + qd.Vector(table[1]).sum() + step.size * step.count
    t = 0.0
    for i in qd.static(range(table.shape[0])):
        for j in qd.static(range(table.shape[1])):
            t += table[i, j] * table[i][j] * s
        t += rows[i][1] + named["a"][i] + squares[i + 2] + twice(weights, i)
        if qd.static(whether[i] and "fast" in allowed):
            t += 1000
    for step_size in qd.static(steps):
        t += step_size
    x[3] = t


def main():
    result = []
    for kernel in (stars, arrays):
        kernel(2.0)
        result.append(x.to_numpy().tolist())
    print(json.dumps(result))


main()
