// The adjoint of a kernel: its tasks backwards, from the last one to the first.
#include "frontend/gradients/Gradients.h"
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Again.h"
#include "frontend/gradients/Bits.h"
#include "frontend/gradients/Collect.h"
#include "frontend/gradients/Derived.h"
#include "frontend/gradients/Filled.h"
#include "frontend/gradients/Flatten.h"
#include "frontend/gradients/Forward.h"
#include "frontend/gradients/Gather.h"
#include "frontend/gradients/Lanes.h"
#include "frontend/gradients/Leaves.h"
#include "frontend/gradients/OfFunctions.h"
#include "frontend/gradients/Overwritten.h"
#include "frontend/gradients/Own.h"
#include "frontend/gradients/Refusals.h"
#include "frontend/gradients/Reuse.h"
#include "frontend/gradients/Reverse.h"
#include "frontend/gradients/Rules.h"
#include "frontend/gradients/Walk.h"
#include "loader/abi/BlockLayout.h"

#include <iterator>
#include <optional>
#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

bool isCarry(const Draft &draft, const BufferRef &buffer) {
  const HiddenBuffer *hidden =
      buffer.kind == BufferRef::Param ? draft.hiddenAt(buffer.index) : nullptr;
  return hidden && hidden->role == HiddenBuffer::Carry;
}

/// The derivative of a carried value or a result.
struct Shadow {
  BufferRef buffer;
  std::optional<unsigned> begin; ///< the first parameter of what it is at first; else 0
};

/// Gives carried reals, and results that are reals, buffers for their derivatives. Returns these.
std::vector<Shadow> addShadows(Draft &draft, Activity &activity, const char *suffix) {
  std::vector<Shadow> shadows;
  const size_t count = draft.kernel.hidden.size();
  for (size_t k = 0; k < count; ++k) {
    HiddenBuffer hidden = draft.kernel.hidden[k];
    const bool isResult = hidden.role == HiddenBuffer::Return;
    if ((hidden.role != HiddenBuffer::Carry && !isResult) || !isFloat(hidden.type))
      continue;
    const auto given = draft.gradientsOfResults.find(hidden.name);
    const bool isGiven = isResult && given != draft.gradientsOfResults.end();
    hidden.name += suffix;
    shadows.push_back({{BufferRef::Param, draft.addHidden(std::move(hidden))},
                       isGiven ? std::optional(given->second) : std::nullopt});
    activity.gradients[{BufferRef::Param, draft.paramOf(k)}] = shadows.back().buffer;
  }
  return shadows;
}

/// A gradient has no results: it only clears and reads their gradients.
void dropResults(Kernel &kernel) {
  for (HiddenBuffer &hidden : kernel.hidden)
    if (hidden.role == HiddenBuffer::Return)
      hidden.role = HiddenBuffer::Carry;
}

/// A serial task that gives the derivatives of carried values and results their first values.
DraftTask beginning(const Draft &draft, const std::vector<Shadow> &shadows, SourceRange at) {
  DraftTask task;
  task.task.blockDim = 1;
  task.task.serial = true;
  task.task.at = at;
  for (const auto &[buffer, begin] : shadows) {
    const HiddenBuffer &hidden = *draft.hiddenAt(buffer.index);
    for (unsigned k = 0; k < hidden.count; ++k)
      task.task.body.push_back({at, Store{buffer, take(makeInt(Exact(k), Type::I32, at)),
                                          take(begin ? makeParam(*begin + k, hidden.type, at)
                                                     : makeFloat(0, hidden.type, at))}});
  }
  return task;
}

/// Removes what changes memory, but for the carried values in `kept`.
void dropEffects(Block &code, const std::set<unsigned> &kept) {
  const auto isKept = [&](const BufferRef &buffer) {
    return buffer.kind == BufferRef::Private || buffer.kind == BufferRef::Shared ||
           (buffer.kind == BufferRef::Param && kept.contains(buffer.index));
  };
  std::erase_if(code, [&](Stmt &stmt) {
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { dropEffects(inside, kept); });
    if (auto *store = std::get_if<Store>(&stmt.node))
      return !isKept(store->buffer);
    if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      auto *atomic = std::get_if<Atomic>(&eval->value->node);
      return !atomic || !isKept(atomic->buffer);
    }
    return std::holds_alternative<Check>(stmt.node);
  });
}

/// The parts of tasks that compute carried values which the reverse needs, again.
struct Carried {
  const Draft &draft;
  std::vector<Block *> tasks;
  std::set<unsigned> needed;     ///< parameters
  std::vector<Statements> again; ///< the statements of each task

  bool stores(size_t task) const { return !again[task].empty(); }
  /// Finds the statements, and adds what they read themselves.
  void close() {
    again.resize(tasks.size());
    for (size_t before = ~size_t(0); before != needed.size();) {
      before = needed.size();
      for (size_t t = 0; t < tasks.size(); ++t) {
        again[t] = statementsFor(*tasks[t], needed);
        forEachStatement(*tasks[t], [&](Stmt &stmt) {
          if (again[t].contains(&stmt))
            forEachExpr(stmt, [&](Expr &expr) {
              if (auto *load = std::get_if<Load>(&expr.node); load && isCarry(draft, load->buffer))
                needed.insert(load->buffer.index);
            });
        });
      }
    }
  }
};

