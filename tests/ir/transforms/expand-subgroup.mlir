// Reductions, scans and votes as shuffles, matches as ballots.
// RUN: sextant-opt %s --pass=expand-subgroup,simplify | FileCheck %s
// RUN: sextant-opt "%s" "--pass=expand-subgroup{reduce scan vote match}" | FileCheck %s --check-prefix=KEEP

// KEEP-NOT: simt.shuffle

module attributes {simt.wave = 32 : i32} {
  // The tree into the first lane: offsets from the widest to 1.
  // CHECK-LABEL: func.func @tree
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK: %[[V:.*]] = simt.load
  // CHECK: %[[S4:.*]] = simt.shuffle down %[[V]], %[[C4]] : f32
  // CHECK: %[[A4:.*]] = arith.addf %[[V]], %[[S4]]
  // CHECK: %[[S2:.*]] = simt.shuffle down %[[A4]], %[[C2]] : f32
  // CHECK: %[[A2:.*]] = arith.addf %[[A4]], %[[S2]]
  // CHECK: %[[S1:.*]] = simt.shuffle down %[[A2]], %[[C1]] : f32
  // CHECK: %[[A1:.*]] = arith.addf %[[A2]], %[[S1]]
  // CHECK: simt.store %[[A1]]
  func.func @tree(%a: !simt.buffer<f32, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %a[%i] : !simt.buffer<f32, global>, i32
    // KEEP: simt.reduce addf
    %r = simt.reduce addf %v tile 3 : f32
    simt.store %r, %a[%i] : !simt.buffer<f32, global>, i32
    return
  }

  // The butterfly: masks from 1 up.
  // CHECK-LABEL: func.func @butterfly
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK: %[[V:.*]] = simt.load
  // CHECK: %[[S1:.*]] = simt.shuffle xor %[[V]], %[[C1]] : i64
  // CHECK: %[[A1:.*]] = arith.minui %[[V]], %[[S1]]
  // CHECK: %[[S2:.*]] = simt.shuffle xor %[[A1]], %[[C2]] : i64
  // CHECK: %[[A2:.*]] = arith.minui %[[A1]], %[[S2]]
  // CHECK-NOT: simt.shuffle
  // CHECK: simt.store %[[A2]]
  func.func @butterfly(%a: !simt.buffer<i64, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %a[%i] : !simt.buffer<i64, global>, i32
    %r = simt.reduce minu %v tile 2 all : i64
    simt.store %r, %a[%i] : !simt.buffer<i64, global>, i32
    return
  }

  // Hillis and Steele; the earlier lanes' value is on the left.
  // CHECK-LABEL: func.func @scan
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK: %[[V:.*]] = simt.load
  // CHECK: %[[L:.*]] = simt.lane
  // CHECK: %[[T:.*]] = arith.andi %[[L]], %[[C3]]
  // CHECK: %[[S1:.*]] = simt.shuffle up %[[V]], %[[C1]] : i32
  // CHECK: %[[A1:.*]] = arith.addi %[[S1]], %[[V]]
  // CHECK: %[[P1:.*]] = arith.cmpi uge, %[[T]], %[[C1]]
  // CHECK: %[[W1:.*]] = arith.select %[[P1]], %[[A1]], %[[V]]
  // CHECK: %[[S2:.*]] = simt.shuffle up %[[W1]], %[[C2]] : i32
  // CHECK: %[[A2:.*]] = arith.addi %[[S2]], %[[W1]]
  // CHECK: %[[P2:.*]] = arith.cmpi uge, %[[T]], %[[C2]]
  // CHECK: %[[W2:.*]] = arith.select %[[P2]], %[[A2]], %[[W1]]
  // CHECK: simt.store %[[W2]]
  func.func @scan(%a: !simt.buffer<i32, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %a[%i] : !simt.buffer<i32, global>, i32
    // KEEP: simt.scan addi
    %r = simt.scan addi %v tile 2 : i32
    simt.store %r, %a[%i] : !simt.buffer<i32, global>, i32
    return
  }

  // Exclusive: moved up by one lane, the identity in the tile's first.
  // CHECK-LABEL: func.func @exclusive
  // CHECK-DAG: %[[INF:.*]] = arith.constant 0x7F800000 : f32
  // CHECK: arith.minnumf
  // CHECK: %[[W:.*]] = arith.select
  // CHECK: %[[E:.*]] = simt.shuffle up %[[W]], %{{.*}} : f32
  // CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[E]], %[[INF]]
  // CHECK: simt.store %[[R]]
  func.func @exclusive(%a: !simt.buffer<f32, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %a[%i] : !simt.buffer<f32, global>, i32
    %r = simt.scan minf %v tile 1 exclusive : f32
    simt.store %r, %a[%i] : !simt.buffer<f32, global>, i32
    return
  }

  // A tile of one lane: nothing moves.
  // CHECK-LABEL: func.func @alone
  // CHECK-NOT: simt.shuffle
  // CHECK: %[[MAX:.*]] = arith.constant -9223372036854775808 : i64
  // CHECK: simt.store %[[MAX]]
  func.func @alone(%a: !simt.buffer<i64, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %a[%i] : !simt.buffer<i64, global>, i32
    %r = simt.scan maxs %v tile 0 exclusive : i64
    simt.store %r, %a[%i] : !simt.buffer<i64, global>, i32
    return
  }

  // CHECK-LABEL: func.func @vote
  // CHECK: %[[P:.*]] = arith.extui %{{.*}} : i1 to i32
  // CHECK: %[[S:.*]] = simt.shuffle xor %[[P]]
  // CHECK: arith.andi %[[P]], %[[S]]
  // CHECK-COUNT-4: simt.shuffle xor
  // CHECK: arith.cmpi ne
  func.func @vote(%a: !simt.buffer<i8, global>, %p: i1, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    // KEEP: simt.vote all
    %r = simt.vote all %p tile 5
    %e = arith.extui %r : i1 to i8
    simt.store %e, %a[%i] : !simt.buffer<i8, global>, i32
    return
  }

  // A ballot a bit; in words, as 32 lanes need no more.
  // CHECK-LABEL: func.func @match
  // CHECK-COUNT-3: simt.ballot
  // CHECK-NOT: simt.ballot
  // CHECK-NOT: {{(andi|xori|select).*i64}}
  // CHECK: return
  func.func @match(%a: !simt.buffer<i32, global>, %i: i32) attributes {simt.task = {block_dim = 32 : i32, full_blocks}} {
    %v = simt.load %a[%i] : !simt.buffer<i32, global>, i32
    // KEEP: simt.match
    %m = simt.match %v bits 3
    %w = arith.trunci %m : i64 to i32
    simt.store %w, %a[%i] : !simt.buffer<i32, global>, i32
    return
  }

  // Where lanes may be off, one ballot more tells which.
  // CHECK-LABEL: func.func @match_some
  // CHECK: simt.ballot %true
  // CHECK-COUNT-3: simt.ballot
  // CHECK-NOT: simt.ballot
  // CHECK: return
  func.func @match_some(%a: !simt.buffer<i64, global>, %v: i32, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %m = simt.match %v bits 3
    simt.store %m, %a[%i] : !simt.buffer<i64, global>, i32
    return
  }
}
