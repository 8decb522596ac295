// More buffers than Metal binds come in a table of addresses at index 0, the values at index 1. A
// member stands at 8 times its array's number; the others fill the gaps.
// RUN: %msl_3_0 | FileCheck %s
// RUN: %msl_2_3 | FileCheck %s

// CHECK: kernel first
// CHECK: struct sextantArrays
// CHECK-NEXT: {
// CHECK-NEXT: ulong unused0;
// CHECK-NEXT: const device [[IN:_[0-9]+]]* [[A1:_[0-9]+]];
// CHECK-NEXT: ulong unused2;
// CHECK-NEXT: volatile device [[OUT:_[0-9]+]]* [[A3:_[0-9]+]];
// CHECK-NEXT: ulong unused4;
// CHECK-NEXT: device void* [[A5:spvBufferAliasSet0Binding5]];
// CHECK-NEXT: };
// CHECK: kernel void first(constant sextantArrays& sextantTable {{\[\[}}buffer(0){{]]}}, constant {{_[0-9]+}}& {{_[0-9]+}} {{\[\[}}buffer(1){{]]}}, uint {{.*}})
// CHECK-NEXT: {
// CHECK-DAG: const device [[IN]]& [[A1]] = *sextantTable.[[A1]];
// CHECK-DAG: volatile device [[OUT]]& [[A3]] = *sextantTable.[[A3]];
// CHECK-DAG: device void* [[A5]] = sextantTable.[[A5]];
// A task without arrays gets none.
// CHECK: kernel second
// CHECK: kernel void second(
// CHECK-NOT: sextantTable
module attributes {simt.wave = 32 : i32} {
  func.func @first(
      %a0: !simt.buffer<i32, global>, %a1: !simt.buffer<i32, global>,
      %a2: !simt.buffer<i32, global>, %a3: !simt.buffer<i64, global>,
      %a4: !simt.buffer<i32, global>, %a5: !simt.buffer<i8, global>,
      %a6: !simt.buffer<i32, global>, %a7: !simt.buffer<i32, global>,
      %a8: !simt.buffer<i32, global>, %a9: !simt.buffer<i32, global>,
      %a10: !simt.buffer<i32, global>, %a11: !simt.buffer<i32, global>,
      %a12: !simt.buffer<i32, global>, %a13: !simt.buffer<i32, global>,
      %a14: !simt.buffer<i32, global>, %a15: !simt.buffer<i32, global>,
      %a16: !simt.buffer<i32, global>, %a17: !simt.buffer<i32, global>,
      %a18: !simt.buffer<i32, global>, %a19: !simt.buffer<i32, global>,
      %a20: !simt.buffer<i32, global>, %a21: !simt.buffer<i32, global>,
      %a22: !simt.buffer<i32, global>, %a23: !simt.buffer<i32, global>,
      %a24: !simt.buffer<i32, global>, %a25: !simt.buffer<i32, global>,
      %a26: !simt.buffer<i32, global>, %a27: !simt.buffer<i32, global>,
      %a28: !simt.buffer<i32, global>, %a29: !simt.buffer<i32, global>,
      %a30: !simt.buffer<i32, global>, %n: i32)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %one = arith.constant 1 : i8
    %v = simt.load %a1[%t] : !simt.buffer<i32, global>, i32
    %s = arith.addi %v, %n : i32
    %w = arith.extsi %s : i32 to i64
    simt.store volatile %w, %a3[%t] : !simt.buffer<i64, global>, i32
    %b = simt.load %a5[%t] : !simt.buffer<i8, global>, i32
    %old = simt.atomic_rmw addi %b, %a5[%n] : !simt.buffer<i8, global>, i32
    return
  }
  func.func @second(
      %a0: !simt.buffer<i32, global>, %a1: !simt.buffer<i32, global>,
      %a2: !simt.buffer<i32, global>, %a3: !simt.buffer<i64, global>,
      %a4: !simt.buffer<i32, global>, %a5: !simt.buffer<i8, global>,
      %a6: !simt.buffer<i32, global>, %a7: !simt.buffer<i32, global>,
      %a8: !simt.buffer<i32, global>, %a9: !simt.buffer<i32, global>,
      %a10: !simt.buffer<i32, global>, %a11: !simt.buffer<i32, global>,
      %a12: !simt.buffer<i32, global>, %a13: !simt.buffer<i32, global>,
      %a14: !simt.buffer<i32, global>, %a15: !simt.buffer<i32, global>,
      %a16: !simt.buffer<i32, global>, %a17: !simt.buffer<i32, global>,
      %a18: !simt.buffer<i32, global>, %a19: !simt.buffer<i32, global>,
      %a20: !simt.buffer<i32, global>, %a21: !simt.buffer<i32, global>,
      %a22: !simt.buffer<i32, global>, %a23: !simt.buffer<i32, global>,
      %a24: !simt.buffer<i32, global>, %a25: !simt.buffer<i32, global>,
      %a26: !simt.buffer<i32, global>, %a27: !simt.buffer<i32, global>,
      %a28: !simt.buffer<i32, global>, %a29: !simt.buffer<i32, global>,
      %a30: !simt.buffer<i32, global>, %n: i32)
      attributes {simt.task = {block_dim = 64 : i32}} {
    return
  }
}
