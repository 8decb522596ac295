// Operations of the `simt` dialect. One group a heading; each op says what it
// yields, in which lanes, and where control flow must be uniform.
#ifndef SEXTANT_SIMT_OPS
#define SEXTANT_SIMT_OPS

include "SimtDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

def Simt_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, F16, F32, F64], "a scalar">;
def Simt_Element : AnyTypeOf<[I8, I16, I32, I64, F16, F32, F64], "a scalar that memory holds">;
def Simt_Index : AnyTypeOf<[I32, I64], "an element index">;

// One list for atomics, reductions and scans. `F` takes reals, `S` and `U` integers by their sign,
// `I` integers of either; `exchange` stores the later value and is only for atomics.
def Simt_CombineKind : I32EnumAttr<"CombineKind", "operator of an atomic, a reduction or a scan", [
    I32EnumAttrCase<"AddI", 0, "addi">, I32EnumAttrCase<"AddF", 1, "addf">,
    I32EnumAttrCase<"MulI", 2, "muli">, I32EnumAttrCase<"MulF", 3, "mulf">,
    I32EnumAttrCase<"MinS", 4, "mins">, I32EnumAttrCase<"MinU", 5, "minu">,
    I32EnumAttrCase<"MinF", 6, "minf">, I32EnumAttrCase<"MaxS", 7, "maxs">,
    I32EnumAttrCase<"MaxU", 8, "maxu">, I32EnumAttrCase<"MaxF", 9, "maxf">,
    I32EnumAttrCase<"AndI", 10, "andi">, I32EnumAttrCase<"OrI", 11, "ori">,
    I32EnumAttrCase<"XorI", 12, "xori">, I32EnumAttrCase<"Exchange", 13, "exchange">]> {
  let cppNamespace = "::sextant::simt";
}

//===--- What passes and backends ask of any op ----------------------------===//

// Lanes of a subgroup work together: all of them have to get there.
def Simt_Subgroup : NativeOpTrait<"Subgroup"> { let cppNamespace = "::sextant::simt"; }
// The op is about aligned runs of 2**log2Size lanes, at most the subgroup.
def Simt_Tiled : NativeOpTrait<"Tiled"> { let cppNamespace = "::sextant::simt"; }
// The result is the same in all lanes of a subgroup, or of a tile if the op is about tiles. Lanes
// whose result means nothing do not count.
def Simt_UniformInSubgroup : NativeOpTrait<"UniformInSubgroup"> {
  let cppNamespace = "::sextant::simt";
}
// Threads of a block wait for each other: all of them have to get there.
def Simt_BlockBarrier : NativeOpTrait<"BlockBarrier"> { let cppNamespace = "::sextant::simt"; }
// The result is the same in all threads of a block, whatever the operands are.
def Simt_UniformInBlock : NativeOpTrait<"UniformInBlock"> { let cppNamespace = "::sextant::simt"; }
// The result differs from thread to thread, though there are no operands.
def Simt_OfThread : NativeOpTrait<"OfThread"> { let cppNamespace = "::sextant::simt"; }
// An array of a task.
def Simt_Allocation : NativeOpTrait<"Allocation"> { let cppNamespace = "::sextant::simt"; }

//===--- Where a thread is -------------------------------------------------===//

class Simt_IdOp<string mnemonic, Trait where> : Simt_Op<mnemonic, [Pure, where]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ $_state.addTypes($_builder.getI32Type()); }]>];
}

def Simt_ThreadIdxOp : Simt_IdOp<"thread_idx", Simt_OfThread> {
  let summary = "index of the thread in its block, from 0";
}
def Simt_BlockIdxOp : Simt_IdOp<"block_idx", Simt_UniformInBlock> {
  let summary = "index of the block in the grid, from 0";
}
def Simt_GridDimOp : Simt_IdOp<"grid_dim", Simt_UniformInBlock> {
  let summary = "blocks in the grid";
}
def Simt_LaneOp : Simt_IdOp<"lane", Simt_OfThread> {
  let summary = "index of the thread in its subgroup: thread_idx modulo the wave size";
}

