// Derivatives of shuffles, reductions and scans. Each is a linear map of the lanes' values, or one
// near these: the adjoint of a copy from another lane is a sum there, that of a sum a copy to all,
// and that of a scan the scan from the other end.
#include "frontend/gradients/Lanes.h"

#include <algorithm>
#include <bit>

namespace sextant::gradients {

using namespace hir;

const Expr *operandOfLanes(const Expr &operation) {
  if (auto *shuffle = std::get_if<Shuffle>(&operation.node))
    return &*shuffle->value;
  if (auto *reduce = std::get_if<Reduce>(&operation.node))
    return &*reduce->value;
  if (auto *scan = std::get_if<Scan>(&operation.node))
    return &*scan->value;
  return nullptr;
}

namespace {

/// Appends operations of lanes to code. All values are locals or constants, so that they may be
/// shared.
struct Writer {
  const Lanes &lanes;
  Block &code;
  Loc at;
  Type type; ///< that of the values

  ExprRef kept(const char *name, ExprRef value) const {
    const Type of = value->type;
    return makeLocal(keep(lanes.locals, name, code, take(std::move(value)), at), of, at);
  }
  ExprRef op(BinaryOp which, ExprRef a, ExprRef b) const {
    const Type of = which >= BinaryOp::Lt ? Type::Bool : a->type;
    return makeBinary(which, std::move(a), std::move(b), of, at);
  }
  ExprRef zero() const { return makeFloat(0, type, at); }
  ExprRef number(Exact value) const { return makeInt(value, Type::I32, at); }
  ExprRef lane() const { return makeId(Id::Lane, at); }
  /// The value where the condition holds, else 0.
  ExprRef where(ExprRef condition, ExprRef value) const {
    return kept("part", makeSelect(std::move(condition), std::move(value), zero()));
  }
  ExprRef shuffle(ShuffleKind kind, ExprRef value, ExprRef by) const {
    const Type of = value->type;
    return kept("moved", makeExpr(of, Shuffle{kind, take(value), take(by)}, at));
  }
  ExprRef shuffle(ShuffleKind kind, ExprRef value, unsigned by) const {
    return shuffle(kind, std::move(value), makeInt(by, Type::U32, at));
  }
  /// In all lanes of the tile.
  ExprRef reduce(Combine combine, ExprRef value, unsigned log2Size) const {
    return kept("total", makeExpr(type, Reduce{combine, take(value), log2Size, true}, at));
  }
  ExprRef scan(Combine combine, ExprRef value, unsigned log2Size, bool exclusive) const {
    const Type of = value->type;
    return kept("scanned", makeExpr(of, Scan{combine, take(value), log2Size, exclusive}, at));
  }
  /// From the tile's last lane to its first one.
  ExprRef scanBack(Combine combine, ExprRef value, unsigned log2Size, bool exclusive) const {
    const unsigned ends = (1u << log2Size) - 1;
    ExprRef turned = shuffle(ShuffleKind::Xor, std::move(value), ends);
    return shuffle(ShuffleKind::Xor, scan(combine, turned, log2Size, exclusive), ends);
  }
  ExprRef isAt(unsigned place, unsigned log2Size) const {
    ExprRef own = op(BinaryOp::And, lane(), number((1 << log2Size) - 1));
    return op(BinaryOp::Eq, own, number(place));
  }
  ExprRef isFirst(unsigned log2Size) const { return isAt(0, log2Size); }
  /// The value of the next lane of the tile; 0 in the last one.
  ExprRef next(ExprRef value, unsigned log2Size) const {
    ExprRef moved = shuffle(ShuffleKind::Down, std::move(value), 1);
    return kept("next", makeSelect(isAt((1 << log2Size) - 1, log2Size), zero(), moved));
  }
  /// The value of the lane before; 0 in the tile's first one.
  ExprRef before(ExprRef value, unsigned log2Size) const {
    ExprRef moved = shuffle(ShuffleKind::Up, std::move(value), 1);
    return kept("before", makeSelect(isFirst(log2Size), zero(), moved));
  }
  /// Returns a value that begins with zero and goes from lane to lane, as often as the tile has
  /// lanes. `step` appends one move to a block, and returns the new value.
  ExprRef passOn(unsigned log2Size,
                 const std::function<ExprRef(const Writer &, const ExprRef &)> &step) const {
    ExprRef passed = kept("passed", zero());
    const unsigned local = std::get<LocalRead>(passed->node).local;
    const auto round = unsigned(lanes.locals.size());
    lanes.locals.push_back({"round", Type::I32});
    Block body;
    ExprRef after = step({lanes, body, at, type}, passed);
    body.push_back({at, Assign{local, take(std::move(after))}});
    code.push_back(
        {at, For{round, take(number(0)), take(number(1 << log2Size)), 1, std::move(body)}});
    return passed;
  }

