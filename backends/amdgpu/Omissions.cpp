// Counts the instructions of functions, and their accesses to memory.
#include "backends/amdgpu/Omissions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sextant;

/// A function of more instructions than this is long.
static constexpr size_t mostOfShort = 10000;
/// The instructions for each access to memory with which a function has nothing to wait for.
static constexpr size_t mostForWaits = 100;

Omissions::Omissions(const Module &module) {
  for (const Function &function : module) {
    const size_t count = function.getInstructionCount();
    if (count <= mostOfShort)
      continue;
    const size_t accesses = count_if(instructions(function), [](const Instruction &instruction) {
      return instruction.mayReadOrWriteMemory();
    });
    const std::string description = ("function (" + function.getName() + ")").str();
    withoutBytes.insert(description);
    if (accesses * mostForWaits < count)
      withoutScheduler.insert(description);
  }
}

bool Omissions::shouldRunPass(StringRef pass, StringRef description) {
  return !(pass == "SI Peephole SDWA" && withoutBytes.contains(description)) &&
         !(pass == "Machine Instruction Scheduler" && withoutScheduler.contains(description));
}
