"""Fields in places where the elements are not side by side, or not at an address that suits a whole element."""
import json
import quadrants as qd

qd.init(arch=qd.cpu, log_level=qd.ERROR)
count = qd.field(qd.i32, shape=())
pair = qd.Vector.field(2, qd.f32, shape=7)
byte = qd.field(qd.u8, shape=3)
turn = qd.Matrix.field(2, 2, qd.f32, shape=3)
center = qd.Vector.field(2, qd.f32, shape=())
x, y, z = qd.field(qd.f32), qd.Vector.field(3, qd.f64), qd.field(qd.u8)
qd.root.dense(qd.ij, (4, 5)).place(x, y, z)
blocks = qd.field(qd.f32)
qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, (4, 2)).place(blocks)
rows, tail = qd.field(qd.i32), qd.field(qd.i32)
row = qd.root.dense(qd.j, 6)
row.dense(qd.i, 4).place(rows)
row.place(tail)
Ball = qd.types.struct(center=qd.types.vector(2, qd.f32), mass=qd.f32)
balls = Ball.field(shape=3)
Edge = qd.types.struct(first=qd.types.vector(2, qd.f32), last=qd.types.vector(2, qd.f32))
odd = qd.field(qd.i32, shape=())
edges = Edge.field(shape=2)
alone = qd.field(qd.u16)  # in a tree with nothing that quadrants makes a DLPack capsule of
builder = qd.FieldsBuilder()
builder.dense(qd.i, 3).place(alone)
builder.finalize()
first, later = qd.field(qd.u32), qd.field(qd.i64)  # the only one with a capsule is not the first of its tree
builder = qd.FieldsBuilder()
builder.dense(qd.i, 3).place(first)
builder.dense(qd.i, 2).place(later)
builder.finalize()
small = [qd.field(t, shape=5) for t in (qd.i8, qd.u8, qd.i16, qd.u16, qd.u32, qd.i64, qd.u64, qd.f16)]
i8, u8, i16, u16, u32, i64, u64, f16 = small


@qd.data_oriented
class Box:
    def __init__(self):
        self.p, self.q = qd.Vector.field(2, qd.f32), qd.field(qd.i32)
        qd.root.dense(qd.i, 6).place(self.p, self.q)

    @qd.kernel
    def fill(self):
        for i in self.p:
            self.p[i] += qd.Vector([i, 2.0 * i])
            self.q[i] = 3 * i


@qd.kernel
def fill():
    count[None] += 5
    center[None] = qd.Vector([1.5, 2.5])
    for i in pair:
        pair[i] = qd.Vector([i, i + 0.5])
    for i in turn:
        byte[i] = i + 1
        turn[i] = qd.Matrix([[i, 1], [2, i]])
    for i, j in x:
        x[i, j] = 10 * i + j
        y[i, j] = qd.Vector([i, j, i + j])
        z[i, j] = i * j
    for i, j in blocks:
        blocks[i, j] += 100 * i + j
    for i, j in rows:
        rows[i, j] = 7 * i + j
    for j in tail:
        tail[j] = rows[3, j] + 1
    for i in balls:
        balls[i].center = qd.Vector([i, -i])
        balls[i].mass = 0.25 * i
    for i in edges:
        edges[i].first = qd.Vector([i, 1])
        edges[i].last += edges[i].first * 2
    for i in alone:
        alone[i] = 65535 - i
    for i in later:
        first[i], later[i] = 7 + i, 8 - i
    for i in i8:
        i8[i], u8[i], i16[i], u16[i] = -i, 200 + i, -300 * i, 60000 + i
        u32[i], i64[i], f16[i] = qd.u32(4000000000) + i, qd.i64(-5000000000) * i, 0.5 * i
        u64[i] = qd.u64(1) << (60 + i % 4)


box = Box()
fill()
box.fill()
fields = {"pair": pair, "byte": byte, "turn": turn, "x": x, "y": y, "z": z, "blocks": blocks, "rows": rows, "tail": tail,
          "p": box.p, "q": box.q, "balls.center": balls.center, "balls.mass": balls.mass, "edges.last": edges.last,
          "alone": alone, "first": first, "later": later, "i8": i8, "u8": u8, "i16": i16, "u16": u16, "u32": u32,
          "i64": i64, "u64": u64, "f16": f16}
found = {name: field.to_numpy().tolist() for name, field in fields.items()}
print(json.dumps(found | {"count": count[None], "center": [center[None][0], center[None][1]]}))
