// Numbers as the language defines them: wrapping integers and IEEE reals of the stated width,
// one lane at a time. Written only from the language's description, so that it shares no
// mistake with the compiler.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fuzz {

enum class Scalar : uint8_t { U1, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64 };
constexpr int scalarCount = 12;

/// The program does what the language leaves open (division by zero, a race, a subnormal
/// number …): its results cannot be compared, and it is not a test.
struct Unspecified : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The program uses what this interpreter does not know.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string_view nameOf(Scalar type);
/// -1: no type has that name.
int scalarOf(std::string_view name);
unsigned bitsOf(Scalar type);
constexpr bool isReal(Scalar type) { return type >= Scalar::F16; }
constexpr bool isSigned(Scalar type) { return type >= Scalar::I8 && type <= Scalar::I64; }
/// A real beats an integer, then the wider, then the unsigned.
Scalar promote(Scalar a, Scalar b);

/// A number's bits in 64: signed integers sign-extended, all else zero-extended.
using Bits = uint64_t;
Bits wrap(Scalar type, Bits bits);
double toDouble(Scalar real, Bits bits);
/// Rounds to the nearest, ties to even.
Bits fromDouble(Scalar real, double value);
bool isNan(Scalar type, Bits bits);
/// Truncates and saturates, wraps, or rounds.
Bits convert(Scalar from, Scalar to, Bits bits);

enum class Op : uint8_t { Add, Sub, Mul, Div, FloorDiv, Mod, Shl, Shr, And, Or, Xor, Min, Max };
/// Both operands and the result have the type (a shift's amount: any integer, extended).
Bits compute(Op op, Scalar type, Bits a, Bits b);
enum class Relation : uint8_t { Lt, Le, Gt, Ge, Eq, Ne };
bool compare(Relation relation, Scalar type, Bits a, Bits b);
/// A product of reals that was rounded: an addition that takes it may become one fma.
bool roundsProduct(Scalar type, Bits a, Bits b);

} // namespace fuzz
