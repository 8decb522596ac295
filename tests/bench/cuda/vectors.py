# Vectors and matrices in memory. Beside vectors.cu.
import quadrants as qd

vec4 = qd.types.vector(4, qd.f32)
mat4 = qd.types.matrix(4, 4, qd.f32)
Vectors = qd.types.ndarray(vec4, 1)
Matrices = qd.types.ndarray(mat4, 1)
Numbers = qd.types.ndarray(qd.i32, 1)


@qd.kernel
def products(x: Matrices, y: Matrices, z: Matrices):
    qd.loop_config(block_dim=256)
    for i in range(z.shape[0]):
        z[i] = x[i] @ y[i]


@qd.kernel
def scale(x: Vectors, y: Vectors, a: qd.f32):
    qd.loop_config(block_dim=256)
    for i in range(y.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scatter(at: Numbers, x: Vectors, sums: Vectors):
    qd.loop_config(block_dim=256)
    for i in range(at.shape[0]):
        sums[at[i]] += x[i]


@qd.kernel
def tally(x: Numbers, most: Numbers):
    """Each thread counts in a vector of its own, at places that only it knows."""
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        counts = qd.Vector([0 for _ in range(16)])
        bits = qd.cast(x[i], qd.u32)
        for _ in range(32):
            counts[qd.cast(bits >> 28, qd.i32)] += 1
            bits = bits * 1664525 + 1013904223
        largest = 0
        for k in qd.static(range(16)):
            largest = qd.max(largest, counts[k])
        most[i] = largest
