# Decompositions of small matrices, one matrix a thread: `qd.svd`, `qd.sym_eig`, … Names that begin
# with an underscore belong to this file.
#
# Singular values and eigenvalues come from Jacobi's rotations: they are exact to a few places even
# where closed formulas lose all digits (Demmel and Veselić, "Jacobi's method is more accurate than
# QR", 1992). A loop goes on until a sweep changes nothing, so each thread stops when its matrix is
# done.
#
# Derivatives are closed formulas of the results, whose parts have names in -_of: functions that
# return some of their parameters, and have a tangent by the first one (Giles, "An extended
# collection of matrix derivative results", 2008).
import quadrants as qd


# ---- Parts ------------------------------------------------------------------------------


# The matrix in the type that the computation has: `dt`, or its own; f32 for integers and halves.
@qd.func
def _real(a: qd.template(), dt: qd.template()):
    if qd.static(dt is not None):
        return qd.cast(a, dt)
    elif qd.static(a.dtype == qd.f32 or a.dtype == qd.f64):
        return a
    else:
        return qd.cast(a, float)


# Cosine and sine of the rotation that makes [[p, x], [x, q]] diagonal, by the smaller angle.
# Nothing overflows: where tau * tau does, the sine is 0, and x is nothing beside p - q.
@qd.func
def _rotation(p, q, x):
    tau = (q - p) / (2.0 * x)
    t = qd.select(tau < 0.0, -1.0, 1.0) / (qd.abs(tau) + qd.sqrt(1.0 + tau * tau))
    c = 1.0 / qd.sqrt(1.0 + t * t)
    return c, t * c, t


# Rotates rows and columns i and j of the symmetric a, and columns i and j of v. Returns True if
# there was something to do.
@qd.func
def _rotate_symmetric(a: qd.template(), v: qd.template(), i: qd.template(), j: qd.template()):
    x = a[i, j]
    p = a[i, i]
    q = a[j, j]
    size = qd.abs(x)
    turned = (qd.abs(p) + size != qd.abs(p)) | (qd.abs(q) + size != qd.abs(q))
    turned = turned & (x == x)
    if turned:
        c, s, t = _rotation(p, q, x)
        for k in qd.static(range(a.n)):
            if qd.static(k != i and k != j):
                left = a[k, i]
                right = a[k, j]
                a[k, i] = c * left - s * right
                a[k, j] = s * left + c * right
                a[i, k] = a[k, i]
                a[j, k] = a[k, j]
            left = v[k, i]
            right = v[k, j]
            v[k, i] = c * left - s * right
            v[k, j] = s * left + c * right
        a[i, i] = p - t * x
        a[j, j] = q + t * x
    a[i, j] = 0.0
    a[j, i] = 0.0
    return turned


# Moves rows and columns from `first` on by one place: the last comes first.
@qd.func
def _turn_rows(a: qd.template(), first: qd.template()):
    for j in qd.static(range(a.m)):
        last = a[a.n - 1, j]
        for k in qd.static(range(a.n - 1 - first)):
            a[a.n - 1 - k, j] = a[a.n - 2 - k, j]
        a[first, j] = last


@qd.func
def _turn_columns(a: qd.template(), first: qd.template()):
    for i in qd.static(range(a.n)):
        last = a[i, a.m - 1]
        for k in qd.static(range(a.m - 1 - first)):
            a[i, a.m - 1 - k] = a[i, a.m - 2 - k]
        a[i, first] = last


