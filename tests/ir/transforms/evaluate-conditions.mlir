// Branches of a few operations become selects; longer ones stay, and those with effects.
// RUN: sextant-opt "%s" "--pass=evaluate-conditions{2}" | FileCheck %s
// RUN: sextant-opt %s --pass=evaluate-conditions | FileCheck %s --check-prefix=TRUTH

// A step of a binary search.
// CHECK-LABEL: func.func @search
// CHECK-NOT: scf.if
// CHECK: %[[NEXT:.*]] = arith.addi %arg1
// CHECK: arith.select %arg0, %[[NEXT]], %arg2
// CHECK: arith.select %arg0, %arg3, %arg1
// TRUTH-LABEL: func.func @search
// TRUTH: scf.if
func.func @search(%less: i1, %middle: i32, %low: i32, %high: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %r:2 = scf.if %less -> (i32, i32) {
    %next = arith.addi %middle, %c1 : i32
    scf.yield %next, %high : i32, i32
  } else {
    scf.yield %low, %middle : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// The inner branch is short, and so is the outer one with the inner one's select.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: scf.if
// CHECK: return
func.func @nested(%a: i1, %b: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %a -> f32 {
    %inner = scf.if %b -> f32 {
      %s = arith.addf %x, %y : f32
      scf.yield %s : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %inner : f32
  } else {
    scf.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @long
// CHECK: scf.if
// TRUTH-LABEL: func.func @long
// TRUTH: scf.if
func.func @long(%a: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %a -> f32 {
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %y : f32
    %u = arith.subf %t, %x : f32
    scf.yield %u : f32
  } else {
    scf.yield %y : f32
  }
  return %r : f32
}

// Operations that may be slow or fault, and accesses to memory, run only where they are needed.
// CHECK-LABEL: func.func @effects
// CHECK-COUNT-3: scf.if
func.func @effects(%a: i1, %x: i32, %y: i32, %p: !simt.buffer<i32, global>) -> (i32, i32) {
  %r = scf.if %a -> i32 {
    %q = arith.divsi %x, %y : i32
    scf.yield %q : i32
  } else {
    scf.yield %y : i32
  }
  %s = scf.if %a -> i32 {
    %v = simt.load %p[%x] : !simt.buffer<i32, global>, i32
    scf.yield %v : i32
  } else {
    scf.yield %y : i32
  }
  scf.if %a {
    simt.store %x, %p[%y] : !simt.buffer<i32, global>, i32
  }
  return %r, %s : i32, i32
}

// Truth values may take eight.
// TRUTH-LABEL: func.func @truth
// TRUTH-NOT: scf.if
// TRUTH: return
func.func @truth(%a: i1, %x: f32, %y: f32) -> i1 {
  %false = arith.constant false
  %r = scf.if %a -> i1 {
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %y : f32
    %u = arith.subf %t, %x : f32
    %c = arith.cmpf olt, %u, %y : f32
    scf.yield %c : i1
  } else {
    scf.yield %false : i1
  }
  return %r : i1
}
