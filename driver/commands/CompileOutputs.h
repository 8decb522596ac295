// What `sextant compile` writes: which files, and all of them or none.
#pragma once

#include "driver/commands/CompileOptions.h"
#include "driver/compile/Compile.h"

#include <map>
#include <string>
#include <vector>

namespace sextant {

/// One module to write, and what belongs to it.
struct Output {
  std::string module, depfile, header;
};

/// An output with its module, and how its files are named.
struct BuiltOutput {
  Output output;
  CompiledModule module;
  std::string embedSymbol;
  const Environment *environment; ///< where the output's and the dependencies' paths start
};

/// The outputs of one build. Throws Refusal.
std::vector<Output> planOutputs(const CompileOptionsText &options, const Environment &environment);
/// No output is a source, or another output. Throws Refusal. \param seen paths of the
/// builds before, and whether they are depfiles
void checkOutputs(const std::vector<Output> &outputs, const std::vector<std::string> &sources,
                  const Environment &environment, std::map<std::string, bool> &seen);
/// Writes everything; an error takes back what was written. A depfile that several outputs name
/// has a rule for each. Throws Refusal.
void writeOutputs(const std::vector<BuiltOutput> &built);

} // namespace sextant
