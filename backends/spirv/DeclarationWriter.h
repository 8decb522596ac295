// Declares what a function works on: arguments as descriptors and push constants, and arrays of the
// block and of the thread.
#pragma once

#include "backends/spirv/Features.h"
#include "backends/spirv/FunctionCode.h"

namespace sextant::spirv {

class DeclarationWriter : FunctionPart {
public:
  using FunctionPart::FunctionPart;

  /// Declares the task's arrays, and loads its scalar arguments.
  void arguments();
  void array(mlir::Value array);
  /// Reads the address of an array from the table, as that type.
  Id addressOf(uint32_t array, Id type);
  /// True if the task reads addresses from the table where it begins. Of many arrays, not all fit
  /// in registers: each access reads its array's.
  bool keepsAddresses() const;

private:
  Id tableOf(Id pointer);
  Id blockType(Id element, unsigned width, uint32_t flags);
  Id declareBlock(const Memory &memory, Id element, unsigned width, uint32_t flags);
  void declareBuffer(mlir::Value buffer, uint32_t binding);
  void declareView(mlir::Value buffer, uint32_t flags, uint32_t binding);
  void declareAliases(mlir::Value buffer, Memory &memory);
  void declareValues();
  Id loadArgument(mlir::Value argument, uint32_t member);
  /// True if the arrays come in a table of addresses.
  bool takesTable() const {
    return hasFeature(module.options, abi::wordOf(abi::VulkanFeature::BufferAddresses));
  }

  llvm::DenseSet<mlir::Value> readInRounds; ///< arrays that loops read while they write others
};

} // namespace sextant::spirv
