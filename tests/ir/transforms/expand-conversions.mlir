// Conversions of reals to integers: what a target does itself stays, what is known to be in range
// is arith's conversion, and the others clamp the real. From f64 to f16 by one rounding.
// RUN: sextant-opt %s --pass=expand-conversions,simplify | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: sextant-opt "%s" "--pass=expand-conversions{words half},simplify" | FileCheck %s --check-prefixes=CHECK,WORDS
// RUN: sextant-opt "%s" "--pass=expand-conversions{partial},simplify" | FileCheck %s --check-prefix=PARTIAL

module attributes {simt.wave = 32 : i32} {
  // The largest i32 is not an f32, so it is chosen afterwards.
  // CHECK-LABEL: func.func @word
  // ALL: %[[NAN:.*]] = arith.cmpf uno, %[[X:.*]], %[[X]] : f32
  // ALL: %[[NUMBER:.*]] = arith.select %[[NAN]], %cst{{.*}}, %[[X]]
  // ALL: %[[ABOVE:.*]] = arith.cmpf ogt, %[[NUMBER]], %cst
  // ALL: %[[CLAMPED:.*]] = arith.select %[[ABOVE]], %[[NUMBER]], %cst
  // ALL: %[[PAST:.*]] = arith.cmpf oge, %[[CLAMPED]], %cst
  // ALL: %[[WORD:.*]] = arith.fptosi %[[CLAMPED]] : f32 to i32
  // ALL: arith.select %[[PAST]], %c2147483647_i32, %[[WORD]]
  // WORDS-NEXT: simt.load
  // WORDS-NEXT: simt.to_int %{{.*}} : f32 -> i32
  // WORDS-NEXT: simt.store
  // Where a conversion out of range is undefined, none is made.
  // PARTIAL-LABEL: func.func @word
  // PARTIAL: %[[PAST:.*]] = arith.cmpf oge
  // PARTIAL: %[[SAFE:.*]] = arith.select %[[PAST]], %cst
  // PARTIAL: arith.fptosi %[[SAFE]]
  func.func @word(%x: !simt.buffer<f32, global>, %o: !simt.buffer<i32, global>, %i: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %n = simt.to_int %v : f32 -> i32
    simt.store %n, %o[%i] : !simt.buffer<i32, global>, i32
    return
  }

  // The comparison with 0 fails for NaN.
  // CHECK-LABEL: func.func @unsigned_byte
  // ALL-NOT: uno
  // ALL: arith.cmpf ogt
  // ALL: arith.cmpf olt
  // ALL: arith.fptosi %{{.*}} : f32 to i32
  // WORDS: %[[N:.*]] = simt.to_int unsigned %{{.*}} : f32 -> i32
  // WORDS: %[[M:.*]] = arith.minui %[[N]], %c255_i32
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  func.func @unsigned_byte(%x: !simt.buffer<f32, global>, %o: !simt.buffer<i8, global>, %i: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %n = simt.to_int unsigned %v : f32 -> i8
    simt.store %n, %o[%i] : !simt.buffer<i8, global>, i32
    return
  }

  // floor(i / 2) of an i32, and a minimum and maximum with constants.
  // CHECK-LABEL: func.func @in_range
  // CHECK-NOT: cmpf
  // CHECK-NOT: simt.to_int
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  // CHECK-NOT: cmpf
  // CHECK: return
  func.func @in_range(%x: !simt.buffer<f32, global>, %o: !simt.buffer<i32, global>, %i: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %half = arith.constant 0.5 : f32
    %low = arith.constant -7.0 : f32
    %high = arith.constant 300.0 : f32
    %index = arith.sitofp %i : i32 to f32
    %scaled = arith.mulf %index, %half : f32
    %floor = math.floor %scaled : f32
    %n = simt.to_int %floor : f32 -> i32
    simt.store %n, %o[%i] : !simt.buffer<i32, global>, i32
    %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %most = arith.minnumf %v, %high : f32
    %clamped = arith.maxnumf %most, %low : f32
    %m = simt.to_int %clamped : f32 -> i16
    %wide = arith.extsi %m : i16 to i32
    simt.store %wide, %o[%n] : !simt.buffer<i32, global>, i32
    return
  }

  // Twice an i32, and the index itself as an f32, whose largest is 2^31, may be past the end.
  // ALL-LABEL: func.func @out_of_range
  // ALL: cmpf oge
  // ALL: cmpf oge
  // ALL-NOT: uno
  // ALL: return
  func.func @out_of_range(%o: !simt.buffer<i32, global>, %i: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %index = arith.sitofp %i : i32 to f32
    %n = simt.to_int %index : f32 -> i32
    simt.store %n, %o[%i] : !simt.buffer<i32, global>, i32
    %twice = arith.addf %index, %index : f32
    %m = simt.to_int %twice : f32 -> i32
    simt.store %m, %o[%n] : !simt.buffer<i32, global>, i32
    return
  }

  // Constants fold.
  // ALL-LABEL: func.func @constants
  // ALL-DAG: arith.constant 127 : i8
  // ALL-DAG: arith.constant -128 : i8
  // ALL-DAG: arith.constant 0 : i8
  // ALL-NOT: to_int
  // ALL: return
  func.func @constants(%o: !simt.buffer<i8, global>, %i: i32, %k: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %large = arith.constant 1.0e10 : f32
    %small = arith.constant 0xFF800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %a = simt.to_int %large : f32 -> i8
    %b = simt.to_int %small : f32 -> i8
    %c = simt.to_int %nan : f32 -> i8
    simt.store %a, %o[%i] : !simt.buffer<i8, global>, i32
    simt.store %b, %o[%k] : !simt.buffer<i8, global>, i32
    simt.store %c, %o[%i] : !simt.buffer<i8, global>, i32
    return
  }

  // CHECK-LABEL: func.func @half
  // ALL: %[[NEAREST:.*]] = arith.truncf %{{.*}} : f64 to f32
  // ALL: arith.extf %[[NEAREST]] : f32 to f64
  // ALL: arith.ori
  // ALL: arith.truncf %{{.*}} : f32 to f16
  // WORDS: arith.truncf %{{.*}} : f64 to f16
  func.func @half(%x: !simt.buffer<f64, global>, %o: !simt.buffer<f16, global>, %i: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %v = simt.load %x[%i] : !simt.buffer<f64, global>, i32
    %h = arith.truncf %v : f64 to f16
    simt.store %h, %o[%i] : !simt.buffer<f16, global>, i32
    return
  }
}
