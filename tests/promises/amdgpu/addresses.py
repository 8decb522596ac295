# The cost of accesses in loops: a row's address is computed once, and columns are added to it. Extents
# are not negative, positions do not wrap.
# RUN: %show_gfx942_wave64 %s | FileCheck %s --check-prefixes=CHECK,PACKED
# RUN: %show_gfx1100_wave32 %s | FileCheck %s --check-prefixes=CHECK,PLAIN
import quadrants as qd

TILE = 4
matrix = qd.types.ndarray(dtype=qd.f32, ndim=2)
mat4 = qd.types.matrix(4, 4, qd.f32)


# CHECK-LABEL: row_sums_t0:
# CHECK: v_mul_lo_u32
# CHECK: global_load
# CHECK-NOT: {{v_mul_lo|v_mad_u64|v_ashr|v_lshlrev}}
# CHECK: v_add_f32
# CHECK-NOT: {{v_mul_lo|v_mad_u64|v_ashr|v_lshlrev}}
# CHECK: s_cbranch_scc
@qd.kernel
def row_sums(x: matrix, out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for row in range(x.shape[0]):
        total = 0.0
        for col in range(x.shape[1]):
            total += x[row, col]
        out[row] = total


# Four rows of `a`, and one of `b` that is loaded as a whole.
# CHECK-LABEL: matmul_t0:
# PACKED: global_load_dwordx4
# PACKED-NOT: {{v_mul_lo|v_mad_u64|v_ashr|v_lshlrev|v_fma_f32|v_fmac}}
# PACKED-COUNT-8: v_pk_fma_f32
# PACKED-NOT: {{v_mul_lo|v_mad_u64|v_ashr|v_lshlrev|v_fma_f32|v_fmac}}
# PLAIN: global_load_b128
# PLAIN-NOT: {{v_mul_lo|v_mad_u64|v_ashr|v_lshlrev}}
# CHECK: s_cbranch_scc1
@qd.kernel
def matmul(a: matrix, b: matrix, c: matrix):
    for bi, bj in qd.ndrange(a.shape[0] // TILE, b.shape[1] // TILE):
        acc = qd.Matrix.zero(qd.f32, TILE, TILE)
        for k in range(a.shape[1]):
            for i in qd.static(range(TILE)):
                for j in qd.static(range(TILE)):
                    acc[i, j] += a[bi * TILE + i, k] * b[k, bj * TILE + j]
        for i in qd.static(range(TILE)):
            for j in qd.static(range(TILE)):
                c[bi * TILE + i, bj * TILE + j] = acc[i, j]


# Neighbours in a row are one load.
# CHECK-LABEL: stencil_t0:
# CHECK-COUNT-2: global_load_{{dword|b32}} v
# CHECK-COUNT-1: global_load_{{dwordx3|b96}} v
# CHECK-NOT: global_load
# CHECK: s_endpgm
@qd.kernel
def stencil(x: matrix, out: matrix):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        if i > 0 and j > 0 and i < x.shape[0] - 1 and j < x.shape[1] - 1:
            out[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j]


# Two f32 an instruction, where the processor has these.
# CHECK-LABEL: product_t0:
# PACKED-NOT: {{v_(mul|fma|fmac|add)_f32}}
# PACKED-COUNT-32: v_pk_{{mul|fma}}_f32
# PACKED-NOT: {{v_(mul|fma|fmac|add)_f32|v_pk}}
# CHECK: s_endpgm
@qd.kernel
def product(a: qd.types.ndarray(dtype=mat4, ndim=1), b: qd.types.ndarray(dtype=mat4, ndim=1),
            c: qd.types.ndarray(dtype=mat4, ndim=1)):
    for i in range(a.shape[0]):
        c[i] = a[i] @ b[i]


# Components of vectors are one access: a constant is added to the address, which costs nothing.
# CHECK-LABEL: moved_t0:
# CHECK: global_load_{{dwordx3|b96}} v
# CHECK-NOT: {{global_load|v_ashr}}
# CHECK: global_store_{{dwordx3|b96}} v
# CHECK-NOT: global_store
# CHECK: s_endpgm
@qd.kernel
def moved(p: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1), dt: qd.f32):
    for i in p:
        p[i] = p[i] * dt + 1.0


# Eight loads have two addresses: offsets have 12 bits, of which some processors give one to the sign.
# CHECK-LABEL: far_t0:
# CHECK-NOT: v_ashr
# CHECK-COUNT-6: global_load_{{dword|b32}} {{.*}}offset:
# CHECK-NOT: v_ashr
# CHECK: s_endpgm
@qd.kernel
def far(x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in y:
        total = 0.0
        for k in qd.static(range(8)):
            total += x[i + 256 * k]
        y[i] = total
