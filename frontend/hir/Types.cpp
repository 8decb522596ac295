// The scalar types: widths, ranges, promotion, names.
#include "frontend/hir/Types.h"

#include <utility>

namespace sextant::hir {

bool isFloat(Type type) { return type >= Type::F16; }
bool isSigned(Type type) { return type >= Type::I8 && type <= Type::I64; }
bool isUnsigned(Type type) { return type >= Type::U8 && type <= Type::U64; }
bool isInteger(Type type) { return isSigned(type) || isUnsigned(type); }
unsigned bitWidth(Type type) { return type == Type::Bool ? 1 : 8 * byteWidth(type); }
unsigned byteWidth(Type type) { return abi::sizeOf(type); }

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

bool typeFromName(std::string_view name, Type &type) {
  if (std::optional<Type> found = abi::scalarTypeOf(name)) {
    type = *found;
    return true;
  }
  static constexpr std::pair<const char *, Type> kLong[] = {
      {"int8", Type::I8},     {"int16", Type::I16},   {"int32", Type::I32},
      {"int64", Type::I64},   {"uint8", Type::U8},    {"uint16", Type::U16},
      {"uint32", Type::U32},  {"uint64", Type::U64},  {"float16", Type::F16},
      {"float32", Type::F32}, {"float64", Type::F64}, {"uint1", Type::Bool}};
  for (auto &[text, value] : kLong)
    if (name == text) {
      type = value;
      return true;
    }
  return false;
}

std::string spell(Type type) { return std::string(abi::nameOf(type)); }

} // namespace sextant::hir
