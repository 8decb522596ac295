// Interpreter of tasks, a block at a time.
#include "tests/cpu/Oracle.h"

#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

#include <bit>
#include <cmath>
#include <map>

using namespace sextant;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

namespace cputest {
namespace {

/// One value of each thread, as bits zero-extended to 64.
using Bits = std::vector<uint64_t>;
using Mask = std::vector<bool>;

unsigned widthOf(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

uint64_t narrow(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}

int64_t asSigned(uint64_t value, unsigned width) {
  return width >= 64 ? int64_t(value) : int64_t(value << (64 - width)) >> (64 - width);
}

double asReal(uint64_t bits, mlir::Type type) {
  if (type.isF32())
    return std::bit_cast<float>(uint32_t(bits));
  if (type.isF64())
    return std::bit_cast<double>(bits);
  llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool loses;
  half.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return half.convertToDouble();
}

uint64_t fromReal(double value, mlir::Type type) {
  if (type.isF32())
    return std::bit_cast<uint32_t>(float(value));
  if (type.isF64())
    return std::bit_cast<uint64_t>(value);
  llvm::APFloat real(value);
  bool loses;
  real.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return real.bitcastToAPInt().getZExtValue();
}

double minNum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); }
double maxNum(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }

class Block {
public:
  Block(mlir::func::FuncOp task, unsigned wave, std::vector<Arg> &args, unsigned index,
        unsigned grid)
      : threads(simt::getTaskInfo(task)->blockDim), wave(wave), index(index), grid(grid) {
    for (auto [i, argument] : llvm::enumerate(task.getArguments())) {
      if (args[i].isArray) {
        memory[argument] = &args[i].bytes;
      } else {
        uint64_t bits = 0;
        std::memcpy(&bits, args[i].bytes.data(), args[i].bytes.size());
        values[argument] = Bits(threads, bits);
      }
    }
    run(task.getBody().front(), Mask(threads, true));
  }

private:
  const Bits &get(mlir::Value value) { return values[value]; }

  void set(mlir::Value value, const Bits &bits, const Mask &mask) {
    Bits &stored = values[value];
    stored.resize(threads);
    for (unsigned t = 0; t < threads; ++t)
      if (mask[t])
        stored[t] = bits[t];
  }

  void assign(mlir::ValueRange to, mlir::ValueRange from, const Mask &mask) {
    std::vector<Bits> copies;
    for (mlir::Value value : from)
      copies.push_back(get(value));
    for (auto [value, bits] : llvm::zip(to, copies))
      set(value, bits, mask);
  }

  static bool any(const Mask &mask) { return llvm::is_contained(mask, true); }

  Mask where(const Mask &mask, mlir::Value condition, bool holds) {
    Mask result(threads);
    const Bits &bits = get(condition);
    for (unsigned t = 0; t < threads; ++t)
      result[t] = mask[t] && bool(bits[t]) == holds;
    return result;
  }

  void run(mlir::Block &block, const Mask &mask) {
    if (!any(mask))
      return;
    for (mlir::Operation &op : block.without_terminator())
      step(op, mask);
  }

