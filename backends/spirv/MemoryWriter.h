// Loads and stores of buffers and arrays.
#pragma once

#include "backends/spirv/DeclarationWriter.h"

namespace sextant::spirv {

/// The place of an element of 8 or 16 bits in a buffer or a packed array: the word that holds it,
/// and its first bit.
struct WordPart {
  Id pointer, offset; ///< the word's address; bits from its start
  unsigned width;
};

class MemoryWriter : FunctionPart {
public:
  MemoryWriter(FunctionCode &code, DeclarationWriter &declarations)
      : FunctionPart(code), declarations(declarations) {}

  Id load(simt::LoadOp op);
  void store(simt::StoreOp op);
  /// The table of addresses has where the buffers begin.
  Id address(simt::AddressOp op);
  void loadVector(simt::LoadVectorOp op);
  void storeVector(simt::StoreVectorOp op);
  /// A pointer to an element.
  Id pointer(mlir::Value buffer, mlir::Value index);
  Id pointerAt(mlir::Value buffer, Id at);

  Id elementIndex(mlir::Value index);

  WordPart partOf(mlir::Value buffer, mlir::Value at);
  /// The element's bits in the word, zero-extended.
  Id partIn(Id word, const WordPart &part);
  Id withPart(Id word, Id bits, const WordPart &part);

private:
  Id blockOf(const Memory &memory, Id declared);
  Id wordIndex(mlir::Value index, unsigned log2Elements);
  void addAccess(llvm::SmallVectorImpl<uint32_t> &operands, const Memory &memory, bool isVolatile,
                 simt::Cache cache, unsigned count = 1);
  Id address(mlir::Value buffer, mlir::Value index, Id type);
  Id vectorPointer(mlir::Value buffer, mlir::Value index, size_t count);
  void storeToAlias(simt::StoreOp op, llvm::StringRef alias);
  Id loadPart(mlir::Value array, mlir::Value index);
  void storePart(simt::StoreOp op);

  DeclarationWriter &declarations;
};

} // namespace sextant::spirv
