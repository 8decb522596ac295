# Accesses of loops over several axes, of clamped neighbours, of components and of a thread's own
# run take no gathers and no scatters on x86. (Of extents that only the launch knows, one copy of
# the code has them, for rows far shorter than a vector.)
# RUN: %count_x86-64-v3_wave32 %s 'v(gather|scatter|pgather|pscatter|perm2f128|unpck|insertf128)' | FileCheck %s --check-prefixes=CHECK,V3
# RUN: %count_x86-64-v4_wave32 %s 'v(gather|scatter|pgather|pscatter)' | FileCheck %s --check-prefixes=CHECK,V4
import quadrants as qd

image = qd.field(qd.f32, shape=(300, 100))
result = qd.field(qd.f32, shape=(300, 100))


# CHECK: {{^}}within_rows:{{($| stack$)}}
@qd.kernel
def within_rows():
    for i, j in qd.ndrange(300, 100):
        result[i, j] = 2.0 * image[i, j]


# Where the number of a neighbour wraps, a copy of the code has gathers. It does not run here.
# V3: {{^}}clamped: 10 vgatherdps{{(, stack)?$}}
# V4: {{^}}clamped: 6 vgatherdps{{(, stack)?$}}
@qd.kernel
def clamped():
    for i, j in qd.ndrange(300, 100):
        result[i, j] = image[i, qd.max(j - 1, 0)] + image[i, qd.min(j + 1, 99)] + image[qd.max(i - 1, 0), j]


# Four words by AVX2: for whole vectors a transpose of each array, twelve shuffles.
# V3: {{^}}components:{{.*}} vperm2f128
# V4: {{^}}components:{{($| stack$)}}
@qd.kernel
def components(x: qd.types.ndarray(qd.types.vector(4, qd.f32), 1), y: qd.types.ndarray(qd.f32, 1)):
    for i in range(x.shape[0]):
        y[i] = x[i].sum()


# CHECK: {{^}}own_run:{{($| stack$)}}
@qd.kernel
def own_run(
    begin: qd.types.ndarray(qd.i32, 1),
    column: qd.types.ndarray(qd.i32, 1),
    value: qd.types.ndarray(qd.f32, 1),
    x: qd.types.ndarray(qd.f32, 1),
    y: qd.types.ndarray(qd.f32, 1),
):
    for row in range(y.shape[0]):
        s = 0.0
        for k in range(begin[row], begin[row + 1]):
            s += value[k] * x[column[k]]
        y[row] = s
