"""A solver whose kernel reaches other objects: materials by their methods, a simulator that knows it. Prints JSON."""

import json

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, fast_math=False)


@qd.data_oriented
class Elastic:
    def __init__(self, mu):
        self.mu, self.never, self.table = mu, 8, np.array([[4.0, mu], [0.5, 0.25]])
        self.update = self._update_elastic

    @qd.func
    def _update_elastic(self, x, y):
        if qd.static(self.mu < 0):
            x = self.never + 1
        for i in qd.static(range(2)):
            y += self.table[1, i]
        return x * self.mu + y + float(self.mu) + self.table[0, 1] + self.table[0, 0]


@qd.data_oriented
class Stiff:
    def __init__(self, factor):
        self.factor = factor
        self.update = self._update_stiff

    @qd.func
    def _scaled(self, x):
        return x * self.factor

    @qd.func
    def _update_stiff(self, x, y):
        return self._scaled(x) - y


@qd.func
def add(a, b):
    return a + b


class Simulator:  # without a mark
    def __init__(self):
        self.offset = 7
        self.add = add
        self.best = Elastic(5.0).update


@qd.data_oriented
class Wind:
    def __init__(self, strength, n):
        self.strength, self.used = strength, qd.field(qd.i32, shape=n)
        self.law = self._linear

    @qd.func
    def _linear(self, i):
        self.used[i] += 1
        return self.strength * i

    @qd.func
    def force(self, i):
        return self.law(i)


@qd.data_oriented
class Gravity:
    def __init__(self, solver):
        self.solver, self.scale = solver, qd.field(qd.f32, shape=2)

    @qd.func
    def force(self, i):
        return self.scale[1] * self.solver.simulator.offset


@qd.data_oriented
class Solver:
    def __init__(self, materials, simulator):
        self.forces = [Wind(2.0, 3), Gravity(self), Wind(-0.5, 3)]
        self.updates = [material.update for material in materials]
        self.numbers = list(range(len(materials)))
        self.extents = np.array([3, 4], dtype=np.int32)
        self.simulator, self.gravity = simulator, self.forces[1]
        simulator.solver = self
        self.x = qd.field(qd.f32, shape=(3, 4))

    @qd.kernel
    def run(self):
        for i, j in qd.ndrange(*self.extents):
            for number in qd.static(self.numbers):
                if (i + j) % 3 == number:
                    self.x[i, j] = self.updates[number](x=i * 1.0, y=j * 1.0)
            self.x[i, j] += self.simulator.add(self.simulator.offset, self.simulator.solver.extents[0])
            self.x[i, j] += self.simulator.best(1.0, 0.0)

    @qd.kernel
    def push(self):
        for i in range(3):
            for force in qd.static(self.forces):
                self.x[i, 0] += force.force(i)
            self.x[i, 0] += self.gravity.scale[0]
            for k in qd.static(range(len(self.forces))):
                if qd.static(k != 1):
                    self.forces[k].used[i] += qd.cast(self.forces[k].force(i) + 10.0 * k, qd.i32)


solver = Solver([Elastic(2.0), Elastic(3.0), Stiff(1.5)], Simulator())
solver.run()
solver.forces[1].scale.from_numpy(np.float32([0.25, 3]))
solver.push()
used = [solver.forces[k].used.to_numpy().tolist() for k in (0, 2)]
print(json.dumps([solver.x.to_numpy().tolist(), *used]))
