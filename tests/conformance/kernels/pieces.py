# Slices of vectors, matrices and tuples, read and stored to; fields that are placed after they are
# declared.
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
mat34 = qd.types.matrix(3, 4, qd.i32)
N = 6

late = qd.field(qd.i32)
beside = qd.Vector.field(2, qd.f32)
single = qd.field(qd.i32)
cube = qd.field(dtype=qd.i32, needs_grad=False)
rows = qd.root.dense(qd.i, N)
rows.place(late, beside)
qd.root.place(single)
qd.root.dense(qd.ij, (2, 3)).dense(qd.jk, (2, 5)).place(cube)


@qd.kernel
def read_slices(m: mat34, out: ints):
    for k in range(1):
        v = qd.Vector([10, 11, 12, 13, 14, 15])
        a = v[1:4]
        b = v[::-2]
        c = v[-2:]
        d = m[:, 2]
        e = m[1, 1:]
        f = m[0:3:2, ::3]
        g = (1, 2, 3, 4)[1:3]
        out[0], out[1], out[2] = a[0], a[1], a.sum()
        out[3], out[4], out[5] = b.x, b.y, b.z
        out[6], out[7] = c[0], c.n
        out[8], out[9] = d.sum(), d[2]
        out[10], out[11] = e.n, e.sum()
        out[12], out[13], out[14], out[15] = f[0, 0], f[0, 1], f[1, 0], f[1, 1]
        out[16] = g[0] + 10 * g[1]
        out[17] = (m[:2, :2] @ m[1:, 2:]).sum()


@qd.kernel
def store_slices(x: qd.types.ndarray(dtype=mat34, ndim=1), n: qd.i32):
    for i in x:
        m = x[i]
        m[:, 1] *= -1
        m[0, :2] = [n, n + 1]
        m[1:, 2:] = qd.Matrix([[1, 2], [3, 4]])
        m[2, ::-1] += qd.Vector([100, 200, 300, 400])
        x[i] = m
    for i in x:
        x[i][:, 3] += 1000
        x[i][n % 3, 0:2] = x[i][0, 2:]
        qd.atomic_max(x[i][:, 0], 7)


OPTIONS = {"scale": 3, "names": ("a", "b"), 7: {"inner": 20}, "scale": 4}
bodies = qd.Struct.field({"place": qd.types.vector(2, qd.i32), "mass": qd.f32}, shape=(6,))


@qd.kernel
def dictionaries(out: ints):
    for i in bodies:
        bodies[i].place = [i, OPTIONS["scale"]]
        bodies[i].mass = OPTIONS[7]["inner"]
    for i in range(6):
        total = 0
        for key, value in qd.static({"x": 1, "y": 2}.items()):
            total += value if key == "x" else 10 * value
        if qd.static("names" in OPTIONS and "other" not in OPTIONS):
            total += 100 * len(OPTIONS["names"]) + OPTIONS.get("missing", 1000) + len(OPTIONS)
        out[i] = total + bodies[i].place.x * bodies[i].place.y + qd.i32(bodies[i].mass)


@qd.kernel
def placed(out: ints):
    for i in late:
        late[i] = i * i
        beside[i].y = i
    for i, j, k in cube:
        cube[i, j, k] = i * 100 + j * 10 + k
    single[None] = cube.shape[0] * 100 + cube.shape[1] * 10 + cube.shape[2]
    for i in range(N):
        out[i] = late[i] + qd.i32(beside[i].y) + cube[1, i % 6, 4] + single[None]


@qd.func
def weighted(scale, *values, offset=0, **named):
    total = offset
    for i in qd.static(range(len(values))):
        total += scale * values[i] * (i + 1)
    for key, value in qd.static(named.items()):
        total += value * (1000 if key == "big" else 100)
    return total


@qd.func
def passed_on(*values, **named):
    return weighted(2, *values, offset=7, big=named["big"])


@qd.kernel
def star_parameters(out: ints):
    for i in range(6):
        pair = qd.Vector([i, i + 1])
        out[i] = weighted(1) + weighted(3, i, *pair, small=i) + passed_on(i, 1, big=i)
