// Keeps states of a loop at some of its iterations.
#include "frontend/gradients/Checkpoints.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <iterator>

namespace sextant::gradients {

using namespace hir;

static constexpr unsigned mostCheckpoints = 32, leastCheckpoints = 4;
/// The most iterations whose states are all kept.
static constexpr unsigned mostStates = 64;

/// How far the next checkpoint is: with s free slots and r runs of each iteration, so many
/// iterations as there are ways to choose r of s + r can be reversed. The first part is what r -
/// 1 runs and all slots are enough for (Griewank and Walther, Algorithm 799, 2000).
static ExprRef distance(Locals &locals, ExprRef way, ExprRef top, unsigned checkpoints,
                        Block &out) {
  const Loc at = way->at;
  const Type wide = way->type, real = Type::F32;
  const auto number = [&](double value) { return makeFloat(value, real, at); };
  const auto op = [&](BinaryOp which, ExprRef a, ExprRef b) {
    const bool isTest = which >= BinaryOp::Lt;
    return makeBinary(which, std::move(a), std::move(b), isTest ? Type::Bool : real, at);
  };
  const unsigned all = locals.keep("way", out, makeCast(way, real, at), at);
  ExprRef free =
      makeBinary(BinaryOp::Sub, makeInt(checkpoints - 1, Type::I32, at), top, Type::I32, at);
  const unsigned slots = locals.keep("free", out, makeCast(free, real, at), at);
  const unsigned runs = locals.keep("runs", out, number(1), at);
  const unsigned reach =
      locals.keep("reach", out, op(BinaryOp::Add, locals.read(slots, at), number(1)), at);
  const auto isFree = [&] { return op(BinaryOp::Gt, locals.read(slots, at), number(0)); };
  const unsigned part =
      locals.keep("part", out, makeSelect(isFree(), number(1), locals.read(all, at), at), at);
  Block more;
  assign(more, part, locals.read(reach, at), at);
  assign(more, runs, op(BinaryOp::Add, locals.read(runs, at), number(1)), at);
  assign(more, reach,
         op(BinaryOp::Mul, locals.read(reach, at),
            op(BinaryOp::Div, op(BinaryOp::Add, locals.read(slots, at), locals.read(runs, at)),
               locals.read(runs, at))),
         at);
  ExprRef goesOn =
      makeBinary(BinaryOp::And, op(BinaryOp::Lt, locals.read(reach, at), locals.read(all, at)),
                 isFree(), Type::Bool, at);
  out.push_back({at, While{take(goesOn), std::move(more)}});
  return makeCast(locals.read(part, at), wide, at);
}

static BufferRef slotsOf(Locals &locals, unsigned local, unsigned count, Loc at) {
  auto &arrays = locals.draft.privates;
  arrays.push_back({locals[local].name, locals[local].type, count, at});
  return {BufferRef::Private, unsigned(arrays.size() - 1)};
}

std::optional<unsigned> fewTrips(Stmt &loop, uint64_t size) {
  auto *counted = std::get_if<For>(&loop.node);
  Exact begin = 0, end = 0;
  if (!counted || !constInt(*counted->begin, begin) || !constInt(*counted->end, end))
    return std::nullopt;
  const Exact way = counted->step > 0 ? end - begin : begin - end;
  const Exact step = counted->step > 0 ? counted->step : -counted->step;
  const Exact trips = way <= 0 ? 0 : (way - 1) / step + 1;
  const Exact most = size == 0 ? mostStates : std::min<Exact>(mostStates, mostElements / size);
  return trips <= most ? std::optional(unsigned(trips)) : std::nullopt;
}

unsigned statesOf(Stmt &loop, uint64_t size) {
  if (const auto trips = fewTrips(loop, size))
    return std::max(1u, *trips);
  return size == 0 ? mostCheckpoints
                   : unsigned(std::clamp<uint64_t>(mostElements / size, leastCheckpoints,
                                                   mostCheckpoints));
}

void keepStates(Replay &replay, const Step &step, const LoopPlan &plan, unsigned trips,
                ExprRef round, Block &before, Block &body, Versions &now) {
  Locals &locals = replay.locals;
  Stmt &loop = *step.loop;
  const auto &counted = std::get<For>(loop.node);
  const Loc at = loop.at;
  Versions variables = replay.variablesOf(loop, plan, step.before, before);
  const unsigned place = locals.add("place", Type::I32);
  Block advance;
  loadArrays(step.arrays, locals, makeInt(0, Type::I32, at), before, at);
  saveArrays(step.arrays, locals, locals.read(place, at), advance, at);
  loadArrays(step.arrays, locals, makeCast(round, Type::I32, at), body, at);
  for (unsigned local : plan.state) {
    const BufferRef slots = slotsOf(locals, local, trips, at);
    advance.push_back({at, Store{slots, take(locals.read(place, at)),
                                 take(locals.read(variables.at(local), at))}});
    now[local] = locals.addVersion(local);
    ExprRef index = makeCast(round, Type::I32, at);
    assign(body, now[local], makeExpr(locals[local].type, Load{slots, take(index)}, at), at);
  }
  const Type type = locals[counted.local].type;
  ExprRef offset = makeBinary(BinaryOp::Mul, makeCast(locals.read(place, at), type, at),
                              makeInt(counted.step, type, at), type, at);
  ExprRef first = makeCast(share(*counted.begin), type, at);
  if (replay.isNeeded(counted.local))
    assign(advance, variables.at(counted.local), makeBinary(BinaryOp::Add, first, offset, type, at),
           at);
  Block again = replay.plain(bodyOf(loop), variables);
  advance.insert(advance.end(), std::make_move_iterator(again.begin()),
                 std::make_move_iterator(again.end()));
  before.push_back({at, For{place, take(makeInt(0, Type::I32, at)),
                            take(makeInt(trips, Type::I32, at)), 1, std::move(advance)}});
}

/// Slots of a thread for states of a loop, and the numbers of the iterations at whose begins they
/// were. A stack: the first one is the loop's begin, and the last one is the nearest before the
/// iteration that is reversed. On the way from there to the iteration, more states are kept. So
/// memory does not depend on the number of iterations; 32 of them are run once more, 528 twice,
/// 5984 three times.
void restore(Replay &replay, const Step &step, const LoopPlan &plan, ExprRef round,
             const std::function<ExprRef(ExprRef)> &valueAt, Block &before, Block &body,
             Versions &now) {
  Locals &locals = replay.locals;
  Stmt &loop = *step.loop;
  const Loc at = loop.at;
  const Type wide = round->type;
  const auto number = [&](unsigned value) { return makeInt(value, wide, at); };
  const auto op = [&](BinaryOp which, ExprRef a, ExprRef b) {
    const bool isTest = which >= BinaryOp::Lt;
    return makeBinary(which, std::move(a), std::move(b), isTest ? Type::Bool : wide, at);
  };
  const unsigned checkpoints = statesOf(loop, sizeOfState(step.arrays));
  const unsigned top = locals.add("top", Type::I32), position = locals.add("position", wide);
  const BufferRef positions = slotsOf(locals, position, checkpoints, at);
  std::map<unsigned, BufferRef> states;
  for (unsigned local : plan.state)
    states[local] = slotsOf(locals, local, checkpoints, at);
  const auto topIndex = [&] { return locals.read(top, at); };
  const auto topPosition = [&] { return makeExpr(wide, Load{positions, take(topIndex())}, at); };
  const auto save = [&](Block &to, ExprRef place, const Versions &versions) {
    to.push_back({at, Store{positions, take(topIndex()), take(std::move(place))}});
    for (const auto &[local, buffer] : states)
      if (auto version = versions.find(local); version != versions.end())
        to.push_back({at, Store{buffer, take(topIndex()), take(locals.read(version->second, at))}});
  };
  assign(before, top, makeInt(0, Type::I32, at), at);
  save(before, number(0), step.before);

  // The variables of the loop, at the nearest checkpoint.
  Block unused;
  Versions variables = replay.variablesOf(loop, plan, {}, unused);
  for (const auto &[local, version] : step.before)
    variables.try_emplace(local, version);
  for (const auto &[local, buffer] : states)
    assign(body, variables.at(local),
           makeExpr(locals[local].type, Load{buffer, take(topIndex())}, at), at);
  loadArrays(step.arrays, locals, topIndex(), body, at);
  assign(body, position, topPosition(), at);

  // From there to the iteration.
  const unsigned next = locals.add("next", wide), from = locals.add("from", wide);
  assign(body, next, locals.read(position, at), at);
  assign(body, from, locals.read(position, at), at);
  Block push;
  assign(push, top, makeBinary(BinaryOp::Add, topIndex(), makeInt(1, Type::I32, at), Type::I32, at),
         at);
  save(push, locals.read(position, at), variables);
  saveArrays(step.arrays, locals, topIndex(), push, at);
  Block choose;
  choose.push_back({at, If{take(op(BinaryOp::Ne, locals.read(position, at), locals.read(from, at))),
                           std::move(push),
                           {}}});
  assign(choose, next,
         op(BinaryOp::Add, locals.read(position, at),
            distance(locals, op(BinaryOp::Sub, round, locals.read(position, at)), topIndex(),
                     checkpoints, choose)),
         at);
  Block advance;
  advance.push_back(
      {at, If{take(op(BinaryOp::Eq, locals.read(position, at), locals.read(next, at))),
              std::move(choose),
              {}}});
  if (auto *counted = std::get_if<For>(&loop.node); counted && replay.isNeeded(counted->local))
    assign(advance, variables.at(counted->local), valueAt(locals.read(position, at)), at);
  Block again = replay.plain(bodyOf(loop), variables);
  advance.insert(advance.end(), std::make_move_iterator(again.begin()),
                 std::make_move_iterator(again.end()));
  assign(advance, position, op(BinaryOp::Add, locals.read(position, at), number(1)), at);
  body.push_back(
      {at, While{take(op(BinaryOp::Lt, locals.read(position, at), round)), std::move(advance)}});
  // A checkpoint at the iteration itself is not asked for again.
  Block pop;
  assign(pop, top, makeBinary(BinaryOp::Sub, topIndex(), makeInt(1, Type::I32, at), Type::I32, at),
         at);
  ExprRef isHere =
      makeBinary(BinaryOp::And, op(BinaryOp::Eq, topPosition(), round),
                 makeBinary(BinaryOp::Gt, topIndex(), makeInt(0, Type::I32, at), Type::Bool, at),
                 Type::Bool, at);
  body.push_back({at, If{take(isHere), std::move(pop), {}}});
  for (unsigned local : plan.state)
    now[local] = variables.at(local);
}

} // namespace sextant::gradients
