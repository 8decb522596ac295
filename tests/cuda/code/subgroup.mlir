// One instruction a subgroup op, two for the shuffle of 64 bits.
// RUN: %ptx_75 | FileCheck %s
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry shuffle_f32(
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @shuffle_f32(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %one = arith.constant 1 : i32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.shuffle xor %v, %one : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry shuffle_i64(
  // CHECK-COUNT-2: shfl.sync.idx.b32 {{.*}}, 31, -1;
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @shuffle_i64(%p: !simt.buffer<i64, global>, %l: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i64, global>, i32
    %r = simt.shuffle index %v, %l : i64
    simt.store %r, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry shuffle_kinds(
  // CHECK: shfl.sync.up.b32 {{.*}}, 2, 0, -1;
  // CHECK: shfl.sync.down.b32 {{.*}}, 2, 31, -1;
  // CHECK: shfl.sync.idx.b32 {{.*}}, 2, 31, -1;
  // CHECK: shfl.sync.idx.b32
  // CHECK: shfl.sync.idx.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @shuffle_kinds(%p: !simt.buffer<i32, global>, %h: !simt.buffer<f16, global>, %c: !simt.buffer<i8, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %two = arith.constant 2 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.shuffle up %v, %two : i32
    %s = simt.shuffle down %r, %two : i32
    %u = simt.shuffle broadcast %s, %two : i32
    simt.store %u, %p[%t] : !simt.buffer<i32, global>, i32
    %hv = simt.load %h[%t] : !simt.buffer<f16, global>, i32
    %hs = simt.shuffle index %hv, %two : f16
    simt.store %hs, %h[%t] : !simt.buffer<f16, global>, i32
    %cv = simt.load %c[%t] : !simt.buffer<i8, global>, i32
    %cs = simt.shuffle index %cv, %two : i8
    simt.store %cs, %c[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry all_true(
  // CHECK: vote.sync.all.pred {{.*}}, -1;
  // CHECK-NOT: vote
  // CHECK: ret;
  func.func @all_true(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %r = simt.vote all %q tile 5
    %e = arith.extui %r : i1 to i32
    simt.store %e, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry any_and_ballot(
  // CHECK: vote.sync.any.pred
  // CHECK: vote.sync.ballot.b32
  // CHECK-NOT: vote
  // CHECK: bar.warp.sync -1;
  // CHECK: ret;
  func.func @any_and_ballot(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %r = simt.vote any %q tile 5
    %b = simt.ballot %q
    %c = arith.trunci %b : i64 to i32
    %e = arith.extui %r : i1 to i32
    %s = arith.addi %c, %e : i32
    simt.subgroup_barrier
    simt.store %s, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // Lanes that agree on few bits are a ballot a bit, on more one a bit of the number of a lane
  // that they find in shared memory, on many bits one instruction.
  // CHECK-LABEL: .entry match_few(
  // CHECK-COUNT-4: vote.sync.ballot.b32
  // CHECK-NOT: {{vote|match.any|shared}}
  // CHECK: ret;
  func.func @match_few(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %m = simt.match %v bits 4
    %c = arith.trunci %m : i64 to i32
    simt.store %c, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry match_more(
  // CHECK: st.volatile.shared.u8
  // CHECK: bar.warp.sync -1;
  // CHECK: ld.volatile.shared.u8
  // CHECK-COUNT-5: vote.sync.ballot.b32
  // CHECK-NOT: {{vote|match.any|bar}}
  // CHECK: ret;
  func.func @match_more(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %m = simt.match %v bits 8
    %c = arith.trunci %m : i64 to i32
    simt.store %c, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry match_many(
  // CHECK: and.b32 [[D:%r[0-9]+]], {{.*}}, 1048575;
  // CHECK: match.any.sync.b32 {{.*}}, [[D]], -1;
  // CHECK-NOT: {{vote|match.any}}
  // CHECK: ret;
  func.func @match_many(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %m = simt.match %v bits 20
    %c = arith.trunci %m : i64 to i32
    simt.store %c, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // A vote of a tile is one ballot.
  // CHECK-LABEL: .entry all_tile(
  // CHECK: vote.sync.ballot.b32
  // CHECK-NOT: vote
  // CHECK: ret;
  func.func @all_tile(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %r = simt.vote all %q tile 3
    %e = arith.extui %r : i1 to i32
    simt.store %e, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
