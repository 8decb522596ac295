// An error for what the target cannot do is at the op, with names.
// RUN: sextant-opt %s --target=cuda:compute_90 --emit=none --split-input-file --verify-diagnostics

module attributes {simt.wave = 32 : i32} {
  func.func @big() attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.shared "small" : !simt.buffer<i8, shared, 3>
    // expected-error @+1 {{the block's shared arrays need 102416 bytes, but cuda:compute_90/wave32 gives a block 101376: 'large' 102400, 'small' 3}}
    %b = simt.shared "large" : !simt.buffer<f32, shared, 25600>
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  // expected-error @+1 {{a block of 2048 threads is too large for cuda:compute_90/wave32, which runs at most 1024}}
  func.func @wide() attributes {simt.task = {block_dim = 2048 : i32}} {
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @unknown(%x: i32, %p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    // expected-error @+1 {{internal error: no code for 'arith.addui_extended' on this target}}
    %sum, %carry = arith.addui_extended %x, %x : i32, i1
    %bit = arith.extui %carry : i1 to i32
    simt.store %sum, %p[%bit] : !simt.buffer<i32, global>, i32
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
