# The rest of the language: arguments and results by value, arrays that are one memory,
# the types that operands meet in, blocks' own locals, orders of loops, lazy and eager operands,
# shared arrays of functions, what augmented assignments of narrow elements do.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
vec3 = qd.types.vector(3, qd.i32)
mat23 = qd.types.matrix(2, 3, qd.i32)

plane = qd.Vector.field(2, qd.i32, shape=(3, 5))
KINDS = ("left", "right")
TYPE = qd.i16


@qd.kernel
def by_value(v: vec3, small: qd.u8, m: mat23, wide: qd.i64, flag: qd.u1, out: ints):
    for i in range(3):
        out[i] = v[i] * 10 + small
        for r in range(2):
            out[3 + 3 * r + i] = m[r, i]
    out[9] = qd.i32(wide >> 32)
    out[10] = 7 if flag else 8


@qd.kernel
def aliases(n: qd.i32, a: ints, b: ints):
    # b may be a: what is stored through one is read through the other.
    for i in range(n):
        x = a[i]
        b[i] = x + 1
        y = a[i]
        a[i] = y * 10
        b[i] = b[i] + a[i]


@qd.kernel
def gives_matrix(k: qd.i32) -> mat23:
    return qd.Matrix([[k, k + 1, k + 2], [-k, 5, 6]])


@qd.kernel
def gives_all(k: qd.i64) -> (qd.i64, mat23, qd.u8, vec3):
    m = qd.Matrix([[1, 2, 3], [4, 5, 6]]) * qd.i32(k)
    return k * k, m, qd.u8(k), qd.Vector([7, 8, 9])


@qd.kernel
def promotions(
    h: qd.types.ndarray(dtype=qd.f16, ndim=1),
    c: qd.types.ndarray(dtype=qd.i8, ndim=1),
    b: qd.types.ndarray(dtype=qd.u8, ndim=1),
    s: qd.types.ndarray(dtype=qd.i16, ndim=1),
    u: qd.types.ndarray(dtype=qd.u32, ndim=1),
    l: qd.types.ndarray(dtype=qd.i64, ndim=1),
    i: ints,
    out: qd.types.ndarray(dtype=qd.i64, ndim=1),
):
    out[0] = qd.i64(h[0] + l[0])  # f16: 2048 + 1 is 2048
    out[1] = qd.i64((l[0] << 24) + 1 + qd.f32(i[0]) - 16777216)  # f32: the 1 is lost
    out[2] = c[0] + b[0]  # u8
    out[3] = i[0] - u[0]  # u32
    out[4] = (l[0] - u[0]) // 2  # i64
    out[5] = i[0] < u[0]  # u32: -1 is large
    out[6] = l[1] < u[0]  # i64
    out[7] = b[0] << i[1]  # u8
    out[8] = s[0] ** i[1]  # i16
    out[9] = s[0] * s[0]  # i16
    out[10] = qd.i64(b[0]) << i[1]
    out[11] = b[0] * 100  # a literal is an i32
    out[12] = qd.i64((h[1] ** i[1]) * 1000.0)  # and an f32
    out[13] = (c[0] == c[0]) + (c[0] == c[0])


@qd.kernel
def locals_of_blocks(b: qd.types.ndarray(dtype=qd.u8, ndim=1), out: floats):
    for i in b:
        n = 1
        n = 2.9  # stays an i32
        n += 2.75
        w = b[i]
        w = 300 + i  # stays a u8
        result: qd.f32 = 0.0
        if i % 2 == 0:
            t = 0.5
            result += t
        else:
            t = 3
            t /= 2
            result += t
        for k in range(3):
            t = k + 0.25
            result += t * 100
        x = i  # a copy
        x += 1
        out[i] = n * 100000 + w * 1000 + result + x - i
        """A string that stands alone is nothing."""
        pass


