// Runs code again, and then backwards.
//
// Code that is run again has a new local for each value that a local takes (Replay.h), so all of
// them are there when the code is run backwards.
#include "frontend/gradients/Reverse.h"
#include "frontend/gradients/Adjoints.h"
#include "frontend/gradients/Checkpoints.h"
#include "frontend/gradients/Lanes.h"
#include "frontend/gradients/Late.h"
#include "frontend/gradients/Leaves.h"
#include "frontend/gradients/Rules.h"
#include "frontend/gradients/Walk.h"

#include <iterator>
#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

class Reverser {
public:
  Reverser(DraftTask &task, Draft &draft, const Activity &activity, const Needed &needed,
           const KeptArrays &kept, const std::set<Array> &own)
      : activity(activity), isSerial(task.task.serial), own(own), locals(draft),
        replay(task, locals, activity, needed, kept), adjoints(locals),
        lanes{draft.locals, draft.wave, task.task.blockDim} {}

  Block run(Block &code, std::vector<Axis> &axes) {
    Block out;
    Versions now;
    sweep(code, now, out, [](Block &) {});
    accessLate(out);
    for (Axis &axis : axes) {
      std::set<unsigned> versions;
      forEachStatement(out, [&](Stmt &stmt) {
        const auto local = setBy(stmt);
        if (local && locals.isVersion(*local) && locals.originalOf(*local) == axis.local)
          versions.insert(*local);
      });
      if (versions.size() != 1) {
        axes.clear();
        break;
      }
      axis.local = *versions.begin();
    }
    return out;
  }

private:
  void reverse(Trace &trace, Block &code) {
    for (auto step = trace.steps.rbegin(); step != trace.steps.rend(); ++step)
      reverse(*step, code);
  }

  void reverse(Step &step, Block &code) {
    const Loc at = step.stmt.at;
    if (step.loop)
      return reverseLoop(step, code);
    if (std::optional<Stmt> wait = waitOf(step.stmt))
      code.push_back(std::move(*wait));
    if (auto *assignment = std::get_if<Assign>(&step.stmt.node)) {
      if (ExprRef gradient = adjoints.of(assignment->local, at))
        operation(*assignment->value, *locals.read(assignment->local, at), *gradient, code);
    } else if (auto *store = std::get_if<Store>(&step.stmt.node)) {
      ++adjoints.work;
      const BufferRef buffer = activity.gradients.at(keyOf(store->buffer));
      const Type type = elementOf(store->buffer, store->value->type);
      ExprRef gradient = makeExpr(type, Load{buffer, clone(*store->index)}, at);
      const unsigned taken = locals.keep("grad", code, gradient, at);
      code.push_back({at, Store{buffer, clone(*store->index), take(makeFloat(0, type, at))}});
      add(*store->value, locals.read(taken, at), code);
    } else if (auto *eval = std::get_if<Eval>(&step.stmt.node)) {
      auto &atomic = std::get<Atomic>(eval->value->node);
      const Type type = elementOf(atomic.buffer, atomic.value->type);
      const BufferRef buffer = activity.gradients.at(keyOf(atomic.buffer));
      ExprRef gradient = makeExpr(type, Load{buffer, clone(*atomic.index)}, at);
      const unsigned taken = locals.keep("grad", code, gradient, at);
      add(*atomic.value, locals.read(taken, at), code);
    } else if (auto *branch = std::get_if<If>(&step.stmt.node)) {
      Block then, otherwise;
      adjoints.begin(step.ways[0].defined, then);
      adjoints.begin(step.ways[1].defined, otherwise);
      addMerges(step.merges, &Merge::then, then, at);
      reverse(step.ways[0], then);
      addMerges(step.merges, &Merge::otherwise, otherwise, at);
      reverse(step.ways[1], otherwise);
      if (!then.empty() || !otherwise.empty())
        code.push_back({at, If{clone(*branch->condition), std::move(then), std::move(otherwise)}});
    }
  }
  void addMerges(const std::vector<Merge> &merges, std::optional<unsigned> Merge::*way, Block &code,
                 Loc at) {
    for (const Merge &each : merges)
      if (each.*way && replay.isActive(locals.originalOf(each.merged)))
        adjoints.add(*(each.*way), adjoints.of(each.merged, at), code);
  }

