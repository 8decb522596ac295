// Barriers, reducing barriers, fences.
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry barriers(
  // CHECK: st.shared.u32
  // CHECK: bar.sync 0;
  // CHECK: ld.shared.u32
  // CHECK: bar.red.popc.u32
  // CHECK: bar.red.and.pred
  // CHECK: bar.red.or.pred
  // CHECK: membar.gl;
  // CHECK: membar.cta;
  // CHECK: membar.cta;
  func.func @barriers(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %s = simt.shared "tile" : !simt.buffer<i32, shared, 64>
    %t = simt.thread_idx
    %last = arith.constant 63 : i32
    %z = arith.constant 0 : i32
    simt.store %t, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %m = arith.subi %last, %t : i32
    %v = simt.load %s[%m] : !simt.buffer<i32, shared, 64>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %n = simt.barrier_reduce count %q
    %a = simt.barrier_reduce all %q
    %o = simt.barrier_reduce any %q
    %x = arith.addi %n, %a : i32
    %y = arith.addi %x, %o : i32
    simt.store %y, %p[%t] : !simt.buffer<i32, global>, i32
    simt.fence device
    simt.store %x, %p[%m] : !simt.buffer<i32, global>, i32
    simt.fence block
    simt.store %n, %p[%t] : !simt.buffer<i32, global>, i32
    simt.fence subgroup
    return
  }
}
