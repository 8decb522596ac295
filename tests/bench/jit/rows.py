# Loops with arithmetic, rows of data and searches: under Quadrants' own JIT (run_rows.py), and from a
# module on the same GPU by its two drivers (rows.cpp). Those named *_strided have as many threads as
# an H100 runs at once, each with several elements.
import quadrants as qd

THREADS = 132 * 2048
Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
Ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
four = qd.types.vector(4, qd.f32)
Fours = qd.types.ndarray(dtype=four, ndim=1)
Plane = qd.types.ndarray(dtype=four, ndim=2)


@qd.func
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * qd.abs(x))
    tail = (
        qd.exp(-0.5 * x * x)
        * 0.39894228
        * k
        * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    )
    result = tail
    if x > 0.0:
        result = 1.0 - tail
    return result


@qd.func
def price_of(s, k, t):
    root = qd.sqrt(t)
    d1 = (qd.log(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root)
    return s * normal(d1) - k * qd.exp(-0.02 * t) * normal(d1 - 0.3 * root)


@qd.kernel
def black_scholes(price: Reals, strike: Reals, years: Reals, call: Reals):
    for i in range(price.shape[0]):
        call[i] = price_of(price[i], strike[i], years[i])


@qd.kernel
def black_scholes_strided(price: Reals, strike: Reals, years: Reals, call: Reals):
    for t in range(THREADS):
        i = t
        while i < price.shape[0]:
            call[i] = price_of(price[i], strike[i], years[i])
            i += THREADS


@qd.kernel
def spmv(begin: Ints, column: Ints, value: Reals, x: Reals, y: Reals):
    for row in range(y.shape[0]):
        s = 0.0
        for k in range(begin[row], begin[row + 1]):
            s += value[k] * x[column[k]]
        y[row] = s


@qd.kernel
def spmv_strided(begin: Ints, column: Ints, value: Reals, x: Reals, y: Reals):
    for t in range(THREADS):
        row = t
        while row < y.shape[0]:
            s = 0.0
            for k in range(begin[row], begin[row + 1]):
                s += value[k] * x[column[k]]
            y[row] = s
            row += THREADS


@qd.func
def place_of(table: qd.template(), wanted):
    low = 0
    high = table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@qd.kernel
def lower_bound(table: Ints, keys: Ints, places: Ints):
    for i in range(keys.shape[0]):
        places[i] = place_of(table, keys[i])


@qd.kernel
def lower_bound_strided(table: Ints, keys: Ints, places: Ints):
    for t in range(THREADS):
        i = t
        while i < keys.shape[0]:
            places[i] = place_of(table, keys[i])
            i += THREADS


@qd.kernel
def saxpy4(a: qd.f32, x: Fours, y: Fours):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scatter(x: Reals, y: Reals, grid: Plane):
    for p in range(x.shape[0]):
        i = qd.cast(x[p], qd.i32)
        j = qd.cast(y[p], qd.i32)
        fx = x[p] - i
        fy = y[p] - j
        for a, b in qd.static(qd.ndrange(2, 2)):
            w = qd.abs(1.0 - a - fx) * qd.abs(1.0 - b - fy)
            grid[i + a, j + b] += qd.Vector([w, w * fx, w * fy, 1.0])