  /// Adds to the adjoint of an operand, if it has one.
  void add(const Expr &operand, ExprRef value, Block &code) {
    auto *local = std::get_if<LocalRead>(&operand.node);
    if (local && locals.isVersion(local->local) && replay.isActive(locals.originalOf(local->local)))
      adjoints.add(local->local, std::move(value), code);
  }

  /// The type of an array's gradient: that of the array, or, where the task has its memory, the one
  /// in which gradients are added.
  static Type elementOf(const BufferRef &buffer, Type type) {
    return isOfTask(buffer) ? typeOfGradient(type) : type;
  }

  /// Reverses an operation on trivial operands.
  void operation(const Expr &value, const Expr &result, const Expr &gradient, Block &code) {
    const Loc at = value.at;
    if (std::holds_alternative<LocalRead>(value.node))
      return add(value, share(gradient), code);
    if (auto *derived = std::get_if<Derived>(&value.node)) {
      if (derived->gradient)
        assign(code, std::get<LocalRead>((*derived->gradient)->node).local, share(gradient), at);
      return add(*derived->slope, share(gradient), code);
    }
    if (auto *pullback = std::get_if<Pullback>(&value.node)) {
      Block body = clone(pullback->body);
      append(code, body);
      for (size_t k = 0; k < pullback->operands.size(); ++k)
        add(*pullback->operands[k], share(*pullback->derivatives[k]), code);
      return;
    }
    if (auto *load = std::get_if<Load>(&value.node)) {
      ++adjoints.work;
      const BufferRef buffer = activity.gradients.at(keyOf(load->buffer));
      const Type type = elementOf(load->buffer, value.type);
      ExprRef more = makeCast(share(gradient), type, at);
      if (!isSerial && load->buffer.kind != BufferRef::Private && !own.contains(keyOf(buffer))) {
        Expr atomic{at, type, Atomic{Combine::Add, buffer, clone(*load->index), take(more)}};
        code.push_back({at, Eval{std::move(atomic)}});
        return;
      }
      ExprRef before = makeExpr(type, Load{buffer, clone(*load->index)}, at);
      code.push_back({at, Store{buffer, clone(*load->index),
                                take(makeBinary(BinaryOp::Add, before, more, type, at))}});
      return;
    }
    if (isOfThread(value))
      return add(*operandOfLanes(value), lanes.pullBack(value, gradient, code), code);
    const std::vector<ExprRef> parts = pullBack(value, result, gradient);
    size_t k = 0;
    forEachOperand(value, [&](const Expr &operand) {
      if (k < parts.size())
        add(operand, parts[k], code);
      ++k;
    });
  }

  //===--- Code and its reverse ----------------------------------------------===//

  /// True if nothing of `rest` reads what `stmt` sets or writes, writes itself, waits, or has to be
  /// reversed.
  bool isIndependent(std::span<Stmt> rest, Stmt &stmt) {
    Block own;
    own.push_back(std::move(stmt));
    const std::set<unsigned> set = setIn(own);
    std::set<Array> written;
    forEachStatement(own, [&](Stmt &each) {
      if (const BufferRef *buffer = writtenBy(each))
        written.insert(keyOf(*buffer));
      forEachExpr(each, [&](Expr &expr) {
        if (const BufferRef *buffer = bufferOf(expr); buffer && !std::get_if<Load>(&expr.node))
          written.insert(keyOf(*buffer));
      });
    });
    stmt = std::move(own[0]);
    for (Stmt &each : rest) {
      auto *assignment = std::get_if<Assign>(&each.node);
      if (!assignment || waitOf(each))
        return false;
      bool reads = replay.isActive(assignment->local) || set.contains(assignment->local);
      forEachExpr(each, [&](Expr &expr) {
        auto *read = std::get_if<LocalRead>(&expr.node);
        reads |= read && set.contains(read->local);
        const BufferRef *buffer = bufferOf(expr);
        reads |= buffer && (!std::get_if<Load>(&expr.node) || written.contains(keyOf(*buffer)));
      });
      if (reads)
        return false;
    }
    return true;
  }

