// Values that push constants do not hold lie in a buffer after the others.
// RUN: %spirv | FileCheck %s

// CHECK-NOT: PushConstant
// CHECK: OpMemberDecorate %[[VALUES:.*]] 16 Offset 128
// CHECK: OpDecorate %[[V:.*]] Binding 1
// CHECK-NOT: PushConstant
module attributes {simt.wave = 32 : i32} {
  func.func @many(%p: !simt.buffer<i64, global>, %a: i64, %b: i64, %c: i64, %d: i64, %e: i64, %f: i64, %g: i64,
                  %h: i64, %i: i64, %j: i64, %k: i64, %l: i64, %m: i64, %n: i64, %o: i64, %q: i64, %r: i8)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %w = arith.extui %r : i8 to i64
    %s = arith.addi %q, %w : i64
    simt.store %s, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
}
