// Where arrays come in a table of addresses, code compares places before a loop that loads. It needs
// integers of 64 bits for that.
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1+buffer-addresses/wave32 | FileCheck %s
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1/wave32 | FileCheck %s --check-prefix=BOUND

// BOUND-NOT: {{ulong|OpControlBarrier}}
// CHECK: OpCapability Int64
// CHECK: OpFunction

// The place's address, less that of the first load: both arrays begin where the table says.
// CHECK: [[OUT:%[0-9]+]] = OpAccessChain %_ptr_StorageBuffer_ulong %{{[0-9]+}} %uint_0 %uint_1
// CHECK: [[BEGIN:%[0-9]+]] = OpLoad %ulong [[OUT]]
// CHECK: [[TO:%[0-9]+]] = OpIAdd %ulong [[BEGIN]]
// CHECK: [[INDEX:%[0-9]+]] = OpSConvert %ulong
// CHECK: [[X:%[0-9]+]] = OpAccessChain %_ptr_StorageBuffer_ulong %{{[0-9]+}} %uint_0 %uint_0
// CHECK: [[BEGIN:%[0-9]+]] = OpLoad %ulong [[X]]
// CHECK: [[BYTES:%[0-9]+]] = OpIMul %ulong [[INDEX]] %ulong_4
// CHECK: [[FROM:%[0-9]+]] = OpIAdd %ulong [[BEGIN]] [[BYTES]]
// CHECK: [[DISTANCE:%[0-9]+]] = OpISub %ulong [[TO]] [[FROM]]
// CHECK: OpSGreaterThanEqual %bool [[DISTANCE]] %ulong_4

// The first loop only loads. Before the second one, which updates memory at once, the thread adds
// what it has collected.
// CHECK: OpLoopMerge
// CHECK-NOT: OpAtomic
// CHECK: OpINotEqual
// CHECK: OpAtomicIAdd
// CHECK: OpLoopMerge
// CHECK: OpAtomicIAdd
// CHECK: OpControlBarrier
module attributes {simt.wave = 32 : i32} {
  func.func @rows(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %place: i32, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %row = arith.muli %t, %n overflow<nsw> : i32
      %at = arith.addi %row, %j overflow<nsw> : i32
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%place] : !simt.buffer<i32, global>, i32
    }
    return
  }
}