  /// Appends code, and the same backwards. If an If is the last of it that matters, it is reversed
  /// where it is run again, so that its condition is tested once.
  /// \param now the versions before, and then those after
  /// \param ends called when all of these are known: gives them their adjoints, and appends what
  ///             reads their values to the block that it gets
  void sweep(std::span<Stmt> code, Versions &now, Block &out,
             const std::function<void(Block &)> &ends) {
    Trace trace;
    size_t last = code.size();
    while (last > 0 && std::holds_alternative<Assign>(code[last - 1].node) &&
           !replay.isActive(std::get<Assign>(code[last - 1].node).local))
      --last;
    const bool isTail = last > 0 && std::holds_alternative<If>(code[last - 1].node) &&
                        isIndependent(code.subspan(last), code[last - 1]);
    const size_t before = isTail ? last - 1 : code.size();
    replay.run(code.first(before), now, out, trace);
    if (isTail) {
      Stmt &stmt = code[last - 1];
      auto &branch = std::get<If>(stmt.node);
      ExprPtr condition = renamed(*branch.condition, now);
      Versions then = now, otherwise = now;
      replay.run(code.subspan(last), now, out, trace);
      std::vector<Merge> merges = replay.mergesOf(stmt, now);
      for (const Merge &each : merges)
        if (replay.isActive(locals.originalOf(each.merged)))
          trace.defined.push_back(each.merged);
      adjoints.begin(trace.defined, out);
      Block values; // some are those of the If
      ends(values);
      Block thenCode = way(branch.then, then, merges, &Merge::then, stmt.at),
            otherwiseCode = way(branch.otherwise, otherwise, merges, &Merge::otherwise, stmt.at);
      if (!thenCode.empty() || !otherwiseCode.empty())
        out.push_back(
            {stmt.at, If{std::move(condition), std::move(thenCode), std::move(otherwiseCode)}});
      append(out, values);
    } else {
      adjoints.begin(trace.defined, out);
      ends(out);
    }
    reverse(trace, out);
  }
  Block way(Block &code, Versions &now, std::vector<Merge> &merges,
            std::optional<unsigned> Merge::*way, Loc at) {
    Block out;
    sweep(code, now, out, [&](Block &values) {
      replay.merge(merges, way, now, values, at);
      addMerges(merges, way, out, at);
    });
    return out;
  }

  //===--- Loops -------------------------------------------------------------===//

  void reverseLoop(Step &step, Block &code) {
    const LoopPlan plan = replay.planOf(*step.loop);
    replay.enter(*step.loop);
    if (plan.way == Way::Forward)
      forwardLoop(step, plan, code);
    else
      backwardLoop(step, plan, code);
    replay.leave();
  }

  void forwardLoop(Step &step, const LoopPlan &plan, Block &code) {
    Stmt &loop = *step.loop;
    const Loc at = loop.at;
    const auto sumsBefore = adjoints.sums;
    for (unsigned local : plan.sums)
      if (!adjoints.sums.contains(local))
        adjoints.sums[local] = step.after.at(local);
    Block before;
    loadArrays(step.arrays, locals, makeInt(0, Type::I32, at), before, at);
    Versions now = step.before;
    Versions variables;
    for (unsigned local : plan.state) {
      variables[local] = now[local] = locals.addVersion(local);
      if (auto version = step.before.find(local); version != step.before.end())
        assign(before, variables[local], locals.read(version->second, at), at);
    }
    auto *counted = std::get_if<For>(&loop.node);
    if (counted)
      now[counted->local] = locals.addVersion(counted->local);
    const Versions header = now;
    Block body;
    const unsigned workBefore = adjoints.work;
    sweep(bodyOf(loop), now, body, [](Block &) {});
    for (const auto &[local, variable] : variables)
      assign(body, variable, locals.read(now.at(local), at), at);
    endIteration(loop, body);
    adjoints.sums = sumsBefore;
    if (adjoints.work != workBefore) {
      append(code, before);
      if (counted)
        code.push_back({at, For{header.at(counted->local), renamed(*counted->begin, step.before),
                                renamed(*counted->end, step.before), counted->step, std::move(body),
                                counted->unroll}});
      else
        code.push_back(
            {at, While{renamed(*std::get<While>(loop.node).condition, header), std::move(body)}});
    }
    for (unsigned local : plan.sums)
      if (!sumsBefore.contains(local))
        if (auto version = step.before.find(local); version != step.before.end())
          adjoints.add(version->second, adjoints.of(step.after.at(local), at), code);
  }

