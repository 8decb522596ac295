// The files that `sextant compile` writes. It writes all of them or nothing.
#pragma once

#include "driver/commands/CompileOptions.h"
#include "driver/compile/Compile.h"

#include <map>
#include <string>
#include <vector>

namespace sextant {

/// One module to write, with its other files.
struct Output {
  std::string module, depfile, header;
};

/// An output with its module, and the names of its files.
struct BuiltOutput {
  Output output;
  CompiledModule module;
  std::string embedSymbol;
  const Environment
      *environment; ///< its folder is where the output's and the dependencies' paths start
};

/// Returns the outputs of one build. Throws Refusal.
std::vector<Output> planOutputs(const CompileOptionsText &options, const Environment &environment);
/// Checks that no output is a source or another output. Throws Refusal. \param seen paths of the
/// builds before, and whether each is a depfile
void checkOutputs(const std::vector<Output> &outputs, const std::vector<std::string> &sources,
                  const Environment &environment, std::map<std::string, bool> &seen);
/// Writes everything; an error removes what was written. If several outputs name one depfile, it
/// has a rule for each. Throws Refusal.
void writeOutputs(const std::vector<BuiltOutput> &built);

} // namespace sextant
