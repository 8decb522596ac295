# With --large-arrays the ordinary variants are what they are without it, and those for large arrays
# compute positions of 64 bits.
# RUN: rm -rf %t && mkdir %t
# RUN: %sextant compile %s -o %t/plain.sxt -j 1 --targets cuda:compute_80,amdgpu:gfx90a,amdgpu:gfx1100/wave32,vulkan:1.1/wave32,metal:3.2,x86-64-v3/wave8
# RUN: %sextant compile %s -o %t/large.sxt -j 1 --large-arrays --targets cuda:compute_80,amdgpu:gfx90a,amdgpu:gfx1100/wave32,vulkan:1.1/wave32,metal:3.2,x86-64-v3/wave8
#
# RUN: %sextant disasm %t/plain.sxt -k scale -t cuda:compute_80/wave32 > %t/plain-cuda
# RUN: %sextant disasm %t/large.sxt -k scale -t cuda:compute_80/wave32 > %t/ordinary-cuda
# RUN: diff %t/plain-cuda %t/ordinary-cuda
# RUN: %sextant disasm %t/plain.sxt -k scale -t amdgpu:gfx90a/wave64 > %t/plain-gfx90a
# RUN: %sextant disasm %t/large.sxt -k scale -t amdgpu:gfx90a/wave64 > %t/ordinary-gfx90a
# RUN: diff %t/plain-gfx90a %t/ordinary-gfx90a
# RUN: %sextant disasm %t/plain.sxt -k scale -t vulkan:1.1/wave32 > %t/plain-vulkan
# RUN: %sextant disasm %t/large.sxt -k scale -t vulkan:1.1/wave32 > %t/ordinary-vulkan
# RUN: diff %t/plain-vulkan %t/ordinary-vulkan
# RUN: %sextant disasm %t/plain.sxt -k scale -t x86-64-v3/wave8 > %t/plain-cpu
# RUN: %sextant disasm %t/large.sxt -k scale -t cpu:x86-64-v3/wave8 > %t/ordinary-cpu
# RUN: diff %t/plain-cpu %t/ordinary-cpu
#
# RUN: FileCheck %s --check-prefix=PLAIN < %t/ordinary-cuda
# RUN: %sextant disasm %t/large.sxt -k scale -t cuda:compute_80+large-arrays | FileCheck %s --check-prefix=CUDA
# RUN: %sextant disasm %t/large.sxt -k scale -t amdgpu:gfx90a+large-arrays/wave64 | FileCheck %s --check-prefix=AMD
# RUN: %sextant disasm %t/large.sxt -k scale -t amdgpu:gfx1100+large-arrays/wave32 | FileCheck %s --check-prefix=AMD
# RUN: %sextant disasm %t/large.sxt -k scale -t vulkan:1.1+large-arrays/wave32 | FileCheck %s --check-prefix=VULKAN
# RUN: %sextant disasm %t/large.sxt -k scale -t metal:3.2+large-arrays | FileCheck %s --check-prefix=METAL
# RUN: %sextant disasm %t/large.sxt -k scale -t x86-64-v3+large-arrays/wave8 | FileCheck %s --check-prefix=CPU
import quadrants as qd


# One thread an iteration, no loop, an extent of 32 bits.
# PLAIN: .param .u32 scale_t0_param_1
# PLAIN-NOT: bra.uni
# PLAIN: ld.global.f32

# The extent is a u64, and so are the counter and what is added to the address.
# CUDA: .param .u64 scale_t0_param_1
# CUDA: ld.param.u64 [[EXTENT:%rd[0-9]+]], [scale_t0_param_1];
# CUDA: setp.ge.u64 {{%p[0-9]+}}, [[AT:%rd[0-9]+]], [[EXTENT]];
# CUDA: shl.b64 [[BYTES:%rd[0-9]+]], [[AT]], 2;
# CUDA-NEXT: add.s64 [[ADDRESS:%rd[0-9]+]], {{%rd[0-9]+}}, [[BYTES]];
# CUDA: ld.global.f32 {{%f[0-9]+}}, [[[ADDRESS]]];

# Nothing is widened from 32 bits with its sign.
# AMD-NOT: ashrrev_i32
# AMD: s_load_{{dwordx4|b128}}
# AMD: cmp_{{g|l}}{{[te]}}_u64
# AMD: s_lshl_b64 {{s\[[0-9]+:[0-9]+\]}}, {{s\[[0-9]+:[0-9]+\]}}, 2
# AMD-NOT: ashrrev_i32

# A binding has no more elements than 32 bits count, which is twice as many as i32 does.
# VULKAN: OpCapability Int64
# VULKAN: [[AT:%[0-9]+]] = OpIAdd %ulong
# VULKAN: [[INDEX:%[0-9]+]] = OpUConvert %uint [[AT]]
# VULKAN-NEXT: OpAccessChain %_ptr_StorageBuffer_float {{%[0-9]+}} %uint_0 [[INDEX]]

# METAL: ulong [[AT:_[0-9]+]] = {{_[0-9]+}} + {{_[0-9]+}};
# METAL: _m0{{.}}[[AT]]{{.}} = 

# CPU: mov [[EXTENT:r[a-z0-9]+]], qword ptr [rdi + 8]
# CPU: vmovups {{ymm[0-9]+}}, ymmword ptr {{.}}{{r[a-z0-9]+}} + 4*{{r[a-z0-9]+}}]
@qd.kernel
def scale(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = 2.0 * x[i]
