// Keeps states of a loop at some of its iterations.
//
// A loop of few iterations keeps the states of all, each in the slot of its number. If it turns out
// to have more, they are a stack, with the numbers of the iterations at whose begins they were: the
// first one is the loop's begin, and the last one is the nearest before the iteration that is
// reversed. The run of the loop fills it, and more are kept on the way from there to the iteration.
// So memory does not depend on the number of iterations; with the loop's run, 32 of them are run
// once, 528 twice, 5984 three times. A `while` whose iterations do not fit begins again: its length
// is not known before it was run.
#include "frontend/gradients/Checkpoints.h"
#include "frontend/gradients/Leaves.h"
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

/// The number of iterations, if it is a constant.
static std::optional<Exact> tripsOf(Stmt &loop) {
  auto *counted = std::get_if<For>(&loop.node);
  Exact begin = 0, end = 0;
  if (!counted || !constInt(*counted->begin, begin) || !constInt(*counted->end, end))
    return std::nullopt;
  const Exact way = counted->step > 0 ? end - begin : begin - end;
  const Exact step = counted->step > 0 ? counted->step : -counted->step;
  return way <= 0 ? 0 : (way - 1) / step + 1;
}

unsigned statesOf(Stmt &loop, uint64_t bytes, uint64_t &room) {
  const auto most =
      unsigned(std::min<uint64_t>(mostStates, room / 2 / std::max<uint64_t>(bytes, 1)));
  const auto trips = tripsOf(loop);
  const unsigned count = trips && *trips <= most
                             ? unsigned(std::max<Exact>(*trips, 1))
                             : std::clamp(most, leastCheckpoints, mostCheckpoints);
  room -= std::min(room, count * bytes);
  return count;
}

ExprRef roundsOf(const For &loop, const Versions &before, Type type, Loc at) {
  return iterationsOf(makeCast(share(*renamed(*loop.begin, before)), type, at),
                      makeCast(share(*renamed(*loop.end, before)), type, at), loop.step);
}

ExprRef indexAt(const For &loop, const Versions &before, ExprRef round, Type type) {
  const Loc at = round->at;
  const Type wide = round->type;
  ExprRef way = makeBinary(BinaryOp::Mul, std::move(round), makeInt(loop.step, wide, at), wide, at);
  return makeBinary(BinaryOp::Add, makeCast(share(*renamed(*loop.begin, before)), type, at),
                    makeCast(std::move(way), type, at), type, at);
}

namespace {

/// The code of one loop that runs from one of its iterations to another.
struct Runner {
  Locals &locals;
  const Step &step;
  const States &states;
  const Versions &variables; ///< the loop's locals in that code
  Loc at = step.loop->at;
  Type wide = locals[states.position].type;

  ExprRef op(BinaryOp which, ExprRef a, ExprRef b) const {
    const Type type = a->type;
    return makeBinary(which, std::move(a), std::move(b), which >= BinaryOp::Lt ? Type::Bool : type,
                      at);
  }
  ExprRef number(unsigned value) const { return makeInt(value, wide, at); }
  ExprRef one() const { return makeInt(1, Type::I32, at); }
  ExprRef top() const { return locals.read(states.top, at); }
  ExprRef position() const { return locals.read(states.position, at); }

  /// True if each iteration has a slot.
  ExprRef fits() const {
    return op(BinaryOp::Le, locals.read(states.rounds, at), number(states.count));
  }
  /// Stores the state of an iteration that has a slot.
  Block keep(const ExprRef &round) const {
    Block code;
    const ExprRef slot = makeCast(share(*round), Type::I32, at);
    store(code, slot, variables);
    saveArrays(step.arrays, locals, slot, code, at);
    return code;
  }
  /// Stores a state at the top of the stack.
  void save(Block &to, ExprRef place, const Versions &versions) const {
    to.push_back({at, Store{states.positions, take(top()), take(std::move(place))}});
    store(to, top(), versions);
  }
  void store(Block &to, const ExprRef &slot, const Versions &versions) const {
    for (const auto &[local, buffer] : states.locals)
      if (auto version = versions.find(local); version != versions.end())
        to.push_back(
            {at, Store{buffer, take(share(*slot)), take(locals.read(version->second, at))}});
  }
  /// Sets the local of a For.
  void count(Block &to, const ExprRef &round, bool isNeeded) const {
    auto *counted = std::get_if<For>(&step.loop->node);
    if (!counted || !isNeeded)
      return;
    const unsigned local = variables.at(counted->local);
    assign(to, local, indexAt(*counted, step.before, share(*round), locals[local].type), at);
  }

