# Variables of the kernel that the threads of its loops change: component by component, by atomics,
# by plain stores, by reference, in one task after the other; and those that each iteration has for
# itself.
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
ivec3 = qd.types.vector(3, qd.i32)
mat23 = qd.types.matrix(2, 3, qd.i32)


@qd.kernel
def components(n: qd.i32) -> tuple[ivec3, ivec3, qd.types.vector(4, qd.f32)]:
    t = qd.Vector([5, 6, 7])
    extremes = qd.Vector([1 << 20, 0, -1])
    v = qd.Vector([0.0, 0.0, 0.0, 0.0])
    for i in range(n):
        t[0] += 1
        t.y -= i
        t[2] ^= i
        qd.atomic_min(extremes.x, 7 - i)
        qd.atomic_max(extremes[i % 2 + 1], i)
        v[i % 4] += 0.5
        for j in qd.static(range(4)):
            v[j] += j
    return t, extremes, v


@qd.kernel
def matrices(n: qd.i32) -> mat23:
    m = qd.Matrix([[0, 0, 0], [1, 1, 1]])
    for i in range(n):
        m[1, 0] += 1
        m[i % 2, i % 3] += i
        m += qd.Matrix([[0, 1, 0], [0, 0, 2]])
    return m


@qd.kernel
def stores(seen: ints) -> qd.types.vector(40, qd.i32):
    m = qd.Vector([-1] * 40)
    for i in range(seen.shape[0]):
        if i % 2 == 0:
            m[i] = 10 * i + 1
            seen[i] = m[i]
        else:
            seen[i] = m[i]
        m[i + 40] = 77  # no component
    return m


@qd.func
def deposit(pot: qd.template(), which: qd.i32, amount: qd.i32):
    pot[which % 3] += amount
    pot.z += 1


@qd.func
def all_of(pot: qd.template(), n: qd.i32):
    for i in range(n):
        pot += qd.Vector([i, 1, 0])


@qd.kernel
def by_reference(n: qd.i32) -> ivec3:
    pot = qd.Vector([0, 0, 100])
    for i in range(n):
        deposit(pot, i, i)
    all_of(pot, n)
    return pot


@qd.kernel
def claims(owner: ints) -> tuple[qd.types.vector(8, qd.i32), qd.i32, qd.i32]:
    slots = qd.Vector([0] * 8)
    turn = 0
    wins = 0
    for i in range(owner.shape[0]):
        if qd.atomic_cas(slots[i % 8], 0, i + 1) == 0:
            owner[i] = 1
        if qd.atomic_cas(turn, 0, 1) == 0:
            wins += 1
    return slots, turn, wins


@qd.kernel
def in_turn(bound: ints, out: ints) -> tuple[ivec3, qd.i32]:
    t = qd.Vector([0, 0, 0])
    last = -1
    for i in range(bound[0]):  # as many blocks as the device likes
        t[i % 3] += 1
        if i == 17:
            last = i
    t[0] = t[0] * 2
    t.z = t[0] + t[1]
    for i in range(out.shape[0]):
        out[i] = t[i % 3] + last
    for i in range(bound[0]):
        if i == 5:
            t = qd.Vector([last, t[1], i])
    return t, last


@qd.kernel
def own(x: ints, out: ints):
    scaled = 0
    pair = qd.Vector([0, 0])
    for i in range(x.shape[0]):
        scaled = x[i] * 2
        pair = qd.Vector([scaled, i])
        if i % 2 == 0:
            scaled += 1
            pair[i % 4 // 2] *= 3
        out[i] = scaled * 1000 + pair[0] + pair[1]
    for i in range(x.shape[0]):
        pair, scaled = qd.Vector([i, x[i]]), i
        out[i] += pair[1] * scaled


@qd.kernel
def stored_first(x: ints, out: ints):
    scaled = 0
    pair = qd.Vector([0, 0])
    for i in range(x.shape[0]):
        scaled = x[i] * 2
        pair = qd.Vector([scaled, 7])
        out[i] = scaled * 1000 + pair[0] + pair[1]
    out[0] += pair[1] + scaled % 2
