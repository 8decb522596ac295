// One task that a test writes by the parts of the box, and the instructions that came of it.
#pragma once

#include "backends/spirv/FunctionWriter.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"

namespace spirvtest {

using namespace sextant;
using namespace sextant::spirv;

struct Instruction {
  spv::Op op;
  Id type = 0, result = 0; ///< 0 where it has none
  Words operands;
};

/// A module of one task over `params` with the ops of `body`, while it is written. `%t` is a
/// constant.
struct Written {
  Written(const std::string &params, const std::string &body, SpirvOptions options = {},
          unsigned block = 64, unsigned wave = 32);

  /// The task's n-th op of that kind.
  template <typename Op> Op find(unsigned number = 0) {
    Op found;
    source().walk([&](Op op) {
      if (number-- == 0)
        found = op;
    });
    REQUIRE(found);
    return found;
  }
  mlir::func::FuncOp source() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  /// Gives every constant of the task its value.
  void constants();
  /// Ends the function and the module, which must be valid.
  void finish();

  std::vector<Instruction> all(spv::Op op) const;
  unsigned count(spv::Op op) const { return unsigned(all(op).size()); }
  /// The only instruction of that kind.
  Instruction only(spv::Op op) const;
  Instruction maker(Id id) const; ///< the one that makes a value
  /// The value of a constant.
  uint64_t number(Id id) const;
  bool isDecorated(Id id, spv::Decoration decoration) const;
  bool needs(const std::string &word) const { return code.w.requirements().count(word); }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SpirvOptions options;
  ModuleCode code;
  llvm::DenseMap<mlir::Value, Id> values;
  std::unique_ptr<FunctionCode> function;
  std::vector<Instruction> instructions; ///< after finish()

private:
  Id id = 0;
};

} // namespace spirvtest
