import numpy as np, quadrants as qd
qd.init(arch=qd.cpu)
@qd.data_oriented
class Elastic:
    def __init__(self, mu):
        self.mu = mu
        self.update = self._soft
    @qd.func
    def _soft(self, x, y):
        return x * self.mu + y
@qd.data_oriented
class Stiff:
    def __init__(self):
        self.k = 1.5
        self.update = self._stiff
    @qd.func
    def _more(self, x):
        return x * self.k
    @qd.func
    def _stiff(self, x, y):
        return self._more(x) - y
@qd.func
def plus(a, b):
    return a + b
class Sim:
    def __init__(self): self.k = 7; self.plus = plus; self.best = Elastic(5.0).update
@qd.data_oriented
class Solver:
    def __init__(self, materials, sim):
        self.fs = [m.update for m in materials]
        self.ids = list(range(len(materials)))
        self.res = np.array([3, 4], dtype=np.int32)
        self.sim = sim
        sim.solver = self
        self.x = qd.field(qd.f32, shape=(3, 4))
    @qd.kernel
    def run(self):
        for i, j in qd.ndrange(*self.res):
            for m in qd.static(self.ids):
                if (i + j) % 3 == m:
                    self.x[i, j] = self.fs[m](x=i * 1.0, y=j * 1.0) + self.sim.plus(self.sim.k, self.sim.solver.res[0]) + self.sim.best(1.0, 0.0)
s = Solver([Elastic(2.0), Elastic(3.0), Stiff()], Sim())
s.run(); print(s.x.to_numpy())
s.x.fill(3); print(s.x.to_numpy()[0])
