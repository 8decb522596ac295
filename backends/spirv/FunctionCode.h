// The code of a module and of one function while it is written: what the writers of a function read
// and write.
#pragma once

#include "backends/spirv/Memory.h"
#include "backends/spirv/Spirv.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace sextant::spirv {

/// The state that the functions of a module share.
struct ModuleCode {
  ModuleCode(const SpirvOptions &options, unsigned wave) : options(options), wave(wave) {}

  const SpirvOptions &options;
  unsigned wave;
  ScalarWriter w;
  /// Inputs that the device fills in, by BuiltIn.
  std::map<uint32_t, Id> builtins;
  /// The number of blocks in a row of the grid; 0 before its first use.
  Id rowLength = 0;
  /// The scalar arguments' variable, 0 before its first use.
  Id values = 0;
  spv::StorageClass valueStorage = spv::StorageClassPushConstant;
  /// Structs of one run-time array, by element and decorations.
  std::map<std::pair<Id, uint32_t>, Id> blocks;
  std::map<Id, Id> arrays;       ///< run-time arrays, by element
  std::map<Id, Id> tables;       ///< variables of the table of addresses, by type of pointer
  llvm::StringMap<Id> functions; ///< functions that tasks call, by name
  /// Functions for instructions in the target's own words, by text and types.
  llvm::MapVector<std::pair<mlir::StringAttr, mlir::FunctionType>, Id> instructions;
};

struct FunctionCode {
  FunctionCode(ModuleCode &module, mlir::func::FuncOp source,
               llvm::DenseMap<mlir::Value, Id> &values)
      : module(module), source(source), values(values) {}

  ModuleCode &module;
  mlir::func::FuncOp source;
  llvm::DenseMap<mlir::Value, Id> &values; ///< the walk's
  simt::TaskInfo task;
  bool usesLanes = false;
  llvm::DenseMap<mlir::Value, Memory> memories;
  std::set<Id> interface; ///< input variables that the function reads
};

/// A base of writers: it gives them the function, its module and its Writer.
struct FunctionPart {
  explicit FunctionPart(FunctionCode &code) : code(code), module(code.module), w(module.w) {}

  Id get(mlir::Value value) const { return code.values.lookup(value); }

  FunctionCode &code;
  ModuleCode &module;
  ScalarWriter &w;
};

} // namespace sextant::spirv