  void step(mlir::Operation &op, const Mask &mask) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (bool side : {true, false}) {
        mlir::Region &region = side ? branch.getThenRegion() : branch.getElseRegion();
        if (region.empty())
          continue;
        Mask taken = where(mask, branch.getCondition(), side);
        run(region.front(), taken);
        assign(op.getResults(), region.front().getTerminator()->getOperands(), taken);
      }
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned width = widthOf(loop.getInductionVar().getType());
      set(loop.getInductionVar(), get(loop.getLowerBound()), mask);
      assign(loop.getRegionIterArgs(), loop.getInitArgs(), mask);
      Mask live = mask;
      while (true) {
        Bits iv = get(loop.getInductionVar()), end = get(loop.getUpperBound());
        for (unsigned t = 0; t < threads; ++t)
          live[t] = live[t] && asSigned(iv[t], width) < asSigned(end[t], width);
        if (!any(live))
          break;
        run(*loop.getBody(), live);
        assign(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands(), live);
        const Bits &steps = get(loop.getStep());
        for (unsigned t = 0; t < threads; ++t)
          iv[t] = narrow(iv[t] + steps[t], width);
        set(loop.getInductionVar(), iv, live);
      }
      assign(loop.getResults(), loop.getRegionIterArgs(), mask);
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      assign(loop.getBeforeArguments(), loop.getInits(), mask);
      Mask live = mask;
      while (any(live)) {
        run(*loop.getBeforeBody(), live);
        scf::ConditionOp condition = loop.getConditionOp();
        assign(loop.getResults(), condition.getArgs(), live);
        live = where(live, condition.getCondition(), true);
        assign(loop.getAfterArguments(), condition.getArgs(), live);
        run(*loop.getAfterBody(), live);
        assign(loop.getBeforeArguments(), loop.getYieldOp().getOperands(), live);
      }
      return;
    }
    if (stepMemory(op, mask) || op.getNumResults() == 0)
      return;
    set(op.getResult(0), compute(op, mask), mask);
  }

  //===--- Memory ----------------------------------------------------------===//

  uint8_t *element(mlir::Value buffer, mlir::Value at, unsigned thread) {
    auto type = cast<simt::BufferType>(buffer.getType());
    unsigned size = widthOf(type.getElementType()) / 8;
    int64_t index = asSigned(get(at)[thread], widthOf(at.getType()));
    std::vector<uint8_t> *bytes;
    if (type.getSpace() == simt::Space::Private) {
      bytes = &privates[{buffer.getAsOpaquePointer(), thread}];
      bytes->resize(type.getCount() * size);
    } else if (type.getSpace() == simt::Space::Shared) {
      bytes = &shared[buffer.getAsOpaquePointer()];
      bytes->resize(type.getCount() * size);
    } else {
      bytes = memory[buffer];
    }
    REQUIRE(index >= 0);
    REQUIRE(size_t(index + 1) * size <= bytes->size());
    return bytes->data() + index * size;
  }

  static uint64_t read(const uint8_t *at, mlir::Type type) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, widthOf(type) / 8);
    return bits;
  }

  static void write(uint8_t *at, uint64_t bits, mlir::Type type) {
    std::memcpy(at, &bits, widthOf(type) / 8);
  }

  bool stepMemory(mlir::Operation &op, const Mask &mask) {
    bool isDone = true;
    auto each = [&](auto body) {
      for (unsigned t = 0; t < threads; ++t)
        if (mask[t])
          body(t);
    };
    llvm::TypeSwitch<mlir::Operation *>(&op)
        .Case([&](simt::LoadOp o) {
          Bits result(threads);
          each([&](unsigned t) {
            result[t] = read(element(o.getBuffer(), o.getIndex(), t), o.getType());
          });
          set(o, result, mask);
        })
        .Case([&](simt::StoreOp o) {
          each([&](unsigned t) {
            write(element(o.getBuffer(), o.getIndex(), t), get(o.getValue())[t],
                  o.getValue().getType());
          });
        })
        .Case([&](simt::AtomicRmwOp o) {
          Bits result(threads);
          mlir::Type type = o.getValue().getType();
          each([&](unsigned t) {
            uint8_t *at = element(o.getBuffer(), o.getIndex(), t);
            result[t] = read(at, type);
            uint64_t value = get(o.getValue())[t];
            write(at, combine(o.getKind(), result[t], value, type), type);
          });
          set(o.getOld(), result, mask);
        })
        .Case([&](simt::AtomicCasOp o) {
          Bits result(threads);
          mlir::Type type = o.getExpected().getType();
          each([&](unsigned t) {
            uint8_t *at = element(o.getBuffer(), o.getIndex(), t);
            result[t] = read(at, type);
            if (result[t] == get(o.getExpected())[t])
              write(at, get(o.getDesired())[t], type);
          });
          set(o.getOld(), result, mask);
        })
        .Case<simt::SharedOp, simt::PrivateOp>([](auto) {})
        .Default([&](mlir::Operation *) { isDone = false; });
    return isDone;
  }

  //===--- Values ----------------------------------------------------------===//

  static uint64_t combine(simt::CombineKind kind, uint64_t a, uint64_t b, mlir::Type type) {
    unsigned width = widthOf(type);
    int64_t sa = asSigned(a, width), sb = asSigned(b, width);
    double ra = 0, rb = 0;
    if (isa<mlir::FloatType>(type)) {
      ra = asReal(a, type);
      rb = asReal(b, type);
    }
    using simt::CombineKind;
    switch (kind) {
    case CombineKind::AddI:
      return narrow(a + b, width);
    case CombineKind::MulI:
      return narrow(a * b, width);
    case CombineKind::MinS:
      return sa < sb ? a : b;
    case CombineKind::MaxS:
      return sa > sb ? a : b;
    case CombineKind::MinU:
      return std::min(a, b);
    case CombineKind::MaxU:
      return std::max(a, b);
    case CombineKind::AndI:
      return a & b;
    case CombineKind::OrI:
      return a | b;
    case CombineKind::XorI:
      return a ^ b;
    case CombineKind::AddF:
      return fromReal(ra + rb, type);
    case CombineKind::MulF:
      return fromReal(ra * rb, type);
    case CombineKind::MinF:
      return fromReal(minNum(ra, rb), type);
    case CombineKind::MaxF:
      return fromReal(maxNum(ra, rb), type);
    case CombineKind::Exchange:
      return b;
    }
    return 0;
  }

  /// Returns what an exclusive scan yields in the tile's first lane.
  static uint64_t identity(simt::CombineKind kind, mlir::Type type) {
    unsigned width = widthOf(type);
    using simt::CombineKind;
    switch (kind) {
    case CombineKind::MulI:
      return 1;
    case CombineKind::MulF:
      return fromReal(1, type);
    case CombineKind::MinS:
      return (uint64_t(1) << (width - 1)) - 1;
    case CombineKind::MaxS:
      return uint64_t(1) << (width - 1);
    case CombineKind::MinU:
    case CombineKind::AndI:
      return narrow(~uint64_t(0), width);
    case CombineKind::MinF:
      return fromReal(INFINITY, type);
    case CombineKind::MaxF:
      return fromReal(-INFINITY, type);
    default:
      return 0;
    }
  }

  /// Threads of `thread`'s tile of `size` lanes that are active, in order.
  std::vector<unsigned> tile(unsigned thread, unsigned size, const Mask &mask) {
    std::vector<unsigned> list;
    unsigned first = thread / wave * wave + thread % wave / size * size;
    for (unsigned t = first; t < std::min(first + size, threads); ++t)
      if (mask[t])
        list.push_back(t);
    return list;
  }

  Bits compute(mlir::Operation &op, const Mask &mask) {
    Bits result(threads);
    if (auto barrier = dyn_cast<simt::BarrierReduceOp>(op)) {
      unsigned count = 0;
      for (unsigned t = 0; t < threads; ++t)
        count += get(barrier.getPredicate())[t] != 0;
      using Kind = simt::BarrierReduceKind;
      uint64_t value = barrier.getKind() == Kind::Count ? count
                       : barrier.getKind() == Kind::Any ? count > 0
                                                        : count == threads;
      return Bits(threads, value);
    }
    for (unsigned t = 0; t < threads; ++t)
      if (mask[t])
        result[t] = computeOne(op, t, mask);
    return result;
  }

  uint64_t computeOne(mlir::Operation &op, unsigned t, const Mask &mask) {
    mlir::Type to = op.getResult(0).getType();
    unsigned lane = t % wave, base = t - lane;
    if (isa<simt::ThreadIdxOp>(op))
      return t;
    if (isa<simt::LaneOp>(op))
      return lane;
    if (isa<simt::BlockIdxOp>(op))
      return index;
    if (isa<simt::GridDimOp>(op))
      return grid;
    if (auto ballot = dyn_cast<simt::BallotOp>(op)) {
      uint64_t bits = 0;
      for (unsigned other : tile(t, wave, mask))
        bits |= uint64_t(get(ballot.getPredicate())[other] != 0) << (other - base);
      return bits;
    }
    if (auto match = dyn_cast<simt::MatchOp>(op)) {
      uint64_t bits = 0;
      uint32_t compared = uint32_t((uint64_t(1) << match.getBits()) - 1);
      for (unsigned other : tile(t, wave, mask)) {
        uint64_t differs = get(match.getValue())[other] ^ get(match.getValue())[t];
        bits |= uint64_t((differs & compared) == 0) << (other - base);
      }
      return bits;
    }
    if (auto vote = dyn_cast<simt::VoteOp>(op)) {
      bool isAll = vote.getKind() == simt::VoteKind::All, result = isAll;
      for (unsigned other : tile(t, 1u << vote.getLog2Size(), mask)) {
        bool holds = get(vote.getPredicate())[other];
        result = isAll ? result && holds : result || holds;
      }
      return result;
    }
    if (auto shuffle = dyn_cast<simt::ShuffleOp>(op)) {
      unsigned by = get(shuffle.getLane())[t];
      using Kind = simt::ShuffleKind;
      unsigned source = shuffle.getKind() == Kind::Xor    ? lane ^ by
                        : shuffle.getKind() == Kind::Up   ? lane - by
                        : shuffle.getKind() == Kind::Down ? lane + by
                                                          : by;
      // Tests read only lanes that exist.
      return source < wave && base + source < threads ? get(shuffle.getValue())[base + source]
                                                      : get(shuffle.getValue())[t];
    }
    if (auto reduce = dyn_cast<simt::ReduceOp>(op)) {
      uint64_t total = 0;
      bool isFirst = true;
      for (unsigned other : tile(t, 1u << reduce.getLog2Size(), mask)) {
        uint64_t value = get(reduce.getValue())[other];
        total = isFirst ? value : combine(reduce.getKind(), total, value, to);
        isFirst = false;
      }
      return total;
    }
    if (auto scan = dyn_cast<simt::ScanOp>(op)) {
      uint64_t total = identity(scan.getKind(), to);
      bool isFirst = true;
      for (unsigned other : tile(t, 1u << scan.getLog2Size(), mask)) {
        if (scan.getExclusive() && other == t)
          break;
        uint64_t value = get(scan.getValue())[other];
        total = isFirst ? value : combine(scan.getKind(), total, value, to);
        isFirst = false;
        if (other == t)
          break;
      }
      return total;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto integer = dyn_cast<mlir::IntegerAttr>(constant.getValue()))
        return integer.getValue().getZExtValue();
      return cast<mlir::FloatAttr>(constant.getValue()).getValue().bitcastToAPInt().getZExtValue();
    }
    uint64_t v[3] = {};
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      v[i] = get(operand)[t];
    mlir::Type from = op.getOperand(0).getType();
    return isa<mlir::FloatType>(from) ? real(op, v, from, to) : integer(op, v, from, to);
  }

  static uint64_t integer(mlir::Operation &op, const uint64_t *v, mlir::Type from, mlir::Type to) {
    unsigned width = widthOf(from), out = widthOf(to);
    int64_t a = asSigned(v[0], width), b = asSigned(v[1], width);
    if (isa<arith::AddIOp>(op))
      return narrow(v[0] + v[1], out);
    if (isa<arith::SubIOp>(op))
      return narrow(v[0] - v[1], out);
    if (isa<simt::MulHighOp>(op))
      return v[0] * v[1] >> 32;
    if (isa<arith::MulIOp>(op))
      return narrow(v[0] * v[1], out);
    // Tests do not look at quotients by zero.
    if (isa<arith::DivSIOp>(op))
      return b == 0 || b == -1 ? narrow(-v[0], out) : narrow(a / b, out);
    if (isa<arith::RemSIOp>(op))
      return b == 0 || b == -1 ? 0 : narrow(a % b, out);
    if (isa<arith::DivUIOp>(op))
      return v[1] ? v[0] / v[1] : 0;
    if (isa<arith::RemUIOp>(op))
      return v[1] ? v[0] % v[1] : 0;
    if (isa<arith::AndIOp>(op))
      return v[0] & v[1];
    if (isa<arith::OrIOp>(op))
      return v[0] | v[1];
    if (isa<arith::XOrIOp>(op))
      return v[0] ^ v[1];
    if (isa<arith::ShLIOp>(op))
      return narrow(v[0] << v[1], out);
    if (isa<arith::ShRSIOp>(op))
      return narrow(a >> v[1], out);
    if (isa<arith::ShRUIOp>(op))
      return v[0] >> v[1];
    if (isa<arith::MinSIOp>(op))
      return a < b ? v[0] : v[1];
    if (isa<arith::MaxSIOp>(op))
      return a > b ? v[0] : v[1];
    if (isa<arith::MinUIOp>(op))
      return std::min(v[0], v[1]);
    if (isa<arith::MaxUIOp>(op))
      return std::max(v[0], v[1]);
    if (isa<arith::SelectOp>(op))
      return v[0] ? v[1] : v[2];
    if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
      return narrow(a, out);
    if (isa<arith::ExtUIOp>(op))
      return v[0];
    if (isa<arith::TruncIOp>(op))
      return narrow(v[0], out);
    if (isa<arith::BitcastOp>(op))
      return v[0];
    if (isa<arith::SIToFPOp>(op))
      return to.isF32() ? std::bit_cast<uint32_t>(float(a)) : fromReal(a, to);
    if (isa<arith::UIToFPOp>(op))
      return to.isF32() ? std::bit_cast<uint32_t>(float(v[0])) : fromReal(v[0], to);
    if (isa<math::CtPopOp>(op))
      return std::popcount(v[0]);
    if (isa<math::CountLeadingZerosOp>(op))
      return std::countl_zero(v[0]) - (64 - width);
    if (isa<math::CountTrailingZerosOp>(op))
      return v[0] ? std::countr_zero(v[0]) : width;
    if (isa<math::AbsIOp>(op))
      return narrow(a < 0 ? -a : a, out);
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      using P = arith::CmpIPredicate;
      switch (compare.getPredicate()) {
      case P::eq:
        return v[0] == v[1];
      case P::ne:
        return v[0] != v[1];
      case P::slt:
        return a < b;
      case P::sle:
        return a <= b;
      case P::sgt:
        return a > b;
      case P::sge:
        return a >= b;
      case P::ult:
        return v[0] < v[1];
      case P::ule:
        return v[0] <= v[1];
      case P::ugt:
        return v[0] > v[1];
      case P::uge:
        return v[0] >= v[1];
      }
    }
    FAIL("the oracle does not know " << op.getName().getStringRef().str());
    return 0;
  }

  static uint64_t real(mlir::Operation &op, const uint64_t *v, mlir::Type from, mlir::Type to) {
    double a = asReal(v[0], from);
    double b = op.getNumOperands() > 1 && isa<mlir::FloatType>(op.getOperand(1).getType())
                   ? asReal(v[1], from)
                   : 0;
    auto rounded = [&](double value) { return fromReal(value, to); };
    // Double rounding of + - * / sqrt from f64 to f32 or f16 is harmless.
    if (isa<arith::AddFOp>(op))
      return rounded(a + b);
    if (isa<arith::SubFOp>(op))
      return rounded(a - b);
    if (isa<arith::MulFOp>(op))
      return rounded(a * b);
    if (isa<arith::DivFOp>(op))
      return rounded(a / b);
    if (isa<arith::NegFOp>(op))
      return v[0] ^ (uint64_t(1) << (widthOf(from) - 1));
    if (isa<arith::MinNumFOp>(op))
      return rounded(minNum(a, b));
    if (isa<arith::MaxNumFOp>(op))
      return rounded(maxNum(a, b));
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return rounded(a);
    if (isa<arith::FPToSIOp>(op))
      return narrow(int64_t(a), widthOf(to));
    if (isa<arith::FPToUIOp>(op))
      return narrow(uint64_t(a), widthOf(to));
    if (isa<arith::BitcastOp>(op))
      return v[0];
    if (isa<math::SqrtOp>(op))
      return rounded(std::sqrt(a));
    if (isa<math::RsqrtOp>(op))
      return rounded(1 / std::sqrt(a));
    if (isa<math::AbsFOp>(op))
      return rounded(std::fabs(a));
    if (isa<math::FloorOp>(op))
      return rounded(std::floor(a));
    if (isa<math::CeilOp>(op))
      return rounded(std::ceil(a));
    if (isa<math::TruncOp>(op))
      return rounded(std::trunc(a));
    if (isa<math::RoundEvenOp>(op))
      return rounded(std::nearbyint(a));
    if (isa<math::SinOp>(op))
      return rounded(std::sin(a));
    if (isa<math::CosOp>(op))
      return rounded(std::cos(a));
    if (isa<math::TanOp>(op))
      return rounded(std::tan(a));
    if (isa<math::AsinOp>(op))
      return rounded(std::asin(a));
    if (isa<math::AcosOp>(op))
      return rounded(std::acos(a));
    if (isa<math::AtanOp>(op))
      return rounded(std::atan(a));
    if (isa<math::SinhOp>(op))
      return rounded(std::sinh(a));
    if (isa<math::CoshOp>(op))
      return rounded(std::cosh(a));
    if (isa<math::TanhOp>(op))
      return rounded(std::tanh(a));
    if (isa<math::ExpOp>(op))
      return rounded(std::exp(a));
    if (isa<math::Exp2Op>(op))
      return rounded(std::exp2(a));
    if (isa<math::LogOp>(op))
      return rounded(std::log(a));
    if (isa<math::Log2Op>(op))
      return rounded(std::log2(a));
    if (isa<math::Log10Op>(op))
      return rounded(std::log10(a));
    if (isa<math::PowFOp>(op))
      return rounded(std::pow(a, b));
    if (isa<math::Atan2Op>(op))
      return rounded(std::atan2(a, b));
    if (isa<math::FmaOp>(op))
      return rounded(std::fma(a, b, asReal(v[2], from)));
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      using P = arith::CmpFPredicate;
      bool isUnordered = std::isnan(a) || std::isnan(b);
      switch (compare.getPredicate()) {
      case P::OEQ:
        return a == b;
      case P::OLT:
        return a < b;
      case P::OLE:
        return a <= b;
      case P::OGT:
        return a > b;
      case P::OGE:
        return a >= b;
      case P::ONE:
        return !isUnordered && a != b;
      case P::UNE:
        return a != b;
      case P::UNO:
        return isUnordered;
      case P::ORD:
        return !isUnordered;
      case P::ULT:
        return isUnordered || a < b;
      default:
        break;
      }
    }
    FAIL("the oracle does not know " << op.getName().getStringRef().str());
    return 0;
  }

  unsigned threads, wave, index, grid;
  llvm::DenseMap<mlir::Value, Bits> values;
  llvm::DenseMap<mlir::Value, std::vector<uint8_t> *> memory;
  std::map<const void *, std::vector<uint8_t>> shared;
  std::map<std::pair<const void *, unsigned>, std::vector<uint8_t>> privates;
};

} // namespace

