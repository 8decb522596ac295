// Expressions: one visit for each node, operands from left to right.
#include "frontend/irgen/TaskGenerator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;

//===--- Memory ------------------------------------------------------------===//

Value TaskGenerator::buffer(const hir::BufferRef &ref) {
  switch (ref.kind) {
  case hir::BufferRef::Param:
    return function.getArgument(ref.index);
  case hir::BufferRef::Shared:
    return shared[ref.index];
  case hir::BufferRef::Private:
    return privates[ref.index];
  case hir::BufferRef::Carry:
  case hir::BufferRef::Variable:
    break; // passes have placed them
  }
  llvm_unreachable("a kind of buffer");
}

Value TaskGenerator::buffer(const hir::BufferRef &ref, Type element) {
  Value whole = buffer(ref);
  auto type = cast<simt::BufferType>(whole.getType());
  if (type.getElementType() == element)
    return whole;
  if (Value known = views.lookup({whole, element}))
    return known;
  // At the task's start, in the order of use: what a target cannot do is said of its first use.
  OpBuilder::InsertionGuard guard(b);
  if (views.empty())
    b.setInsertionPointToStart(&function.getBody().front());
  else
    b.setInsertionPointAfterValue(views.back().second);
  Value view = b.create<simt::ViewOp>(
      arith.loc, simt::BufferType::get(b.getContext(), element, type.getSpace(), 0), whole);
  views[{whole, element}] = view;
  return view;
}

Value TaskGenerator::index(const hir::Expr &expr) {
  Value value = emitExpr(expr);
  // An index is signed, so an unsigned or narrow one is widened first.
  if (bitWidth(expr.type) < 32)
    return arith.cast(expr.type, hir::Type::I32, value);
  return expr.type == hir::Type::U32 ? arith.cast(expr.type, hir::Type::I64, value) : value;
}

Value TaskGenerator::fromMemory(Value element, hir::Type type) {
  return type == hir::Type::Bool ? arith.cast(hir::Type::U8, hir::Type::Bool, element) : element;
}

Value TaskGenerator::toMemory(Value value) {
  return value.getType().isInteger(1) ? arith.cast(hir::Type::Bool, hir::Type::U8, value) : value;
}

//===--- Operators of atomics and of subgroup operations -------------------===//

/// The dialect's operator for signed, unsigned or real elements.
static simt::CombineKind combineKind(hir::Combine op, hir::Type type) {
  using Kind = simt::CombineKind;
  using Op = hir::Combine;
  bool isReal = isFloat(type), hasSign = isSigned(type);
  switch (op) {
  case Op::Add:
    return isReal ? Kind::AddF : Kind::AddI;
  case Op::Mul:
    return isReal ? Kind::MulF : Kind::MulI;
  case Op::Min:
    return isReal ? Kind::MinF : hasSign ? Kind::MinS : Kind::MinU;
  case Op::Max:
    return isReal ? Kind::MaxF : hasSign ? Kind::MaxS : Kind::MaxU;
  case Op::And:
    return Kind::AndI;
  case Op::Or:
    return Kind::OrI;
  case Op::Xor:
    return Kind::XorI;
  case Op::Exchange:
    return Kind::Exchange;
  }
  llvm_unreachable("all operators are listed");
}

Value TaskGenerator::emitAtomic(const hir::Atomic &node, hir::Type type) {
  Value at = index(*node.index);
  Value value = toMemory(emitExpr(*node.value));
  simt::CombineKind kind = combineKind(node.op, type);
  Value old = b.create<simt::AtomicRmwOp>(arith.loc, value.getType(), kind, value,
                                          buffer(node.buffer, value.getType()), at);
  return fromMemory(old, type);
}

simt::Cache TaskGenerator::cacheOf(hir::Cache cache) {
  constexpr auto isSame = [](hir::Cache ours, simt::Cache theirs) {
    return unsigned(ours) == unsigned(theirs);
  };
  static_assert(isSame(hir::Cache::All, simt::Cache::All) &&
                isSame(hir::Cache::Stream, simt::Cache::Stream) &&
                isSame(hir::Cache::Global, simt::Cache::Global) &&
                isSame(hir::Cache::ReadOnly, simt::Cache::ReadOnly) &&
                isSame(hir::Cache::Async, simt::Cache::Async) &&
                words(hir::Cache()).size() == simt::getMaxEnumValForCache() + 1);
  return simt::Cache(cache);
}

