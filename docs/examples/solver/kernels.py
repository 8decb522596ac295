"""Conjugate gradients for a sparse matrix in rows (CSR): one launch solves, and the device decides when it is done."""

import quadrants as qd

Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
Ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
Count = qd.types.ndarray(dtype=qd.i32, ndim=0)


@qd.kernel(graph=True)
def solve(rows: Ints, columns: Ints, values: Reals, b: Reals, x: Reals, r: Reals, p: Reals, q: Reals,
          go: Count, rounds: Count, tolerance: qd.f32, most: qd.i32):
    """Solves A x = b, until the residual is `tolerance` times b, or `most` rounds are over. Row i of A
    has the values `rows[i]` to `rows[i + 1] - 1`. `go` is 1 before; r, p and q are memory to work in."""
    square = 0.0
    for i in b:
        x[i] = 0.0
        r[i] = b[i]
        p[i] = b[i]
        square += b[i] * b[i]  # a sum over all threads
    limit = tolerance * tolerance * square
    rounds[()] = 0

    while qd.graph.do_while(go):
        curvature = 0.0
        for i in b:
            product = 0.0
            for k in range(rows[i], rows[i + 1]):
                product += values[k] * p[columns[k]]
            q[i] = product
            curvature += p[i] * product
        length = square / curvature

        after = 0.0
        for i in b:
            x[i] = x[i] + length * p[i]
            r[i] = r[i] - length * q[i]
            after += r[i] * r[i]
        turn = after / square

        for i in b:
            p[i] = r[i] + turn * p[i]
        square = after
        rounds[()] += 1
        go[()] = 1 if square > limit and rounds[()] < most else 0