  /// The number of lanes that this subgroup has: the last one of a block may be short.
  ExprRef lanesHere() const {
    const unsigned wave = lanes.wave(), block = lanes.blockDim;
    if (block <= wave || block % wave == 0)
      return number(std::min(wave, block));
    ExprRef begin = op(BinaryOp::Sub, makeId(Id::ThreadIdx, at), lane());
    return op(BinaryOp::Min, number(wave), op(BinaryOp::Sub, number(block), begin));
  }
  /// The sum of the values of the lanes whose `target` is this lane, an I32.
  ExprRef scatter(ExprRef value, ExprRef target) const {
    ExprRef sum = kept("sum", zero());
    const auto local = std::get<LocalRead>(sum->node).local;
    const auto source = unsigned(lanes.locals.size());
    lanes.locals.push_back({"source", Type::I32});
    Block body;
    const Writer inside{lanes, body, at, type};
    ExprRef from = makeCast(makeLocal(source, Type::I32, at), Type::U32, at);
    ExprRef isMine = op(BinaryOp::Eq, inside.shuffle(ShuffleKind::Index, target, from), lane());
    ExprRef more = inside.where(isMine, inside.shuffle(ShuffleKind::Index, value, from));
    body.push_back({at, Assign{local, take(op(BinaryOp::Add, sum, more))}});
    code.push_back({at, For{source, take(number(0)), take(lanesHere()), 1, std::move(body)}});
    return sum;
  }

  /// Lanes whose value is the reduction's.
  ExprRef isExtreme(const Reduce &reduction) const {
    ExprRef best = reduce(reduction.op, share(*reduction.value), reduction.log2Size);
    return kept("extreme", op(BinaryOp::Eq, share(*reduction.value), best));
  }
  /// The reciprocal of how many these are.
  ExprRef shareOf(const Reduce &reduction, const ExprRef &isExtreme) const {
    ExprRef one = makeFloat(1, type, at);
    return op(BinaryOp::Div, one, reduce(Combine::Add, where(isExtreme, one), reduction.log2Size));
  }
  /// The product of the other lanes' values.
  ExprRef others(const Reduce &reduction) const {
    ExprRef value = share(*reduction.value);
    ExprRef before = scan(Combine::Mul, value, reduction.log2Size, true);
    ExprRef after = scanBack(Combine::Mul, value, reduction.log2Size, true);
    return op(BinaryOp::Mul, before, after);
  }
  /// The lane whose value a scan's minimum or maximum is. An exclusive one has none in the tile's
  /// first lane.
  ExprRef sourceOf(const Scan &scanned) const {
    const unsigned size = scanned.log2Size;
    ExprRef value = share(*scanned.value);
    ExprRef best = scan(scanned.op, value, size, false);
    ExprRef isNew =
        op(BinaryOp::Or, isFirst(size), op(BinaryOp::Ne, best, shuffle(ShuffleKind::Up, best, 1)));
    ExprRef own = kept("own", makeSelect(isNew, lane(), number(0)));
    ExprRef source = scan(Combine::Max, own, size, false);
    return scanned.exclusive ? shuffle(ShuffleKind::Up, source, 1) : source;
  }

