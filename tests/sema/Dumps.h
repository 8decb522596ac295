// Questions of tests to the text of kernels.
#pragma once

#include "tests/sema/Support.h"
#include "tests/support/Catch.h"

namespace sextant::test {

/// The kernels of a source without errors, as text.
inline std::string dumpOf(Analysis &analysis, const std::string &text) {
  analysis.runText(text);
  INFO(analysis.errors());
  CHECK(!analysis.sink.hasErrors());
  return analysis.dump();
}

inline bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace sextant::test