  /// Runs the loop from the iteration of the state at the top, whose number is in `position`, to
  /// `target`, and keeps states on the way.
  /// \param first the iteration that is reversed first
  /// \param isRun it is the run of the loop itself, which may keep all states
  void advance(Block &to, const ExprRef &first, const ExprRef &target, bool isRun, Block again,
               bool needsIndex) const {
    const unsigned next = locals.add("next", wide), from = locals.add("from", wide);
    assign(to, next, position(), at);
    assign(to, from, position(), at);
    Block push;
    assign(push, states.top, op(BinaryOp::Add, top(), one()), at);
    save(push, position(), variables);
    saveArrays(step.arrays, locals, top(), push, at);
    Block choose;
    ExprRef isFree = op(BinaryOp::Lt, top(), makeInt(states.count - 1, Type::I32, at));
    ExprRef isNew =
        op(BinaryOp::And, op(BinaryOp::Ne, position(), locals.read(from, at)), std::move(isFree));
    choose.push_back({at, If{take(isNew), std::move(push), {}}});
    ExprRef way = op(BinaryOp::Sub, share(*first), position());
    assign(choose, next,
           op(BinaryOp::Add, position(),
              distance(locals, std::move(way), top(), states.count, choose)),
           at);
    Block some, body;
    some.push_back(
        {at, If{take(op(BinaryOp::Eq, position(), locals.read(next, at))), std::move(choose), {}}});
    if (isRun)
      body.push_back({at, If{take(fits()), keep(position()), std::move(some)}});
    else
      append(body, std::move(some));
    count(body, position(), needsIndex);
    append(body, std::move(again));
    assign(body, states.position, op(BinaryOp::Add, position(), number(1)), at);
    to.push_back({at, While{take(op(BinaryOp::Lt, position(), share(*target))), std::move(body)}});
  }
  static void append(Block &to, Block from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  /// Each iteration's state has the iteration's number.
  void runFew(Block &to, Block again, bool needsIndex) const {
    const unsigned place = locals.add("place", Type::I32);
    Block body;
    saveArrays(step.arrays, locals, locals.read(place, at), body, at);
    store(body, locals.read(place, at), variables);
    count(body, makeCast(locals.read(place, at), wide, at), needsIndex);
    append(body, std::move(again));
    to.push_back({at, For{place, take(makeInt(0, Type::I32, at)),
                          take(makeInt(*states.few, Type::I32, at)), 1, std::move(body)}});
  }
  void runFor(Block &to, Block again, bool isAsked, bool needsIndex) const {
    const ExprRef all = locals.read(states.rounds, at);
    const unsigned last = locals.keep("last", to, op(BinaryOp::Sub, all, number(1)), at);
    ExprRef target = all; // the state of the last iteration may be enough
    if (!isAsked)
      target = makeSelect(op(BinaryOp::Eq, all, number(0)), all, locals.read(last, at));
    const unsigned end = locals.keep("end", to, std::move(target), at);
    assign(to, states.position, number(0), at);
    advance(to, locals.read(last, at), locals.read(end, at), true, std::move(again), needsIndex);
    if (!isAsked)
      to.push_back({at, If{take(fits()), keep(position()), {}}});
  }
  /// Keeps the states of the first iterations.
  void runWhile(Block &to, Block again) const {
    const auto rounds = [&] { return locals.read(states.rounds, at); };
    assign(to, states.rounds, number(0), at);
    ExprRef isFree = op(BinaryOp::Lt, op(BinaryOp::Sub, rounds(), number(1)),
                        number(states.count - 1)); // also false for the first one
    Block body;
    body.push_back({at, If{take(isFree), keep(rounds()), {}}});
    append(body, std::move(again));
    assign(body, states.rounds, op(BinaryOp::Add, rounds(), number(1)), at);
    const auto &loop = std::get<While>(step.loop->node);
    to.push_back({at, While{renamed(*loop.condition, variables), std::move(body)}});
  }
};

} // namespace

States runAndKeep(const Replay &replay, const Step &step, const LoopPlan &plan, unsigned count,
                  const Versions &variables, bool isAsked, Block &out) {
  Locals &locals = replay.locals;
  Stmt &loop = *step.loop;
  const Loc at = loop.at;
  auto *counted = std::get_if<For>(&loop.node);
  const Type type = counted ? locals[counted->local].type : Type::U32, wide = unsignedOf(type);
  States states;
  states.count = count;
  if (const auto trips = tripsOf(loop); trips && *trips <= count)
    states.few = unsigned(*trips);
  states.position = locals.add("position", wide);
  for (unsigned local : plan.state)
    states.locals[local] = slotsOf(locals, local, states.count, at);
  const bool needsIndex = counted && replay.isNeeded(counted->local);
  Block again = replay.plain(bodyOf(loop), variables);
  const Runner runner{locals, step, states, variables};
  if (counted)
    states.rounds = locals.keep("rounds", out, roundsOf(*counted, step.before, type, at), at);
  else
    states.rounds = locals.add("rounds", wide);
  if (states.few) {
    runner.runFew(out, std::move(again), needsIndex);
    return states;
  }
  states.positions = slotsOf(locals, states.position, states.count, at);
  states.top = locals.add("top", Type::I32);
  assign(out, states.top, makeInt(0, Type::I32, at), at);
  runner.save(out, runner.number(0), step.before);
  if (counted)
    runner.runFor(out, std::move(again), isAsked, needsIndex);
  else
    runner.runWhile(out, std::move(again));
  return states;
}

void restore(Replay &replay, const Step &step, const LoopPlan &plan, ExprRef round, Block &body,
             Versions &now) {
  Locals &locals = replay.locals;
  Stmt &loop = *step.loop;
  const States &states = *step.states;
  const Loc at = loop.at;
  Block unused; // they get their values here
  Versions variables = replay.variablesOf(loop, plan, {}, unused);
  for (const auto &[local, version] : step.before)
    variables.try_emplace(local, version);
  const Runner runner{locals, step, states, variables};
  const ExprRef own = makeCast(share(*round), Type::I32, at);
  const ExprRef slot = states.few ? own : runner.top();
  const auto topPosition = [&] {
    return makeExpr(locals[states.position].type, Load{states.positions, take(runner.top())}, at);
  };
  if (!states.few) {
    Block fits, last;
    assign(fits, states.top, own, at);
    assign(fits, states.position, share(*round), at);
    assign(last, states.position, topPosition(), at);
    body.push_back({at, If{take(runner.fits()), std::move(fits), std::move(last)}});
  }
  for (const auto &[local, buffer] : states.locals) {
    now[local] = variables.at(local);
    assign(body, now[local], makeExpr(locals[local].type, Load{buffer, take(share(*slot))}, at),
           at);
  }
  loadArrays(step.arrays, locals, slot, body, at);
  if (states.few)
    return;
  auto *counted = std::get_if<For>(&loop.node);
  runner.advance(body, round, round, false, replay.plain(bodyOf(loop), variables),
                 counted && replay.isNeeded(counted->local));
  // A checkpoint at the iteration itself is not asked for again.
  Block pop;
  assign(pop, states.top, runner.op(BinaryOp::Sub, runner.top(), runner.one()), at);
  ExprRef isHere = runner.op(BinaryOp::And, runner.op(BinaryOp::Eq, topPosition(), share(*round)),
                             runner.op(BinaryOp::Gt, runner.top(), makeInt(0, Type::I32, at)));
  Block rest;
  rest.push_back({at, If{take(isHere), std::move(pop), {}}});
  body.push_back({at, If{take(runner.fits()), {}, std::move(rest)}});
}

} // namespace sextant::gradients
