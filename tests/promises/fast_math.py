# Fast math is approximate instructions, where a kernel or the command asks for them, only of f32 and
# not in qd.precise(...).
# RUN: mkdir -p %t
# RUN: %sextant compile %s -o %t/plain.sxt -j 1 --targets cuda:compute_80,amdgpu:gfx90a,vulkan:1.1/wave32,x86-64-v3/wave8
# RUN: %sextant compile %s -o %t/fast.sxt -j 1 --fast-math --targets cuda:compute_80,amdgpu:gfx90a,vulkan:1.1/wave32,x86-64-v3/wave8
# RUN: %sextant disasm %t/plain.sxt -k asks -t cuda:compute_80 | FileCheck %s --check-prefix=FAST
# RUN: %sextant disasm %t/fast.sxt -k silent -t cuda:compute_80 | FileCheck %s --check-prefix=FAST
# RUN: %sextant disasm %t/plain.sxt -k silent -t cuda:compute_80 | FileCheck %s --check-prefix=EXACT
# RUN: %sextant disasm %t/fast.sxt -k refuses -t cuda:compute_80 | FileCheck %s --check-prefix=EXACT
# RUN: %sextant disasm %t/plain.sxt -k asks -t amdgpu:gfx90a | FileCheck %s --check-prefix=AMD
# RUN: %sextant disasm %t/plain.sxt -k silent -t amdgpu:gfx90a | FileCheck %s --check-prefix=AMD-EXACT
# RUN: %sextant disasm %t/plain.sxt -k asks -t vulkan:1.1 | FileCheck %s --check-prefix=VULKAN
# RUN: %sextant disasm %t/fast.sxt -k silent -t vulkan:1.1 | FileCheck %s --check-prefix=VULKAN
# RUN: %sextant disasm %t/plain.sxt -k silent -t vulkan:1.1 | FileCheck %s --check-prefix=VULKAN-EXACT
# RUN: %sextant disasm %t/plain.sxt -k silent -t x86-64-v3/wave8 > %t/plain.s
# RUN: %sextant disasm %t/fast.sxt -k silent -t x86-64-v3/wave8 > %t/fast.s
# RUN: cmp %t/plain.s %t/fast.s
import quadrants as qd

F32 = qd.types.ndarray(qd.f32, 1)
F64 = qd.types.ndarray(qd.f64, 1)

# FAST: rcp.approx.ftz.f32
# FAST: sqrt.approx.ftz.f32
# FAST: sin.approx.ftz.f32
# FAST: div.rn.f32
# FAST: div.rn.f64
# EXACT-NOT: approx.{{(ftz.)?}}f32
# EXACT: div.rn.f32
# EXACT-NOT: {{(rcp|sqrt|sin)}}.approx
# EXACT: sqrt.rn.f32
# EXACT: div.rn.f32
# EXACT: div.rn.f64
# AMD: v_rcp_f32
# AMD: v_sqrt_f32
# AMD: v_sin_f32
# AMD: v_div_fixup_f32
# AMD: v_div_fixup_f64
# AMD-EXACT: v_div_fixup_f32
# AMD-EXACT: v_div_fixup_f32
# AMD-EXACT: v_div_fixup_f64
# VULKAN: OpEntryPoint
# VULKAN: [[QUOTIENT:%[0-9]+]] = OpFDiv %float
# VULKAN: [[ROOT:%[0-9]+]] = OpExtInst %float {{.*}} Sqrt [[QUOTIENT]]
# VULKAN: OpExtInst %float {{.*}} Sin [[ROOT]]
# VULKAN: OpFDiv %float %float_1
# VULKAN-EXACT: OpEntryPoint
# VULKAN-EXACT-NOT: Sin
# VULKAN-EXACT: OpFDiv %float %float_1
# VULKAN-EXACT-NOT: Sin


@qd.kernel(fast_math=True)
def asks(x: F32, y: F64, z: F32):
    for i in range(x.shape[0]):
        x[i] = qd.sin(qd.sqrt(x[i] / x[i + 1]))
        z[i] = qd.precise(x[i + 2] / x[i + 1])
        y[i] = y[i] / y[i + 1]


@qd.kernel
def silent(x: F32, y: F64, z: F32):
    for i in range(x.shape[0]):
        x[i] = qd.sin(qd.sqrt(x[i] / x[i + 1]))
        z[i] = qd.precise(x[i + 2] / x[i + 1])
        y[i] = y[i] / y[i + 1]


@qd.kernel(fast_math=False)
def refuses(x: F32, y: F64, z: F32):
    for i in range(x.shape[0]):
        x[i] = qd.sin(qd.sqrt(x[i] / x[i + 1]))
        z[i] = qd.precise(x[i + 2] / x[i + 1])
        y[i] = y[i] / y[i + 1]