Value TaskGenerator::emitShuffle(const hir::Shuffle &node) {
  Value value = emitExpr(*node.value);
  Value lane = arith.cast(node.lane->type, hir::Type::I32, emitExpr(*node.lane));
  simt::ShuffleKind kind = simt::ShuffleKind::Index;
  switch (node.kind) {
  case hir::ShuffleKind::Index:
    break;
  case hir::ShuffleKind::Xor:
    kind = simt::ShuffleKind::Xor;
    break;
  case hir::ShuffleKind::Up:
    kind = simt::ShuffleKind::Up;
    break;
  case hir::ShuffleKind::Down:
    kind = simt::ShuffleKind::Down;
    break;
  case hir::ShuffleKind::Broadcast:
    kind = simt::ShuffleKind::Broadcast;
    break;
  }
  return b.create<simt::ShuffleOp>(arith.loc, value.getType(), kind, value, lane);
}

//===--- Conditional evaluation --------------------------------------------===//

/// True if evaluating `expr` without need costs little and has no effect. `budget` counts down by
/// operations.
static bool isCheap(const hir::Expr &expr, int &budget) {
  if (std::holds_alternative<hir::Const>(expr.node) ||
      std::holds_alternative<hir::LocalRead>(expr.node) ||
      std::holds_alternative<hir::ParamRead>(expr.node) ||
      std::holds_alternative<hir::ReadId>(expr.node))
    return true;
  if (--budget < 0)
    return false;
  if (auto *unary = std::get_if<hir::Unary>(&expr.node))
    return (unary->op <= hir::UnaryOp::Abs || unary->op >= hir::UnaryOp::Popcnt) &&
           isCheap(*unary->operand, budget);
  if (auto *binary = std::get_if<hir::Binary>(&expr.node)) {
    bool isDear = binary->op == hir::BinaryOp::Div || binary->op == hir::BinaryOp::FloorDiv ||
                  binary->op == hir::BinaryOp::Mod || binary->op == hir::BinaryOp::CDiv ||
                  binary->op == hir::BinaryOp::CMod || binary->op == hir::BinaryOp::Pow ||
                  binary->op == hir::BinaryOp::Atan2;
    return !isDear && isCheap(*binary->lhs, budget) && isCheap(*binary->rhs, budget);
  }
  if (auto *cast = std::get_if<hir::Cast>(&expr.node))
    return isCheap(*cast->operand, budget);
  if (auto *cast = std::get_if<hir::Bitcast>(&expr.node))
    return isCheap(*cast->operand, budget);
  if (auto *select = std::get_if<hir::Select>(&expr.node))
    return isCheap(*select->condition, budget) && isCheap(*select->whenTrue, budget) &&
           isCheap(*select->whenFalse, budget);
  if (auto *nested = std::get_if<hir::Conditional>(&expr.node))
    return isCheap(*nested->condition, budget) && isCheap(*nested->whenTrue, budget) &&
           isCheap(*nested->whenFalse, budget);
  return false;
}

Value TaskGenerator::emitConditional(const hir::Conditional &node, Type type) {
  Value condition = emitExpr(*node.condition);
  int budget = 8;
  if (isCheap(*node.whenTrue, budget) && isCheap(*node.whenFalse, budget)) {
    Value whenTrue = emitExpr(*node.whenTrue);
    return arith.select(condition, whenTrue, emitExpr(*node.whenFalse));
  }
  const Extent &extent = plan.conditionals.find(&node)->second;
  return branch(
      agreed(condition, extent), extent, type, [&] { return emitExpr(*node.whenTrue); },
      [&] { return emitExpr(*node.whenFalse); });
}

//===--- All expressions ---------------------------------------------------===//

