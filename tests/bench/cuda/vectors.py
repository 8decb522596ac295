# Vectors and matrices in memory. Beside vectors.cu.
import quadrants as qd

vec4 = qd.types.vector(4, qd.f32)
mat4 = qd.types.matrix(4, 4, qd.f32)
Vectors = qd.types.ndarray(vec4, 1)
Matrices = qd.types.ndarray(mat4, 1)


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
def scatter(at: qd.types.ndarray(qd.i32, 1), x: Vectors, sums: Vectors):
    qd.loop_config(block_dim=256)
    for i in range(at.shape[0]):
        sums[at[i]] += x[i]
