# Exponentials and logarithms of f32 scale subnormal numbers once.
# RUN: %show_gfx942_wave64 %s | FileCheck %s
# RUN: %show_gfx1100_wave32 %s | FileCheck %s
import quadrants as qd

reals = qd.types.ndarray(dtype=qd.f32, ndim=1)


# Overflow and underflow are two choices; the scale is v_ldexp_f32.
# CHECK-LABEL: exps_t0:
# CHECK: global_load
# CHECK-NOT: v_cndmask
# CHECK: v_exp_f32
# CHECK: v_ldexp_f32
# CHECK-COUNT-2: v_cndmask_b32
# CHECK-NOT: {{v_cndmask|v_ldexp|v_exp_f32}}
# CHECK: s_endpgm
@qd.kernel
def exps(x: reals):
    for i in range(x.shape[0]):
        x[i] = qd.exp(x[i])


# One comparison finds subnormal numbers. The product with log(2) is rounded before what that lost is
# added.
# CHECK-LABEL: logs_t0:
# CHECK: global_load
# CHECK-NOT: v_cmp
# CHECK: v_cmp_gt_f32
# CHECK-NOT: v_cmp
# CHECK: v_log_f32
# CHECK: v_mul_f32{{(_e32)?}} [[PRODUCT:v[0-9]+]], 0x3f317217
# CHECK: v_{{(dual_)?}}add_f32{{(_e32)?}} v{{[0-9]+}}, {{.*}}[[PRODUCT]]
# CHECK: s_endpgm
@qd.kernel
def logs(x: reals):
    for i in range(x.shape[0]):
        x[i] = qd.log(x[i])
