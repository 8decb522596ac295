# Operations that are a few instructions, or a known loop.
# RUN: %show_gfx90a_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
# RUN: %show_gfx942_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
# RUN: %show_gfx1030_wave32 %s | FileCheck %s --check-prefixes=CHECK,W32
# RUN: %show_gfx1030_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
# RUN: %show_gfx1100_wave32 %s | FileCheck %s --check-prefixes=CHECK,W32
# RUN: %show_gfx1100_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
# RUN: %show_gfx1201_wave32 %s | FileCheck %s --check-prefixes=CHECK,W32
# RUN: %show_gfx1201_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup


# CHECK-LABEL: elect_t0:
# CHECK-NOT: {{mbcnt|readfirstlane|ff1|ctz|ballot}}
# W64: and_b32{{(_e32)?}} [[LANE:v[0-9]+]], 63, v
# W32: and_b32{{(_e32)?}} [[LANE:v[0-9]+]], 31, v
# CHECK: v_cmp_{{eq|ne}}_u32_e32 vcc{{(_lo)?}}, 0, [[LANE]]
# CHECK-NOT: {{v_cmp|mbcnt|readfirstlane}}
# CHECK: s_endpgm
@qd.kernel
def elect(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.elect()


# Lanes 0 to 31, and nothing of the predicate's side is masked.
# CHECK-LABEL: ballot_all_t0:
# W64: v_cmp_ne_u32_e64 s{{\[}}[[LOW:[0-9]+]]:
# W32: v_cmp_ne_u32_e64 s[[LOW:[0-9]+]], 0,
# CHECK-NOT: {{v_cmp|cndmask|s_and_b|v_and_b}}
# CHECK: v_mov_b32_e32 v{{[0-9]+}}, s[[LOW]]
# CHECK-NOT: {{v_cmp|cndmask|s_and_b|v_and_b}}
# CHECK: s_endpgm
@qd.kernel
def ballot_all(x: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 32)


# CHECK-LABEL: masks_t0:
# CHECK: global_load
# CHECK: v_lshlrev_b32_e64 v{{[0-9]+}}, v{{[0-9]+}}, -1
# CHECK-NOT: v_
# CHECK: global_store
# CHECK: s_endpgm
@qd.kernel
def masks(n: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(128):
        n[i] = subgroup.lanemask_ge(n[i])


# One ballot, one count of leading zeros.
# CHECK-LABEL: segmented_t0:
# CHECK: v_cmp_ne_u32
# CHECK: v_{{ffbh_u32|clz_i32_u32}}
# CHECK-NOT: {{v_ffbh|v_clz}}
# CHECK: s_endpgm
@qd.kernel
def segmented(x: qd.types.ndarray(dtype=qd.i32, ndim=1), head: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.segmented_reduce_add_tiled(x[i], head[i], 5)


# Fences wait and tell caches; no thread waits for another.
# CHECK-LABEL: fences_t0:
# CHECK: s_cbranch_exec
# CHECK: global_store
# CHECK-NOT: s_barrier
# CHECK: global_store
# CHECK-NOT: s_barrier
# CHECK: s_wait
# CHECK: {{buffer_wbinvl1|buffer_inv|buffer_gl1_inv|global_inv}}
# CHECK-NOT: s_barrier
# CHECK: s_endpgm
@qd.kernel
def fences(x: qd.types.ndarray(dtype=qd.i32, ndim=1), y: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        if block.thread_idx() < 7:
            x[i] = 1
            block.mem_fence()
            y[i] = 2
            grid.mem_fence()
            x[i] = 3


# The load stays in the loop.
# CHECK-LABEL: wait_t0:
# CHECK: [[AGAIN:[0-9a-f]+]]:{{[ \t]+}}global_load
# CHECK-NOT: global_load
# CHECK: s_cbranch
# CHECK-NOT: global_load
# CHECK: s_endpgm
@qd.kernel
def wait(flags: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(128):
        rounds = 0
        while qd.volatile_load(flags[0]) == 0:
            rounds += 1
        out[i] = rounds


# CHECK-LABEL: cas_t0:
# CHECK-COUNT-1: global_atomic_cmpswap
# CHECK-NOT: {{cmpswap|s_cbranch_exec[^z]|buffer_wbl2}}
# CHECK: s_endpgm
@qd.kernel
def cas(x: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = qd.atomic_cas(x[i // 2], qd.u64(1), qd.u64(7))


# CHECK-LABEL: cas_shared_t0:
# CHECK-COUNT-1: ds_cmpst{{(ore)?}}_rtn_b32
# CHECK-NOT: {{cmpst|s_cbranch_exec[^z]}}
# CHECK: s_endpgm
@qd.kernel
def cas_shared(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        cells = block.SharedArray((128,), qd.i32)
        cells[block.thread_idx()] = x[i]
        block.sync()
        x[i] = qd.atomic_cas(cells[5], 1, 7)


# Products, and all of f16, go round one compare-and-swap.
# CHECK-LABEL: loops_t0:
# CHECK: global_atomic_cmpswap
# CHECK: s_cbranch_execnz
# CHECK: global_atomic_cmpswap
# CHECK: s_cbranch_execnz
# CHECK-NOT: {{global_atomic|s_cbranch_execnz}}
# CHECK: s_endpgm
@qd.kernel
def loops(x: qd.types.ndarray(dtype=qd.f64, ndim=1), h: qd.types.ndarray(dtype=qd.f16, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        qd.atomic_mul(x[0], 2.0)
        qd.atomic_add(h[i // 2], qd.f16(1.0))