//===--- Arithmetic --------------------------------------------------------===//

def Simt_MulHighOp : Simt_Op<"mul_high", [Pure, SameOperandsAndResultType]> {
  let summary = "the upper half of the product of unsigned words";
  let description = "`%q = simt.mul_high %n, %multiplier : i32`";
  let arguments = (ins I32:$lhs, I32:$rhs);
  let results = (outs I32:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Simt_ToIntOp : Simt_Op<"to_int", [Pure]> {
  let summary = "a real as an integer, towards zero";
  let description = [{
    Yields the nearest end of the integer's range for a number outside, and 0
    for NaN. The conversions of `arith` leave such results open, and are for
    numbers that are known to be in range.
    `%n = simt.to_int %x : f32 -> i8`, `%n = simt.to_int unsigned %x : f64 -> i32`
  }];
  let arguments = (ins AnyTypeOf<[F32, F64]>:$value, UnitAttr:$isUnsigned);
  let results = (outs AnyTypeOf<[I8, I16, I32, I64]>:$result);
  let assemblyFormat = [{
    (`unsigned` $isUnsigned^)? $value attr-dict `:` type($value) `->` type($result)
  }];
  let hasFolder = 1;
}

//===--- Memory ------------------------------------------------------------===//

def Simt_SharedOp : Simt_Op<"shared", [Simt_Allocation]> {
  let summary = "an array of the block's shared memory";
  let description = [{
    Stands in the entry block of a task. Every op is an array of its own; its
    contents are undefined until written. `name` is what errors call it.
    `%0 = simt.shared "tile" : !simt.buffer<f32, shared, 256>`
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$name attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Simt_PrivateOp : Simt_Op<"private", [Simt_Allocation]> {
  let summary = "an array of the thread's own, for locals indexed at run time";
  let description = "Stands in the entry block of a task.";
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Simt_ViewOp : Simt_Op<"view", [Pure]> {
  let summary = "the memory of a global buffer as elements of another type";
  let description = [{
    Begins at the same address; an index counts elements of the view's own type.
    Stands in the entry block of a task and is a view of one of its parameters.
    A buffer and its views are the same memory: what one writes the others read.
    `%r = simt.view %x : !simt.buffer<i8, global> as !simt.buffer<f32, global>`
  }];
  let arguments = (ins Simt_BufferType:$source);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source)) `as` qualified(type($result))";
  let hasVerifier = 1;
}

def Simt_AddressOp : Simt_Op<"address", [Pure]> {
  let summary = "the address of an element of global or shared memory, in bytes";
  let description = [{
    Only for targets whose buffers are addresses: i64 in global memory, i32 in shared memory.
    `%a = simt.address %x[%i] : !simt.buffer<f32, global>, i32 -> i64`
  }];
  let arguments = (ins Simt_BufferType:$buffer, Simt_Index:$index);
  let results = (outs AnyTypeOf<[I32, I64]>:$bytes);
  let assemblyFormat = [{
    $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index) `->` type($bytes)
  }];
}

// `stream`: the element is not accessed again. `global`: other blocks write it. `readonly`: nothing
// writes it while the task runs. `async`: of a store to shared memory of what was just loaded, which
// may come later, up to simt.await_copies. Hints to caches, except that `readonly` is a promise.
def Simt_Cache : I32EnumAttr<"Cache", "what an access tells the caches", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Stream", 1, "stream">,
    I32EnumAttrCase<"Global", 2, "global">, I32EnumAttrCase<"ReadOnly", 3, "readonly">,
    I32EnumAttrCase<"Async", 4, "async">]> {
  let cppNamespace = "::sextant::simt";
}
def Simt_CacheHint : DefaultValuedAttr<Simt_Cache, "::sextant::simt::Cache::All">;

def Simt_LoadOp : Simt_Op<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result is the buffer's element", "buffer", "result",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">]> {
  let summary = "reads an element";
  let description = [{
    `volatile` is never hoisted, merged or forwarded.
    `%v = simt.load volatile %flags[%i] : !simt.buffer<i32, global>, i32`
    `%v = simt.load cache stream %x[%i] : !simt.buffer<f32, global>, i32`
  }];
  let arguments = (ins Simt_BufferType:$buffer, Simt_Index:$index, UnitAttr:$volatile_,
                       Simt_CacheHint:$cache);
  let results = (outs Simt_Element:$result);
  let assemblyFormat =
    "(`volatile` $volatile_^)? (`cache` $cache^)? $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index)";
}

def Simt_StoreOp : Simt_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"value is the buffer's element", "buffer", "value",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">]> {
  let summary = "writes an element";
  let arguments = (ins Simt_Element:$value, Simt_BufferType:$buffer, Simt_Index:$index,
                       UnitAttr:$volatile_, Simt_CacheHint:$cache);
  let assemblyFormat =
    "(`volatile` $volatile_^)? (`cache` $cache^)? $value `,` $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index)";
}