# A sweep over all pairs. Up to 4 rows, one pair after the other. Beyond, the pairs of a tournament:
# in each round every row plays one other at a fixed place, then all rows but the first move on. So
# every index is a constant and the code is that of one round, not of n * (n - 1) / 2 pairs.
@qd.func
def _sweep(a: qd.template(), v: qd.template()):
    turned = False
    if qd.static(a.n <= 4):
        for i in qd.static(range(a.n)):
            for j in qd.static(range(i + 1, a.n)):
                one = _rotate_symmetric(a, v, i, j)
                turned = turned | one
    else:
        first = qd.static(1 - a.n % 2)
        done = 0
        while done < a.n - first:
            for k in qd.static(range((a.n - first) // 2)):
                one = _rotate_symmetric(a, v, first + k, a.n - 1 - k)
                turned = turned | one
            if qd.static(first == 1):
                one = _rotate_symmetric(a, v, 0, a.n // 2)
                turned = turned | one
            _turn_rows(a, first)
            _turn_columns(a, first)
            _turn_columns(v, first)
            done += 1
    return turned


# Sorts values in ascending order, and the columns with them: exchanges of neighbours.
@qd.func
def _sort(values: qd.template(), columns: qd.template()):
    k = 0
    while k < values.n:
        for start in qd.static(range(2)):
            for j in qd.static(range(start, values.n - 1, 2)):
                swap = values[j] > values[j + 1]
                low = values[j]
                values[j] = qd.select(swap, values[j + 1], low)
                values[j + 1] = qd.select(swap, low, values[j + 1])
                for i in qd.static(range(columns.n)):
                    left = columns[i, j]
                    columns[i, j] = qd.select(swap, columns[i, j + 1], left)
                    columns[i, j + 1] = qd.select(swap, left, columns[i, j + 1])
        k += 2


@qd.func
def _largest(a: qd.template()):
    size = qd.abs(a[0, 0])
    for i in qd.static(range(a.n)):
        for j in qd.static(range(a.m)):
            size = qd.max(size, qd.abs(a[i, j]))
    return size


# 1 over the difference of two values of a matrix, or 0 where that is nothing but rounding: the
# vectors are then any of a plane, and the derivative is that of those which turn least.
@qd.func
def _over(difference, size):
    limit = qd.cast(qd.static(5e-7 if difference.dtype == qd.f32 else 9e-16), difference.dtype) * size
    return qd.select(qd.abs(difference) > limit, 1.0 / difference, qd.zero(difference))


# ---- Symmetric matrices -----------------------------------------------------------------


@qd.func
def _eigen(m):
    v = qd.cast(qd.Matrix.identity(qd.i32, m.n), m.dtype)
    sweeps = 0
    turned = True
    while turned and sweeps < 30:
        turned = _sweep(m, v)
        sweeps += 1
    values = qd.Vector([m[i, i] for i in range(m.n)])
    _sort(values, v)
    return values, v


@qd.func
def sym_eig(a: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == a.m and a.n >= 2 and a.n <= 12, "qd.sym_eig takes matrices of 2x2 to 12x12")
    m = _real(a, dt)
    values, v = _eigen(qd.ad.stop_gradient(m))
    return _eigen_of(m, values, v)


@qd.func
def _eigen_of(m, values, v):
    return values, v


@qd.ad.dual_for(_eigen_of)
@qd.func
def _eigen_slope(m, values, v, dm, dvalues, dv):
    p = _in_basis(dm, v)
    size = qd.max(qd.abs(values[0]), qd.abs(values[v.n - 1]))
    turn = p
    for i in qd.static(range(v.n)):
        for j in qd.static(range(v.n)):
            turn[i, j] = p[i, j] * _over(values[j] - values[i], size)
    return qd.Vector([p[i, i] for i in range(v.n)]), v @ turn


# The symmetric part of d, in the basis of the columns of v.
@qd.func
def _in_basis(d, v):
    return v.transpose() @ (0.5 * (d + d.transpose())) @ v


@qd.func
def make_spd(a: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == a.m and a.n >= 2 and a.n <= 12, "qd.make_spd takes matrices of 2x2 to 12x12")
    m = _real(a, dt)
    values, v = _eigen(qd.ad.stop_gradient(m))
    return _spd_of(m, values, v, _compose(values, v))


@qd.func
def _compose(values, v):
    scaled = v
    for j in qd.static(range(v.n)):
        for i in qd.static(range(v.n)):
            scaled[i, j] = v[i, j] * qd.max(values[j], 0.0)
    result = scaled
    for i in qd.static(range(v.n)):
        for j in qd.static(range(i, v.n)):
            sum = scaled[i, 0] * v[j, 0]
            for k in qd.static(range(1, v.n)):
                sum += scaled[i, k] * v[j, k]
            result[i, j] = sum
            result[j, i] = sum
    return result


@qd.func
def _spd_of(m, values, v, result):
    return result


# Entries between two eigenvalues are multiplied by the slope of max(x, 0) from one to the other
# (Daleckii and Krein, 1965).
@qd.ad.dual_for(_spd_of)
@qd.func
def _spd_slope(m, values, v, result, dm, dvalues, dv, dresult):
    p = _in_basis(dm, v)
    for i in qd.static(range(v.n)):
        for j in qd.static(range(v.n)):
            low = qd.min(values[i], values[j])
            high = qd.max(values[i], values[j])
            part = qd.select(low > 0.0, qd.one(low), qd.select(high > 0.0, high / (high - low), qd.zero(low)))
            p[i, j] = p[i, j] * part
    return v @ p @ v.transpose()


# ---- Singular values --------------------------------------------------------------------


# Makes columns i and j of b orthogonal; v takes part.
@qd.func
def _orthogonalise(b: qd.template(), v: qd.template(), i: qd.template(), j: qd.template()):
    p = b[0, i] * b[0, i]
    q = b[0, j] * b[0, j]
    x = b[0, i] * b[0, j]
    for k in qd.static(range(1, b.n)):
        p += b[k, i] * b[k, i]
        q += b[k, j] * b[k, j]
        x += b[k, i] * b[k, j]
    limit = qd.cast(qd.static(1e-7 if b.dtype == qd.f32 else 2e-16), b.dtype)
    turned = qd.abs(x) > limit * qd.sqrt(p) * qd.sqrt(q)
    if turned:
        c, s, t = _rotation(p, q, x)
        for k in qd.static(range(b.n)):
            left = b[k, i]
            right = b[k, j]
            b[k, i] = c * left - s * right
            b[k, j] = s * left + c * right
            left = v[k, i]
            right = v[k, j]
            v[k, i] = c * left - s * right
            v[k, j] = s * left + c * right
    return turned


# A unit vector at a right angle to the unit vector u.
@qd.func
def _perpendicular(u):
    if qd.static(u.n == 2):
        return qd.Vector([-u[1], u[0]])
    else:
        # Across the axis that u is farthest from.
        x = qd.abs(u[0])
        y = qd.abs(u[1])
        z = qd.abs(u[2])
        w = qd.Vector([0.0 * x, -u[2], u[1]])
        if y <= x and y <= z:
            w = qd.Vector([u[2], 0.0 * x, -u[0]])
        elif z <= x and z <= y:
            w = qd.Vector([-u[1], u[0], 0.0 * x])
        return w / w.norm()


@qd.func
def _factors(b):
    # Squares of the scaled columns neither overflow nor vanish.
    size = _largest(b)
    if not (size > 0.0 and size < qd.math.inf):
        size = qd.one(size)
    b /= size
    v = qd.cast(qd.Matrix.identity(qd.i32, b.n), b.dtype)
    sweeps = 0
    turned = True
    while turned and sweeps < 30:
        turned = False
        for i in qd.static(range(b.n)):
            for j in qd.static(range(i + 1, b.n)):
                one = _orthogonalise(b, v, i, j)
                turned = turned | one
        sweeps += 1
    # In descending order: ascending order of their negatives. `both` keeps columns of b and v
    # together.
    negative = qd.Vector([-qd.Vector([b[i, j] for i in range(b.n)]).norm() for j in range(b.n)])
    both = qd.Matrix([[b[i, j] for j in range(b.n)] for i in range(b.n)] +
                     [[v[i, j] for j in range(b.n)] for i in range(b.n)])
    _sort(negative, both)
    for i in qd.static(range(b.n)):
        for j in qd.static(range(b.n)):
            b[i, j] = both[i, j]
            v[i, j] = both[b.n + i, j]
    # V is a rotation. The last column of b = U S follows it.
    if v.determinant() < 0.0:
        for i in qd.static(range(b.n)):
            b[i, b.n - 1] = -b[i, b.n - 1]
            v[i, b.n - 1] = -v[i, b.n - 1]
    # The left vectors. A column without length says nothing about its direction.
    first = qd.Vector([b[i, 0] for i in range(b.n)])
    u0 = qd.Vector([qd.one(size) * (i == 0) for i in range(b.n)])
    if negative[0] < 0.0:
        u0 = first / -negative[0]
    u = b
    if qd.static(b.n == 2):
        w = _perpendicular(u0)
        if w[0] * b[0, 1] + w[1] * b[1, 1] < 0.0:
            w = -w
        for i in qd.static(range(2)):
            u[i, 0] = u0[i]
            u[i, 1] = w[i]
    else:
        second = qd.Vector([b[i, 1] for i in range(b.n)])
        second -= u0 * u0.dot(second)
        length = second.norm()
        u1 = _perpendicular(u0)
        if length > 0.25 * -negative[1] and negative[1] < 0.0:
            u1 = second / length
        u2 = u0.cross(u1)
        if u2[0] * b[0, 2] + u2[1] * b[1, 2] + u2[2] * b[2, 2] < 0.0:
            negative[2] = -negative[2] # U is a rotation, too: the last singular value has the sign
        for i in qd.static(range(3)):
            u[i, 0] = u0[i]
            u[i, 1] = u1[i]
            u[i, 2] = u2[i]
    s = qd.zero(b)
    for i in qd.static(range(b.n)):
        s[i, i] = -negative[i] * size
    return u, s, v


@qd.func
def svd(a: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == a.m and (a.n == 2 or a.n == 3), "qd.svd takes matrices of 2x2 and 3x3")
    m = _real(a, dt)
    u, s, v = _factors(qd.ad.stop_gradient(m))
    return _svd_of(m, u, s, v)


@qd.func
def _svd_of(m, u, s, v):
    return u, s, v


# The rotations of U and V, as Papadopoulo and Lourakis have them ("Estimating the Jacobian of the
# singular value decomposition", 2000), by their sum and their difference: each has a denominator of
# its own.
@qd.ad.dual_for(_svd_of)
@qd.func
def _svd_slope(m, u, s, v, dm, du, ds, dv):
    p = u.transpose() @ dm @ v
    turn_u = qd.zero(p)
    turn_v = qd.zero(p)
    slopes = qd.zero(p)
    for i in qd.static(range(s.n)):
        slopes[i, i] = p[i, i]
        for j in qd.static(range(i + 1, s.n)):
            sum = (p[i, j] + p[j, i]) * _over(s[j, j] - s[i, i], s[0, 0])
            difference = (p[i, j] - p[j, i]) * _over(s[j, j] + s[i, i], s[0, 0])
            turn_u[i, j] = 0.5 * (sum + difference)
            turn_u[j, i] = -turn_u[i, j]
            turn_v[i, j] = 0.5 * (sum - difference)
            turn_v[j, i] = -turn_v[i, j]
    return u @ turn_u, slopes, v @ turn_v


@qd.func
def polar_decompose(a: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == a.m and (a.n == 2 or a.n == 3), "qd.polar_decompose takes matrices of 2x2 and 3x3")
    m = _real(a, dt)
    u, s, v = _factors(qd.ad.stop_gradient(m))
    return _polar_of(m, u, s, v, u @ v.transpose(), v @ s @ v.transpose())


@qd.func
def _polar_of(m, u, s, v, rotation, stretch):
    return rotation, stretch


# Only sums of singular values are divided by, so equal ones are like others.
@qd.ad.dual_for(_polar_of)
@qd.func
def _polar_slope(m, u, s, v, rotation, stretch, dm, du, ds, dv, drotation, dstretch):
    p = u.transpose() @ dm @ v
    turn = qd.zero(p)
    slopes = p
    for i in qd.static(range(s.n)):
        for j in qd.static(range(i + 1, s.n)):
            angle = (p[i, j] - p[j, i]) * _over(s[i, i] + s[j, j], s[0, 0])
            turn[i, j] = angle
            turn[j, i] = -angle
            slopes[i, j] = 0.5 * (p[i, j] + p[j, i] + (s[i, i] - s[j, j]) * angle)
            slopes[j, i] = slopes[i, j]
    return u @ turn @ v.transpose(), v @ slopes @ v.transpose()


# ---- General matrices -------------------------------------------------------------------


# A unit vector along the longer of two that are parallel, or `otherwise`.
@qd.func
def _along(x, y, otherwise):
    longer = x
    if y.dot(y) > x.dot(x):
        longer = y
    length = longer.norm()
    result = otherwise
    if length > 0.0:
        result = longer / length
    return result


@qd.func
def eig(a: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == 2 and a.m == 2, "qd.eig takes matrices of 2x2")
    m = _real(a, dt)
    half = 0.5 * (m[0, 0] - m[1, 1])
    middle = 0.5 * (m[0, 0] + m[1, 1])
    square = half * half + m[0, 1] * m[1, 0]
    zero = 0.0 * qd.one(middle)
    one = qd.one(middle)
    values = qd.Matrix([[middle, zero], [middle, zero]])
    vectors = qd.Matrix([[one, zero], [zero, zero], [zero, one], [zero, zero]])
    if square >= 0.0:
        root = qd.sqrt(square)
        values[0, 0] = middle + root
        values[1, 0] = middle - root
        # (A - l1) (A - l2) is 0: the columns of one factor are eigenvectors of the other.
        v0 = _along(qd.Vector([half + root, m[1, 0]]), qd.Vector([m[0, 1], root - half]), qd.Vector([one, zero]))
        v1 = _along(qd.Vector([half - root, m[1, 0]]), qd.Vector([m[0, 1], -half - root]), qd.Vector([zero, one]))
        vectors[0, 0] = v0[0]
        vectors[2, 0] = v0[1]
        vectors[0, 1] = v1[0]
        vectors[2, 1] = v1[1]
    else:
        root = qd.sqrt(-square)
        values[0, 1] = root
        values[1, 1] = -root
        # (b, l - a): b is not 0, since its product with c is negative.
        length = qd.sqrt(m[0, 1] * m[0, 1] + half * half + root * root)
        for k in qd.static(range(2)):
            vectors[0, k] = m[0, 1] / length
            vectors[1, k] = zero
            vectors[2, k] = -half / length
            vectors[3, k] = qd.static(1 - 2 * k) * root / length
    return values, vectors


@qd.func
def solve(a: qd.template(), b: qd.template(), dt: qd.template() = None):
    qd.static_assert(a.n == a.m and a.n == b.n and a.n >= 2 and a.n <= 12,
                     "qd.solve takes matrices of 2x2 to 12x12 and a vector as long")
    m = _real(a, dt)
    y = qd.cast(b, m.dtype)
    return _solution_of(m, y, _eliminate(qd.ad.stop_gradient(m), qd.ad.stop_gradient(y)))


@qd.func
def _solution_of(m, y, x):
    return x


@qd.ad.dual_for(_solution_of)
@qd.func
def _solution_slope(m, y, x, dm, dy, dx):
    return _eliminate(m, dy - dm @ x)


# Elimination with partial pivots.
@qd.func
def _eliminate(m, x):
    for k in qd.static(range(m.n)):
        for i in qd.static(range(k + 1, m.n)):
            swap = qd.abs(m[i, k]) > qd.abs(m[k, k])
            for j in qd.static(range(k, m.n)):
                upper = m[k, j]
                m[k, j] = qd.select(swap, m[i, j], upper)
                m[i, j] = qd.select(swap, upper, m[i, j])
            upper = x[k]
            x[k] = qd.select(swap, x[i], upper)
            x[i] = qd.select(swap, upper, x[i])
        assert m[k, k] != 0.0, "qd.solve: the matrix is singular"
        for i in qd.static(range(k + 1, m.n)):
            factor = m[i, k] / m[k, k]
            for j in qd.static(range(k + 1, m.n)):
                m[i, j] -= factor * m[k, j]
            x[i] -= factor * x[k]
    for k in qd.static(range(m.n)):
        i = qd.static(m.n - 1 - k)
        for j in qd.static(range(i + 1, m.n)):
            x[i] -= m[i, j] * x[j]
        x[i] /= m[i, i]
    return x
