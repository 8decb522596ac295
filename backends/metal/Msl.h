// SPIRV-Cross: the Metal text of one task.
#pragma once

#include "backends/metal/CheckMetal.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace sextant {

struct MslTask {
  std::string kernel;    ///< the entry point's name
  unsigned buffers = 0;  ///< arrays of the kernel: the values' binding
  bool hasTable = false; ///< the arrays come in a table (loader/abi/BindingLayout.h)
  std::vector<std::string> instructions = {}; ///< spirv::SpirvCode::instructions
};

/// Returns text that Metal compiles as it is. `words` hold one entry point.
llvm::Expected<std::string> emitMsl(llvm::ArrayRef<uint32_t> words, const MslTask &task,
                                    MslVersion version);

} // namespace sextant
