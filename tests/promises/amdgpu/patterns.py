# An index that is a function of the lane: one move, if the pattern stays in rows, or in the two
# rows of a half from gfx10 on.
# RUN: %count_gfx942_wave64 %s | FileCheck %s --check-prefix=G9
# RUN: %count_gfx1030_wave32 %s | FileCheck %s --check-prefix=RDNA
# RUN: %count_gfx1100_wave64 %s | FileCheck %s --check-prefix=RDNA
# RUN: %count_gfx1201_wave32 %s | FileCheck %s --check-prefix=RDNA
import quadrants as qd
from quadrants.lang.simt import subgroup


# G9: {{^}}swap_pairs: dpp 1
# RDNA: {{^}}swap_pairs: dpp 1
@qd.kernel
def swap_pairs(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        x[i] = subgroup.shuffle(x[i], qd.cast(subgroup.invocation_id() ^ 1, qd.u32))


# G9: {{^}}reverse4: dpp 1
# RDNA: {{^}}reverse4: dpp 1
@qd.kernel
def reverse4(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        lane = subgroup.invocation_id()
        x[i] = subgroup.shuffle(x[i], qd.cast((lane // 4) * 4 + 3 - lane % 4, qd.u32))


# G9: {{^}}rotate: dpp 1
# RDNA: {{^}}rotate: dpp 1
@qd.kernel
def rotate(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        lane = subgroup.invocation_id()
        x[i] = subgroup.shuffle(x[i], qd.cast((lane & ~15) | ((lane - 3) & 15), qd.u32))


# G9: {{^}}all_equal_tiled: crossbar 1
# RDNA: {{^}}all_equal_tiled: permlane 1
@qd.kernel
def all_equal_tiled(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        x[i] = qd.cast(subgroup.all_equal_tiled(x[i], 3), qd.f32)
