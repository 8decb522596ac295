// Gives blocks tables of the first elements of gradients:
//
//     sums[all] = 0; barrier
//     ... k < size ? atomic add sums[k] : atomic add gradient[k]
//     barrier; for each sum that is not 0: atomic add gradient[k]
#include "frontend/gradients/Collect.h"
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Walk.h"
#include "frontend/hir/Division.h"

#include <iterator>
#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

/// Elements for each thread of a block, and bytes of all shared arrays of a task: every device has
/// 16 KiB.
constexpr unsigned elementsOfThread = 4;
constexpr uint64_t mostBytes = 16384;

/// Tells which values are the same in all threads, if these run the same iterations.
class Sameness {
public:
  explicit Sameness(Block &code) {
    forEachStatement(code, [&](Stmt &stmt) {
      if (auto *assign = std::get_if<Assign>(&stmt.node))
        values[assign->local].push_back(&*assign->value);
      if (auto *loop = std::get_if<For>(&stmt.node)) {
        values[loop->local].push_back(&*loop->begin);
        values[loop->local].push_back(&*loop->end);
      }
    });
  }
  bool isSame(const Expr &expr) {
    if (auto *read = std::get_if<LocalRead>(&expr.node)) {
      if (!seen.insert(read->local).second) // a loop counts it
        return true;
      const auto found = values.find(read->local);
      bool all = found != values.end();
      if (all)
        for (const Expr *value : found->second)
          all = all && isSame(*value);
      seen.erase(read->local);
      return all;
    }
    bool all =
        std::holds_alternative<Const>(expr.node) || std::holds_alternative<ParamRead>(expr.node) ||
        std::holds_alternative<Unary>(expr.node) || std::holds_alternative<Binary>(expr.node) ||
        std::holds_alternative<Cast>(expr.node) || std::holds_alternative<Select>(expr.node);
    forEachOperand(expr, [&](const Expr &operand) { all = all && isSame(operand); });
    return all;
  }

private:
  std::map<unsigned, std::vector<const Expr *>> values;
  std::set<unsigned> seen; ///< those that are looked at
};

/// Calls `visit` for each statement in an inner loop.
void forEachInLoops(Block &code, const std::function<void(Stmt &)> &visit) {
  for (Stmt &stmt : code) {
    if (isInnerLoop(stmt))
      forEachStatement(bodyOf(stmt), visit);
    else
      forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { forEachInLoops(inside, visit); });
  }
}

/// The arrays that threads add to as collectSums() says.
std::set<Array> collectedIn(Block &code) {
  std::set<Array> collected;
  Sameness sameness(code);
  forEachInLoops(code, [&](Stmt &stmt) {
    const Atomic *atomic = additionOf(stmt);
    if (atomic && atomic->value->type == Type::F32 && !isOfLaunch(*atomic->index) &&
        sameness.isSame(*atomic->index))
      collected.insert(keyOf(atomic->buffer));
  });
  forEachStatement(code, [&](Stmt &stmt) {
    if (const Atomic *atomic = additionOf(stmt); atomic && atomic->value->type == Type::F32)
      return;
    if (const BufferRef *buffer = bufferOf(stmt))
      collected.erase(keyOf(*buffer));
    forEachExpr(stmt, [&](Expr &expr) {
      if (const BufferRef *buffer = bufferOf(expr))
        collected.erase(keyOf(*buffer));
    });
  });
  return collected;
}

uint64_t bytesOfShared(Block &code, const Draft &draft) {
  std::set<unsigned> arrays;
  forEachAccess(code, [&](const BufferRef &buffer) {
    if (buffer.kind == BufferRef::Shared)
      arrays.insert(buffer.index);
  });
  uint64_t bytes = 0;
  for (unsigned array : arrays)
    bytes += draft.shared[array].count * byteWidth(draft.shared[array].type);
  return bytes;
}

