# A thread that runs over a row of an array loads four elements together, wherever a vector may lie; see
# ir/transforms/vectorize-rows.mlir. AMD's vectors may begin anywhere, so one loop serves all rows there.
# RUN: %sextant compile %s -o %t.sxt --targets cuda:compute_90,amdgpu:gfx1100,vulkan:1.1/wave32 -j 1
# RUN: %sextant disasm %t.sxt -k dot -t cuda:compute_90 | FileCheck %s --check-prefix=PTX
# RUN: %sextant disasm %t.sxt -k dot -t amdgpu:gfx1100/wave32 | FileCheck %s --check-prefix=AMD
# RUN: %sextant disasm %t.sxt -k dot -t vulkan:1.1+buffer-addresses/wave32 | FileCheck %s --check-prefix=SPIRV
import quadrants as qd


# PTX-LABEL: .entry dot_t0
# PTX-DAG: ld.global.v4.f32
# PTX-DAG: ld.global.f32
# AMD-LABEL: dot_t0:
# AMD: global_load_b128
# SPIRV: OpLoad %v4float %{{[0-9]+}} Aligned 16
@qd.kernel
def dot(m: qd.types.ndarray(qd.f32, 2), x: qd.types.ndarray(qd.f32, 1), out: qd.types.ndarray(qd.f32, 1)):
    for i in range(m.shape[0]):
        total = 0.0
        for k in range(m.shape[1]):
            total += m[i, k] * x[k]
        out[i] = total