  ExprRef pullBack(const Shuffle &shuffled, ExprRef g) const {
    const Const *constant = asConst(*shuffled.lane);
    const auto by = constant ? unsigned(constant->bits) : 0;
    if (constant && shuffled.kind == ShuffleKind::Xor)
      return shuffle(ShuffleKind::Xor, g, by);
    if (constant && shuffled.kind == ShuffleKind::Up) {
      ExprRef hasReader = op(BinaryOp::Lt, op(BinaryOp::Add, lane(), number(by)), lanesHere());
      return where(hasReader, shuffle(ShuffleKind::Down, g, by));
    }
    if (constant && shuffled.kind == ShuffleKind::Down)
      return where(op(BinaryOp::Ge, lane(), number(by)), shuffle(ShuffleKind::Up, g, by));
    ExprRef amount = makeCast(share(*shuffled.lane), Type::I32, at);
    const unsigned group = std::min(lanes.wave(), lanes.blockDim);
    const bool isWhole = lanes.blockDim % group == 0 && std::has_single_bit(group);
    if (constant && isWhole) // one lane has all readers
      return where(op(BinaryOp::Eq, lane(), amount),
                   reduce(Combine::Add, g, unsigned(std::countr_zero(group))));
    switch (shuffled.kind) {
    case ShuffleKind::Xor:
      return scatter(g, kept("target", op(BinaryOp::Xor, lane(), amount)));
    case ShuffleKind::Up:
      return scatter(g, kept("target", op(BinaryOp::Sub, lane(), amount)));
    case ShuffleKind::Down:
      return scatter(g, kept("target", op(BinaryOp::Add, lane(), amount)));
    case ShuffleKind::Index:
    case ShuffleKind::Broadcast:
      return scatter(g, kept("target", amount));
    }
    return nullptr;
  }
  ExprRef pullBack(const Reduce &reduction, ExprRef g) const {
    const unsigned size = reduction.log2Size;
    if (!reduction.allLanes) // the others' results have no meaning
      g = where(isFirst(size), g);
    ExprRef total = reduce(Combine::Add, g, size);
    if (reduction.op == Combine::Add)
      return total;
    if (reduction.op == Combine::Mul)
      return op(BinaryOp::Mul, total, others(reduction));
    ExprRef isIt = isExtreme(reduction);
    return where(isIt, op(BinaryOp::Mul, total, shareOf(reduction, isIt)));
  }
  /// A lane's value is in the products of later lanes: each has the product before it, and the
  /// factors between as well.
  ExprRef pullBackProducts(const Scan &scanned, const ExprRef &g) const {
    const unsigned size = scanned.log2Size;
    ExprRef x = share(*scanned.value);
    ExprRef later = passOn(size, [&](const Writer &inside, const ExprRef &sum) {
      if (scanned.exclusive)
        return inside.next(inside.op(BinaryOp::Add, g, inside.op(BinaryOp::Mul, x, sum)), size);
      ExprRef more = inside.next(inside.op(BinaryOp::Mul, x, sum), size);
      return inside.op(BinaryOp::Add, g, more);
    });
    return op(BinaryOp::Mul, scan(Combine::Mul, x, size, true), later);
  }
  ExprRef pullBack(const Scan &scanned, ExprRef g) const {
    const unsigned size = scanned.log2Size;
    if (scanned.op == Combine::Add)
      return scanBack(Combine::Add, g, size, scanned.exclusive);
    if (scanned.op == Combine::Mul)
      return pullBackProducts(scanned, g);
    ExprRef source = sourceOf(scanned);
    if (scanned.exclusive)
      g = kept("part", makeSelect(isFirst(size), zero(), g));
    return scatter(g, source);
  }

