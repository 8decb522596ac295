# Arrays of structs in one piece whose members are of several scalar types. The host has each as a
# struct of C++ in memory.
import quadrants as qd

Spot = qd.types.struct(x=qd.f32, on=qd.u1)


@qd.dataclass
class Grain:
    kind: qd.u8
    id: qd.i64
    pos: qd.types.vector(3, qd.f32)
    flags: qd.types.vector(3, qd.i8)
    spot: Spot
    half: qd.f16
    n: qd.i16
    brain: qd.bf16
    turn: qd.types.matrix(2, 2, qd.f32)
    count: qd.u32
    on: qd.u1

    @qd.func
    def push(self, by):
        self.pos.x = self.pos.x + by
        self.n = self.n + 1


grains = Grain.field(shape=(2, 3), layout=qd.Layout.AOS)
late = Grain.field(layout=qd.Layout.AOS)
qd.root.dense(qd.i, 4).place(late)


@qd.kernel
def each_member(x: qd.types.ndarray()):
    for i in x:
        x[i].kind = x[i].kind * 2 + 1
        x[i].id = x[i].id - qd.i64(5000000000)
        x[i].flags[i % 3] = -x[i].flags[i % 3]
        x[i].spot.x = x[i].pos.y - x[i].spot.x
        x[i].spot.on = not x[i].spot.on
        x[i].half = x[i].half * 2.0
        x[i].brain = x[i].brain + x[i].half
        x[i].turn[1, 0] = x[i].turn[0, 1] + 1.0
        x[i].count = qd.volatile_load(x[i].count) ^ qd.u32(0xFFFFFFFF)
        x[i].on = x[i].count > qd.u32(4294967291)
        x[i].pos.yz = [i, -2.0 * i]
        x[i].push(0.5)


# Whole structs, which are values on the way: what lies between the members stays.
@qd.kernel
def moved(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in x:
        grain = x[i]
        grain.count += 100
        y[x.size - 1 - i] = grain
        if i < 4:
            late[i] = grain
    for i, j in grains:
        grains[i, j] = x[3 * i + j]
        grains[i, j].spot = Spot(7.5, i == j)


@qd.kernel
def atomics(x: qd.types.ndarray(), winner: qd.types.ndarray(qd.i32, 1)):
    for i in range(96):
        x[0].kind += 1
        qd.atomic_max(x[0].flags[1], i)
        qd.atomic_add(x[0].half, 1.0)
        qd.atomic_min(x[0].n, -i)
        qd.atomic_max(x[0].brain, qd.cast(i, qd.bf16))
        qd.atomic_add(x[0].turn, qd.Matrix([[1.0, 0.5], [0.0, -1.0]]))
        qd.atomic_xor(x[0].count, qd.u32(1) << (i % 32))
        qd.atomic_or(x[0].on, i == 77)
        qd.atomic_max(x[0].spot.x, i / 2)
        x[0].pos[i % 3] -= 2.0
        if qd.atomic_cas(x[1].count, 7, qd.u32(100 + i)) == 7:
            winner[0] = i


# Units of 2 and of 4 bytes.
Short = qd.types.struct(n=qd.i16, f=qd.f32, m=qd.u16)
Node = qd.types.struct(next=qd.i32, weight=qd.f32)


@qd.kernel
def shorts(x: qd.types.ndarray()):
    for i in x:
        x[i].f = x[i].n * 0.5 + x[i].m
        x[i].n, x[i].m = x[i].m, x[i].n


@qd.kernel
def walk(nodes: qd.types.ndarray(), sums: qd.types.ndarray(qd.f32, 1)):
    for i in sums:
        at = nodes[i].next
        total = nodes[i].weight
        while at >= 0:
            total += nodes[at].weight
            at = nodes[at].next
        sums[i] = total


# Vectors that targets access 16 bytes at a time.
Wide = qd.types.struct(
    a=qd.types.vector(4, qd.f32),
    b=qd.types.vector(4, qd.i32),
    c=qd.types.vector(2, qd.u32),
    d=qd.types.vector(2, qd.f32),
)


@qd.kernel
def wide(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in x:
        y[i].a = x[i].a + x[i].d[0]
        y[i].b = x[i].b - i
        y[i].c = x[i].c.yx
        y[i].d = [x[i].d.y, x[i].b.w]
        w = y[i]
        y[i].a.w = w.d.y
        qd.atomic_add(x[0].a, w.a)