// Only vectorizeAccesses() makes the vector accesses. `index` counts vectors: elements
// `index * N` to `index * N + N - 1` are accessed, for N results or values: 2 or 4, and the buffer
// is aligned to the vector's size, or, for targets that asked for it, 2 to 4 of any alignment.
def Simt_LoadVectorOp : Simt_Op<"load_vector", [MemoryEffects<[MemRead]>]> {
  let summary = "reads elements that lie one after the other, by one access";
  let description = [{
    `%v:2 = simt.load_vector %points[%i] : !simt.buffer<f32, global>, i32 -> f32, f32`
  }];
  let arguments = (ins Simt_BufferType:$buffer, Simt_Index:$index, Simt_CacheHint:$cache);
  let results = (outs Variadic<Simt_Element>:$elements);
  let assemblyFormat =
    "(`cache` $cache^)? $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index) `->` type($elements)";
  let hasVerifier = 1;
}

class Simt_VectorUpdate<string mnemonic, list<Trait> traits = []> : Simt_Op<mnemonic, traits> {
  let arguments = (ins Variadic<Simt_Element>:$values, Simt_BufferType:$buffer, Simt_Index:$index,
                       Simt_CacheHint:$cache);
  let assemblyFormat = [{
    (`cache` $cache^)? `(` $values `)` `,` $buffer `[` $index `]` attr-dict `:` type($values) `,`
    qualified(type($buffer)) `,` type($index)
  }];
  let hasVerifier = 1;
}

def Simt_StoreVectorOp : Simt_VectorUpdate<"store_vector", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes elements that lie one after the other, by one access";
}

def Simt_AtomicAddVectorOp : Simt_VectorUpdate<"atomic_add_vector"> {
  let summary = "adds to elements that lie one after the other; each addition is atomic by itself";
}

def Simt_AtomicRmwOp : Simt_Op<"atomic_rmw", [
    TypesMatchWith<"value is the buffer's element", "buffer", "value",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">,
    TypesMatchWith<"result is the buffer's element", "buffer", "old",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">]> {
  let summary = "atomically combines an element with a value and yields the old element";
  let description = [{
    Sequentially consistent on its location, no fence for any other. Device
    scope in global memory, block scope in shared memory. `minf` and `maxf` are
    minNum and maxNum. Each active lane performs its own operation, in
    increasing lane order where a target runs lanes together.
    `%old = simt.atomic_rmw addi %v, %hist[%b] : !simt.buffer<i32, shared, 256>, i32`
  }];
  let arguments = (ins Simt_CombineKind:$kind, Simt_Element:$value, Simt_BufferType:$buffer,
                       Simt_Index:$index);
  let results = (outs Simt_Element:$old);
  let assemblyFormat =
    "$kind $value `,` $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index)";
  let hasVerifier = 1;
}

