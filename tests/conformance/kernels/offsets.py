# Fields whose indices begin elsewhere, loops over nodes, views of views, sizes of scratch, and
# objects with lists of methods.
import quadrants as qd

plane = qd.field(qd.i32, shape=(4, 5), offset=(-2, 3))
vectors = qd.Vector.field(2, qd.i32, shape=4, offset=-3)
Pair = qd.types.struct(n=qd.i32, m=qd.types.vector(2, qd.i32))
pairs = Pair.field(shape=(3,), offset=(7,))
placed = qd.field(qd.i32, needs_grad=True)
plain = qd.field(qd.i32)
block = qd.root.dense(qd.ij, (2, 3))
cells = block.dense(qd.ij, (2, 1))
cells.place(placed, offset=(10, -1)).place([plain])
copied = qd.field(qd.i32, shape=(4, 3), offset=(-4, 1))


# Element [i, j] is a number of its indices, wherever the first one is.
@qd.kernel
def indices():
    for i, j in plane:
        plane[i, j] = 10 * i + j
    for i in vectors:
        vectors[i] = [i, 0]
        qd.atomic_add(vectors[i].y, 2 * i)
    for i in pairs:
        pairs[i].n = i
        pairs.m[i] = [i + 1, i + 2]
    for I in qd.grouped(placed):
        placed[I] = 100 * I[0] + I[1]
        placed.grad[I] = -I[0]
    for i in range(1):
        plane[-2, 3] += 1000 * plane.shape[0]
    copied.copy_from(placed)


# A node's indices begin at 0, and those of a field are of its node.
@qd.kernel
def nodes(out: qd.types.ndarray(qd.i32, 1)):
    for i, j in block:
        qd.atomic_add(out[0], 1 + 10 * i + j)
    for I in qd.grouped(cells):
        qd.atomic_add(out[1], 1 + 10 * I[0] + I[1])
    for i, j in placed.parent(2):
        qd.atomic_add(out[2], 1 + 10 * i + j)
    for i, j in plane.parent():
        qd.atomic_add(out[3], 1 + i)
    for i, j in plain:
        qd.atomic_add(out[4], 100 * cells.shape[0] + i)


@qd.func
def negate(v: qd.BufferView[qd.i32]):
    for k in range(v.size):
        v[k] = -v[k]


@qd.kernel
def views(v: qd.BufferView[qd.i32], a: qd.types.ndarray(qd.i32, 1), first: qd.i32, many: qd.i32):
    middle = v[2:6]
    for i in range(middle.size):
        middle[i] += 100 + i
    for i in v.subview(first, many):
        v.subview(first, many)[i] += 1000
    for i in range(v.size // 4):
        quarter = v[4 * i : 4 * i + 4]
        inner = quarter.subview(offset=1, size=2)
        inner[0] += 10000 * (i + 1)
        negate(quarter[3:])
    whole = qd.BufferView(a, first, many)
    for i in whole[1:]:
        whole[1:][i] = i


N = 70000
slots = qd.field(qd.u32, shape=(qd.algorithms.reduce_scratch_slots(N, 3),))
fewest = qd.field(qd.u32, shape=qd.algorithms.sort_scratch_slots(1))


@qd.kernel
def sizes(out: qd.types.ndarray(qd.i32, 1), n: qd.i32):
    for i in range(1):
        out[0] = slots.shape[0]
        out[1] = fewest.shape[0]
        out[2] = qd.algorithms.reduce_scratch_slots(n, 3)
        out[3] = qd.algorithms.exclusive_scan_scratch_slots(n, 2)
        out[4] = qd.algorithms.sort_scratch_slots(n, 2)


@qd.data_oriented
class Forces:
    @qd.func
    def push(self, x: qd.i32):
        return x + self.strength

    @qd.func
    def pull(self, x: qd.i32):
        return x * self.strength


@qd.func
def twice(x: qd.i32):
    return 2 * x


@qd.data_oriented
class Step(Forces):
    @qd.kernel
    def run(self, out: qd.types.ndarray(qd.i32, 1)):
        for i in out:
            x = i
            for k in qd.static(range(len(self.steps))):
                x = self.steps[k](x)
            for f in qd.static(self.others):
                x = f(x)
            out[i] = x
