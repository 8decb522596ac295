// The reference: runs a kernel straight from its syntax tree, all threads of a block in
// lockstep under a mask. It shares the parser with the compiler and nothing after it; types
// and meanings are those of the language's description.
//
// It is strict: a race between threads, an operation whose result the language leaves open, a
// collective in divergent control flow throw Unspecified. What runs to the end has one result on
// every target.
#pragma once

#include "frontend/syntax/Ast.h"
#include "tests/fuzz/Launch.h"

namespace fuzz {

/// Runs the launch's kernel with subgroups of `wave` lanes; arguments, fields and results are
/// then what they are on a device. Throws Unspecified or Unsupported.
void interpret(const sextant::ast::Module &module, unsigned wave, Launch &launch);

} // namespace fuzz
