// An error for what Vulkan cannot do is at the op, with the way out.
// RUN: sextant-opt %s --target=vulkan:1.1 --emit=none --split-input-file --verify-diagnostics

module attributes {simt.wave = 32 : i32} {
  func.func @wide() attributes {simt.task = {block_dim = 32 : i32}} {
    // expected-error @+1 {{the block's shared arrays need 70000 bytes, but vulkan:1.1/wave32 gives a block 65536: 'bytes' 70000}}
    %a = simt.shared "bytes" : !simt.buffer<i8, shared, 70000>
    return
  }
}

// -----

module attributes {simt.wave = 128 : i32} {
  func.func @lanes(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %q = arith.cmpi eq, %t, %z : i32
    // expected-error @+1 {{a ballot holds 64 lanes, but vulkan:1.1/wave128 has 128}}
    %b = simt.ballot %q
    simt.store %b, %p[%z] : !simt.buffer<i64, global>, i32
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  // expected-error @+1 {{a block of 2048 threads is too large for vulkan:1.1/wave32}}
  func.func @threads() attributes {simt.task = {block_dim = 2048 : i32}} {
    return
  }
}
