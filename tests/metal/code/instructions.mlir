// Instructions in the library's own words are calls of functions with that body, one for each text and
// its types. A call stands where the instruction stood, and its results are variables.
// RUN: %msl_3_0 | FileCheck %s
// RUN: %msl_3_0 -O0 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: void sextantInstruction0(thread float& r0, thread uint& r1, uint a0, float a1)
  // CHECK-NEXT: {
  // CHECK-NEXT: {{^}}    r0 = a1;{{$}}
  // CHECK-NEXT: {{^}}    r1 = a0 + 1u;{{$}}
  // CHECK-NEXT: }
  // CHECK: void sextantInstruction1(thread float& r0, uint a0)
  // CHECK-NEXT: {
  // CHECK-NEXT: r0 = as_type<float>(a0);
  // CHECK-NEXT: }
  // CHECK-NOT: sextantInstruction2
  // CHECK-LABEL: kernel void task(
  // CHECK: for
  // CHECK: {{^}} {{ *}}sextantInstruction0([[S:_[0-9]+]], [[C:_[0-9]+]], {{_[0-9]+}}, {{_[0-9]+}});
  // CHECK: {{^}} {{ *}}sextantInstruction0([[T:_[0-9]+]], [[D:_[0-9]+]], [[C]], [[S]]);
  // CHECK: = [[T]];
  // CHECK: = [[D]];
  // CHECK: {{^}} {{ *}}sextantInstruction1(
  func.func @task(%x: !simt.buffer<f32, global>, %n: i32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = simt.load %x[%t] : !simt.buffer<f32, global>, i32
    %sums:2 = scf.for %i = %zero to %n step %one iter_args(%sum = %start, %count = %one) -> (f32, i32) : i32 {
      %a:2 = simt.instruction "r0 = a1; r1 = a0 + 1u;" (%count, %sum) : (i32, f32) -> (f32, i32)
      %b:2 = simt.instruction "r0 = a1; r1 = a0 + 1u;" (%a#1, %a#0) : (i32, f32) -> (f32, i32)
      scf.yield %b#0, %b#1 : f32, i32
    }
    %c = simt.instruction "r0 = as_type<float>(a0);" (%sums#1) : (i32) -> f32
    simt.store %sums#0, %x[%t] : !simt.buffer<f32, global>, i32
    simt.store %c, %x[%sums#1] : !simt.buffer<f32, global>, i32
    return
  }
}