def Simt_AtomicCasOp : Simt_Op<"atomic_cas", [
    TypesMatchWith<"expected is the buffer's element", "buffer", "expected",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">,
    TypesMatchWith<"desired is the buffer's element", "buffer", "desired",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">,
    TypesMatchWith<"old is the buffer's element", "buffer", "old",
                   "::llvm::cast<::sextant::simt::BufferType>($_self).getElementType()">]> {
  let summary = "stores `desired` where the element equals `expected`; yields the old element";
  let arguments = (ins AnyTypeOf<[I8, I16, I32, I64]>:$expected,
                       AnyTypeOf<[I8, I16, I32, I64]>:$desired,
                       Simt_BufferType:$buffer, Simt_Index:$index);
  let results = (outs AnyTypeOf<[I8, I16, I32, I64]>:$old);
  let assemblyFormat =
    "$expected `,` $desired `,` $buffer `[` $index `]` attr-dict `:` qualified(type($buffer)) `,` type($index)";
  let hasVerifier = 1;
}

//===--- Barriers and fences -----------------------------------------------===//

def Simt_BarrierOp : Simt_Op<"barrier", [Simt_BlockBarrier]> {
  let summary = "block barrier: converges the block's threads, orders their memory";
  let description = "In control flow that is uniform in the block.";
  let assemblyFormat = "attr-dict";
}

def Simt_BarrierReduceKind : I32EnumAttr<"BarrierReduceKind", "what a reducing barrier yields", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Any", 1, "any">,
    I32EnumAttrCase<"Count", 2, "count">]> {
  let cppNamespace = "::sextant::simt";
}

def Simt_BarrierReduceOp : Simt_Op<"barrier_reduce", [Simt_BlockBarrier, Simt_UniformInBlock]> {
  let summary = "block barrier that also reduces a predicate over the block";
  let description = [{
    `all` and `any` yield 0 or 1, `count` the number of threads whose predicate
    holds; the same value in every thread.
    `%n = simt.barrier_reduce count %p`
  }];
  let arguments = (ins Simt_BarrierReduceKind:$kind, I1:$predicate);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $predicate attr-dict";
}

def Simt_Scope : I32EnumAttr<"Scope", "who observes a fence's order", [
    I32EnumAttrCase<"Subgroup", 0, "subgroup">, I32EnumAttrCase<"Block", 1, "block">,
    I32EnumAttrCase<"Device", 2, "device">]> {
  let cppNamespace = "::sextant::simt";
}

def Simt_FenceOp : Simt_Op<"fence"> {
  let summary = "acquire-release memory fence; converges nothing, legal in divergent control flow";
  let arguments = (ins Simt_Scope:$scope);
  let assemblyFormat = "$scope attr-dict";
}

// It has no trait: nothing merges, moves or removes it.
def Simt_ClockOp : Simt_Op<"clock"> {
  let summary = "the target's counter of cycles, read where the op stands";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{ $_state.addTypes($_builder.getI64Type()); }]>];
}

def Simt_PauseOp : Simt_Op<"pause"> {
  let summary = "the thread waits for another one: it steps back for a moment, so that others run";
  let description = "Orders no memory. Targets without an instruction for it drop the op.";
  let assemblyFormat = "attr-dict";
}

def Simt_EndCopiesOp : Simt_Op<"end_copies"> {
  let summary = "the thread's stores with cache `async` since the last one are a group";
  let description = "Targets whose stores are done at once drop the op.";
  let assemblyFormat = "attr-dict";
}