DraftTask likeness(const DraftTask &of, Block body) {
  DraftTask task;
  task.task.blockDim = of.task.blockDim;
  task.task.light = of.task.light;
  task.task.serial = of.task.serial;
  task.task.fullBlocks = of.task.fullBlocks;
  task.task.minBlocks = of.task.minBlocks;
  task.task.iterations = of.task.iterations;
  task.task.at = of.task.at;
  task.task.body = std::move(body);
  task.label = of.label;
  return task;
}

/// Pairs arrays with their gradients, also with those that the draft gets for it.
Activity activityOf(Draft &draft, std::vector<Shadow> &shadows, const char *suffix) {
  Activity activity;
  for (const auto &[array, gradient] : draft.gradients)
    activity.gradients[{BufferRef::Param, array}] = {BufferRef::Param, gradient};
  shadows = addShadows(draft, activity, suffix);
  return activity;
}

/// Gives the active arrays of blocks and threads arrays for their derivatives.
/// \param typeOf tells their type
void addDerivatives(Draft &draft, Activity &activity, const char *suffix,
                    const std::function<Type(Type)> &typeOf) {
  for (const auto &[kind, index] : activity.ofTasks) {
    auto &arrays = kind == BufferRef::Shared ? draft.shared : draft.privates;
    ArrayDecl derivative = arrays[index];
    derivative.name += suffix;
    derivative.type = typeOf(derivative.type);
    activity.gradients[{kind, index}] = {kind, unsigned(arrays.size())};
    arrays.push_back(std::move(derivative));
  }
}

/// Puts code before a task's that sets the gradients of its arrays to zero.
void clearArrays(DraftTask &task, Draft &draft, const Activity &activity) {
  const Loc at = task.task.at;
  const auto number = [&](uint64_t value) { return take(makeInt(Exact(value), Type::I32, at)); };
  std::set<Array> used;
  forEachAccess(task.task.body, [&](const BufferRef &buffer) { used.insert(keyOf(buffer)); });
  Block code;
  bool isShared = false;
  for (const Array &array : activity.ofTasks) {
    const BufferRef gradient = activity.gradients.at(array);
    if (!used.contains(keyOf(gradient)))
      continue;
    const bool isOfBlock = array.first == BufferRef::Shared;
    const ArrayDecl &decl = declOf(draft, keyOf(gradient));
    const auto local = unsigned(draft.locals.size());
    draft.locals.push_back({"k", Type::I32});
    Block body;
    body.push_back({at, Store{gradient, take(makeLocal(local, Type::I32, at)),
                              take(makeFloat(0, decl.type, at))}});
    code.push_back(
        {at, For{local, isOfBlock ? take(makeId(Id::ThreadIdx, at)) : number(0), number(decl.count),
                 isOfBlock ? int64_t(task.task.blockDim) : 1, std::move(body)}});
    isShared |= isOfBlock;
  }
  if (isShared)
    code.push_back({at, Barrier{}});
  task.task.body.insert(task.task.body.begin(), std::make_move_iterator(code.begin()),
                        std::make_move_iterator(code.end()));
}

/// True if the code stores to an array that has a gradient outside of tasks. Else no gradient comes
/// to it, and there is nothing to run backwards.
bool takesPart(Block &code, const Activity &activity) {
  bool any = false;
  forEachStatement(code, [&](Stmt &stmt) {
    forEachWrite(stmt, [&](const BufferRef &buffer, const Expr &) {
      any |= !isOfTask(buffer) && activity.has(buffer);
    });
  });
  return any;
}

/// Marks the arguments that no other array may share memory with: those that the kernel writes, and
/// gradients.
void keepApart(Draft &draft) {
  std::set<unsigned> apart;
  for (const auto &[array, gradient] : draft.gradients)
    apart.insert(gradient);
  for (DraftTask &each : draft.tasks)
    forEachStatement(each.task.body, [&](Stmt &stmt) {
      forEachWrite(stmt, [&](const BufferRef &buffer, const Expr &) {
        if (buffer.kind == BufferRef::Param)
          apart.insert(buffer.index);
      });
    });
  std::vector<abi::Argument> &arguments = draft.kernel.arguments;
  const std::vector<uint32_t> first = abi::layoutOf(arguments, {}).firstParam;
  for (size_t k = 0; k < arguments.size(); ++k)
    arguments[k].isApart = arguments[k].kind == abi::Argument::Array && apart.contains(first[k]);
}

Type sameType(Type type) { return type; }

} // namespace

