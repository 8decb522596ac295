// The memory in which debuggers find variables, in code that is not optimised.
#pragma once

#include "backends/cpu/TaskCode.h"

namespace sextant::cpu {

class ShownVariables : TaskPart {
public:
  using TaskPart::TaskPart;

  /// At the function's begin: makes the memory and declares what is in it. Nothing is shown without
  /// it, and where lines have no variables.
  void prepare();
  /// These write what has changed.
  void showBlock();
  void showChunk();
  void showMask();
  void emitDebugValue(simt::DebugValueOp op);

private:
  /// A variable of the source, in the frame that debuggers read.
  struct Place {
    uint64_t offset = 0;
    unsigned bytes = 0;     ///< a component
    bool isOfLanes = false; ///< one value a lane
  };

  void declareArguments();
  void declareShared();
  void declareThread(DebugLines::Scope in);
  void declareAt(llvm::Value *slot, uint64_t offset, llvm::DILocalVariable *variable,
                 DebugLines::Scope in, bool isPointer = false);

  llvm::Value *block = nullptr, *thread = nullptr, *lane = nullptr, *active = nullptr;
  llvm::Value *frames = nullptr; ///< one, or one a chunk
  llvm::Value *frame = nullptr;  ///< holds the address of the one that runs
  uint64_t frameBytes = 0;
  llvm::DenseMap<unsigned, Place> places; ///< found by the variable's number
};

} // namespace sextant::cpu
