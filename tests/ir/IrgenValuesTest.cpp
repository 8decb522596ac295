// The results of generated tasks, run by folding (Interpreter.h): operators
// against plain C++, random control flow against a walk over the hir.
#include "frontend/irgen/Irgen.h"
#include "tests/ir/HirBuilder.h"
#include "tests/ir/HirWalk.h"
#include "tests/ir/Interpreter.h"
#include "tests/ir/RandomProgram.h"
#include "tests/support/Catch.h"

#include "mlir/IR/Builders.h"

#include <cmath>
#include <limits>

using namespace hb;

namespace {

struct Number {
  bool ok = false;
  int64_t whole = 0; ///< integers, sign-extended; truth values 0 or 1
  double real = 0;
};

/// A kernel that stores one expression over two parameters, 1 and 2.
class Function {
public:
  Function(Type a, Type b, hir::ExprPtr value) : context(mlir::MLIRContext::Threading::DISABLED) {
    Type type = value->type;
    module =
        generate(kernel({buf(type), val(a), val(b)}, {}, block(store(0, num(0), std::move(value)))),
                 context);
    REQUIRE(module);
  }

  template <typename A, typename B> Number operator()(A a, B b) {
    auto task = *module->getOps<mlir::func::FuncOp>().begin();
    HostArguments arguments;
    arguments.buffers = {{mlir::Attribute()}};
    arguments.values = {mlir::Attribute(), attribute(task.getArgument(1).getType(), a),
                        attribute(task.getArgument(2).getType(), b)};
    Number result;
    if (!interpret(task, arguments))
      return result;
    result.ok = true;
    if (auto real = mlir::dyn_cast<mlir::FloatAttr>(arguments.buffers[0][0]))
      result.real = real.getValueAsDouble();
    else
      result.whole = mlir::cast<mlir::IntegerAttr>(arguments.buffers[0][0]).getInt();
    return result;
  }

private:
  template <typename T> mlir::Attribute attribute(mlir::Type type, T number) {
    mlir::OpBuilder builder(&context);
    if (mlir::isa<mlir::FloatType>(type))
      return builder.getFloatAttr(type, double(number));
    llvm::APInt bits(64, uint64_t(int64_t(number)), true);
    return builder.getIntegerAttr(type, bits.trunc(type.getIntOrFloatBitWidth()));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

static Function function(Op op, Type a, Type b) {
  return Function(a, b, binary(op, param(1, a), param(2, b)));
}

//===--- Integers ----------------------------------------------------------===//

template <typename T> static void checkDivision(Type type) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0, 1, 2, 3, 7, 100, Limits::max(), T(Limits::max() - 1)};
  if (Limits::is_signed)
    for (T value : {T(-1), T(-2), T(-3), T(-7), T(-100), Limits::min(), T(Limits::min() + 1)})
      values.push_back(value);
  Function floorDiv = function(Op::FloorDiv, type, type), mod = function(Op::Mod, type, type),
           cDiv = function(Op::CDiv, type, type), cMod = function(Op::CMod, type, type);
  for (T a : values)
    for (T b : values) {
      if (b == 0 || (Limits::is_signed && a == Limits::min() && b == T(-1)))
        continue;
      T quotient = a / b, remainder = a % b;
      bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
      INFO("a = " << +a << ", b = " << +b);
      CHECK(T(cDiv(a, b).whole) == quotient);
      CHECK(T(cMod(a, b).whole) == remainder);
      CHECK(T(floorDiv(a, b).whole) == T(quotient - adjust));
      CHECK(T(mod(a, b).whole) == T(adjust ? remainder + b : remainder));
    }
}

TEST_CASE("integer division floors or truncates, in every width") {
  checkDivision<int8_t>(Type::I8);
  checkDivision<uint8_t>(Type::U8);
  checkDivision<int16_t>(Type::I16);
  checkDivision<int32_t>(Type::I32);
  checkDivision<uint32_t>(Type::U32);
  checkDivision<int64_t>(Type::I64);
  checkDivision<uint64_t>(Type::U64);
}

TEST_CASE("division by constants floors") {
  for (int64_t divisor : {1, 2, 3, 8, 10, 64, -1, -2, -3, -8}) {
    Function floorDiv(Type::I32, Type::I32, binary(Op::FloorDiv, param(1), num(divisor)));
    Function mod(Type::I32, Type::I32, binary(Op::Mod, param(1), num(divisor)));
    for (int64_t a : {0, 1, 2, 7, 8, 9, 63, 64, -1, -2, -7, -8, -9, -64, -65}) {
      int64_t expected = int64_t(std::floor(double(a) / double(divisor)));
      INFO("a = " << a << ", divisor = " << divisor);
      CHECK(int32_t(floorDiv(a, 0).whole) == expected);
      CHECK(int32_t(mod(a, 0).whole) == a - expected * divisor);
    }
  }
}

TEST_CASE("shifts, also by amounts of another type") {
  Function shl = function(Op::Shl, Type::I32, Type::I64);
  Function shr = function(Op::Shr, Type::I64, Type::U8);
  Function bitShr = function(Op::BitShr, Type::I8, Type::I32);
  Function shrU = function(Op::Shr, Type::U16, Type::U16);
  CHECK(shl(3, 4).whole == 48);
  CHECK(shl(1, 31).whole == std::numeric_limits<int32_t>::min());
  CHECK(shr(-16, 2).whole == -4);
  CHECK(shr(std::numeric_limits<int64_t>::min(), 63).whole == -1);
  CHECK(bitShr(-1, 4).whole == 15);
  CHECK(shrU(0x8000, 15).whole == 1);
  // Out of range: some value, but a value.
  CHECK(shl(1, 32).ok);
  CHECK(shl(1, -1).ok);
  CHECK(shr(1, 200).ok);
}

TEST_CASE("integer powers") {
  Function pow = function(Op::Pow, Type::I32, Type::I32);
  CHECK(pow(3, 0).whole == 1);
  CHECK(pow(0, 0).whole == 1);
  CHECK(pow(3, 5).whole == 243);
  CHECK(pow(-2, 31).whole == std::numeric_limits<int32_t>::min());
  CHECK(pow(1, -3).whole == 1);
  CHECK(pow(-1, -3).whole == -1);
  CHECK(pow(-1, -4).whole == 1);
  CHECK(pow(2, -1).whole == 0);
  CHECK(pow(0x10001, -1).whole == 0);
  Function unsignedPow = function(Op::Pow, Type::U64, Type::U32);
  CHECK(uint64_t(unsignedPow(3, 40).whole) == 12157665459056928801u);
  Function real = function(Op::Pow, Type::F64, Type::I32);
  CHECK(real(2.0, -3).real == 0.125);
  CHECK(real(-1.5, 3).real == -3.375);
  CHECK(real(7.0, 0).real == 1.0);
  for (int exponent : {0, 1, 2, 3, 7, 10, -1, -2}) {
    Function constant(Type::F64, Type::I32, binary(Op::Pow, param(1, Type::F64), num(exponent)));
    INFO("exponent = " << exponent);
    CHECK(constant(1.5, 0).real == Approx(std::pow(1.5, exponent)));
  }
}

TEST_CASE("bit counts are over the pattern of the width, and i32") {
  auto count = [](hir::UnaryOp op, Type type) {
    return Function(type, Type::I32, expr(Type::I32, hir::Unary{op, param(1, type)}));
  };
  CHECK(count(hir::UnaryOp::Popcnt, Type::I8)(-1, 0).whole == 8);
  CHECK(count(hir::UnaryOp::Popcnt, Type::I64)(-1, 0).whole == 64);
  CHECK(count(hir::UnaryOp::Clz, Type::I8)(0, 0).whole == 8);
  CHECK(count(hir::UnaryOp::Clz, Type::U16)(1, 0).whole == 15);
  CHECK(count(hir::UnaryOp::Clz, Type::I32)(-1, 0).whole == 0);
  CHECK(count(hir::UnaryOp::Clz, Type::I64)(0, 0).whole == 64);
  CHECK(count(hir::UnaryOp::Ffs, Type::I32)(0, 0).whole == 0);
  CHECK(count(hir::UnaryOp::Ffs, Type::I8)(-128, 0).whole == 8);
  CHECK(count(hir::UnaryOp::Ffs, Type::U64)(std::numeric_limits<int64_t>::min(), 0).whole == 64);
}

//===--- Reals -------------------------------------------------------------===//

TEST_CASE("modulo and floor division of reals are Python's") {
  Function mod = function(Op::Mod, Type::F64, Type::F64);
  Function floorDiv = function(Op::FloorDiv, Type::F64, Type::F64);
  for (auto [a, b, q, r] : std::vector<std::array<double, 4>>{{7.5, 2, 3, 1.5},
                                                              {-7.5, 2, -4, 0.5},
                                                              {7.5, -2, -4, -0.5},
                                                              {-7.5, -2, 3, -1.5},
                                                              {6, 3, 2, 0},
                                                              {1e18, 3, 333333333333333333.0, 1},
                                                              {-1e-300, 5, -1, 5}}) {
    INFO("a = " << a << ", b = " << b);
    CHECK(floorDiv(a, b).real == q);
    CHECK(mod(a, b).real == r);
  }
  CHECK(floorDiv(1.0, 0.1).real == 9);
  CHECK(mod(1.0, 0.1).real == Approx(0.1));
  CHECK(std::signbit(mod(6.0, -3.0).real));
  CHECK(!std::signbit(mod(-6.0, 3.0).real));
  CHECK(std::isnan(mod(NAN, 2.0).real));
}

TEST_CASE("casts") {
  auto convert = [](Type from, Type to) {
    return Function(from, Type::I32, cast(to, param(1, from)));
  };
  CHECK(convert(Type::I8, Type::I64)(-5, 0).whole == -5);
  CHECK(convert(Type::U8, Type::I64)(-5, 0).whole == 251);
  CHECK(convert(Type::I64, Type::U8)(0x1ff, 0).whole == -1); // the bits, sign-extended
  CHECK(convert(Type::F32, Type::I32)(-2.9, 0).whole == -2);
  CHECK(convert(Type::F32, Type::I8)(300.0, 0).whole == 127);
  CHECK(convert(Type::F32, Type::I8)(-1e30, 0).whole == -128);
  CHECK(convert(Type::F64, Type::I64)(1e300, 0).whole == INT64_MAX);
  CHECK(convert(Type::F64, Type::U16)(-INFINITY, 0).whole == 0);
  CHECK(convert(Type::F32, Type::U64)(INFINITY, 0).whole == -1); // the bits, sign-extended
  CHECK(convert(Type::F32, Type::I32)(NAN, 0).whole == 0);
  CHECK(uint32_t(convert(Type::F64, Type::U32)(4e9, 0).whole) == 4000000000u);
  CHECK(convert(Type::U32, Type::F64)(-1, 0).real == 4294967295.0);
  CHECK(convert(Type::I32, Type::F16)(2049, 0).real == 2048.0);
  CHECK(convert(Type::F32, Type::Bool)(0.5, 0).whole != 0);
  CHECK(convert(Type::F32, Type::Bool)(NAN, 0).whole != 0);
  CHECK(convert(Type::F32, Type::Bool)(-0.0, 0).whole == 0);
  CHECK(convert(Type::Bool, Type::F32)(1, 0).real == 1.0);
  CHECK(convert(Type::Bool, Type::I32)(1, 0).whole == 1);
  CHECK(convert(Type::F64, Type::F16)(0.1, 0).real == Approx(0.0999756));
  Function bits(Type::F32, Type::I32, expr(Type::U32, hir::Bitcast{param(1, Type::F32)}));
  CHECK(bits(1.0, 0).whole == 0x3f800000);
}

TEST_CASE("minima drop NaN; comparisons with it fail, but not-equal") {
  Function min = function(Op::Min, Type::F64, Type::F64);
  CHECK(min(NAN, 3.0).real == 3.0);
  CHECK(min(3.0, NAN).real == 3.0);
  CHECK(function(Op::Lt, Type::F64, Type::F64)(NAN, 1.0).whole == 0);
  CHECK(function(Op::Ge, Type::F64, Type::F64)(NAN, 1.0).whole == 0);
  CHECK(function(Op::Eq, Type::F64, Type::F64)(NAN, NAN).whole == 0);
  CHECK(function(Op::Ne, Type::F64, Type::F64)(NAN, NAN).whole != 0);
  CHECK(function(Op::Max, Type::U8, Type::U8)(-1, 1).whole == -1);
}

//===--- Control flow ------------------------------------------------------===//

TEST_CASE("random control flow computes what the statements say") {
  unsigned compared = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    hir::Kernel k = RandomProgram(seed).make();
    std::vector<int32_t> expected(16);
    for (int i = 0; i < 16; ++i)
      expected[i] = i * 7 % 5;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::OpBuilder builder(&context);
    HostArguments arguments;
    arguments.values = {mlir::Attribute(), builder.getI32IntegerAttr(1)};
    arguments.buffers.emplace_back();
    for (int32_t element : expected)
      arguments.buffers[0].push_back(builder.getI32IntegerAttr(element));
    if (!hirwalk::run(k.tasks[0], expected, hirwalk::Thread()))
      continue; // runs too long
    auto module = generate(k, context);
    INFO("seed = " << seed);
    REQUIRE(module);
    REQUIRE(interpret(*module->getOps<mlir::func::FuncOp>().begin(), arguments));
    std::vector<int32_t> computed;
    for (mlir::Attribute element : arguments.buffers[0])
      computed.push_back(mlir::cast<mlir::IntegerAttr>(element).getInt());
    REQUIRE(computed == expected);
    ++compared;
  }
  CHECK(compared > 200);
}
