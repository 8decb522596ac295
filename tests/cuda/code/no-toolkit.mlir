// Without ptxas a cubin's target gets PTX; without libdevice, its functions are an error.
// RUN: env SEXTANT_PTXAS=none SEXTANT_LIBDEVICE=none sextant-opt %s --target=cuda:sm_100 --emit=asm | FileCheck %s
// RUN: env SEXTANT_LIBDEVICE=none not sextant-opt %S/math.mlir --target=cuda:sm_90 --emit=none 2>&1 | FileCheck %s --check-prefix=MATH

// CHECK: .target sm_90
// CHECK: .entry root(
// CHECK: sqrt.rn.f32
// MATH: math.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'exp' on cuda:sm_90/wave32 needs libdevice.10.bc of the CUDA toolkit; $SEXTANT_LIBDEVICE is 'none', which does not exist{{$}}
module attributes {simt.wave = 32 : i32} {
  func.func @root(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = math.sqrt %v : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