Value TaskGenerator::emitExpr(const hir::Expr &expr) {
  llvm::SaveAndRestore here(arith.loc, expr.at.file ? location(expr.at) : arith.loc);
  Location loc = arith.loc;
  Type type = valueType(b.getContext(), expr.type);
  auto operand = [&](const hir::ExprPtr &child) { return emitExpr(*child); };
  return std::visit(
      llvm::makeVisitor(
          [&](const hir::Const &node) -> Value {
            return isFloat(expr.type) ? arith.real(type, node.real)
                                      : arith.integer(type, int64_t(node.bits));
          },
          [&](const hir::LocalRead &node) -> Value { return read(node.local); },
          [&](const hir::ParamRead &node) -> Value { return function.getArgument(node.param); },
          [&](const hir::Load &node) -> Value {
            Value at = index(*node.index);
            Type element = elementType(b.getContext(), expr.type);
            Value from = buffer(node.buffer, element);
            if (auto view = from.getDefiningOp<simt::ViewOp>(); view && node.isAligned)
              simt::setAligned(view);
            Value loaded = b.create<simt::LoadOp>(loc, element, from, at, node.isVolatile,
                                                  cacheOf(node.cache));
            return fromMemory(loaded, expr.type);
          },
          [&](const hir::Unary &node) -> Value {
            return arith.unary(node.op, node.operand->type, operand(node.operand));
          },
          [&](const hir::Binary &node) -> Value {
            Value lhs = operand(node.lhs);
            Value rhs = operand(node.rhs);
            arith.isPrecise = node.isPrecise;
            if (node.isPosition)
              arith.overflow = arith::IntegerOverflowFlags::nsw;
            Value result = arith.binary(node.op, node.lhs->type, lhs, node.rhs->type, rhs);
            arith.isPrecise = false;
            arith.overflow = arith::IntegerOverflowFlags::none;
            return result;
          },
          [&](const hir::Cast &node) -> Value {
            return arith.cast(node.operand->type, expr.type, operand(node.operand));
          },
          [&](const hir::Bitcast &node) -> Value {
            return arith.bitcast(operand(node.operand), type);
          },
          [&](const hir::Address &node) -> Value {
            Value at = index(*node.index);
            return b.create<simt::AddressOp>(loc, type, buffer(node.buffer), at);
          },
          [&](const hir::Select &node) -> Value {
            Value condition = operand(node.condition);
            Value whenTrue = operand(node.whenTrue);
            return arith.select(condition, whenTrue, operand(node.whenFalse));
          },
          [&](const hir::Conditional &node) -> Value { return emitConditional(node, type); },
          [&](const hir::Sequence &node) -> Value {
            emitRegion(plan.sequences.find(&node)->second);
            return emitExpr(*node.result);
          },
          [&](const hir::Atomic &node) -> Value { return emitAtomic(node, expr.type); },
          [&](const hir::AtomicCas &node) -> Value {
            Value at = index(*node.index);
            Value expected = toMemory(operand(node.expected));
            Value desired = toMemory(operand(node.desired));
            Type element = expected.getType();
            Value old = b.create<simt::AtomicCasOp>(loc, element, expected, desired,
                                                    buffer(node.buffer, element), at);
            return fromMemory(old, expr.type);
          },
          [&](const hir::ReadId &node) -> Value {
            switch (node.id) {
            case hir::Id::ThreadIdx:
              return b.create<simt::ThreadIdxOp>(loc);
            case hir::Id::BlockIdx:
              return turn ? turn : b.create<simt::BlockIdxOp>(loc).getResult();
            case hir::Id::GridDim:
              return b.create<simt::GridDimOp>(loc);
            case hir::Id::Lane:
              return b.create<simt::LaneOp>(loc);
            case hir::Id::BlockDim:
              return arith.integer(type, blockDim);
            }
            llvm_unreachable("an id");
          },
          [&](const hir::Clock &) -> Value { return b.create<simt::ClockOp>(loc); },
          [&](const hir::Shuffle &node) -> Value { return emitShuffle(node); },
          [&](const hir::Ballot &node) -> Value {
            return b.create<simt::BallotOp>(loc, type, operand(node.predicate));
          },
          [&](const hir::Match &node) -> Value {
            return b.create<simt::MatchOp>(loc, type, operand(node.value), node.bits);
          },
          [&](const hir::Vote &node) -> Value {
            return b.create<simt::VoteOp>(loc, type,
                                          node.all ? simt::VoteKind::All : simt::VoteKind::Any,
                                          operand(node.predicate), node.log2Size);
          },
          [&](const hir::Reduce &node) -> Value {
            Value value = operand(node.value);
            return b.create<simt::ReduceOp>(loc, type, combineKind(node.op, expr.type), value,
                                            node.log2Size, node.allLanes);
          },
          [&](const hir::Scan &node) -> Value {
            Value value = operand(node.value);
            return b.create<simt::ScanOp>(loc, type, combineKind(node.op, expr.type), value,
                                          node.log2Size, node.exclusive);
          },
          [&](const hir::Derived &) -> Value { llvm_unreachable("frontend/gradients drops it"); },
          [&](const hir::Pullback &) -> Value { llvm_unreachable("frontend/gradients drops it"); },
          [&](const hir::BarrierReduce &node) -> Value {
            auto kind = node.kind == hir::BarrierReduceKind::All   ? simt::BarrierReduceKind::All
                        : node.kind == hir::BarrierReduceKind::Any ? simt::BarrierReduceKind::Any
                                                                   : simt::BarrierReduceKind::Count;
            return b.create<simt::BarrierReduceOp>(loc, type, kind, operand(node.predicate));
          }),
      expr.node);
}
