"""Annotations of results that say no one type, a range of a real, fields without axes on the host, and a function that
stores and returns a constant."""
import json

import quadrants as qd

qd.init(arch=qd.cpu, log_level=qd.ERROR)
number = qd.field(qd.f32, shape=())
vector = qd.Vector.field(3, qd.f32, shape=())
matrix = qd.Matrix.field(2, 2, qd.f32, shape=())
counted = qd.field(qd.f32, shape=6)
inserted = qd.field(qd.i32, shape=())


@qd.func
def twice(a) -> qd.Vector:
    return a * 2


@qd.func
def squared(a) -> qd.Matrix:
    return a @ a


@qd.func
def more(a) -> qd.Vector | float:
    return a + 1


@qd.func
def insert():
    inserted[None] += 1
    return 0


@qd.kernel
def forms(n: qd.f32):
    number[None] = more(2.5)
    vector[None] = more(twice(qd.Vector([1.0, 2.0, 3.0])))
    matrix[None] = squared(qd.Matrix([[1.0, 2.0], [3.0, 4.0]]))
    for _ in range(1):
        for i in range(n):
            counted[i] = i + 1
        flag = insert()
        insert()
        if flag:
            inserted[None] = -1


forms(3.9)
vector.from_numpy(vector.to_numpy() * 2)
print(json.dumps([f.to_numpy().tolist() for f in (number, vector, matrix, counted, inserted)]))
