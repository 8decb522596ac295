// Functions that several builtins use, and those of builtins that evaluation uses.
#pragma once

#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Places.h"

namespace sextant::sema {

struct Tail {
  unsigned lanes;       ///< the lanes of a subgroup that has fewer than the wave
  std::string why, fix; ///< for messages
};

Value transposed(const Value &matrix);

/// Makes a type of a value that the word `element` of Operations.def takes. Returns false for
/// others.
bool takeElement(Context &cx, Value &value, SourceRange at);

bool checkTile(Context &cx, const std::string &what, SourceRange at, const Value *asked,
               unsigned &log2Size);
bool checkSourceLane(Context &cx, const std::string &what, SourceRange at, hir::ShuffleKind kind,
                     const ExprRef &lane);
bool checkBallot(Context &cx, const std::string &what, SourceRange at, std::optional<unsigned> n);
void needWholeBlocks(Context &cx, const CallSite &site);

} // namespace sextant::sema
