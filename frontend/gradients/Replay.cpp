// Runs code again.
#include "frontend/gradients/Replay.h"
#include "frontend/gradients/Checkpoints.h"
#include "frontend/gradients/Walk.h"

#include <utility>

namespace sextant::gradients {

using namespace hir;

Readers &Replay::readersIn(Stmt &loop) {
  auto found = loops.find(&loop);
  if (found != loops.end())
    return found->second;
  Needed needed = findNeeded(loop, activity);
  // Iterations that are run again from states have been counted: nothing asks for the condition.
  if (std::holds_alternative<While>(loop.node) && planWith(needed, loop).way == Way::Checkpoints)
    needed = findNeeded(bodyOf(loop), activity);
  return loops.try_emplace(&loop, task.task.body, std::move(needed)).first->second;
}

void Replay::enter(Stmt &loop) {
  readersIn(loop).around = readers().around;
  around.push_back(&loop);
  readers().around.push_back(&loop);
}

void Replay::run(std::span<Stmt> code, Versions &now, Block &out, Trace &trace) {
  for (Stmt &stmt : code)
    statement(stmt, now, out, trace);
}

void Replay::memory(const Stmt &stmt, const Versions &now, Block &out) const {
  if (auto *store = std::get_if<Store>(&stmt.node); store && isNeeded(store->buffer)) {
    out.push_back(
        {stmt.at, Store{store->buffer, renamed(*store->index, now), renamed(*store->value, now)}});
  } else if (auto *eval = std::get_if<Eval>(&stmt.node)) {
    if (auto *atomic = std::get_if<Atomic>(&eval->value->node); atomic && isNeeded(atomic->buffer))
      out.push_back({stmt.at, Eval{renamed(*eval->value, now)}});
  }
  auto *assignment = std::get_if<Assign>(&stmt.node);
  const bool isRun = assignment && isNeeded(assignment->local); // with the wait in it
  if (std::optional<Stmt> wait = waitOf(stmt); wait && !isRun && !needed().arrays.empty())
    out.push_back(std::move(*wait));
}

void Replay::statement(Stmt &stmt, Versions &now, Block &out, Trace &trace) {
  memory(stmt, now, out);
  if (std::optional<Stmt> wait = waitOf(stmt))
    trace.steps.emplace_back().stmt = std::move(*wait);
  if (auto *assignment = std::get_if<Assign>(&stmt.node)) {
    const unsigned local = assignment->local;
    if (!isNeeded(local) && !isActive(local))
      return;
    ExprPtr value = renamed(*assignment->value, now);
    const unsigned version = locals.addVersion(local);
    now[local] = version;
    if (isNeeded(local))
      out.push_back({stmt.at, Assign{version, clone(*value)}});
    if (isActive(local)) {
      trace.defined.push_back(version);
      if (activity.isActive(*assignment->value))
        trace.steps.emplace_back().stmt = {stmt.at, Assign{version, std::move(value)}};
    }
  } else if (auto *store = std::get_if<Store>(&stmt.node)) {
    if (activity.has(store->buffer))
      trace.steps.emplace_back().stmt = {
          stmt.at, Store{store->buffer, renamed(*store->index, now), renamed(*store->value, now)}};
  } else if (auto *eval = std::get_if<Eval>(&stmt.node)) {
    if (auto *atomic = std::get_if<Atomic>(&eval->value->node);
        atomic && activity.has(atomic->buffer))
      trace.steps.emplace_back().stmt = {stmt.at, Eval{renamed(*eval->value, now)}};
  } else if (std::holds_alternative<If>(stmt.node)) {
    branch(stmt, now, out, trace);
  } else if (isLoop(stmt)) {
    loop(stmt, now, out, trace);
  }
}

std::vector<Merge> Replay::mergesOf(Stmt &stmt, Versions &now) {
  auto &choice = std::get<If>(stmt.node);
  std::set<unsigned> set = setIn(choice.then), other = setIn(choice.otherwise);
  set.merge(other);
  std::vector<Merge> merges;
  for (unsigned local : set)
    if (const bool isValue = readers().isValueRead(local, stmt);
        isValue || (isActive(local) && readers().isRead(local, stmt))) {
      merges.push_back({locals.addVersion(local), isValue, {}, {}});
      now[local] = merges.back().merged;
    }
  return merges;
}
void Replay::merge(std::vector<Merge> &merges, std::optional<unsigned> Merge::*way,
                   const Versions &now, Block &out, Loc at) {
  for (Merge &each : merges) {
    const unsigned local = locals.originalOf(each.merged);
    const auto version = now.find(local);
    if (version == now.end())
      continue;
    each.*way = version->second;
    if (each.isValue)
      assign(out, each.merged, locals.read(version->second, at), at);
  }
}

void Replay::branch(Stmt &stmt, Versions &now, Block &out, Trace &trace) {
  auto &choice = std::get<If>(stmt.node);
  const Loc at = stmt.at;
  Step step;
  step.stmt = {at, If{renamed(*choice.condition, now), {}, {}}};
  step.ways.resize(2);
  Versions then = now, otherwise = now;
  step.merges = mergesOf(stmt, now);
  Block thenCode, otherwiseCode;
  run(choice.then, then, thenCode, step.ways[0]);
  merge(step.merges, &Merge::then, then, thenCode, at);
  run(choice.otherwise, otherwise, otherwiseCode, step.ways[1]);
  merge(step.merges, &Merge::otherwise, otherwise, otherwiseCode, at);
  for (const Merge &each : step.merges)
    if (isActive(locals.originalOf(each.merged)))
      trace.defined.push_back(each.merged);
  if (!thenCode.empty() || !otherwiseCode.empty())
    out.push_back({at, If{clone(*std::get<If>(step.stmt.node).condition), std::move(thenCode),
                          std::move(otherwiseCode)}});
  trace.steps.push_back(std::move(step));
}

Block Replay::plain(std::span<Stmt> code, const Versions &now) const {
  Block out;
  for (Stmt &stmt : code) {
    memory(stmt, now, out);
    if (auto *assignment = std::get_if<Assign>(&stmt.node)) {
      if (isNeeded(assignment->local))
        out.push_back(
            {stmt.at, Assign{now.at(assignment->local), renamed(*assignment->value, now)}});
    } else if (auto *branch = std::get_if<If>(&stmt.node)) {
      Block then = plain(branch->then, now), otherwise = plain(branch->otherwise, now);
      if (!then.empty() || !otherwise.empty())
        out.push_back(
            {stmt.at, If{renamed(*branch->condition, now), std::move(then), std::move(otherwise)}});
    } else if (auto *loop = std::get_if<While>(&stmt.node)) {
      if (Block body = plain(loop->body, now); !body.empty())
        out.push_back({stmt.at, While{renamed(*loop->condition, now), std::move(body)}});
    } else if (auto *counted = std::get_if<For>(&stmt.node)) {
      if (Block body = plain(counted->body, now); !body.empty())
        out.push_back({stmt.at, For{now.at(counted->local), renamed(*counted->begin, now),
                                    renamed(*counted->end, now), counted->step, std::move(body),
                                    counted->unroll}});
    }
  }
  return out;
}

Versions Replay::variablesOf(Stmt &loop, const LoopPlan &plan, const Versions &before, Block &out) {
  Versions variables = before;
  if (auto *counted = std::get_if<For>(&loop.node))
    variables[counted->local] = locals.addVersion(counted->local);
  for (unsigned local : plan.set) {
    if (!isNeeded(local))
      continue;
    const auto version = before.find(local);
    variables[local] = locals.addVersion(local);
    if (version != before.end())
      assign(out, variables[local], locals.read(version->second, loop.at), loop.at);
  }
  // Loops inside have locals of their own.
  forEachStatement(bodyOf(loop), [&](Stmt &stmt) {
    if (auto *counted = std::get_if<For>(&stmt.node))
      variables[counted->local] = locals.addVersion(counted->local);
  });
  return variables;
}

bool Replay::storesForOthers(Stmt &loop) {
  std::map<Array, int> loads; // outside of the loop
  const auto count = [&](Block &code, int each) {
    forEachStatement(code, [&](Stmt &stmt) {
      const Load *load = loadOf(stmt);
      if (load && isNeeded(load->buffer) && isNeeded(*setBy(stmt)))
        loads[keyOf(load->buffer)] += each;
    });
  };
  if (needed().arrays.empty())
    return false;
  count(task.task.body, 1);
  count(bodyOf(loop), -1);
  bool stores = false;
  forEachStatement(bodyOf(loop), [&](Stmt &stmt) {
    const BufferRef *buffer = writtenBy(stmt);
    stores |= buffer && isNeeded(*buffer) && loads[keyOf(*buffer)] > 0;
  });
  return stores;
}

LoopPlan Replay::planOf(Stmt &loop) { return planWith(readersIn(loop).needed, loop); }

LoopPlan Replay::planWith(const Needed &needed, Stmt &loop) {
  return planLoop(loop, activity, needed.locals, kept,
                  [&](unsigned local) { return readers().isRead(local, loop); });
}

void Replay::loop(Stmt &loop, Versions &now, Block &out, Trace &trace) {
  const LoopPlan plan = planOf(loop);
  Step step;
  step.stmt.at = loop.at;
  step.loop = &loop;
  step.before = now;
  const bool keeps = plan.way == Way::Checkpoints;
  if (const auto arrays = kept.find(&loop); arrays != kept.end())
    step.arrays = slotsFor(arrays->second, locals.draft, task.task.blockDim);
  unsigned states = 1;
  if (keeps) {
    uint64_t bytes = bytesOfState(step.arrays);
    for (unsigned local : plan.state)
      bytes += byteWidth(locals[local].type);
    states = statesOf(loop, bytes, room);
  }
  makeMemory(step.arrays, locals, states, loop.at);
  if (!step.arrays.empty())
    saveArrays(step.arrays, locals, makeInt(0, Type::I32, loop.at), out, loop.at);
  bool isAsked = storesForOthers(loop); // code after it asks for its values
  for (unsigned local : plan.set)
    isAsked |= readers().isValueRead(local, loop);
  const bool isRun = isAsked || keeps;
  Versions variables = now;
  if (isRun)
    variables = variablesOf(loop, plan, now, out);
  if (keeps) {
    step.states = runAndKeep(*this, step, plan, states, variables, isAsked, out);
  } else if (isRun) {
    Block body = plain(bodyOf(loop), variables);
    if (auto *counted = std::get_if<For>(&loop.node))
      out.push_back({loop.at, For{variables.at(counted->local), renamed(*counted->begin, now),
                                  renamed(*counted->end, now), counted->step, std::move(body),
                                  counted->unroll}});
    else
      out.push_back({loop.at, While{renamed(*std::get<While>(loop.node).condition, variables),
                                    std::move(body)}});
  }
  for (unsigned local : plan.set)
    if (isNeeded(local) || isActive(local)) {
      now[local] = isRun && isNeeded(local) ? variables.at(local) : locals.addVersion(local);
      if (isActive(local))
        trace.defined.push_back(now[local]);
    }
  step.after = now;
  trace.steps.push_back(std::move(step));
}

} // namespace sextant::gradients