  ExprRef pushForward(const Reduce &reduction, ExprRef tangent) const {
    if (reduction.op == Combine::Mul)
      return reduce(Combine::Add, op(BinaryOp::Mul, tangent, others(reduction)),
                    reduction.log2Size);
    ExprRef isIt = isExtreme(reduction);
    ExprRef sum = reduce(Combine::Add, where(isIt, tangent), reduction.log2Size);
    return op(BinaryOp::Mul, sum, shareOf(reduction, isIt));
  }
  ExprRef pushForwardProducts(const Scan &scanned, const ExprRef &tangent) const {
    const unsigned size = scanned.log2Size;
    ExprRef x = share(*scanned.value);
    ExprRef own = kept("own", op(BinaryOp::Mul, tangent, scan(Combine::Mul, x, size, true)));
    ExprRef sum = passOn(size, [&](const Writer &inside, const ExprRef &sum) {
      ExprRef earlier = inside.before(sum, size);
      return inside.op(BinaryOp::Add, own, inside.op(BinaryOp::Mul, x, earlier));
    });
    return scanned.exclusive ? before(sum, size) : sum;
  }
  ExprRef pushForward(const Scan &scanned, ExprRef tangent) const {
    if (scanned.op == Combine::Mul)
      return pushForwardProducts(scanned, tangent);
    ExprRef from = makeCast(sourceOf(scanned), Type::U32, at);
    ExprRef moved = shuffle(ShuffleKind::Index, std::move(tangent), from);
    return scanned.exclusive ? makeSelect(isFirst(scanned.log2Size), zero(), moved) : moved;
  }
};

/// The same operation of the lanes' tangents.
template <class Node> ExprRef linear(const Expr &operation, const Expr &tangent) {
  ExprRef copy = share(operation);
  std::get<Node>(copy->node).value = clone(tangent);
  return copy;
}

} // namespace

void Lanes::fillEnds(Block &code, std::set<unsigned> &active) const {
  Block filled;
  for (Stmt &stmt : code) {
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { fillEnds(inside, active); });
    auto *assign = std::get_if<Assign>(&stmt.node);
    auto *shuffle = assign ? std::get_if<Shuffle>(&assign->value->node) : nullptr;
    const bool hasEnd =
        shuffle && (shuffle->kind == ShuffleKind::Up || shuffle->kind == ShuffleKind::Down);
    if (!hasEnd || !isFloat(assign->value->type)) {
      filled.push_back(std::move(stmt));
      continue;
    }
    const Writer writer{*this, filled, stmt.at, assign->value->type};
    ExprRef by = makeCast(share(*shuffle->lane), Type::I32, stmt.at);
    ExprRef hasSource = writer.kept(
        "hasSource", shuffle->kind == ShuffleKind::Up
                         ? writer.op(BinaryOp::Ge, writer.lane(), by)
                         : writer.op(BinaryOp::Lt, writer.op(BinaryOp::Add, writer.lane(), by),
                                     writer.lanesHere()));
    ExprRef own = share(*shuffle->value);
    ExprRef moved = writer.kept("moved", share(*assign->value));
    if (active.contains(assign->local))
      active.insert(std::get<LocalRead>(moved->node).local);
    filled.push_back(
        {stmt.at, Assign{assign->local, take(makeSelect(hasSource, moved, own, stmt.at))}});
  }
  code = std::move(filled);
}

ExprRef Lanes::pullBack(const Expr &operation, const Expr &gradient, Block &code) const {
  const Writer writer{*this, code, operation.at, operation.type};
  ExprRef g = writer.kept("grad", share(gradient));
  if (auto *shuffle = std::get_if<Shuffle>(&operation.node))
    return writer.pullBack(*shuffle, g);
  if (auto *reduce = std::get_if<Reduce>(&operation.node))
    return writer.pullBack(*reduce, g);
  return writer.pullBack(std::get<Scan>(operation.node), g);
}

ExprRef Lanes::pushForward(const Expr &operation, const Expr &tangent, Block &code) const {
  const Writer writer{*this, code, operation.at, operation.type};
  if (std::holds_alternative<Shuffle>(operation.node))
    return linear<Shuffle>(operation, tangent);
  if (auto *reduce = std::get_if<Reduce>(&operation.node))
    return reduce->op == Combine::Add ? linear<Reduce>(operation, tangent)
                                      : writer.pushForward(*reduce, share(tangent));
  auto &scan = std::get<Scan>(operation.node);
  return scan.op == Combine::Add ? linear<Scan>(operation, tangent)
                                 : writer.pushForward(scan, share(tangent));
}

} // namespace sextant::gradients
