"""Gradients of fields at module level: the JIT's tapes make them, kernels of the module use them."""

import json

import quadrants as qd

qd.init(arch=qd.cpu)
x = qd.field(qd.f32, shape=4, needs_grad=True)
y = qd.field(qd.f32)
loss = qd.field(qd.f32)
qd.root.dense(qd.i, 4).place(y)
qd.root.place(loss)
qd.root.lazy_grad()


@qd.kernel
def fill():
    for i in x:
        x[i] = i + 1
        y[i] = 2 * i


@qd.kernel
def cost():
    for i in x:
        loss[None] += x[i] * x[i] * y[i]


@qd.kernel
def descend():
    for i in x:
        x[i] -= 0.5 * x.grad[i]
        y[i] -= 0.25 * y.grad[i]


fill()
with qd.ad.Tape(loss=loss):
    cost()
made = [x.grad.to_numpy().tolist(), y.grad.to_numpy().tolist()]
descend()
made += [x.to_numpy().tolist(), y.to_numpy().tolist()]
loss[None] = 0
x.grad.fill(0)
y.grad.fill(0)
loss.grad[None] = 1
cost()
cost.grad()
print(json.dumps([*made, loss[None], x.grad.to_numpy().tolist()]))
