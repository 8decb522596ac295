# Loops and what is said before them.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
U = qd.types.ndarray(dtype=qd.u8, ndim=1)


@qd.kernel
def blocks(f: F, n: qd.i32):
    qd.loop_config(block_dim=n)  # error: `block_dim` has to be a compile-time integer, not a run-time i32
    for i in f:
        f[i] = 1
    qd.loop_config(block_dim=4096)  # error: `block_dim` has to be between 1 and 1024, not 4096
    for i in f:
        f[i] = 1


@qd.kernel
def targets(f: F):
    for i, j in qd.ndrange(3, 4, axes=(0, 0)):  # error: `axes` has to name each axis once
        f[i] = 1
    for i, j in f:  # error: this loop has 1 indices, but 2 targets
        f[i] = 1


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
