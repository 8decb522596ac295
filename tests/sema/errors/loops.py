# Loops and what is said before them.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
U = qd.types.ndarray(dtype=qd.u8, ndim=1)


@qd.kernel
def blocks(f: F, n: qd.i32):
    qd.loop_config(block_dim=n)  # error: `block_dim` of `qd.loop_config` has to be a compile-time integer, not a run-time i32
    for i in f:
        f[i] = 1
    qd.loop_config(block_dim=4096)  # error: `block_dim` of `qd.loop_config` has to be between 1 and 1024, not 4096
    for i in f:
        f[i] = 1


@qd.kernel
def targets(f: F):
    for i, j in qd.ndrange(3, 4, axes=(0, 0)):  # error: `axes` has to name each axis once
        f[i] = 1
    for i, j in f:  # error: this loop has 1 indices, but 2 targets
        f[i] = 1


point = qd.field(qd.i32, shape=())


@qd.kernel
def names(f: F, n: qd.i32):
    k = 3
    for k in range(3):  # error: `k` is a variable already, which a loop would not change
        f[k] = 1
    for n in f:  # error: `n` is a variable already, which a loop would not change
        f[n] = 1
    for a in range(3):
        for a in range(2):  # error: `a` is a variable already, which a loop would not change
            f[a] = 1
    for b in range(3):
        for _ in range(2):
            for _ in range(2):
                f[b] = 1
    for c in range(3):
        f[c] = 1
    c = 5
    for c, d in qd.ndrange(3, 4):
        f[c] = 1
    for c in qd.static(range(2)):
        f[c] = 1
    for i in point:  # error: this loop has no index: it runs once
        f[0] = 1
    for i in range(1 << 70):  # error: the bound 1180591620717411303424 of this range does not fit 64 bits
        f[0] = 1
    for i in range(0, 5, 1 << 64):  # error: the step 18446744073709551616 of this range does not fit 64 bits
        f[0] = 1
    for i in qd.ndrange((1, 2, 3)):  # error: `qd.ndrange` needs integers or (begin, end) pairs, not
        f[0] = 1
    for i, j in qd.ndrange(1 << 32, 1 << 31):  # error: a parallel loop of more than 4611686018427387904 iterations
        f[0] = 1


@qd.kernel
def bodies(f: F, u: U):
    for i in f:
        qd.atomic_add(u[i], 300)  # error: the integer 300 does not fit u8
        u[i] = 300  # error: the integer 300 does not fit u8
        f[i] = 1 if i < 3 else "a"  # error: the two sides differ at run time
        for j in range(3):  # error: `for … else` is not supported
            f[i] = 2
        else:
            f[i] = 1
    for i in f:
        if i > 3:
            break  # error: `break` cannot leave a parallel loop