struct Collector {
  Draft &draft;
  unsigned blockDim;
  Loc at;
  BufferRef gradient, sums;
  unsigned count;

  ExprRef number(Exact value, Type type = Type::I32) const { return makeInt(value, type, at); }
  ExprRef real(const BufferRef &buffer, ExprRef index) const {
    return makeExpr(Type::F32, Load{buffer, take(std::move(index))}, at);
  }
  Stmt add(const BufferRef &buffer, ExprRef index, ExprRef value) const {
    Expr atomic{at, Type::F32,
                Atomic{Combine::Add, buffer, take(std::move(index)), take(std::move(value))}};
    return {at, Eval{std::move(atomic)}};
  }
  /// A loop over the sums by all threads of the block.
  Stmt forEach(const std::function<Block(const ExprRef &)> &body) const {
    const auto local = unsigned(draft.locals.size());
    draft.locals.push_back({"k", Type::I32});
    return {at, For{local, take(makeId(Id::ThreadIdx, at)), take(number(count)), int64_t(blockDim),
                    body(makeLocal(local, Type::I32, at))}};
  }
  Stmt clear() const {
    return forEach([&](const ExprRef &k) {
      Block body;
      body.push_back({at, Store{sums, take(share(*k)), take(makeFloat(0, Type::F32, at))}});
      return body;
    });
  }
  Stmt flush() const {
    return forEach([&](const ExprRef &k) {
      Block body, some;
      const unsigned sum = keep(draft.locals, "sum", body, take(real(sums, share(*k))), at);
      const ExprRef value = makeLocal(sum, Type::F32, at);
      some.push_back(add(gradient, share(*k), value));
      ExprRef isSome = makeBinary(BinaryOp::Ne, value, makeFloat(0, Type::F32, at), Type::Bool, at);
      body.push_back({at, If{take(isSome), std::move(some), {}}});
      return body;
    });
  }
  /// Puts additions to the gradient into the sums.
  void replace(Block &code) const {
    for (Stmt &stmt : code) {
      const Atomic *atomic = additionOf(stmt);
      if (!atomic || keyOf(atomic->buffer) != keyOf(gradient)) {
        forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { replace(inside); });
        continue;
      }
      const ExprRef index = share(*atomic->index), value = share(*atomic->value);
      const ExprRef place = makeCast(index, unsignedOf(index->type), at);
      ExprRef isHere = makeBinary(BinaryOp::Lt, place, number(count, place->type), Type::Bool, at);
      Block here, elsewhere;
      here.push_back(add(sums, makeCast(index, Type::I32, at), value));
      elsewhere.push_back(std::move(stmt));
      stmt = {at, If{take(isHere), std::move(here), std::move(elsewhere)}};
    }
  }
};

} // namespace

void collectSums(Task &task, Draft &draft) {
  if (task.serial || task.light) // light tasks have no loops
    return;
  const unsigned count = task.blockDim * elementsOfThread;
  uint64_t bytes = bytesOfShared(task.body, draft);
  std::vector<Collector> all;
  for (const auto &[kind, index] : collectedIn(task.body)) {
    bytes += uint64_t(count) * byteWidth(Type::F32);
    if (bytes > mostBytes)
      break;
    draft.shared.push_back({"sums", Type::F32, count, task.at});
    const BufferRef sums{BufferRef::Shared, unsigned(draft.shared.size() - 1)};
    all.push_back({draft, task.blockDim, task.at, {kind, index}, sums, count});
  }
  if (all.empty())
    return;
  task.light = false;
  Block body;
  for (const Collector &each : all) {
    each.replace(task.body);
    body.push_back(each.clear());
  }
  body.push_back({task.at, Barrier{}});
  std::move(task.body.begin(), task.body.end(), std::back_inserter(body));
  body.push_back({task.at, Barrier{}});
  for (const Collector &each : all)
    body.push_back(each.flush());
  task.body = std::move(body);
}

} // namespace sextant::gradients
