// An error for what the target cannot do is at the op, with names.
// RUN: sextant-opt %s --target=amdgpu:gfx1100 --emit=none --split-input-file --verify-diagnostics
// RUN: not sextant-opt %s --target=amdgpu:gfx1100:xnack+ --emit=none 2>&1 | FileCheck %s --check-prefix=ID
// ID: gfx1100 has no xnack setting

module attributes {simt.wave = 32 : i32} {
  func.func @big() attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.shared "small" : !simt.buffer<i8, shared, 3>
    // expected-error @+1 {{the block's shared arrays need 65552 bytes, but amdgpu:gfx1100/wave32 gives a block 65536: 'large' 65536, 'small' 3}}
    %b = simt.shared "large" : !simt.buffer<f32, shared, 16384>
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  // expected-error @+1 {{a block of 2048 threads is too large for amdgpu:gfx1100/wave32, which runs at most 1024}}
  func.func @wide() attributes {simt.task = {block_dim = 2048 : i32}} {
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  // expected-error @+1 {{function 'plain' is not a task}}
  func.func @plain() {
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @full(%p: !simt.buffer<i32, global>, %q: i1) attributes {simt.task = {block_dim = 64 : i32}} {
    // expected-error @+1 {{the block's shared arrays need 65536 bytes, but amdgpu:gfx1100/wave32 gives a block 65520: 'large' 65536}}
    %b = simt.shared "large" : !simt.buffer<i32, shared, 16384>
    %n = simt.barrier_reduce count %q
    simt.store %n, %b[%n] : !simt.buffer<i32, shared, 16384>, i32
    return
  }
}
