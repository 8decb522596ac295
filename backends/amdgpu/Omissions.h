// Passes of LLVM that are left out for long functions, since their time grows faster than the code.
#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"

namespace sextant {

/// With each instruction that the pass for bytes of registers changes, it walks through all uses of
/// the register: it took half of the code generator's time of an edit distance of 60 letters, whose
/// code it made 1 % shorter. The scheduler of machine instructions lets loads run ahead of their
/// uses. In code that has few, it only lengthens lives: for gfx1100 an edit distance of 80 letters
/// spilled 1,767 times, or twice without it, and the allocator took 50 times as long.
class Omissions : public llvm::OptPassGate {
public:
  explicit Omissions(const llvm::Module &module);
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) override;

private:
  llvm::StringSet<> withoutBytes, withoutScheduler; ///< names of functions, as passes describe them
};

} // namespace sextant