void interpret(const std::string &text, unsigned wave, std::vector<Arg> &args, unsigned grid) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  std::string source = "module attributes {simt.wave = " + std::to_string(wave) + " : i32} {\n" +
                       forWave(text, wave) + "\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  REQUIRE(module);
  auto task = module->lookupSymbol<mlir::func::FuncOp>("task");
  REQUIRE(task);
  for (unsigned block = 0; block < grid; ++block)
    Block(task, wave, args, block, grid);
}

template <typename T>
static void requireClose(const Arg &got, const Arg &expected, double relative) {
  std::vector<T> a = got.as<T>(), b = expected.as<T>();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0 || (std::isnan(a[i]) && std::isnan(b[i])))
      continue;
    INFO("element " << i << ": got " << a[i] << ", expected " << b[i]);
    REQUIRE(std::fabs(a[i] - b[i]) <= relative * std::max<T>(std::fabs(b[i]), T(1e-30)));
  }
}

std::vector<Variant> inTurns(const std::vector<Variant> &variants, const std::string &text) {
  if (std::getenv("SEXTANT_CPU_EVERY"))
    return variants;
  constexpr size_t every = 3;
  std::vector<Variant> some;
  for (size_t i = llvm::xxh3_64bits(text) % every; i < variants.size(); i += every)
    some.push_back(variants[i]);
  return some.empty() ? variants : some;
}

void compare(const std::string &text, const std::vector<Variant> &variants,
             const std::vector<Arg> &args, unsigned grid, Tolerance tolerance) {
  std::map<unsigned, std::vector<Arg>> expected;
  for (const Variant &variant : variants) {
    INFO(variant.str() << "\n" << text);
    auto [reference, isNew] = expected.try_emplace(variant.wave, args);
    if (isNew)
      interpret(text, variant.wave, reference->second, grid);
    std::vector<Arg> got = args;
    run(text, variant, got, grid);
    for (size_t i = 0; i < args.size(); ++i) {
      if (!args[i].isArray)
        continue;
      INFO("argument " << i);
      if (tolerance.floatBytes == 4)
        requireClose<float>(got[i], reference->second[i], tolerance.relative);
      else if (tolerance.floatBytes == 8)
        requireClose<double>(got[i], reference->second[i], tolerance.relative);
      else
        for (size_t k = 0; k < got[i].bytes.size(); ++k)
          if (got[i].bytes[k] != reference->second[i].bytes[k])
            FAIL("byte " << k << ": got " << int(got[i].bytes[k]) << ", expected "
                         << int(reference->second[i].bytes[k]));
    }
  }
}

} // namespace cputest
