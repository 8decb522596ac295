// Structured control flow: an if is a selection, and a loop has a header with phis, a test, a body,
// and a continue block that only branches back. And code that is made of them.
#pragma once

#include "backends/common/StructuredWalk.h"
#include "backends/spirv/Writer.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sextant::spirv {

using Selection = SelectionBlocks<Id>;
using Loop = LoopBlocks<Id>;

/// Makes the blocks, and branches to the two sides.
Selection beginSelection(Writer &w, Id condition, bool hasElse);
/// Makes the blocks, and enters the header.
Loop beginLoop(Writer &w);
/// Ends the header, after its phis.
void beginTest(Writer &w, const Loop &loop);
/// Branches to the body, which it enters, or to the end of the loop.
void beginBody(Writer &w, const Loop &loop, Id goesOn);
/// Returns the block that branches back.
Id endBody(Writer &w, const Loop &loop);
/// Branches back, and continues after the loop.
void endLoop(Writer &w, const Loop &loop);

/// Runs one of two pieces of code, each of which yields a value of `type`.
Id choose(Writer &w, Id type, Id condition, llvm::function_ref<Id()> whenTrue,
          llvm::function_ref<Id()> whenFalse);
/// Reads a word, changes it by `next` and swaps, until no other thread came in between. Returns the
/// word before.
Id casLoop(Writer &w, Id pointer, Id type, Id scope, llvm::function_ref<Id(Id old)> next);

} // namespace sextant::spirv
