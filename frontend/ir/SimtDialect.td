// The `simt` dialect: what a kernel's thread can do that `arith`, `math` and
// `scf` do not say. Values are signless scalars; signedness is in the ops.
#ifndef SEXTANT_SIMT_DIALECT
#define SEXTANT_SIMT_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::sextant::simt";
  let summary = "Threads, subgroups, blocks and the memory they share";
  let description = [{
    A module holds the tasks of one kernel instance for one wave size
    (`simt.wave = 32 : i32` on the module). A task is a `func.func` with the
    attribute `simt.task`, a dictionary (see `getTaskInfo` in SimtDialect.h):

    - `block_dim`: i32, threads a block, at least 1.
    - `full_blocks` (unit, optional): the launch guarantees that every thread of
      every block runs the body, so block barriers at its top level are legal.
    - `serial` (unit, optional): one block of one thread.
    - `min_blocks` (i32, optional): the code shall leave a multiprocessor room
      for so many blocks.

    Each thread of each block runs the function's body. Every task of a kernel
    has the same parameters: the kernel's argument list, flattened (see
    loader/abi/README.md, "Argument block"): `!simt.buffer` for arrays, scalars
    as they are. A buffer's `simt.align = 16 : i32` says that its address is a
    multiple of so many bytes, also of a view's. An integer's `simt.nonnegative` (unit) says that
    it is not negative, as extents of arrays are.

    Sums and products of integers wrap, but those marked `overflow<nsw>` do not:
    they lead to the position of an element.

    Sums, differences and products of reals may become part of an fma, but not
    those with the attribute `simt.precise` (unit).

    `simt.unroll = 4 : i32` on a loop asks for that many iterations a step; 1
    forbids that there are several, -1 asks for all. `simt.turns` (unit) marks the
    `scf.for` in which a block runs the code of several, in no order.

    Control flow is structured: `scf.if`, `scf.for`, `scf.while` and nothing
    else; there is one `func.return` without operands, and no calls.
    Booleans are `i1` as values and `i8` in memory.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
}

def Simt_Space
    : I32EnumAttr<"Space", "address space of a buffer",
                  [I32EnumAttrCase<"Global", 0, "global">, I32EnumAttrCase<"Shared", 1, "shared">,
                   I32EnumAttrCase<"Private", 2, "private">]> {
  let cppNamespace = "::sextant::simt";
}

class Simt_Type<string name, string keyword> : TypeDef<Simt_Dialect, name> {
  let mnemonic = keyword;
}

def Simt_BufferType : Simt_Type<"Buffer", "buffer"> {
  let summary = "a run of scalars of one type in one address space";
  let description = [{
    `!simt.buffer<f32, global>` is a pointer to device memory with no known
    extent; `!simt.buffer<i32, shared, 256>` is 256 elements of block-shared
    memory; `private` is memory of one thread. Elements are i8 i16 i32 i64 f16
    f32 f64. An index counts elements, is i32 or i64, and is signed.
  }];
  let parameters = (ins "::mlir::Type":$elementType, "::sextant::simt::Space":$space,
      DefaultValuedParameter<"int64_t", "0">:$count);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
