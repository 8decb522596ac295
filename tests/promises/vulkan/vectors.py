# Elements of vectors and matrices in device memory are accessed 16 bytes at a time.
# RUN: %show_vulkan_wave32 %s | FileCheck %s --check-prefix=SPIRV
# RUN: %show_metal %s | FileCheck %s --check-prefix=METAL
import quadrants as qd

V4 = qd.types.ndarray(qd.types.vector(4, qd.f32), 1)
M4 = qd.types.ndarray(qd.types.matrix(4, 4, qd.f32), 1)


# SPIRV-LABEL: OpEntryPoint GLCompute %{{.*}} "scale_t0"
# SPIRV: OpLoad %v4float
# SPIRV: OpStore %{{.*}} %{{.*}}
# SPIRV-NOT: OpStore
# SPIRV: OpFunctionEnd
# METAL-LABEL: kernel void scale_t0(
# METAL: float4 [[V:.*]] = {{.*}}._m0[
# METAL: float4 [[W:.*]] = float4(
# METAL: ._m0[{{.*}}] = [[W]];
@qd.kernel
def scale(x: V4, y: V4, s: qd.f32):
    for i in x:
        y[i] = x[i] * s


# SPIRV-LABEL: OpEntryPoint GLCompute %{{.*}} "product_t0"
# SPIRV-COUNT-8: OpLoad %v4float
# SPIRV-COUNT-4: OpStore
# SPIRV-NOT: OpStore
# SPIRV: OpFunctionEnd
# METAL-LABEL: kernel void product_t0(
# METAL-COUNT-8: float4 {{.*}} = {{.*}}._m0[
# METAL-COUNT-4: ._m0[{{.*}}] = _
@qd.kernel
def product(x: M4, y: M4, z: M4):
    for i in x:
        z[i] = x[i] @ y[i]
