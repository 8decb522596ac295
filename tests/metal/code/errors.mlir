// An error for what Metal cannot do is at the op, with the target and a way out.
// RUN: sextant-opt %s --target=metal:3.0 --emit=none --split-input-file --verify-diagnostics

module attributes {simt.wave = 32 : i32} {
  func.func @f64(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %two = arith.constant 2.0 : f64
    // expected-error @+1 {{f64 is not a type of metal:3.0/wave32: Metal has no 64-bit reals; compute in f32, or leave metal out of this kernel's targets}}
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %w = arith.mulf %v, %two : f64
    simt.store %w, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @atomics(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "wide" : !simt.buffer<i64, shared, 32>
    %t = simt.thread_idx
    %one = arith.constant 1 : i64
    // expected-error @+1 {{64-bit atomics are not in metal:3.0/wave32, but for minima and maxima of u64 in arrays, from Metal 2.4 on, whose old value is not used: use i32 or u32, or leave metal out of this kernel's targets}}
    %a = simt.atomic_rmw addi %one, %p[%t] : !simt.buffer<i64, global>, i32
    // expected-error @+1 {{64-bit atomics are not in metal:3.0/wave32}}
    %b = simt.atomic_cas %a, %one, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    // expected-error @+1 {{64-bit atomics are not in metal:3.0/wave32}}
    %c = simt.atomic_rmw minu %b, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    // expected-error @+1 {{64-bit atomics are not in metal:3.0/wave32}}
    %d = simt.atomic_rmw mins %b, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @fence() attributes {simt.task = {block_dim = 32 : i32}} {
    // expected-error @+1 {{memory fences are not in metal:3.0/wave32: Metal has them from version 3.2 on (target metal:3.2); otherwise use a barrier, pass the value itself through an atomic, or split the kernel}}
    simt.fence device
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @big() attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.shared "small" : !simt.buffer<i8, shared, 3>
    // expected-error @+1 {{the block's shared arrays need 40976 bytes, but metal:3.0/wave32 gives a block 32768: 'large' 40960, 'small' 3}}
    %b = simt.shared "large" : !simt.buffer<f32, shared, 10240>
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  // expected-error @+1 {{a block of 2048 threads is too large for metal:3.0/wave32, which runs at most 1024}}
  func.func @wide() attributes {simt.task = {block_dim = 2048 : i32}} {
    return
  }
}

// -----

module attributes {simt.wave = 32 : i32} {
  func.func @clocks(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    // expected-error @+1 {{there is no clock in metal:3.0/wave32: Metal has no counter that kernels can read}}
    %now = simt.clock
    %t = simt.thread_idx
    simt.store %now, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
}
