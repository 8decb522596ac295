// Volatile accesses stay as they are; a plain one may be merged; private arrays.
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry spin(
  // CHECK: $L__BB
  // CHECK: ld.volatile.global.u32
  // CHECK: bra
  // CHECK: st.volatile.global.u32
  // CHECK: ret;
  func.func @spin(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %v = simt.load volatile %p[%z] : !simt.buffer<i32, global>, i32
      %q = arith.cmpi eq, %v, %z : i32
      scf.condition(%q)
    } do {
      scf.yield
    }
    simt.store volatile %z, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry types(
  // CHECK-DAG: ld.global.{{[su]}}8
  // CHECK-DAG: ld.global.u16
  // CHECK-DAG: ld.global.u64
  // CHECK-DAG: ld.global.b16
  // CHECK-DAG: ld.global.f64
  // CHECK-DAG: st.global.u8
  // CHECK-DAG: st.global.f64
  func.func @types(%a: !simt.buffer<i8, global>, %b: !simt.buffer<i16, global>, %c: !simt.buffer<i64, global>,
                   %d: !simt.buffer<f16, global>, %e: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %i = arith.extui %t : i32 to i64
    %av = simt.load %a[%i] : !simt.buffer<i8, global>, i64
    %bv = simt.load %b[%i] : !simt.buffer<i16, global>, i64
    %cv = simt.load %c[%i] : !simt.buffer<i64, global>, i64
    %dv = simt.load %d[%i] : !simt.buffer<f16, global>, i64
    %ev = simt.load %e[%i] : !simt.buffer<f64, global>, i64
    %a2 = arith.addi %av, %av : i8
    %b2 = arith.addi %bv, %bv : i16
    %c2 = arith.addi %cv, %cv : i64
    %d2 = arith.addf %dv, %dv : f16
    %e2 = arith.addf %ev, %ev : f64
    simt.store %a2, %a[%i] : !simt.buffer<i8, global>, i64
    simt.store %b2, %b[%i] : !simt.buffer<i16, global>, i64
    simt.store %c2, %c[%i] : !simt.buffer<i64, global>, i64
    simt.store %d2, %d[%i] : !simt.buffer<f16, global>, i64
    simt.store %e2, %e[%i] : !simt.buffer<f64, global>, i64
    return
  }
  // CHECK-LABEL: .entry stack(
  // CHECK: st.local
  // CHECK: ld.local
  func.func @stack(%p: !simt.buffer<i32, global>, %k: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.private : !simt.buffer<i32, private, 8>
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = arith.constant 8 : i32
    scf.for %i = %z to %n step %one : i32 {
      %q = arith.muli %i, %t : i32
      simt.store %q, %a[%i] : !simt.buffer<i32, private, 8>, i32
    }
    %v = simt.load %a[%k] : !simt.buffer<i32, private, 8>, i32
    simt.store %v, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
