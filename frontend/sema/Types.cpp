// The scalar types, and how values and types are spelled in messages.
#include "frontend/sema/Types.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

namespace {
constexpr const char *kNames[] = {"u1",  "i8",  "i16", "i32", "i64", "u8",
                                  "u16", "u32", "u64", "f16", "f32", "f64"};
constexpr unsigned kBits[] = {1, 8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 64};
} // namespace

bool isFloat(Type type) { return type >= Type::F16; }
bool isSigned(Type type) { return type >= Type::I8 && type <= Type::I64; }
bool isUnsigned(Type type) { return type >= Type::U8 && type <= Type::U64; }
bool isInteger(Type type) { return isSigned(type) || isUnsigned(type); }
unsigned bitWidth(Type type) { return kBits[unsigned(type)]; }
unsigned byteWidth(Type type) { return type == Type::Bool ? 1 : bitWidth(type) / 8; }

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
  for (unsigned i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) {
      type = Type(i);
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

//===--- Spelling ----------------------------------------------------------===//

std::string spell(Type type) { return kNames[unsigned(type)]; }

std::string spell(const ElementType &element) {
  if (!element.matrix)
    return spell(element.type);
  if (element.vector)
    return "vector(" + std::to_string(element.rows) + ", " + spell(element.type) + ")";
  return "matrix(" + std::to_string(element.rows) + ", " + std::to_string(element.cols) + ", " +
         spell(element.type) + ")";
}

std::string spell(const TypeValue &type) {
  switch (type.kind) {
  case TypeValue::Element:
    return spell(type.element);
  case TypeValue::NdArray:
    return "ndarray";
  case TypeValue::Template:
    return "template()";
  case TypeValue::Tuple:
    return "tuple";
  case TypeValue::NoneType:
    return "None";
  }
  return "?";
}

std::string spell(Exact value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  auto rest = negative ? -(unsigned __int128)value : (unsigned __int128)value;
  std::string text;
  for (; rest; rest /= 10)
    text += char('0' + unsigned(rest % 10));
  if (negative)
    text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

bool Value::isRuntime() const {
  if (kind == Scalar)
    return true;
  if (kind == Tuple || kind == Matrix)
    return std::any_of(items.begin(), items.end(), [](const Value &v) { return v.isRuntime(); });
  return false;
}

std::string describe(const Value &value) {
  switch (value.kind) {
  case Value::Poison:
    return "an erroneous value";
  case Value::None:
    return "None";
  case Value::Int:
    return "the integer " + spell(value.integer);
  case Value::Float:
    return "a real constant";
  case Value::Bool:
    return value.integer ? "True" : "False";
  case Value::Str:
    return "a string";
  case Value::Type:
    return "the type " + spell(value.type);
  case Value::Tuple:
    return value.isList ? "a list" : "a tuple";
  case Value::Matrix:
    return value.vector ? "a vector" : "a matrix";
  case Value::Scalar:
    return "a run-time " + spell(value.expr->type);
  case Value::Function:
    return "the function `" + std::string(value.function->name) + "`";
  case Value::Builtin:
    return "a builtin function";
  case Value::Method:
    return "the method `" + value.text + "`";
  case Value::Namespace:
    return "the namespace `" + value.text + "`";
  case Value::Module:
    return "a module";
  case Value::Array:
    return std::string(value.array->space == ArrayRef::Shared  ? "the shared array `"
                       : value.array->space == ArrayRef::Field ? "the field `"
                                                               : "the array `") +
           value.array->name + "`";
  case Value::Range:
    return "a range";
  }
  return "a value";
}

} // namespace sextant::sema
