# Code that changes nothing here, and other spellings: hints, options, keyword arguments of methods, names
# that expressions assign.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
grid = qd.field(qd.f32, shape=(8,))
vec32 = qd.types.vector(32, qd.f32, unpacked=True)


@qd.dataclass
class Tile:
    r: qd.types.UnpackedVector[qd.f32, 32]
    s: qd.types.vector(32, qd.f32, unpacked=True)
    scale: qd.f32


@qd.kernel(pure=True)
def hints(x: F, n: I):
    qd.block_local(grid)
    for i in grid:
        qd.cache_read_only(grid)
        qd.no_activate(grid)
        j = qd.assume_in_range(n[i], i, -1, 2)
        x[qd.loop_unique(j)] = grid[i]
        x[qd.loop_unique(j, covers=[grid])] = 1.0
        n[i] = qd.global_thread_idx()


@qd.kernel(fastcache=True)
def unpacked(x: F):
    for i in x:
        t = Tile()
        for k in qd.static(range(32)):
            t.r[k] = qd.f32(k)
            t.s[k] = t.r[k]
        x[i] = t.r[3] + t.s[5]


@qd.kernel
def methods(x: F):
    for i in x:
        a = qd.Vector([x[i], 2.0])
        b = qd.Vector([3.0, x[i]])
        m = qd.Matrix([[x[i], 2.0], [3.0, 4.0]])
        x[i] = a.norm(eps=1e-6) + a.norm_inv(eps=1e-6) + a.norm_sqr() + a.dot(other=b)
        a = b.normalized(eps=1e-6)
        x[i] += m.frobenius_inner(m) + a.frobenius_inner(other=b) + qd.frobenius_inner(m, m)
        x[i] += x[i].clamp(xmin=0.0, xmax=1.0) + a.cast(dtype=qd.i32)[0]


@qd.kernel
def named(x: F, n: I):
    if (size := n[0]) > 3:
        n[1] = size
    for i in x:
        if i > 2 and (p := x[i]) > 0.0:
            x[i] = p * p
        while (q := n[i]) > 0:
            n[i] = q - 1
        n[i] = [w := i, w + 1][1]


@qd.kernel
def exact(x: F):
    for i in x:
        s = qd.precise(x[i] + 1.0)
        x[i] = qd.precise(1.0 - (s - x[i]))