@qd.kernel
def orders(out: ints, thread: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    at = 0
    while at == 0:  # makes the loops below serial
        for i, j in qd.ndrange((-1, 2), (3, 5), axes=(1, 0)):
            out[at] = (i + 5) * 10 + j
            at += 1
        for i, j in qd.ndrange(2, (7, 9)):
            out[at] = i * 10 + j
            at += 1
        for I in qd.grouped(qd.ndrange((1, 3), 2)):
            out[at] = I[0] * 10 + I[1]
            at += 1
        for i in range(10, 0, -4):
            out[at] = i
            at += 1
    for i, j in qd.ndrange(3, 4, axes=(1, 0)):
        thread[i, j] = block.global_thread_idx()


@qd.kernel
def structures(a: qd.types.ndarray(dtype=qd.i32, ndim=2), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for I in qd.grouped(a):
        out[I] = a[I] + I.x * 10 + I.y
    for i, j in plane:
        plane[i, j] = qd.Vector([i, j]) * 2
    for I in qd.grouped(plane):
        plane[I] += qd.Vector([100, 200])
        for k in qd.static(range(2)):
            out[I] += plane[I][k]


@qd.func
def counted(calls: qd.template(), at, value):
    calls[at] += 1
    return value


@qd.kernel
def evaluated(src: ints, calls: ints, out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in src:
        x = src[i]
        out[0, i] = 1 if 0 < counted(calls, 0, x) < 5 else 0  # the middle once
        out[1, i] = counted(calls, 1, x + 1) if x > 2 else counted(calls, 2, x - 1)
        out[2, i] = qd.select(x > 2, counted(calls, 3, x + 1), counted(calls, 4, x - 1))
        out[3, i] = x and counted(calls, 5, 7)
        out[4, i] = x or counted(calls, 6, 9)
        out[5, i] = not x
        out[6, i] = 1 if 0 < x < counted(calls, 7, 4) else 0  # the last only where x > 0


@qd.kernel
def elementwise(src: ints, out: qd.types.ndarray(dtype=vec3, ndim=2)):
    for i in src:
        v = qd.Vector([src[i], 0, 2])
        w = qd.Vector([3, src[i], -1])
        out[0, i] = v and w
        out[1, i] = v or w
        out[2, i] = not v
        out[3, i] = v < w
        out[4, i] = qd.select(v < w, v, w)
        out[5, i] = qd.zero(v) + 2 * qd.one(v)
        out[6, i] = v // 2 - w % 3
        out[7, i] = qd.one(v[0]) + qd.zero(src[i]) + qd.max(v, w)


@qd.kernel
def places(begin: qd.i32, end: qd.i32, out: ints, blocks: ints):
    qd.loop_config(block_dim=32)
    for i in range(begin, end):
        out[i] = block.thread_idx()
        blocks[i] = block.global_thread_idx()


@qd.func
def reversed_in_block(value):
    tile = block.SharedArray((64,), qd.i32)
    tile[block.thread_idx()] = value
    block.sync()
    return tile[63 - block.thread_idx()]


@qd.func
def staged(value):
    tile = block.SharedArray((64,), qd.i32)
    tile[block.thread_idx()] = value
    return tile


@qd.kernel
def shared_of_calls(src: ints, out: ints):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        first = staged(src[i])
        second = staged(src[i] * 1000)
        block.sync()
        t = block.thread_idx()
        out[i] = first[63 - t] + second[(t + 1) % 64] + reversed_in_block(src[i] * 7)


@qd.kernel
def assigned(
    b: qd.types.ndarray(dtype=qd.u8, ndim=1), a: ints, u: qd.types.ndarray(dtype=qd.u32, ndim=1), out: ints
):
    a[0] += 1.75  # adds 1
    a[1] -= 2.75  # adds -2
    out[0] = qd.atomic_add(b[0], qd.i32(300))  # adds 44
    out[1] = qd.atomic_min(b[1], -1)  # 255
    out[2] = qd.atomic_sub(a[2], 5)
    u[0] -= 1
    u[1] -= -1
    a[3] *= 2.5  # a plain multiplication of reals, cast
    a[4] //= 2
    a[5] %= 4
    a[6] <<= 3
    a[7] >>= 1
    a[8] **= 3
    out[3] = qd.atomic_exchange(a[9], 3.9)
    mine = 5
    mine -= 7
    mine |= 1
    out[4] = mine
    out[5] = qd.bit_shr(a[10], 28) + (a[10] >> 28)


@qd.kernel
def leaves(src: ints, out: ints) -> qd.i32:
    found = -1
    qd.loop_config(serialize=True)
    for i in range(src.shape[0]):
        if src[i] == 7:
            found = i
            break
        if src[i] < 0:
            continue
        out[i] = 1
    return found


@qd.kernel
def carried(src: ints, out: ints):
    v = qd.Vector([src[0], src[1]])
    big = qd.i64(src[0]) << 40
    yes = src[0] > 0
    many = 0
    for i in src:
        many += 1
        out[i] = v[0] + v[1] * 10 + qd.i32(big >> 40) * 100
        if yes:
            out[i] += 1000
    v[0] = many
    yes = not yes
    for i in src:
        out[i] += 0 if yes else v[0] * 10000


@qd.func
def choose(kind: qd.template(), x):
    result = x
    if qd.static(kind in KINDS and kind != "right"):
        result = x + 1
    elif qd.static(TYPE == qd.i16 if kind == "right" else False):
        result = x + 2
    return result


@qd.func
def fill(a: qd.template(), value):
    for i in a:
        a[i] = a[i] * 10 + value


@qd.kernel
def inlined(a: ints, out: ints):
    # Loops of inlined functions, static ifs and static loops are tasks of their own, in order.
    fill(a, 1)
    for k in qd.static(range(2)):
        fill(a, k + 2)
    if qd.static(TYPE == qd.i16):
        for i in a:
            out[i] = a[a.shape[0] - 1 - i] + i
    out[0] = choose("left", a[0]) + choose("right", a[0]) * 3 + choose("up", a[0])


SHIFTS = {k: k * k for k in range(5) if k != 2}
MORE = {**SHIFTS, 3: 100, "top": 7}


@qd.kernel
def displays(src: ints, out: ints):
    names = qd.static({f"n{k}": k for k in range(3)})
    for i in src:
        m = qd.Matrix([[src[i], 1], [2, 3]])
        out[i] = SHIFTS[4] + MORE[3] * 2 + MORE["top"] + names["n2"] + qd.static(len(MORE.keys())) * 10000
        if any(m > 3):
            out[i] += 1000
        if all(m < 4):
            out[i] += 2000


@qd.dataclass
class Row:
    r: qd.types.UnpackedVector[qd.i32, 4]
    s: qd.types.vector(4, qd.i32, unpacked=True)


@qd.kernel
def named(a: ints, out: ints):
    if (first := a[0]) >= 0:
        out[0] = first
    for i in range(1, a.shape[0]):
        total = i
        rest = total * (total := a[i] % 7) + total
        if i > 3 and (q := a[i]) > 0:
            rest += q
        while (left := rest) > 1000:
            rest = left - 1000
        row = Row()
        for k in qd.static(range(4)):
            row.r[k] = (d := i - k) * d
            row.s[k] = row.r[k] + d
        v = qd.Vector([rest, i])
        out[i] = qd.assume_in_range(v.dot(other=v), 0, 0, 1 << 30) + qd.loop_unique(row.s[3])


@qd.kernel
def randoms(out: qd.types.ndarray(dtype=qd.f32, ndim=2), whole: ints):
    for i in range(out.shape[1]):
        out[0, i] = qd.random()
        out[1, i] = qd.random(qd.f32)
        whole[i] = qd.random(qd.i32)


LANES = 32


@qd.kernel
def warps(a: ints, out: ints):
    shift = qd.static(LANES.bit_length() - 2)
    table = qd.static((out, a)[LANES in (32, 64)])
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0]):
        slots = block.SharedArray((64,), qd.i32)
        thread = block.thread_idx()
        slots[thread] = table[i]
        if qd.static(subgroup.group_size() >= LANES):
            qd.simt.warp.sync(qd.u32(0xFFFFFFFF))
        else:
            block.sync()
        out[i] = slots[thread ^ (1 << shift)]


# Items of lists are variables of their own: those of the kernel, which the threads of a loop share, and those of an
# iteration.
@qd.kernel
def list_items(out: ints):
    outer = [qd.Vector([0, 0, 0]), qd.Vector([1, 2, 3])]
    counts = [0, 4]
    for i in range(1):
        for j in qd.static(range(2)):
            outer[j][1] = 7 + j
        outer[0] = outer[1] * 2
        counts[1] = counts[0] + 3
        own = [1, 2, (3, qd.Vector([4, 5]))]
        same = own
        own[0] += 4
        own[-1][1][0] = 9
        own[2][0] = 6
        own[0], own[1] = own[1], own[0]
        for j in qd.static(range(3)):
            out[j] = outer[0][j]
            out[3 + j] = outer[1][j]
        out[6] = counts[0]
        out[7] = counts[1]
        out[8] = own[0]
        out[9] = own[1]
        out[10] = own[2][0]
        out[11] = own[2][1][0]
        out[12] = own[2][1][1]
        out[13] = same[0] + same[2][0] + same[2][1].sum()


# Objects that the kernel makes: what they are given is read once, and constants stay constants.
@qd.data_oriented
class Sample:
    OFFSET = 3

    def __init__(self, x, scale=2.0):
        self.x = x
        self.scale = scale
        self.count = 4

    @qd.func
    def scaled(self, y):
        return self.scale * (self.x + y)


@qd.data_oriented
class Pair(Sample):
    def __init__(self, a, b):
        self.first = Sample(a)
        self.second = Sample(b, scale=10.0)
        both = a + b
        self.sum = both
        self.sum = self.sum + 1.0
        if self.first.count > 3:
            self.offset = self.OFFSET

    @qd.func
    def total(self):
        s = 0.0
        for k in qd.static(range(self.first.count)):
            s += self.first.scaled(1.0 * k)
        return s + self.second.scaled(0.0) + self.sum + qd.static(self.offset)


@qd.func
def total_of(pair, y):
    return pair.total() + y


@qd.func
def made(x):
    return Sample(x, 3.0)


@qd.kernel
def objects(x: floats, out: floats):
    for i in x:
        v = x[i]
        pair = Pair(v, v + 1.0)
        v = 100.0
        out[i] = total_of(pair, 0.5)
        if v > x[i]:
            out[i] += made(x[i]).scaled(1.0)


@qd.data_oriented
class Sized:
    def __init__(self, a):
        self.a = a
        self.setup()
        self.a += 1

    @qd.func
    def setup(self):
        self.b = self.a * 10

    @qd.func
    def value(self):
        return self.a + self.b


@qd.data_oriented
class Grown(Sized):
    def __init__(self, a, c):
        super().__init__(a)
        self.c = c
        self.c *= 2
        self.a += self.c

    @qd.func
    def value(self):
        return super().value() + 1000


@qd.func
def grown(x):
    return Grown(x, 3.0)


@qd.func
def value_of(o):
    return o.value()


@qd.kernel
def inherited_objects(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in x:
        o = grown(x[i])
        objects = [o, Sized(2.0)]
        s = 0.0
        for e in qd.static(objects):
            s += value_of(e)
        x[i] = s
