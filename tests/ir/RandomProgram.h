// Random control flow, for comparing what generated code computes with a walk
// over the hir (HirWalk.h).
#pragma once

#include "tests/ir/HirBuilder.h"

#include <random>

namespace hb {

using Op = hir::BinaryOp;

/// How the threads of a launch share the buffer: 16 elements each.
struct Layout {
  unsigned blockDim = 1, blocks = 1;
  unsigned running = 1;     ///< threads that pass the guard
  bool interleaved = false; ///< element k of thread t is at k * threads + t, not t * 16 + k

  unsigned threads() const { return blockDim * blocks; }
};

/// Random structured programs over five i32 locals and 16 elements of memory,
/// for one thread, or for each thread of a launch, which then go different ways.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed, Layout layout = {}) : engine(seed), layout(layout) {}

  hir::Kernel make() {
    std::vector<hir::Local> locals;
    hir::Block body;
    for (unsigned i = 0; i < variables; ++i) {
      locals.push_back({"x", Type::I32});
      body.push_back(assign(i, pick(2) ? load(0, place(num(i))) : num(pick(5))));
    }
    for (unsigned i = 0; i < counters; ++i)
      locals.push_back({"i", Type::I32});
    locals.push_back({"t", Type::I32});
    for (hir::Stmt &stmt : statements(4))
      body.push_back(std::move(stmt));
    for (unsigned i = 0; i < variables; ++i)
      body.push_back(store(0, place(num(i)), local(i)));
    auto id = [](hir::Id id) { return expr(Type::I32, hir::ReadId{id}); };
    hir::ExprPtr thread =
        binary(Op::Add, binary(Op::Mul, id(hir::Id::BlockIdx), num(layout.blockDim)),
               id(hir::Id::ThreadIdx));
    hir::Kernel result =
        kernel({buf(Type::I32), val(Type::I32)}, std::move(locals),
               block(assign(threadLocal, std::move(thread)),
                     when(binary(Op::Lt, local(threadLocal), param(1)), std::move(body))));
    result.tasks[0].blockDim = layout.blockDim;
    return result;
  }

protected:
  static constexpr unsigned variables = 5, counters = 40, threadLocal = variables + counters;

  /// Where element `k` of this thread is.
  hir::ExprPtr place(hir::ExprPtr k) {
    if (layout.interleaved)
      return binary(Op::Add, binary(Op::Mul, std::move(k), num(layout.threads())),
                    local(threadLocal));
    return binary(Op::Add, binary(Op::Mul, local(threadLocal), num(16)), std::move(k));
  }

  unsigned pick(unsigned below) { return std::uniform_int_distribution<>(0, below - 1)(engine); }

  hir::ExprPtr value(unsigned depth = 2) {
    switch (pick(depth ? 7 : 3)) {
    case 0:
      return num(int64_t(pick(9)) - 4);
    case 3:
      return binary(Op::Add, value(depth - 1), value(depth - 1));
    case 4:
      return binary(Op::Mul, value(depth - 1), num(3));
    case 5:
      return expr(Type::I32, hir::Conditional{condition(), value(depth - 1), value(depth - 1)});
    case 6: { // an inlined function
      if (pick(3) || nextCounter >= variables + counters)
        return load(0, place(pick(2) ? num(pick(16)) : binary(Op::Mod, value(depth - 1), num(16))));
      unsigned scopeId = nextScope++, result = nextCounter++;
      hir::Block body = block(scope(
          scopeId, block(assign(result, value(depth - 1)),
                         when(condition(), block(assign(result, value(depth - 1)), leave(scopeId))),
                         assign(pick(variables), value(depth - 1)),
                         assign(result, binary(Op::Add, local(result), value(depth - 1))))));
      return expr(Type::I32, hir::Sequence{std::move(body), local(result)});
    }
    default:
      return local(pick(variables));
    }
  }

  hir::ExprPtr condition() {
    static constexpr Op ops[] = {Op::Lt, Op::Ge, Op::Eq, Op::Ne};
    return binary(ops[pick(4)], binary(Op::Mod, value(1), num(4)), num(pick(4)));
  }

  hir::Block statements(unsigned depth) {
    hir::Block result;
    for (unsigned i = 0, count = 1 + pick(4); i < count; ++i)
      result.push_back(statement(depth));
    return result;
  }

  hir::Stmt statement(unsigned depth) {
    unsigned kind = pick(depth ? 10 : 4);
    if (kind < 2)
      return assign(pick(variables), value());
    if (kind == 2)
      return store(0, place(num(5 + pick(11))), value());
    if (kind == 3 && !scopes.empty())
      return leave(scopes[pick(scopes.size())]);
    if (kind < 6 || nextCounter + 1 >= variables + counters || depth == 0)
      return depth == 0 ? assign(pick(variables), value())
                        : when(condition(), statements(depth - 1),
                               pick(2) ? statements(depth - 1) : hir::Block());
    if (kind < 7)
      return scoped(depth, [&] { return statements(depth - 1); });
    // A loop, with a scope around it, and one around its body.
    return scoped(depth, [&] {
      unsigned counter = nextCounter++;
      hir::Block body = block(scoped(depth, [&] { return statements(depth - 1); }));
      if (pick(2)) {
        static constexpr int64_t steps[] = {1, 2, -1, -3};
        return block(count(counter, value(1), value(1), steps[pick(4)], std::move(body)));
      }
      hir::Block whole = block(assign(counter, binary(Op::Add, local(counter), num(1))));
      for (hir::Stmt &stmt : body)
        whole.push_back(std::move(stmt));
      hir::ExprPtr test = binary(Op::Lt, local(counter), num(pick(5)));
      if (pick(2))
        test = expr(Type::Bool, hir::Conditional{std::move(test), condition(), truth(false)});
      return block(assign(counter, num(0)), loop(std::move(test), std::move(whole)));
    });
  }

  template <typename Make> hir::Stmt scoped(unsigned, Make make) {
    unsigned id = nextScope++;
    scopes.push_back(id);
    hir::Block body = make();
    scopes.pop_back();
    return scope(id, std::move(body));
  }

  std::mt19937 engine;
  Layout layout;
  std::vector<unsigned> scopes;
  unsigned nextScope = 0, nextCounter = variables;
};

} // namespace hb
