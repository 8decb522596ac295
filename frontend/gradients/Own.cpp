// Finds arrays whose elements each belong to one thread.
#include "frontend/gradients/Own.h"
#include "frontend/gradients/Walk.h"

#include <optional>

namespace sextant::gradients {

using namespace hir;

namespace {

/// An index, as the number of the thread times `step` plus `offset`. Where `row` is set, the step
/// is this parameter, and the offset is below it.
struct Place {
  Exact step = 1, offset = 0;
  std::optional<unsigned> row = {};

  bool operator==(const Place &) const = default;
};

class Places {
public:
  explicit Places(Block &code) : values(valuesSetOnce({&code})) {
    forEachStatement(code, [&](Stmt &stmt) {
      auto *assign = std::get_if<Assign>(&stmt.node);
      if (auto *loop = std::get_if<For>(&stmt.node))
        if (!loops.try_emplace(loop->local, loop).second)
          changed.insert(loop->local);
      if (assign && loops.contains(assign->local))
        changed.insert(assign->local);
    });
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
    if (const auto row = rowOf(*binary))
      return row;
    Exact number = 0;
    if (!constInt(*binary->rhs, number) || number < 0)
      return std::nullopt;
    std::optional<Place> place = of(*binary->lhs);
    if (place && place->row)
      return std::nullopt;
    if (place && binary->op == BinaryOp::Add)
      place->offset += number;
    else if (place && binary->op == BinaryOp::Mul)
      place->step *= number, place->offset *= number;
    else
      return std::nullopt;
    return place;
  }

private:
  /// An element of the thread's row: `i * n + k` in a loop over k from 0 to n.
  std::optional<Place> rowOf(const Binary &sum) const {
    const Expr *begin = &*sum.lhs;
    while (auto *read = std::get_if<LocalRead>(&begin->node)) {
      const auto value = values.find(read->local);
      if (value == values.end())
        return std::nullopt;
      begin = value->second;
    }
    auto *product = std::get_if<Binary>(&begin->node);
    auto *row = product ? std::get_if<ParamRead>(&product->rhs->node) : nullptr;
    auto *column = std::get_if<LocalRead>(&sum.rhs->node);
    const auto loop = column ? loops.find(column->local) : loops.end();
    if (sum.op != BinaryOp::Add || !row || product->op != BinaryOp::Mul || loop == loops.end() ||
        changed.contains(column->local) || of(*product->lhs) != Place())
      return std::nullopt;
    Exact first = -1;
    auto *end = std::get_if<ParamRead>(&loop->second->end->node);
    if (!constInt(*loop->second->begin, first) || first < 0 || loop->second->step < 0 || !end ||
        end->param != row->param)
      return std::nullopt;
    return Place{1, 0, row->param};
  }
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

  std::map<unsigned, const For *> loops;   ///< keys: their locals
  std::set<unsigned> changed;              ///< those that a body sets
  std::map<unsigned, const Expr *> values; ///< keys: locals that are set once
};

} // namespace

std::set<Array> ownGradients(Block &code, const Activity &activity) {
  const Places places(code);
  std::map<Array, std::optional<Place>> steps; ///< absent: some element is another thread's
  const auto access = [&](const BufferRef &buffer, const Expr &index) {
    const auto gradient = activity.gradients.find(keyOf(buffer));
    if (gradient == activity.gradients.end())
      return;
    std::optional<Place> place = places.of(index);
    if (place && place->offset >= place->step)
      place.reset();
    else if (place)
      place->offset = 0;
    const auto [step, isFirst] = steps.try_emplace(keyOf(gradient->second), place);
    if (step->second != place)
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
  for (const auto &[gradient, step] : steps)
    if (step)
      own.insert(gradient);
  return own;
}

} // namespace sextant::gradients
