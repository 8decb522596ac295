# Counts and sums at data-dependent places. Beside bins.cu.
import quadrants as qd

Ints = qd.types.ndarray(qd.i32, 1)
Reals = qd.types.ndarray(qd.f32, 1)


@qd.kernel
def counts(x: Ints, bins: Ints):
    for i in x:
        bins[x[i]] += 1


@qd.kernel
def sums(x: Ints, v: Ints, bins: Ints):
    for i in x:
        bins[x[i]] += v[i]


@qd.kernel
def real_sums(x: Ints, v: Reals, bins: Reals):
    for i in x:
        bins[x[i]] += v[i]
