// Code that drivers get wrong is spelled so that they do not (backends/spirv/DriverFaults.cpp).
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // The inner one of two minima has a negated operand: unsigned, with the sign bit flipped.
  // CHECK: OpFunction
  // CHECK: OpBitwiseXor %uint %{{.*}} %uint_2147483648
  // CHECK: UMin
  // CHECK: OpBitwiseXor %uint %{{.*}} %uint_2147483648
  // CHECK: SMin
  // CHECK: OpFunctionEnd
  func.func @least(%p: !simt.buffer<i32, global>, %a: i32, %b: i32, %c: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %n = arith.subi %z, %c : i32
    %m = arith.minsi %b, %n : i32
    %l = arith.minsi %a, %m : i32
    simt.store %l, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
  // abs that no other maximum takes is one instruction.
  // CHECK: OpFunction
  // CHECK-NOT: UMax
  // CHECK: SMax
  // CHECK: OpFunctionEnd
  func.func @absolute(%p: !simt.buffer<i32, global>, %c: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %n = arith.subi %z, %c : i32
    %m = arith.maxsi %c, %n : i32
    simt.store %m, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
  // i64(c) << 31: two halves.
  // CHECK: OpFunction
  // CHECK-NOT: OpSConvert
  // CHECK: OpShiftRightArithmetic %uint
  // CHECK: OpShiftLeftLogical %uint
  // CHECK: OpBitwiseOr %ulong
  // CHECK: OpFunctionEnd
  func.func @shifted(%p: !simt.buffer<i64, global>, %c: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %k = arith.constant 31 : i64
    %w = arith.extsi %c : i32 to i64
    %s = arith.shli %w, %k : i64
    simt.store %s, %p[%z] : !simt.buffer<i64, global>, i32
    return
  }
}
