// Addresses of an array's elements. An index is extended with zeros, which indices share, and not
// with copies of its sign. Neighbours whose distance the arguments say follow from each other: one
// product of the thread's index, and one wide addition for each further row.
// RUN: %gfx942_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefix=DEAR

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: gather:
  // CHECK-NOT: v_ashrrev_i32
  // CHECK: s_endpgm
  func.func @gather(%p: !simt.buffer<i32, global>, %q: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %at = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %next = simt.load %p[%at] : !simt.buffer<i32, global>, i32
    %value = simt.load %p[%next] : !simt.buffer<i32, global>, i32
    simt.store %value, %q[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: rows:
  // CHECK: {{v_mul_lo|v_mad}}
  // CHECK-NOT: {{v_mul_lo|v_mad|v_ashrrev}}
  // CHECK: v_lshl_add_u64 [[SECOND:v\[[0-9:]+\]]], [[FIRST:v\[[0-9:]+\]]], 0, [[ROW:s\[[0-9:]+\]]]
  // CHECK: v_lshl_add_u64 [[THIRD:v\[[0-9:]+\]]], [[SECOND]], 0, [[ROW]]
  // CHECK-NOT: {{v_mul_lo|v_mad|v_ashrrev}}
  // CHECK: global_load_dword {{v[0-9]+}}, [[FIRST]], off
  // CHECK-NOT: {{v_mul_lo|v_mad|v_ashrrev}}
  // CHECK: global_load_dword {{v[0-9]+}}, [[SECOND]], off
  // CHECK: global_load_dword {{v[0-9]+}}, [[THIRD]], off
  // CHECK: s_endpgm
  func.func @rows(%p: !simt.buffer<f32, global>, %width: i32, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %two = arith.constant 2 : i32
    %0 = arith.muli %t, %width : i32
    %first = arith.addi %0, %t : i32
    %second = arith.addi %first, %width : i32
    %far = arith.muli %width, %two : i32
    %third = arith.addi %first, %far : i32
    %a = simt.load %p[%first] : !simt.buffer<f32, global>, i32
    %b = simt.load %p[%second] : !simt.buffer<f32, global>, i32
    %c = simt.load %p[%third] : !simt.buffer<f32, global>, i32
    %1 = arith.addf %a, %b : f32
    %sum = arith.addf %1, %c : f32
    simt.store %sum, %q[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // A row and a column are one index, which is shifted once. The rows before and after share their
  // distance.
  // DEAR-LABEL: around:
  // DEAR-NOT: v_ashrrev
  // DEAR: s_lshl_b64
  // DEAR-NOT: {{s_lshl_b64|v_ashrrev}}
  // DEAR: v_lshlrev_b64
  // DEAR-NOT: {{s_lshl_b64|v_lshlrev_b64|v_ashrrev}}
  // DEAR: v_sub_co_u32
  // DEAR-NOT: {{s_lshl_b64|v_lshlrev_b64|v_ashrrev}}
  // DEAR: s_endpgm
  func.func @around(%p: !simt.buffer<f32, global>, %width: i32, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %b = simt.block_idx
    %j = arith.muli %t, %b : i32
    %0 = arith.muli %t, %width : i32
    %here = arith.addi %0, %j overflow<nsw> : i32
    %1 = arith.addi %0, %width : i32
    %after = arith.addi %1, %j overflow<nsw> : i32
    %2 = arith.subi %0, %width : i32
    %before = arith.addi %2, %j overflow<nsw> : i32
    %a = simt.load %p[%here] : !simt.buffer<f32, global>, i32
    %c = simt.load %p[%after] : !simt.buffer<f32, global>, i32
    %d = simt.load %p[%before] : !simt.buffer<f32, global>, i32
    %ac = arith.addf %a, %c : f32
    %sum = arith.addf %ac, %d : f32
    simt.store %sum, %q[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
