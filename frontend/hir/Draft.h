// A kernel before its last steps, as sema writes it: all tasks share one numbering of locals and
// arrays, and a variable of the kernel is a run of locals that may be used as memory.
// The steps that make a Kernel of it are in passes/.
#pragma once

#include "frontend/hir/Hir.h"

#include <map>

namespace sextant::hir {

struct DraftTask {
  Task task; ///< without locals, shared and private arrays of its own
  /// Of a serial task with a guarded return: the scope that such a return leaves.
  unsigned returnScope = 0;
  bool mayHaveReturned = false; ///< an earlier task has a guarded return
};

/// Consecutive locals that are one variable, and one buffer where they are carried.
struct Components {
  std::string name;
  unsigned count = 1;
};

struct Draft {
  /// With the arguments' parameters, and hidden buffers that have none yet; without tasks.
  Kernel kernel;
  std::vector<Local> locals;
  std::vector<ArrayDecl> shared, privates;
  std::map<unsigned, Components> variables; ///< those of several locals, by the first
  /// A local that is 1 once the kernel has returned under a run-time condition.
  std::optional<unsigned> returned;
  std::vector<DraftTask> tasks;

  /// The parameter that the hidden buffer with this index gets: hidden buffers follow the
  /// arguments.
  unsigned paramOf(size_t hidden) const { return unsigned(kernel.params.size() + hidden); }
  /// Returns the new buffer's parameter.
  unsigned addHidden(HiddenBuffer buffer) {
    kernel.hidden.push_back(std::move(buffer));
    return paramOf(kernel.hidden.size() - 1);
  }
  /// The variable whose first local this is; by itself, if it is no vector's.
  Components componentsAt(unsigned local) const {
    auto found = variables.find(local);
    return found != variables.end() ? found->second : Components{locals[local].name, 1};
  }
};

} // namespace sextant::hir
