// One instruction a subgroup op wherever the device's own is exact and no slower than shuffles.
// RUN: sed "s/WAVE/32/; s/LOG/5/" %s | sextant-opt --emit=asm --target=vulkan:1.1 | FileCheck %s --check-prefixes=CHECK,W32
// RUN: sed "s/WAVE/64/; s/LOG/6/" %s | sextant-opt --emit=asm --target=vulkan:1.1 | FileCheck %s --check-prefixes=CHECK,W64

// No feature for wide or narrow types.
// CHECK-NOT: OpCapability Int16
// CHECK-NOT: OpExtension
module attributes {simt.wave = WAVE : i32} {
  // Each kind is one instruction, also of 64 bits; a half travels as f32.
  // CHECK: OpFunction
  // CHECK: OpGroupNonUniformShuffleXor %uint %uint_3 %{{.*}} %uint_1
  // CHECK-NEXT: OpGroupNonUniformShuffleUp %uint %uint_3 %{{.*}} %uint_2
  // CHECK-NEXT: OpGroupNonUniformShuffleDown %uint %uint_3 %{{.*}} %uint_2
  // CHECK-NEXT: OpGroupNonUniformBroadcast %uint %uint_3 %{{.*}} %uint_2
  // CHECK: OpGroupNonUniformShuffle %v2uint %uint_3
  // CHECK-NOT: GroupNonUniform
  // CHECK: OpGroupNonUniformShuffle %float %uint_3
  // CHECK-NOT: GroupNonUniform
  // CHECK: OpFunctionEnd
  func.func @shuffles(%p: !simt.buffer<i32, global>, %d: !simt.buffer<f64, global>, %h: !simt.buffer<f16, global>, %l: i32)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %dv = simt.load %d[%t] : !simt.buffer<f64, global>, i32
    %hv = simt.load %h[%t] : !simt.buffer<f16, global>, i32
    %a = simt.shuffle xor %v, %one : i32
    %b = simt.shuffle up %a, %two : i32
    %c = simt.shuffle down %b, %two : i32
    %e = simt.shuffle broadcast %c, %two : i32
    simt.store %e, %p[%t] : !simt.buffer<i32, global>, i32
    %f = simt.shuffle index %dv, %l : f64
    simt.store %f, %d[%t] : !simt.buffer<f64, global>, i32
    %g = simt.shuffle broadcast %hv, %l : f16
    simt.store %g, %h[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // Threads are numbered by subgroups where lanes matter.
  // CHECK: OpFunction
  // W32: OpLoad %uint %SubgroupId
  // W32: OpIMul %uint %{{.*}} %uint_32
  // W64-NOT: SubgroupId
  // CHECK: OpGroupNonUniformAll %bool %uint_3
  // CHECK-NEXT: %[[B:.*]] = OpGroupNonUniformBallot %v4uint %uint_3
  // W32-NEXT: OpCompositeExtract %uint %[[B]] 0
  // W64-NEXT: OpVectorShuffle %v2uint %[[B]] %[[B]] 0 1
  // A vote of a tile is one ballot.
  // CHECK: %[[T:.*]] = OpGroupNonUniformBallot %v4uint %uint_3
  // W64: OpVectorExtractDynamic %uint %[[T]]
  // CHECK: OpBitFieldUExtract %uint
  // CHECK-NOT: GroupNonUniform
  // CHECK: OpFunctionEnd
  func.func @votes(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i64
    %v = simt.load %p[%t] : !simt.buffer<i64, global>, i32
    %q = arith.cmpi ne, %v, %z : i64
    %a = simt.vote all %q tile LOG
    %b = simt.ballot %q
    %c = simt.vote any %q tile 3
    %x = arith.extui %a : i1 to i64
    %y = arith.extui %c : i1 to i64
    %s = arith.addi %b, %x : i64
    %r = arith.addi %s, %y : i64
    simt.store %r, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // A ballot of which 32 lanes are looked at makes nothing of 64 bits.
  // CHECK: OpFunction
  // CHECK: %[[B:.*]] = OpGroupNonUniformBallot %v4uint %uint_3
  // CHECK-NEXT: %[[W:.*]] = OpCompositeExtract %uint %[[B]] 0
  // CHECK: OpStore %{{.*}} %[[W]]
  // CHECK: OpFunctionEnd
  func.func @mask(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %b = simt.ballot %q
    %m = arith.trunci %b : i64 to i32
    simt.store %m, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK: OpFunction
  // CHECK: OpGroupNonUniformIAdd %uint %uint_3 Reduce
  // Scans are shuffles: one more where the lane itself does not count.
  // W32-COUNT-6: OpGroupNonUniformShuffleUp %uint
  // W64-COUNT-7: OpGroupNonUniformShuffleUp %uint
  // CHECK-NOT: GroupNonUniform
  // CHECK: OpStore
  // W32-COUNT-5: OpGroupNonUniformShuffleUp %float
  // W64-COUNT-6: OpGroupNonUniformShuffleUp %float
  // The minimum of only NaNs is not defined: shuffles and minNum.
  // CHECK-NOT: GroupNonUniform{{F|ShuffleUp}}
  // W32-COUNT-5: OpGroupNonUniformShuffleXor
  // W64-COUNT-6: OpGroupNonUniformShuffleXor
  // Tiles and 64 bits too.
  // CHECK-NOT: GroupNonUniformIAdd
  // CHECK-COUNT-2: OpGroupNonUniformShuffleDown %v2uint
  // CHECK-NOT: GroupNonUniform
  // CHECK: OpFunctionEnd
  func.func @sums(%p: !simt.buffer<i32, global>, %f: !simt.buffer<f32, global>, %l: !simt.buffer<i64, global>)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %w = simt.load %f[%t] : !simt.buffer<f32, global>, i32
    %x = simt.load %l[%t] : !simt.buffer<i64, global>, i32
    %a = simt.reduce addi %v tile LOG all : i32
    %b = simt.scan minu %a tile LOG exclusive : i32
    simt.store %b, %p[%t] : !simt.buffer<i32, global>, i32
    %c = simt.scan addf %w tile LOG : f32
    %d = simt.reduce minf %c tile LOG all : f32
    simt.store %d, %f[%t] : !simt.buffer<f32, global>, i32
    %e = simt.reduce addi %x tile 2 : i64
    simt.store %e, %l[%t] : !simt.buffer<i64, global>, i32
    return
  }
}
