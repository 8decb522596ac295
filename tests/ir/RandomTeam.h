// Random programs whose threads work together: block barriers, reducing
// barriers, shared memory and subgroup operations in control flow that is the
// same in the whole block, with divergent statements between them.
#pragma once

#include "tests/ir/RandomProgram.h"

namespace hb {

class RandomTeam : RandomProgram {
public:
  /// `layout.blockDim` is a multiple of `wave`, a power of two.
  RandomTeam(unsigned seed, Layout layout, unsigned wave)
      : RandomProgram(seed, layout), wave(wave) {
    while ((2u << log2Wave) <= wave)
      ++log2Wave;
  }

  hir::Kernel make() {
    std::vector<hir::Local> locals(threadLocal + 1 + uniforms, {"x", Type::I32});
    hir::Block body;
    auto id = [](hir::Id id) { return expr(Type::I32, hir::ReadId{id}); };
    body.push_back(assign(
        threadLocal, binary(Op::Add, binary(Op::Mul, id(hir::Id::BlockIdx), num(layout.blockDim)),
                            id(hir::Id::ThreadIdx))));
    for (unsigned i = 0; i < variables; ++i)
      body.push_back(assign(i, load(0, place(num(i)))));
    for (unsigned i = 0; i < uniforms; ++i)
      body.push_back(assign(uniform(i), num(pick(4))));
    for (hir::Stmt &stmt : teamStatements(3))
      body.push_back(std::move(stmt));
    for (unsigned i = 0; i < variables; ++i)
      body.push_back(store(0, place(num(i)), local(i)));
    hir::Kernel result =
        kernel({buf(Type::I32), val(Type::I32)}, std::move(locals), std::move(body));
    hir::Task &task = result.tasks[0];
    task.blockDim = layout.blockDim;
    task.fullBlocks = true;
    task.shared.push_back({"exchange", Type::I32, layout.blockDim, {}});
    result.wave = wave;
    return result;
  }

private:
  static constexpr unsigned uniforms = 12, settable = 4;
  unsigned uniform(unsigned i) { return threadLocal + 1 + i; }

  hir::ExprPtr uniformValue() {
    switch (pick(5)) {
    case 0:
      return num(int64_t(pick(6)) - 1);
    case 1:
      return expr(Type::I32, hir::ReadId{hir::Id::BlockIdx});
    case 2:
      return binary(Op::Add, local(uniform(pick(settable))), num(1));
    default:
      return local(uniform(pick(settable)));
    }
  }

  hir::ExprPtr uniformCondition() {
    static constexpr Op ops[] = {Op::Lt, Op::Ge, Op::Eq, Op::Ne};
    return binary(ops[pick(4)], binary(Op::Mod, uniformValue(), num(3)), num(pick(3)));
  }

  hir::Block teamStatements(unsigned depth) {
    hir::Block result;
    for (unsigned i = 0, count = 1 + pick(4); i < count; ++i)
      for (hir::Stmt &stmt : teamStatement(depth))
        result.push_back(std::move(stmt));
    return result;
  }

  hir::Block teamStatement(unsigned depth) {
    switch (pick(depth ? 10 : 6)) {
    case 0:
    case 1: { // divergent, and it may not leave what the team is in
      std::vector<unsigned> outer;
      outer.swap(scopes);
      hir::Stmt result = statement(2);
      scopes.swap(outer);
      return block(std::move(result));
    }
    case 2:
      return exchange();
    case 3: {
      auto kind = hir::BarrierReduceKind(pick(3));
      hir::ExprPtr counted = expr(Type::I32, hir::BarrierReduce{kind, condition()});
      return block(pick(2) ? assign(uniform(pick(settable)), std::move(counted))
                           : assign(pick(variables), std::move(counted)));
    }
    case 4:
      return block(assign(pick(variables), subgroupValue()));
    case 5:
      if (!teamScopes.empty() && pick(2))
        return block(when(uniformCondition(), block(leave(teamScopes[pick(teamScopes.size())]))));
      return block(assign(uniform(pick(settable)), uniformValue()));
    case 6:
    case 7:
      return block(when(uniformCondition(), teamStatements(depth - 1),
                        pick(2) ? teamStatements(depth - 1) : hir::Block()));
    default: {
      if (nextLoop >= uniforms)
        return exchange();
      unsigned counter = uniform(nextLoop++), breakScope = nextScope++, continueScope = nextScope++;
      teamScopes.push_back(breakScope);
      teamScopes.push_back(continueScope);
      hir::Block body = block(scope(continueScope, teamStatements(depth - 1)));
      teamScopes.resize(teamScopes.size() - 2);
      if (pick(2))
        return block(
            scope(breakScope, block(count(counter, num(0), num(1 + pick(3)), 1, std::move(body)))));
      hir::Block whole = block(assign(counter, binary(Op::Add, local(counter), num(1))));
      whole.push_back(std::move(body[0]));
      return block(assign(counter, num(0)),
                   scope(breakScope, block(loop(binary(Op::Lt, local(counter), num(1 + pick(3))),
                                                std::move(whole)))));
    }
    }
  }

