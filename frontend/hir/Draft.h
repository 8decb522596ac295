// A kernel as sema writes it. All tasks share one numbering of locals and arrays. A variable of the
// kernel is a run of locals, and may be used as memory. The passes in passes/ turn a draft into a
// Kernel.
#pragma once

#include "frontend/hir/Builder.h"
#include "loader/abi/Schedule.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace sextant::hir {

/// The parts of a draft of a derivative, as frontend/gradients takes them.
enum class Part : uint8_t {
  Own,       ///< code that it differentiates
  Replaced,  ///< code of a function that has a derivative of its own
  Derivative ///< the code of that derivative, after the function's tasks
};

/// An axis of a parallel loop of which each thread has one iteration.
struct Axis {
  unsigned local = 0; ///< has the index; the loop's body may set it again
  ExprRef begin;      ///< the first index
  int64_t step = 0;   ///< from one index to the next; 0: the launch knows it
  ExprRef extent;     ///< its iterations, if there are any: of i32
  LaunchExpr launch;  ///< the same
};

struct DraftTask {
  Task task; ///< its lists of locals and arrays are still empty: the draft has them
  Part part = Part::Own;
  /// The scope that a guarded return leaves, if a serial task has one.
  unsigned returnScope = 0;
  bool mayHaveReturned = false; ///< an earlier task has a guarded return
  unsigned span = 0;            ///< the innermost one that it stands in, of Draft::spans
  std::string label;            ///< the end of its name, if its loop has one
  /// Drafts of derivatives: the axes, outermost first, if each thread has one iteration.
  std::vector<Axis> axes = {};
};

/// A span of tasks. Its tasks name it, or a span in it.
struct Span {
  using Kind = abi::Span::Kind;
  using enum abi::Span::Kind;
  Kind kind = Kernel;
  unsigned parent = 0; ///< index into Draft::spans
  int64_t label = 0;   ///< checkpoints
};

/// Consecutive locals that form one variable. If tasks carry it, it is one buffer.
struct Components {
  std::string name;
  unsigned count = 1;
};

/// The most components among which code chooses where it indexes them at run time. Registers have
/// no numbers then: of more components, an array in the thread's memory is faster
/// (docs/decisions/0016-components-at-run-time.md).
inline constexpr unsigned mostChoices = 8;

/// A draft becomes the kernel itself, or one of its derivatives.
enum class Derivative : uint8_t { None, Reverse, Forward };

struct Draft {
  /// Has no tasks yet. The arguments have their parameters, the hidden buffers do not.
  Kernel kernel;
  /// Kernel::wave. A kernel whose code depends on it asks here: others are built once for all.
  std::function<unsigned()> wave;
  std::vector<Local> locals;
  std::vector<ArrayDecl> shared, privates;
  std::map<unsigned, Components>
      variables; ///< those of several locals; keys: the first one's number
  /// A local that is 1 once the kernel has returned under a run-time condition.
  std::optional<unsigned> returned;
  /// The arguments that are members of structs. Those that nothing uses are dropped.
  std::set<size_t> members;
  std::set<std::string> kept; ///< the names of those that stay all the same
  /// The arrays that have gradients, and these: parameters.
  std::map<unsigned, unsigned> gradients;
  /// The arrays as they were before the kernel whose gradient this is, by the arrays: parameters.
  std::map<unsigned, unsigned> before;
  /// The gradients of the kernel's results, which are arguments: the first parameter of each, by
  /// the name of the result's buffer.
  std::map<std::string, unsigned> gradientsOfResults;
  std::vector<DraftTask> tasks;
  std::vector<Span> spans = {{}}; ///< in the order of their begins; the first one is the kernel
  /// The hidden buffer of the schedule, if the kernel has one.
  std::optional<unsigned> schedule;

  bool has(Span::Kind kind) const {
    return std::any_of(spans.begin(), spans.end(), [&](const Span &s) { return s.kind == kind; });
  }
  /// Counts the spans of that kind before this one.
  unsigned countBefore(unsigned span, Span::Kind kind) const {
    return unsigned(std::count_if(spans.begin(), spans.begin() + span,
                                  [&](const Span &s) { return s.kind == kind; }));
  }
  /// Returns the parameter that the hidden buffer with this index will get. Hidden buffers follow
  /// the arguments.
  unsigned paramOf(size_t hidden) const { return unsigned(kernel.params.size() + hidden); }
  /// Returns the hidden buffer of a parameter. Null: it is an argument's.
  const HiddenBuffer *hiddenAt(unsigned param) const {
    return param < kernel.params.size() ? nullptr : &kernel.hidden[param - kernel.params.size()];
  }
  /// Adds a hidden buffer and returns its parameter.
  unsigned addHidden(HiddenBuffer buffer) {
    kernel.hidden.push_back(std::move(buffer));
    return paramOf(kernel.hidden.size() - 1);
  }
  /// Returns the variable that begins with this local. A scalar is a variable of one local.
  Components componentsAt(unsigned local) const {
    auto found = variables.find(local);
    return found != variables.end() ? found->second : Components{locals[local].name, 1};
  }
};

} // namespace sextant::hir
