// A widened integer is compared with a constant before it is widened: llvmpipe's driver gets the
// wide comparison wrong. What no number of its type can reach is known.
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: %[[X:.*]] = OpLoad %uint %{{[0-9]+$}}
  // Only two numbers that are both wide are compared so, in the end.
  // CHECK: %[[W:.*]] = OpSConvert %ulong %[[X]]
  // CHECK: %[[Z:.*]] = OpUConvert %ulong %[[X]]
  // CHECK: OpSGreaterThanEqual %bool %[[X]] %uint_3
  // The constant on the left.
  // CHECK: OpSGreaterThan %bool %[[X]] %uint_4294967289
  // Signed on the wide one, unsigned on the number that was filled with zeros.
  // CHECK: OpULessThan %bool %[[X]] %uint_4000000000
  // Out of reach: below 2^31, not -1, above -1.
  // CHECK-NOT: {{GreaterThan|LessThan|OpIEqual|OpINotEqual}}
  // CHECK-COUNT-3: OpStore %{{.*}} %uint_1
  // CHECK: OpSLessThan %bool %[[W]] %[[Z]]
  // CHECK: OpFunctionEnd
  func.func @compare(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %x = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %w = arith.extsi %x : i32 to i64
    %z = arith.extui %x : i32 to i64
    %c3 = arith.constant 3 : i64
    %cm7 = arith.constant -7 : i64
    %c4e9 = arith.constant 4000000000 : i64
    %c2e31 = arith.constant 2147483648 : i64
    %cm1 = arith.constant -1 : i64
    %0 = arith.constant 100 : i32
    %1 = arith.constant 101 : i32
    %2 = arith.constant 102 : i32
    %3 = arith.constant 103 : i32
    %a = arith.cmpi sge, %w, %c3 : i64
    %ai = arith.extui %a : i1 to i32
    simt.store %ai, %p[%0] : !simt.buffer<i32, global>, i32
    %b = arith.cmpi slt, %cm7, %w : i64
    %bi = arith.extui %b : i1 to i32
    simt.store %bi, %p[%1] : !simt.buffer<i32, global>, i32
    %c = arith.cmpi slt, %z, %c4e9 : i64
    %ci = arith.extui %c : i1 to i32
    simt.store %ci, %p[%2] : !simt.buffer<i32, global>, i32
    %d = arith.cmpi slt, %w, %c2e31 : i64
    %di = arith.extui %d : i1 to i32
    simt.store %di, %p[%3] : !simt.buffer<i32, global>, i32
    %e = arith.cmpi ne, %z, %cm1 : i64
    %ei = arith.extui %e : i1 to i32
    simt.store %ei, %p[%0] : !simt.buffer<i32, global>, i32
    %f = arith.cmpi sgt, %z, %cm1 : i64
    %fi = arith.extui %f : i1 to i32
    simt.store %fi, %p[%1] : !simt.buffer<i32, global>, i32
    %g = arith.cmpi slt, %w, %z : i64
    %gi = arith.extui %g : i1 to i32
    simt.store %gi, %p[%2] : !simt.buffer<i32, global>, i32
    return
  }
}