  /// Writes shared memory, and reads what another thread has written.
  hir::Block exchange() {
    auto thread = [] { return expr(Type::I32, hir::ReadId{hir::Id::ThreadIdx}); };
    hir::BufferRef shared{hir::BufferRef::Shared, 0};
    hir::ExprPtr source =
        pick(2) ? binary(Op::Mod, binary(Op::Add, thread(), num(1 + pick(layout.blockDim))),
                         num(layout.blockDim))
                : binary(Op::Mod, value(1), num(layout.blockDim));
    hir::Block result =
        block(stmt(hir::Store{shared, thread(), value(1), false}), stmt(hir::Barrier{}));
    result.push_back(
        assign(pick(variables), expr(Type::I32, hir::Load{shared, std::move(source), false})));
    result.push_back(stmt(hir::Barrier{}));
    return result;
  }

  hir::ExprPtr lane() { return expr(Type::I32, hir::ReadId{hir::Id::Lane}); }
  hir::ExprPtr select(hir::ExprPtr condition, hir::ExprPtr value) {
    return expr(Type::I32, hir::Select{std::move(condition), std::move(value), num(-77)});
  }

  /// A value that is unspecified in some lanes is replaced there.
  hir::ExprPtr subgroupValue() {
    static constexpr hir::Combine combines[] = {hir::Combine::Add, hir::Combine::Min,
                                                hir::Combine::Max, hir::Combine::Xor};
    auto shuffle = [&](hir::ShuffleKind kind, hir::ExprPtr by) {
      return expr(Type::I32, hir::Shuffle{kind, value(1), std::move(by)});
    };
    unsigned log2Size = pick(log2Wave + 1), by = pick(wave);
    switch (pick(11)) {
    case 0:
      return shuffle(hir::ShuffleKind::Index, binary(Op::Mod, value(1), num(wave)));
    case 1:
      return shuffle(hir::ShuffleKind::Xor, num(by));
    case 2:
      return select(binary(Op::Ge, lane(), num(by)), shuffle(hir::ShuffleKind::Up, num(by)));
    case 3:
      return select(binary(Op::Lt, lane(), num(wave - by)),
                    shuffle(hir::ShuffleKind::Down, num(by)));
    case 4:
      return shuffle(hir::ShuffleKind::Broadcast, num(by));
    case 5:
      return expr(Type::I32, hir::Cast{expr(Type::U64, hir::Ballot{condition()})});
    case 10:
      return expr(Type::I32, hir::Cast{expr(Type::U64, hir::Match{value(1), pick(4) + 1})});
    case 6:
      return expr(Type::I32,
                  hir::Cast{expr(Type::Bool, hir::Vote{pick(2) == 0, condition(), log2Size})});
    case 7:
      return expr(Type::I32, hir::Reduce{combines[pick(4)], value(1), log2Size, true});
    case 8:
      return select(binary(Op::Eq, binary(Op::Mod, lane(), num(1 << log2Size)), num(0)),
                    expr(Type::I32, hir::Reduce{combines[pick(4)], value(1), log2Size, false}));
    default:
      return expr(Type::I32, hir::Scan{combines[pick(4)], value(1), log2Size, pick(2) == 0});
    }
  }

  unsigned wave, log2Wave = 0, nextLoop = settable;
  std::vector<unsigned> teamScopes;
};

} // namespace hb
