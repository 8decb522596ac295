// Finds arrays whose elements each belong to one thread.
#include "frontend/gradients/Own.h"
#include "frontend/gradients/Walk.h"

#include <optional>

namespace sextant::gradients {

using namespace hir;

namespace {

/// An index, as the number of the thread times `step` plus `offset`.
struct Place {
  Exact step = 1, offset = 0;
};

class Places {
public:
  explicit Places(Block &code) {
    std::set<unsigned> twice;
    forEachStatement(code, [&](Stmt &stmt) {
      const auto local = setBy(stmt);
      auto *assign = std::get_if<Assign>(&stmt.node);
      if (local && (!assign || !values.try_emplace(*local, &*assign->value).second))
        twice.insert(*local);
    });
    for (unsigned local : twice)
      values.erase(local);
  }

  std::optional<Place> of(const Expr &expr) const {
    if (auto *read = std::get_if<LocalRead>(&expr.node)) {
      const auto value = values.find(read->local);
      return value == values.end() ? std::nullopt : of(*value->second);
    }
    if (auto *cast = std::get_if<Cast>(&expr.node)) // grids have less than 2^31 threads
      return isInteger(expr.type) && bitWidth(expr.type) >= 32 ? of(*cast->operand) : std::nullopt;
    auto *binary = std::get_if<Binary>(&expr.node);
    if (!binary)
      return std::nullopt;
    if (isThread(*binary))
      return Place();
    Exact number = 0;
    if (!constInt(*binary->rhs, number) || number < 0)
      return std::nullopt;
    std::optional<Place> place = of(*binary->lhs);
    if (place && binary->op == BinaryOp::Add)
      place->offset += number;
    else if (place && binary->op == BinaryOp::Mul)
      place->step *= number, place->offset *= number;
    else
      return std::nullopt;
    return place;
  }

private:
  static bool isId(const Expr &expr, Id id) {
    auto *read = std::get_if<ReadId>(&expr.node);
    return read && read->id == id;
  }
  /// The block's number times its threads, plus the thread's number in it.
  static bool isThread(const Binary &sum) {
    auto *blocks = std::get_if<Binary>(&sum.lhs->node);
    return sum.op == BinaryOp::Add && isId(*sum.rhs, Id::ThreadIdx) && blocks &&
           blocks->op == BinaryOp::Mul && isId(*blocks->lhs, Id::BlockIdx) &&
           (isId(*blocks->rhs, Id::BlockDim) || asConst(*blocks->rhs));
  }

  std::map<unsigned, const Expr *> values; ///< by the locals that are set once
};

} // namespace

std::set<Array> ownArrays(Block &code) {
  const Places places(code);
  std::map<Array, std::optional<Exact>> steps; ///< absent: some element is another thread's
  const auto access = [&](const BufferRef &buffer, const Expr &index) {
    const std::optional<Place> place = places.of(index);
    const bool isOwn = place && place->offset < place->step;
    const auto [step, isFirst] =
        steps.try_emplace(keyOf(buffer), isOwn ? std::optional(place->step) : std::nullopt);
    if (!isOwn || step->second != place->step)
      step->second = std::nullopt;
  };
  forEachStatement(code, [&](Stmt &stmt) {
    if (auto *store = std::get_if<Store>(&stmt.node))
      access(store->buffer, *store->index);
    forEachExpr(stmt, [&](Expr &expr) {
      if (auto *load = std::get_if<Load>(&expr.node))
        access(load->buffer, *load->index);
      else if (auto *atomic = std::get_if<Atomic>(&expr.node))
        access(atomic->buffer, *atomic->index);
      else if (auto *cas = std::get_if<AtomicCas>(&expr.node))
        access(cas->buffer, *cas->index);
    });
  });
  std::set<Array> own;
  for (const auto &[array, step] : steps)
    if (step)
      own.insert(array);
  return own;
}

} // namespace sextant::gradients
