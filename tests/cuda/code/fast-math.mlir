// Kernels with fast math: quotients, roots and functions of f32 are approximate instructions that take
// subnormal numbers for zeros, since without `.ftz` each scales and tests its operands. Sums, what is
// precise, and other types are as in other kernels.
// REQUIRES: libdevice
// RUN: %ptx_75 | FileCheck %s
// RUN: %ptx_75 | FileCheck %s --check-prefix=SCALED
// SCALED: .entry quotients(
// SCALED-NOT: approx.f32

module attributes {simt.wave = 32 : i32, simt.fast_math} {
  // A constant divisor is multiplied by, and a quotient in a sum is part of an fma.
  // CHECK-LABEL: .entry quotients(
  // CHECK: rcp.approx.ftz.f32 [[INVERSE:%f[0-9]+]], [[Y:%f[0-9]+]];
  // CHECK: fma.rn.f32 {{%f[0-9]+}}, [[X:%f[0-9]+]], [[INVERSE]], [[X]];
  // CHECK: mul.rn.f32 {{%f[0-9]+}}, [[X]], 0f3EAAAAAB;
  // CHECK: div.rn.f32 {{%f[0-9]+}}, [[Y]], [[X]];
  // CHECK-NOT: mul
  // CHECK: ret;
  func.func @quotients(%p: !simt.buffer<f32, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %inverse = arith.divf %one, %y : f32
    %quotient = arith.divf %x, %y : f32
    %sum = arith.addf %quotient, %x : f32
    %third = arith.divf %x, %three : f32
    %exact = arith.divf %y, %x {simt.precise} : f32
    simt.store %inverse, %p[%c0] : !simt.buffer<f32, global>, i32
    simt.store %sum, %p[%c1] : !simt.buffer<f32, global>, i32
    simt.store %third, %p[%c2] : !simt.buffer<f32, global>, i32
    simt.store %exact, %p[%c3] : !simt.buffer<f32, global>, i32
    return
  }

  // A quotient by a root needs no root. In the precise one the root is approximate, and the
  // division is not.
  // CHECK-LABEL: .entry roots(
  // CHECK: rsqrt.approx.ftz.f32 [[INVERSE:%f[0-9]+]], [[X:%f[0-9]+]];
  // CHECK: mul.rn.f32 {{%f[0-9]+}}, {{%f[0-9]+}}, [[INVERSE]];
  // CHECK: sqrt.approx.ftz.f32 [[ROOT:%f[0-9]+]], [[Y:%f[0-9]+]];
  // CHECK: div.rn.f32 {{%f[0-9]+}}, [[X]], [[ROOT]];
  // CHECK-NOT: approx
  // CHECK: ret;
  func.func @roots(%p: !simt.buffer<f32, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %root = math.sqrt %x : f32
    %quotient = arith.divf %y, %root : f32
    simt.store %quotient, %p[%c0] : !simt.buffer<f32, global>, i32
    %other = math.sqrt %y : f32
    %exact = arith.divf %x, %other {simt.precise} : f32
    simt.store %exact, %p[%c1] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: .entry functions(
  // CHECK-DAG: rsqrt.approx.ftz.f32
  // CHECK-DAG: ex2.approx.ftz.f32
  // CHECK-DAG: lg2.approx.ftz.f32
  // CHECK-DAG: sin.approx.ftz.f32
  // CHECK-DAG: cos.approx.ftz.f32
  // CHECK: ret;
  func.func @functions(%p: !simt.buffer<f32, global>, %x: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %rsqrt = math.rsqrt %x : f32
    %exp = math.exp %x : f32
    %log = math.log %x : f32
    %sin = math.sin %x : f32
    %cos = math.cos %x : f32
    simt.store %rsqrt, %p[%c0] : !simt.buffer<f32, global>, i32
    simt.store %exp, %p[%c1] : !simt.buffer<f32, global>, i32
    simt.store %log, %p[%c2] : !simt.buffer<f32, global>, i32
    simt.store %sin, %p[%c3] : !simt.buffer<f32, global>, i32
    simt.store %cos, %p[%c4] : !simt.buffer<f32, global>, i32
    return
  }

  // The sine of f16 is that of f32, reduced.
  // CHECK-LABEL: .entry others(
  // CHECK-NOT: sin.approx
  // CHECK-DAG: sqrt.rn.f64
  // CHECK-DAG: div.rn.f64
  // CHECK-NOT: sin.approx
  // CHECK: ret;
  func.func @others(%p: !simt.buffer<f64, global>, %q: !simt.buffer<f16, global>, %x: f64, %h: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %root = math.sqrt %x : f64
    %quotient = arith.divf %x, %root : f64
    simt.store %quotient, %p[%c0] : !simt.buffer<f64, global>, i32
    %sin = math.sin %h : f16
    simt.store %sin, %q[%c0] : !simt.buffer<f16, global>, i32
    %half = arith.divf %h, %sin : f16
    simt.store %half, %q[%c1] : !simt.buffer<f16, global>, i32
    return
  }
}
