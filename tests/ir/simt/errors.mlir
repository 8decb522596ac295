// Code that the dialect's types and verifiers refuse.
// RUN: sextant-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{simt.wave is a power of two of type i32, at most 128, on a module}}
module attributes {simt.wave = 24 : i32} {}

// -----

// expected-error@+1 {{simt.task is a dictionary with a positive i32 block_dim on a function}}
func.func @no_block_dim() attributes {simt.task = {}} { return }

// -----

// expected-error@+1 {{unknown attribute simt.tusk}}
func.func @unknown() attributes {simt.tusk = 1 : i32} { return }

// -----

func.func @precise(%a: f32) {
  // expected-error@+1 {{simt.precise is on sums, differences, products and quotients of reals}}
  %b = arith.remf %a, %a {simt.precise} : f32
  return
}

// -----

// expected-error@+1 {{a buffer cannot hold 'i1'}}
func.func @bool_buffer(%a: !simt.buffer<i1, global>) { return }

// -----

// expected-error@+1 {{unknown address space 'globl'; write global, shared or private}}
func.func @space(%a: !simt.buffer<i32, globl>) { return }

// -----

// expected-error@+1 {{global buffers have no count, shared and private ones have one}}
func.func @count(%a: !simt.buffer<i32, shared>) { return }

// -----

func.func @view_of_shared() {
  %s = simt.shared "s" : !simt.buffer<i32, shared, 4>
  // expected-error@+1 {{'simt.view' op is of global memory}}
  %v = simt.view %s : !simt.buffer<i32, shared, 4> as !simt.buffer<f32, shared, 4>
  return
}

// -----

func.func @view_of_view(%a: !simt.buffer<i8, global>) {
  %v = simt.view %a : !simt.buffer<i8, global> as !simt.buffer<f32, global>
  // expected-error@+1 {{'simt.view' op stands at the top level of a task and views a parameter}}
  %w = simt.view %v : !simt.buffer<f32, global> as !simt.buffer<i16, global>
  return
}

// -----

func.func @shared_in_branch(%c: i1) {
  scf.if %c {
    // expected-error@+1 {{'simt.shared' op stands at the top level of a task}}
    %s = simt.shared "s" : !simt.buffer<i32, shared, 4>
  }
  return
}

// -----

func.func @wrong_space() {
  // expected-error@+1 {{'simt.private' op yields a buffer in private memory}}
  %s = simt.private : !simt.buffer<i32, shared, 4>
  return
}

// -----

func.func @float_and(%a: !simt.buffer<f32, global>, %v: f32, %i: i32) {
  // expected-error@+1 {{'simt.atomic_rmw' op andi does not take 'f32'}}
  %o = simt.atomic_rmw andi %v, %a[%i] : !simt.buffer<f32, global>, i32
  return
}

// -----

func.func @private_atomic(%v: i32, %i: i32) {
  %own = simt.private : !simt.buffer<i32, private, 4>
  // expected-error@+1 {{'simt.atomic_rmw' op needs a global or shared buffer}}
  %o = simt.atomic_rmw addi %v, %own[%i] : !simt.buffer<i32, private, 4>, i32
  return
}

// -----

func.func @private_cas(%v: i32, %i: i32) {
  %own = simt.private : !simt.buffer<i32, private, 4>
  // expected-error@+1 {{'simt.atomic_cas' op needs a global or shared buffer}}
  %c = simt.atomic_cas %v, %v, %own[%i] : !simt.buffer<i32, private, 4>, i32
  return
}

// -----

module attributes {simt.wave = 8 : i32} {
  func.func @wide_tile(%v: i32) {
    // expected-error@+1 {{'simt.reduce' op a tile of 2**4 lanes is wider than the wave of 8}}
    %r = simt.reduce addi %v tile 4 : i32
    return
  }
}

// -----

func.func @wrong_combine(%v: f32) {
  // expected-error@+1 {{'simt.scan' op addi does not take 'f32'}}
  %r = simt.scan addi %v tile 3 : f32
  return
}

// -----

func.func @too_many_bits(%v: i32) {
  // expected-error@+1 {{'simt.match' op compares 1 to 32 bits, not 33}}
  %r = simt.match %v bits 33
  return
}

// -----

func.func @no_fault_buffer(%ok: i1, %f: !simt.buffer<i32, shared, 8>) {
  // expected-error@+1 {{records faults in a global buffer of i32}}
  simt.check %ok, %f site 1 : !simt.buffer<i32, shared, 8>
  return
}

// -----

func.func @three_values(%ok: i1, %v: i64, %f: !simt.buffer<i32, global>) {
  // expected-error@+1 {{takes two values at most}}
  simt.check %ok, %f site 1 (%v, %v, %v) : !simt.buffer<i32, global>
  return
}