def Simt_AwaitCopiesOp : Simt_Op<"await_copies"> {
  let summary = "waits for the thread's groups of stores with cache `async`, but the last few";
  let description = [{
    What other threads stored is there behind a barrier that follows.
    `simt.await_copies 1`
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Simt_SubgroupBarrierOp : Simt_Op<"subgroup_barrier", [Simt_Subgroup]> {
  let summary = "converges the subgroup's lanes and orders their memory";
  let assemblyFormat = "attr-dict";
}

//===--- Subgroup: moving data ---------------------------------------------===//
// All in control flow that is uniform in the subgroup. They read no memory, but
// must not move across control flow, hence no memory effect and no speculation.

def Simt_ShuffleKind : I32EnumAttr<"ShuffleKind", "how a shuffle finds its source lane", [
    I32EnumAttrCase<"Index", 0, "index">, I32EnumAttrCase<"Xor", 1, "xor">,
    I32EnumAttrCase<"Up", 2, "up">, I32EnumAttrCase<"Down", 3, "down">,
    I32EnumAttrCase<"Broadcast", 4, "broadcast">]> {
  let cppNamespace = "::sextant::simt";
}

def Simt_ShuffleOp : Simt_Op<"shuffle", [Simt_Subgroup, NoMemoryEffect, AllTypesMatch<["value", "result"]>]> {
  let summary = "yields the value that another lane holds";
  let description = [{
    The source lane is `lane` (index, broadcast), own lane xor, minus (up) or
    plus (down) `lane`. Out of the wave: the value is unspecified, but the op is
    harmless. `broadcast` promises that `lane` is the same in every lane.
    `%r = simt.shuffle xor %v, %mask : f32`
  }];
  let arguments = (ins Simt_ShuffleKind:$kind, Simt_Scalar:$value, I32:$lane);
  let results = (outs Simt_Scalar:$result);
  let assemblyFormat = "$kind $value `,` $lane attr-dict `:` type($value)";
}

def Simt_BallotOp : Simt_Op<"ballot", [Simt_Subgroup, Simt_UniformInSubgroup, NoMemoryEffect]> {
  let summary = "bit i says whether lane i is active and its predicate holds";
  let arguments = (ins I1:$predicate);
  let results = (outs I64:$result);
  let assemblyFormat = "$predicate attr-dict";
}

def Simt_MatchOp : Simt_Op<"match", [Simt_Subgroup, NoMemoryEffect]> {
  let summary = "bit i says whether lane i is active and its value's low `bits` bits are this lane's";
  let description = "`%m = simt.match %digit bits 8`";
  let arguments = (ins I32:$value, I32Attr:$bits);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `bits` $bits attr-dict";
  let hasVerifier = 1;
}

def Simt_VoteKind : I32EnumAttr<"VoteKind", "quantifier of a vote", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Any", 1, "any">]> {
  let cppNamespace = "::sextant::simt";
}

class Simt_TileOp<string mnemonic, list<Trait> traits = []>
    : Simt_Op<mnemonic, !listconcat([Simt_Subgroup, Simt_Tiled, NoMemoryEffect], traits)>;

def Simt_VoteOp : Simt_TileOp<"vote", [Simt_UniformInSubgroup]> {
  let summary = "whether the predicate holds in all, or any, of the tile's lanes; in each of them";
  let description = "`%r = simt.vote all %p tile 5`";
  let arguments = (ins Simt_VoteKind:$kind, I1:$predicate, I32Attr:$log2Size);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $predicate `tile` $log2Size attr-dict";
}

def Simt_ReduceOp : Simt_TileOp<"reduce", [Simt_UniformInSubgroup, AllTypesMatch<["value", "result"]>]> {
  let summary = "combines the tile's values";
  let description = [{
    Valid in the tile's first lane; with `all`, the same in each of its lanes.
    `%s = simt.reduce addf %v tile 5 all : f32`
  }];
  let arguments = (ins Simt_CombineKind:$kind, Simt_Scalar:$value, I32Attr:$log2Size, UnitAttr:$all);
  let results = (outs Simt_Scalar:$result);
  let assemblyFormat = "$kind $value `tile` $log2Size (`all` $all^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Simt_ScanOp : Simt_TileOp<"scan", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines the values of the tile's lanes up to this one";
  let description = [{
    Inclusive; with `exclusive`, without this lane's own, and the operator's
    identity in the tile's first lane (+inf or the largest integer for minima,
    -inf or the least for maxima).
    `%s = simt.scan addi %v tile 5 exclusive : i32`
  }];
  let arguments = (ins Simt_CombineKind:$kind, Simt_Scalar:$value, I32Attr:$log2Size, UnitAttr:$exclusive);
  let results = (outs Simt_Scalar:$result);
  let assemblyFormat = "$kind $value `tile` $log2Size (`exclusive` $exclusive^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

//===--- Instructions of one target ----------------------------------------===//

def Simt_InstructionOp : Simt_Op<"instruction", [
    Simt_Subgroup, Simt_OfThread, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an instruction that a family of targets has and no other, as its matrix units have";
  let description = [{
    `text` is the target's own. For CUDA it is PTX, in which `{4}` stands for the next four of the
    results and operands, and `#` for the next one; operands that it does not name are the results'
    values before it. For AMD it is the name of LLVM's intrinsic; scalars fill its vectors in order.
    `memory`: it reads or writes memory. `of_thread`: each thread runs it by itself. Only
    frontend/library writes such code, where it asked the target for its unit.
    `%d:4 = simt.instruction "llvm.amdgcn.mfma.f32.16x16x4f32 f32 f32 f32x4 0 0 0"(%a, %b, …) : …`
  }];
  let arguments = (ins StrAttr:$text, UnitAttr:$memory, UnitAttr:$of_thread,
                       Variadic<Simt_Scalar>:$operands);
  let results = (outs Variadic<Simt_Scalar>:$results);
  let assemblyFormat = [{
    $text (`memory` $memory^)? (`of_thread` $of_thread^)? `(` $operands `)` attr-dict `:`
    functional-type($operands, $results)
  }];
}

//===--- Builds that check -------------------------------------------------===//
// Both go before any backend sees the module: expandChecks replaces them.

def Simt_CheckOp : Simt_Op<"check"> {
  let summary = "records a fault where `ok` does not hold; the thread goes on";
  let description = [{
    `faults` is the fault buffer of the launch, of which the first fault of a
    launch gets the record: the site, the thread, and up to two values for the
    site's text. Legal in divergent control flow.
    `simt.check %ok, %faults site 3 (%index, %size) : !simt.buffer<i32, global>`
  }];
  let arguments = (ins I1:$ok, Simt_BufferType:$faults, I32Attr:$site, Variadic<I64>:$values);
  let assemblyFormat =
    "$ok `,` $faults `site` $site (`(` $values^ `)`)? attr-dict `:` qualified(type($faults))";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Simt_AgreeOp : Simt_Op<"agree", [Simt_UniformInBlock, AllTypesMatch<["value", "result"]>]> {
  let summary = "a value that has to be the same in all threads of the block";
  let description = [{
    Where it is not, records a fault and yields 0, or false, in all of them: nobody
    then goes where some would wait for the others in vain. A block barrier by
    itself, in control flow that is uniform in the block.
    `%c = simt.agree %condition, %faults site 4 : i1, !simt.buffer<i32, global>`
  }];
  let arguments = (ins AnyTypeOf<[I1, I32, I64]>:$value, Simt_BufferType:$faults, I32Attr:$site);
  let results = (outs AnyTypeOf<[I1, I32, I64]>:$result);
  let assemblyFormat =
    "$value `,` $faults `site` $site attr-dict `:` type($value) `,` qualified(type($faults))";
  let hasVerifier = 1;
}

//===--- For debuggers -----------------------------------------------------===//

def Simt_DebugValueOp : Simt_Op<"debug_value"> {
  let summary = "a variable of the source, or a component of it, has this value from here on";
  let description = [{
    Only in builds for debuggers. `variable` numbers the kernel's variables;
    `component` counts a vector's or matrix's elements row by row; `shown` is the
    component's type with its sign; `declared` is a location, of the function that
    the variable belongs to. Targets that show no variables drop the op.
  }];
  let arguments = (ins Simt_Scalar:$value, StrAttr:$name, I32Attr:$variable, I32Attr:$component,
                       TypeAttr:$shown, I32Attr:$rows, I32Attr:$cols, AnyAttr:$declared);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::llvm::StringRef":$name,
                                 "uint32_t":$variable, "uint32_t":$component, "::mlir::Type":$shown,
                                 "uint32_t":$rows, "uint32_t":$cols,
                                 "::mlir::Location":$declared), [{
    build($_builder, $_state, value, $_builder.getStringAttr(name),
          $_builder.getI32IntegerAttr(variable), $_builder.getI32IntegerAttr(component),
          ::mlir::TypeAttr::get(shown), $_builder.getI32IntegerAttr(rows),
          $_builder.getI32IntegerAttr(cols), ::mlir::LocationAttr(declared));
  }]>];
}

#endif
