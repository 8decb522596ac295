// Evaluates conditions for one lane after another, and follows uses through arithmetic to the
// selections that drop what most lanes got.
#include "backends/amdgpu/Demand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sextant;
using llvm::APInt;

/// Conditions are small expressions of the lane, so the search stops here.
static constexpr unsigned depthLimit = 8;

/// The integer that `value` is in that lane, if it depends on nothing else.
static std::optional<APInt> valueIn(Value value, unsigned lane, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!op || !type || depth > depthLimit)
    return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue();
  if (isa<simt::LaneOp>(op))
    return APInt(type.getWidth(), lane);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<APInt> condition = valueIn(select.getCondition(), lane, depth + 1);
    return condition ? valueIn(condition->isZero() ? select.getFalseValue() : select.getTrueValue(),
                               lane, depth + 1)
                     : std::nullopt;
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<APInt> lhs = valueIn(op->getOperand(0), lane, depth + 1);
  std::optional<APInt> rhs = valueIn(op->getOperand(1), lane, depth + 1);
  if (!lhs || !rhs)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
      .Case([&](arith::AndIOp) { return *lhs & *rhs; })
      .Case([&](arith::OrIOp) { return *lhs | *rhs; })
      .Case([&](arith::XOrIOp) { return *lhs ^ *rhs; })
      .Case([&](arith::AddIOp) { return *lhs + *rhs; })
      .Case([&](arith::SubIOp) { return *lhs - *rhs; })
      .Case([&](arith::MulIOp) { return *lhs * *rhs; })
      .Case([&](arith::ShLIOp) { return lhs->shl(*rhs); })
      .Case([&](arith::ShRUIOp) { return lhs->lshr(*rhs); })
      .Case([&](arith::ShRSIOp) { return lhs->ashr(*rhs); })
      .Case([&](arith::CmpIOp compare) {
        return APInt(1, arith::applyCmpPredicate(compare.getPredicate(), *lhs, *rhs));
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// True if the condition may hold in that lane, whatever the unknown parts are.
static bool mayHold(Value condition, unsigned lane) {
  Operation *op = condition.getDefiningOp();
  if (op && isa<arith::AndIOp>(op))
    return mayHold(op->getOperand(0), lane) && mayHold(op->getOperand(1), lane);
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    // A minimum is large if both operands are.
    auto least = compare.getLhs().getDefiningOp<arith::MinSIOp>();
    std::optional<APInt> bound = valueIn(compare.getRhs(), lane);
    arith::CmpIPredicate predicate = compare.getPredicate();
    bool isGreater =
        predicate == arith::CmpIPredicate::sge || predicate == arith::CmpIPredicate::sgt;
    if (least && bound && isGreater)
      for (Value operand : least->getOperands())
        if (std::optional<APInt> known = valueIn(operand, lane))
          if (!arith::applyCmpPredicate(predicate, *known, *bound))
            return false;
  }
  std::optional<APInt> value = valueIn(condition, lane);
  return !value || !value->isZero();
}

bool sextant::staysInRow(simt::ShuffleOp up, unsigned distance, unsigned wave) {
  SmallVector<Value> values{up.getResult()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto select = dyn_cast<arith::SelectOp>(user);
      if (select && use.getOperandNumber() == 1) {
        bool reachesOut = false;
        for (unsigned lane = 0; lane < wave; ++lane)
          reachesOut |= lane % 16 < distance && mayHold(select.getCondition(), lane);
        if (!reachesOut)
          continue;
      }
      // Follows only ops that compute each lane's result from its own operands.
      bool isLanewise =
          isa<arith::ArithDialect, math::MathDialect>(user->getDialect()) && isPure(user);
      if (!isLanewise)
        return false;
      if (seen.insert(user).second)
        llvm::append_range(values, user->getResults());
    }
  }
  return true;
}

llvm::SmallVector<unsigned> sextant::sourceLanes(simt::ShuffleOp byIndex, unsigned wave) {
  llvm::SmallVector<unsigned> sources;
  for (unsigned lane = 0; lane < wave; ++lane) {
    std::optional<APInt> source = valueIn(byIndex.getLane(), lane);
    if (!source)
      return {};
    sources.push_back(unsigned(source->getZExtValue()) % wave);
  }
  return sources;
}