std::vector<Refusal> makeTangent(Draft &draft) {
  std::vector<Refusal> refusals;
  std::vector<Shadow> shadows;
  Activity activity = activityOf(draft, shadows, ".dual");
  findActive(draft, activity);
  refuseBits(draft, activity, refusals);
  addDerivatives(draft, activity, ".dual", sameType);
  for (DraftTask &each : draft.tasks) {
    if (each.part != Part::Own)
      continue;
    Block &code = each.task.body;
    flatten(code, draft.locals, activity);
    refuseUses(code, draft, refusals);
    refuseForwards(code, activity, refusals);
    if (refusals.empty())
      code = forward(code, {draft.locals, draft.wave, each.task.blockDim}, activity);
  }
  dropDerived(draft);
  return refusals;
}

std::vector<Refusal> makeAdjoint(Draft &draft) {
  std::vector<Refusal> refusals;
  if (draft.spans.size() > 1) {
    refusals.push_back({Refusal::Operation, draft.kernel.at,
                        "a kernel with loops on the device or checkpoints has no gradient yet",
                        "loop in the program, and call the gradient there"});
    return refusals;
  }
  keepApart(draft);
  std::vector<Shadow> shadows;
  Activity activity = activityOf(draft, shadows, ".grad");
  dropResults(draft.kernel);
  for (DraftTask &each : draft.tasks)
    if (each.part == Part::Own)
      replaceLeaves(each.task.body, draft.locals);
  findActive(draft, activity);
  refuseBits(draft, activity, refusals);
  addDerivatives(draft, activity, ".grad", typeOfGradient);
  std::vector<Block *> code;
  std::vector<Needed> needed;
  std::vector<bool> isReversed;
  std::vector<KeptArrays> kept;
  std::vector<std::set<Array>> own; // gradients of which each thread has elements of its own
  for (DraftTask &each : draft.tasks) {
    code.push_back(&each.task.body);
    const bool isOwn = each.part == Part::Own;
    if (isOwn) {
      flatten(each.task.body, draft.locals, activity);
      Lanes{draft.locals, draft.wave, each.task.blockDim}.fillEnds(each.task.body, activity.locals);
      reuseLoads(each.task.body, draft.locals, activity);
      refuseUses(each.task.body, draft, refusals);
    }
    isReversed.push_back(isOwn && takesPart(each.task.body, activity));
    needed.push_back(isReversed.back() ? findNeeded(each.task.body, activity) : Needed());
    kept.push_back(isReversed.back() ? findKept(each, draft, activity, needed.back(), refusals)
                                     : KeptArrays());
    own.push_back(isReversed.back() ? ownGradients(each, activity) : std::set<Array>());
    const auto isOfThread = [&](const Array &gradient) {
      return each.task.serial || own.back().contains(gradient);
    };
    if (isReversed.back())
      refuseBackwards(each.task.body, activity, needed.back(), isOfThread, refusals);
  }

  Carried carried{draft, code, {}, {}};
  const auto setsNeeded = [&](size_t task, const Stmt &stmt) {
    const auto local = setBy(stmt);
    return local && needed[task].locals.contains(*local);
  };
  for (size_t t = 0; t < code.size(); ++t)
    forEachStatement(*code[t], [&](Stmt &stmt) {
      const Load *load = loadOf(stmt);
      if (load && isCarry(draft, load->buffer) && setsNeeded(t, stmt))
        carried.needed.insert(load->buffer.index);
    });
  const std::vector<std::set<Array>> reads = readsOfDerivatives(draft);
  for (const std::set<Array> &arrays : reads)
    for (const auto &[kind, index] : arrays)
      if (isCarry(draft, {kind, index}))
        carried.needed.insert(index);
  carried.close();
  const auto isNeeded = [&](size_t task, const Stmt &stmt, const Array &array) {
    return carried.again[task].contains(&stmt) || setsNeeded(task, stmt) ||
           reads[task].contains(array);
  };
  readBefore(code, draft, activity, isNeeded, refusals);
  if (!refusals.empty())
    return refusals;

  std::vector<DraftTask> adjoint;
  if (!shadows.empty())
    adjoint.push_back(beginning(draft, shadows, draft.kernel.at));
  for (size_t t = 0; t < code.size(); ++t)
    if (carried.stores(t)) {
      Block again = copyOf(*code[t], carried.again[t]);
      dropEffects(again, carried.needed);
      adjoint.push_back(likeness(draft.tasks[t], std::move(again)));
    }
  for (size_t t = code.size(); t-- > 0;) {
    DraftTask &task = draft.tasks[t];
    if (task.part == Part::Derivative) {
      const size_t last = t;
      t = beginOfDerivative(draft, last);
      for (size_t k = t; k <= last; ++k)
        adjoint.push_back(std::move(draft.tasks[k]));
    } else if (isReversed[t]) {
      std::vector<Axis> axes = task.axes;
      DraftTask back =
          likeness(task, reverse(task, draft, activity, needed[t], kept[t], own[t], axes));
      for (DraftTask &each : gatherSums(back, axes, draft))
        adjoint.push_back(std::move(each));
      collectSums(back.task, draft);
      clearArrays(back, draft, activity);
      adjoint.push_back(std::move(back));
    }
  }
  draft.tasks = std::move(adjoint);
  dropDerived(draft);
  return refusals;
}

} // namespace sextant::gradients