  static void append(Block &to, Block &from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  /// One adjoint for each active local that a loop sets, for all iterations. They begin as those
  /// after the loop.
  std::map<unsigned, unsigned> loopAdjoints(const Step &step, const LoopPlan &plan, Block &code) {
    std::map<unsigned, unsigned> variables;
    const Loc at = step.loop->at;
    for (unsigned local : plan.set) {
      if (!replay.isActive(local) || adjoints.sums.contains(local))
        continue;
      ExprRef after = adjoints.of(step.after.at(local), at);
      if (!after && !plan.exposed.contains(local))
        continue;
      const Type type = typeOfGradient(locals[local].type);
      variables[local] = locals.add(locals[local].name + ".grad", type);
      assign(code, variables[local], after ? after : makeFloat(0, type, at), at);
    }
    return variables;
  }

  /// Reverses one iteration, at whose begin the versions are `now`.
  void iteration(Step &step, Versions now, const std::map<unsigned, unsigned> &gradients,
                 Block &code) {
    const Loc at = step.loop->at;
    std::map<unsigned, unsigned> entries; // the versions before it
    for (const auto &[local, gradient] : gradients) {
      const auto version = now.find(local);
      const bool isState = version != now.end() && version->second != versionBefore(step, local);
      entries[local] = isState ? version->second : locals.addVersion(local);
      now[local] = entries[local];
      adjoints.begin(entries[local], code);
    }
    sweep(bodyOf(*step.loop), now, code, [&](Block &) {
      for (const auto &[local, gradient] : gradients)
        adjoints.add(now.at(local), locals.read(gradient, at), code);
    });
    for (const auto &[local, gradient] : gradients) {
      ExprRef before = adjoints.of(entries.at(local), at);
      assign(code, gradient, before ? before : makeFloat(0, locals[gradient].type, at), at);
    }
    endIteration(*step.loop, code);
  }
  /// An iteration reads some values late. In the next one, threads that are ahead would overwrite
  /// them.
  static void endIteration(Stmt &loop, Block &code) {
    if (hasWaits(bodyOf(loop)))
      code.push_back({loop.at, Barrier{}});
  }
  static std::optional<unsigned> versionBefore(const Step &step, unsigned local) {
    const auto found = step.before.find(local);
    return found == step.before.end() ? std::nullopt : std::optional(found->second);
  }

  void endLoop(const Step &step, const std::map<unsigned, unsigned> &gradients, Block &code) {
    for (const auto &[local, gradient] : gradients)
      if (const auto version = versionBefore(step, local))
        adjoints.add(*version, locals.read(gradient, step.loop->at), code);
  }

  void backwardLoop(Step &step, const LoopPlan &plan, Block &code) {
    Stmt &loop = *step.loop;
    const Loc at = loop.at;
    auto *counted = std::get_if<For>(&loop.node);
    const size_t begin = code.size();
    const unsigned workBefore = adjoints.work;
    const auto gradients = loopAdjoints(step, plan, code);
    const Type type = counted ? locals[counted->local].type : Type::U32;
    const Type wide = unsignedOf(type);
    const unsigned count =
        step.states ? step.states->rounds
                    : locals.keep("rounds", code, roundsOf(*counted, step.before, type, at), at);
    const auto minusOne = [&](ExprRef value) {
      return makeBinary(BinaryOp::Sub, value, makeInt(1, wide, at), wide, at);
    };
    Block body;
    Versions now = step.before;
    const unsigned round = locals.add("round", wide);
    assign(body, round, minusOne(locals.read(round, at)), at);
    if (counted) {
      now[counted->local] = locals.addVersion(counted->local);
      if (replay.isNeeded(counted->local))
        assign(body, now[counted->local],
               indexAt(*counted, step.before, locals.read(round, at), type), at);
    }
    if (step.states)
      restore(replay, step, plan, locals.read(round, at), body, now);
    iteration(step, now, gradients, body);
    if (gradients.empty() && adjoints.work == workBefore) {
      code.erase(code.begin() + ptrdiff_t(begin), code.end());
      return;
    }
    assign(code, round, locals.read(count, at), at);
    ExprRef goesOn =
        makeBinary(BinaryOp::Ne, locals.read(round, at), makeInt(0, wide, at), Type::Bool, at);
    code.push_back({at, While{take(goesOn), std::move(body)}});
    endLoop(step, gradients, code);
  }

  const Activity &activity;
  const bool isSerial;
  const std::set<Array> &own;
  Locals locals;
  Replay replay;
  Adjoints adjoints;
  Lanes lanes;
};

} // namespace

Block reverse(DraftTask &task, Draft &draft, const Activity &activity, const Needed &needed,
              const KeptArrays &kept, const std::set<Array> &own, std::vector<Axis> &axes) {
  return Reverser(task, draft, activity, needed, kept, own).run(task.task.body, axes);
}

} // namespace sextant::gradients
