#include "backends/cpu/Frames.h"

#include "frontend/ir/Refuse.h"
#include "loader/abi/Stack.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sextant;

void cpu::addFrameAttributes(Function &function) {
  // Debuggers, profilers and Windows' handlers of exceptions stop at any instruction.
  function.addFnAttr(Attribute::getWithUWTableKind(function.getContext(), UWTableKind::Async));
  // System V lets leaf functions keep values below the stack pointer. Windows calls handlers of
  // exceptions on the thread's stack, right there.
  function.addFnAttr(Attribute::NoRedZone);
  // A stack ends in a guard page: on Windows the page with which it grows. So a frame touches its
  // pages one after the other. LLVM 19 writes such code for x86-64 and for aarch64, where it counts
  // on nothing but that a caller has touched the page of its own stack pointer, or the KiB above.
  function.addFnAttr("probe-stack", "inline-asm");
  function.addFnAttr("stack-probe-size", "4096");
  function.addFnAttr("warn-stack-size", std::to_string(abi::taskFrame));
}

void cpu::alignFrames(Module &module) {
  // LLVM lets a leaf function of x86-64 take 12 bytes of stack. Windows' dispatcher of exceptions
  // takes such a stack pointer for a broken stack. Empty assembly that wants an aligned stack makes
  // the function no leaf.
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  InlineAsm *nothing = InlineAsm::get(type, "", "", /*hasSideEffects=*/true, /*isAlignStack=*/true);
  for (Function &function : module)
    if (!function.isDeclaration()) {
      BasicBlock &entry = function.getEntryBlock();
      CallInst::Create(type, nothing, "", entry.getFirstNonPHIOrDbgOrAlloca());
    }
}

mlir::LogicalResult cpu::refuseFrames(mlir::ModuleOp tasks, ArrayRef<LargeFrame> frames) {
  for (const LargeFrame &frame : frames) {
    mlir::Operation *task = tasks.lookupSymbol(frame.function);
    simt::refuse(task ? task : tasks, Problem::FrameBeyondTarget)
        << "the loop keeps " << frame.bytes
        << " bytes on a thread's stack; the cpu backend has room for " << abi::taskFrame
        << "; keep fewer vectors and matrices at a time, make the block smaller, or split the loop";
  }
  return mlir::success(frames.empty());
}
