// Interval arithmetic, up to a few operations back. Operations that it does not know, and values
// that loops and branches yield, have no bounds.
#include "frontend/ir/transforms/Bounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sextant::simt;

static constexpr unsigned deepest = 8;

static bool areFinite(const Bounds &x) {
  return !x.mayBeNan && std::isfinite(x.low) && std::isfinite(x.high);
}

/// Wider by more than the operation rounds. What may become infinite in the type has no bounds.
static Bounds rounded(Bounds x, Type type) {
  constexpr double step = 0x1p-20, smallest = 0x1p-100;
  x.low -= std::fabs(x.low) * step + smallest;
  x.high += std::fabs(x.high) * step + smallest;
  const double largest = type.isF64() ? 0x1p1000 : 0x1p127;
  return x.low > -largest && x.high < largest ? x : Bounds();
}

/// The largest integer is rounded up if the real type does not have it.
static Bounds ofInteger(Type type, Type real, bool isSigned) {
  const int width = int(type.getIntOrFloatBitWidth());
  const bool isExact = type.getIntOrFloatBitWidth() <= cast<FloatType>(real).getFPMantissaWidth();
  return {isSigned ? -std::ldexp(1.0, width - 1) : 0.0,
          std::ldexp(1.0, isSigned ? width - 1 : width) - isExact, false};
}

static Bounds ofProduct(const Bounds &x, const Bounds &y) {
  auto [low, high] = std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return {low, high, false};
}

/// NaN where both operands are; the other operand where one is.
static Bounds ofExtreme(const Bounds &x, const Bounds &y, bool isMax) {
  auto pick = [&](double a, double b) { return isMax ? std::max(a, b) : std::min(a, b); };
  Bounds result{pick(x.low, y.low), pick(x.high, y.high), x.mayBeNan && y.mayBeNan};
  for (auto [nan, other] : {std::pair(&x, &y), std::pair(&y, &x)})
    if (nan->mayBeNan) {
      result.low = std::min(result.low, other->low);
      result.high = std::max(result.high, other->high);
    }
  return result;
}

static Bounds find(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > deepest)
    return {};
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    const double number = constant.getValueAsDouble();
    return std::isnan(number) ? Bounds() : Bounds{number, number, false};
  }
  auto operand = [&](unsigned i) { return find(op->getOperand(i), depth + 1); };
  auto monotone = [&](double (*function)(double)) {
    Bounds x = operand(0);
    return Bounds{function(x.low), function(x.high), x.mayBeNan};
  };
  auto combined = [&](auto combine) {
    Bounds x = operand(0), y = operand(1);
    return areFinite(x) && areFinite(y) ? rounded(combine(x, y), value.getType()) : Bounds();
  };
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case([&](arith::SIToFPOp o) { return ofInteger(o.getIn().getType(), o.getType(), true); })
      .Case([&](arith::UIToFPOp o) { return ofInteger(o.getIn().getType(), o.getType(), false); })
      .Case([&](arith::ExtFOp) { return operand(0); })
      .Case([&](math::FloorOp) { return monotone(std::floor); })
      .Case([&](math::CeilOp) { return monotone(std::ceil); })
      .Case([&](math::TruncOp) { return monotone(std::trunc); })
      .Case([&](math::RoundEvenOp) { return monotone(std::nearbyint); })
      .Case([&](math::AbsFOp) {
        Bounds x = operand(0);
        const double far = std::max(std::fabs(x.low), std::fabs(x.high));
        return Bounds{std::max({x.low, -x.high, 0.0}), far, x.mayBeNan};
      })
      .Case([&](arith::NegFOp) {
        Bounds x = operand(0);
        return Bounds{-x.high, -x.low, x.mayBeNan};
      })
      .Case([&](arith::MinNumFOp) { return ofExtreme(operand(0), operand(1), false); })
      .Case([&](arith::MaxNumFOp) { return ofExtreme(operand(0), operand(1), true); })
      .Case([&](arith::SelectOp) {
        Bounds x = operand(1), y = operand(2);
        return Bounds{std::min(x.low, y.low), std::max(x.high, y.high), x.mayBeNan || y.mayBeNan};
      })
      .Case([&](arith::AddFOp) {
        return combined([](const Bounds &x, const Bounds &y) {
          return Bounds{x.low + y.low, x.high + y.high, false};
        });
      })
      .Case([&](arith::SubFOp) {
        return combined([](const Bounds &x, const Bounds &y) {
          return Bounds{x.low - y.high, x.high - y.low, false};
        });
      })
      .Case([&](arith::MulFOp) { return combined(ofProduct); })
      .Case([&](arith::DivFOp) {
        return combined([](const Bounds &x, const Bounds &y) {
          if (y.low <= 0 && y.high >= 0)
            return Bounds();
          return ofProduct(x, {1 / y.high, 1 / y.low, false});
        });
      })
      .Default([](Operation *) { return Bounds(); });
}

Bounds sextant::simt::boundsOf(Value real) { return find(real, 0); }
