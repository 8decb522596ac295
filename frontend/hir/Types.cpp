// The scalar types: widths, ranges, promotion, names.
#include "frontend/hir/Types.h"

#include <bit>
#include <cmath>

namespace sextant::hir {

using abi::ScalarKind;

static ScalarKind kindOf(Type type) { return abi::factsOf(type).kind; }

bool isFloat(Type type) { return kindOf(type) == ScalarKind::Real; }
bool isSigned(Type type) { return kindOf(type) == ScalarKind::Signed; }
bool isUnsigned(Type type) { return kindOf(type) == ScalarKind::Unsigned; }
bool isInteger(Type type) { return isSigned(type) || isUnsigned(type); }
bool isSmallReal(Type type) { return isFloat(type) && byteWidth(type) < 4; }
unsigned digitsOf(Type type) { return abi::factsOf(type).digits; }
bool saturates(Type type) { return isFloat(type) && bitWidth(type) == 8; }
int maxExponentOf(Type type) {
  const int ofField = (1 << (bitWidth(type) - digitsOf(type) - 1)) - 1;
  return type == Type::F8E4M3 ? ofField + 1 : ofField; // it has no infinities
}
unsigned bitWidth(Type type) { return type == Type::Bool ? 1 : 8 * byteWidth(type); }
unsigned byteWidth(Type type) { return abi::sizeOf(type); }
Type unsignedOf(Type type) { return bitWidth(type) == 64 ? Type::U64 : Type::U32; }

Exact minOf(Type type) { return isSigned(type) ? -(Exact(1) << (bitWidth(type) - 1)) : 0; }
Exact maxOf(Type type) {
  return (Exact(1) << (isSigned(type) ? bitWidth(type) - 1 : bitWidth(type))) - 1;
}

Type promote(Type a, Type b) {
  if (a == b)
    return a;
  if (isFloat(a) != isFloat(b))
    return isFloat(a) ? a : b;
  if (bitWidth(a) != bitWidth(b))
    return bitWidth(a) > bitWidth(b) ? a : b;
  if (isFloat(a)) // f16 and bf16, f8e4m3 and f8e5m2: neither holds what the other does
    return Type::F32;
  return isUnsigned(a) ? a : b;
}

uint64_t wrapBits(Exact value, Type type) {
  uint64_t bits = uint64_t(value);
  unsigned width = bitWidth(type);
  if (width == 64)
    return bits;
  bits &= (uint64_t(1) << width) - 1;
  if (isSigned(type) && (bits >> (width - 1)))
    bits |= ~uint64_t(0) << width;
  return bits;
}

Exact toInteger(double real, Type type) {
  if (std::isnan(real))
    return 0;
  // As a real, the largest integer of 64 bits is the first number past it.
  if (real >= double(maxOf(type)))
    return maxOf(type);
  return real <= double(minOf(type)) ? minOf(type) : Exact(real);
}

double toReal(Exact integer, Type type) {
  const double nearest = double(integer);
  const auto size = integer < 0 ? -(unsigned __int128)(integer) : (unsigned __int128)(integer);
  const auto back = (unsigned __int128)(std::fabs(nearest));
  if (type == Type::F64 || back == size)
    return nearest;
  // To odd: the last bit says that something was left over.
  const double towards = back > size ? std::nextafter(nearest, 0.0) : nearest;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(towards) | 1);
}

bool typeFromName(std::string_view name, Type &type) {
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number) {
    const abi::ScalarFacts &facts = abi::factsOf(Type(number));
    if (name != facts.name && name != facts.longName)
      continue;
    type = Type(number);
    return true;
  }
  return false;
}

std::string spell(Type type) { return std::string(abi::nameOf(type)); }

} // namespace sextant::hir
