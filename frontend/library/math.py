# The functions of `qd.math` that the compiler does not know itself. `math.<name>` finds those here
# whose names do not begin with an underscore.
import quadrants as qd


# ---- Methods --------------------------------------------------------------------------
# Operations.def has their names without the underscore, and what they take.


@qd.func
def _clamp(x: qd.template(), xmin: qd.template(), xmax: qd.template()):
    return qd.min(qd.max(x, xmin), xmax)


@qd.func
def _mix(x: qd.template(), y: qd.template(), a: qd.template()):
    return x * (1 - a) + y * a


@qd.func
def _step(edge: qd.template(), x: qd.template()):
    return qd.select(x < edge, 0.0, 1.0)


# The derivative of a mantissa, which `qd.frexp` makes of bits.
@qd.func
def _mantissa_of(x, mantissa):
    return mantissa


@qd.ad.dual_for(_mantissa_of)
@qd.func
def _mantissa_slope(x, mantissa, dx, dmantissa):
    return dx if mantissa == x else mantissa / x * dx


@qd.func
def _hermite(t: qd.template()):
    return t * t * (3.0 - 2.0 * t)


@qd.func
def _smoothstep(edge0: qd.template(), edge1: qd.template(), x: qd.template()):
    return _hermite(qd.min(qd.max((x - edge0) / (edge1 - edge0), 0.0), 1.0))


@qd.func
def _distance(a: qd.template(), b: qd.template()):
    return (a - b).norm()


@qd.func
def _reflect(v: qd.template(), n: qd.template()):
    return v - 2 * (v @ n) * n


@qd.func
def _outer_product(a: qd.template(), b: qd.template()):
    return qd.Matrix([[x * y for y in b] for x in a])


# ---- Vectors --------------------------------------------------------------------------


# GLSL's: the zero vector where all light is reflected, NaN where an operand is NaN.
@qd.func
def refract(x, n, eta):
    d = qd.math.dot(x, n)
    k = 1.0 - eta * eta * (1.0 - d * d)
    return qd.select(k < 0.0, 0.0, eta * x - (eta * d + qd.sqrt(k)) * n)


@qd.func
def vdir(angle):
    return qd.math.vec2(qd.cos(angle), qd.sin(angle))


# ---- Matrices of a shape ----------------------------------------------------------------


@qd.func
def eye(n: qd.template()):
    return qd.Matrix.identity(float, n)


@qd.func
def translate(dx, dy, dz):
    return qd.math.mat4([[1.0, 0.0, 0.0, dx], [0.0, 1.0, 0.0, dy], [0.0, 0.0, 1.0, dz], [0.0, 0.0, 0.0, 1.0]])


@qd.func
def scale(sx, sy, sz):
    return qd.math.mat4([[sx, 0.0, 0.0, 0.0], [0.0, sy, 0.0, 0.0], [0.0, 0.0, sz, 0.0], [0.0, 0.0, 0.0, 1.0]])


# Counter-clockwise.
@qd.func
def rotation2d(angle):
    c = qd.cos(angle)
    s = qd.sin(angle)
    return qd.math.mat2([[c, -s], [s, c]])


