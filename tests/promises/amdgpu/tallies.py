# Updates at data-dependent places go through a table in LDS, in a loop over the blocks of iterations: of
# each thread one compare-and-swap of the tag, and an atomic there or in device memory. Four blocks of
# 512 threads, with tables of 16 KiB, fill a compute unit.
# RUN: %show_gfx942_wave64 %s | FileCheck %s
# RUN: %show_gfx1030_wave32 %s | FileCheck %s
# RUN: %show_gfx1100_wave32 %s | FileCheck %s
# RUN: %show_gfx1201_wave64 %s | FileCheck %s
# RUN: %sextant compile %s -o %t.sxt --targets amdgpu:gfx942 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s --check-prefix=GRID
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


# CHECK-LABEL: behind_t0:
# CHECK-NOT: ds_
# CHECK: global_atomic_add
# CHECK-NOT: global_atomic
# CHECK: s_endpgm
@qd.kernel
def behind(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1
        x[i] = 0


# GRID-LABEL: kernel counts(
# GRID: task counts_t0 512 threads a block, max(min(x.shape[0], 262144), min(x.shape[0], (x.shape[0] - 2147483647) * 4294967296)) iterations
# GRID: {{ }}16384{{ }}
# CHECK-LABEL: counts_t0:
# CHECK: {{s_barrier}}
# CHECK: {{ds_cmpst_rtn_b32|ds_cmpstore_rtn_b32}}
# CHECK-DAG: ds_add_u32
# CHECK-DAG: global_atomic_add
# CHECK: {{s_barrier}}
# CHECK: global_atomic_add
# CHECK-NOT: {{global_atomic|ds_add|ds_cmp}}
# CHECK: s_endpgm
@qd.kernel
def counts(x: I32, bins: I32):
    for i in x:
        bins[x[i]] += 1


# CHECK-LABEL: sums_t0:
# CHECK: {{ds_cmpst_rtn_b32|ds_cmpstore_rtn_b32}}
# CHECK: ds_add_f32
# CHECK: {{s_barrier}}
# CHECK: s_endpgm
@qd.kernel
def sums(x: I32, v: F32, bins: F32):
    for i in x:
        bins[x[i]] += v[i]
