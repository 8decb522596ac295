// Without ROCm's device library, functions that need it are refused where they stand, and
// other kernels are built.
// RUN: env SEXTANT_OCML=/nonexistent sextant-opt %s --target=amdgpu:gfx1100 --emit=none --split-input-file --verify-diagnostics

module attributes {simt.wave = 32 : i32} {
  func.func @sine(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    // expected-error @+1 {{'sin' on amdgpu:gfx1100/wave32 needs ROCm's amdgcn/bitcode/ocml.bc; $SEXTANT_OCML is '/nonexistent', which does not exist}}
    %r = math.sin %v : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @root(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = math.sqrt %v : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