# About an axis of any length, counter-clockwise: for row vectors, `v @ m`.
@qd.func
def rot_by_axis(axis, angle):
    c = qd.cos(angle)
    s = qd.sin(angle)
    u = qd.math.normalize(axis)
    t = (1.0 - c) * u
    return qd.math.mat4(
        [
            [t.x * u.x + c, t.x * u.y + s * u.z, t.x * u.z - s * u.y, 0.0],
            [t.y * u.x - s * u.z, t.y * u.y + c, t.y * u.z + s * u.x, 0.0],
            [t.z * u.x + s * u.y, t.z * u.y - s * u.x, t.z * u.z + c, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


# The transpose of the product of rotations about y, x and z: for row vectors.
@qd.func
def rot_yaw_pitch_roll(yaw, pitch, roll):
    cy = qd.cos(yaw)
    sy = qd.sin(yaw)
    cx = qd.cos(pitch)
    sx = qd.sin(pitch)
    cz = qd.cos(roll)
    sz = qd.sin(roll)
    return qd.math.mat4(
        [
            [cy * cz + sy * sx * sz, cx * sz, cy * sx * sz - sy * cz, 0.0],
            [sy * sx * cz - cy * sz, cx * cz, sy * sz + cy * sx * cz, 0.0],
            [sy * cx, -sx, cy * cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


@qd.func
def rotation3d(angle_x, angle_y, angle_z):
    return rot_yaw_pitch_roll(angle_z, angle_x, angle_y)


# ---- Elimination ------------------------------------------------------------------------
# One loop goes over the pivots. Its body always uses column 0, and leaves the matrix shifted by one
# row and one column, cyclically, so that the next pivot comes to the same place. So every index is
# a constant, the matrix stays in registers, and the code is that of one step.


# Moves the row with the largest number in column 0 to row 0, chosen from the first `left` rows.
# `rows` says where rows came from. Returns the sign of the permutation.
@qd.func
def _pivot(a: qd.template(), rows: qd.template(), left):
    odd = False
    for i in qd.static(range(1, a.n)):
        swap = (i < left) & (qd.abs(a[i, 0]) > qd.abs(a[0, 0]))
        for j in qd.static(range(a.n)):
            upper = a[0, j]
            lower = a[i, j]
            a[0, j] = qd.select(swap, lower, upper)
            a[i, j] = qd.select(swap, upper, lower)
        first = rows[0]
        rows[0] = qd.select(swap, rows[i], first)
        rows[i] = qd.select(swap, first, rows[i])
        odd = odd != swap
    return odd


# Gauss-Jordan in place: where column k was eliminated, column k of the inverse stands. With the
# determinant, a pivot that is 0 counts as next to nothing: their product has the cofactors, which
# singular matrices have, too.
@qd.func
def _invert(m, with_determinant: qd.template()):
    a = m
    rows = qd.Vector([i for i in range(m.n)])
    determinant = qd.one(m[0, 0])
    k = 0
    while k < m.n:
        odd = _pivot(a, rows, m.n - k)
        if qd.static(with_determinant):
            least = qd.cast(qd.static(1e-18 if m.dtype == qd.f32 else 1e-150), m.dtype)
            a[0, 0] = qd.select(a[0, 0] == 0.0, least, a[0, 0])
            determinant *= qd.select(odd, -a[0, 0], a[0, 0])
        top = qd.Vector([a[0, j] for j in range(m.n)])
        turn = 1.0 / top[0]
        for i in qd.static(range(1, m.n)):
            factor = a[i, 0] * turn
            for j in qd.static(range(1, m.n)):
                a[i - 1, j - 1] = a[i, j] - factor * top[j]
            a[i - 1, m.n - 1] = -factor
        for j in qd.static(range(1, m.n)):
            a[m.n - 1, j - 1] = top[j] * turn
        a[m.n - 1, m.n - 1] = turn
        first = rows[0]
        for i in qd.static(range(1, m.n)):
            rows[i - 1] = rows[i]
        rows[m.n - 1] = first
        k += 1
    # This is the inverse of the permuted matrix. Exchanges of neighbours sort its columns
    # back.
    k = 0
    while k < m.n:
        for start in qd.static(range(2)):
            for j in qd.static(range(start, m.n - 1, 2)):
                swap = rows[j] > rows[j + 1]
                first = rows[j]
                rows[j] = qd.select(swap, rows[j + 1], first)
                rows[j + 1] = qd.select(swap, first, rows[j + 1])
                for i in qd.static(range(m.n)):
                    left = a[i, j]
                    right = a[i, j + 1]
                    a[i, j] = qd.select(swap, right, left)
                    a[i, j + 1] = qd.select(swap, left, right)
        k += 2
    if qd.static(with_determinant):
        return a, determinant
    else:
        return a


@qd.func
def _inverse(m: qd.template()):
    return _inverse_of(m, _invert(qd.ad.stop_gradient(m), False))


@qd.func
def _inverse_of(m, inverse):
    return inverse


@qd.ad.dual_for(_inverse_of)
@qd.func
def _inverse_slope(m, inverse, dm, dinverse):
    return -(inverse @ dm @ inverse)


@qd.func
def _determinant(m: qd.template()):
    return _determinant_of(m, _pivots(qd.ad.stop_gradient(m)))


@qd.func
def _determinant_of(m, determinant):
    return determinant


# Jacobi's formula.
@qd.ad.dual_for(_determinant_of)
@qd.func
def _determinant_slope(m, determinant, dm, ddeterminant):
    inverse, product = _invert(m, True)
    slope = qd.zero(m[0, 0])
    for i in qd.static(range(m.n)):
        for j in qd.static(range(m.n)):
            slope += product * inverse[j, i] * dm[i, j]
    return slope


@qd.func
def _pivots(m):
    a = m
    rows = qd.Vector([i for i in range(m.n)])
    result = qd.one(m[0, 0])
    k = 0
    while k < m.n:
        odd = _pivot(a, rows, m.n - k)
        top = qd.Vector([a[0, j] for j in range(m.n)])
        result *= qd.select(odd, -top[0], top[0])
        # A column of zeros has nothing to eliminate.
        turn = qd.select(top[0] == 0.0, qd.zero(top[0]), 1.0 / top[0])
        for i in qd.static(range(1, m.n)):
            factor = a[i, 0] * turn
            for j in qd.static(range(1, m.n)):
                a[i - 1, j - 1] = a[i, j] - factor * top[j]
        k += 1
    return result


# ---- Complex numbers --------------------------------------------------------------------
# Vectors of two components: the real and the imaginary part.


@qd.func
def cmul(x, y):
    return qd.Vector([x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]])


@qd.func
def cconj(x):
    return qd.Vector([x[0], -x[1]])


@qd.func
def cinv(x):
    return cconj(x) / qd.math.dot(x, x)


@qd.func
def cdiv(x, y):
    return cmul(x, cconj(y)) / qd.math.dot(y, y)


# The root in the right half plane.
@qd.func
def csqrt(x):
    half = 0.5 * qd.atan2(x[1], x[0])
    return qd.sqrt(qd.math.length(x)) * qd.Vector([qd.cos(half), qd.sin(half)])


@qd.func
def cpow(x, n):
    size = qd.math.length(x) ** n
    angle = n * qd.atan2(x[1], x[0])
    return size * qd.Vector([qd.cos(angle), qd.sin(angle)])


@qd.func
def cexp(x):
    return qd.exp(x[0]) * qd.Vector([qd.cos(x[1]), qd.sin(x[1])])


@qd.func
def clog(x):
    return qd.Vector([qd.log(qd.math.length(x)), qd.atan2(x[1], x[0])])
