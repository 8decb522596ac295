// Spells values and types for messages.
#include "frontend/sema/Struct.h"

#include <algorithm>

namespace sextant::sema {

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
  case TypeValue::Struct:
    return type.structure->name;
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

std::string describe(const Value &value) {
  switch (value.kind) {
  case Value::Poison:
    return "an erroneous value";
  case Value::None:
    return value.text.empty() ? "None" : "None, which this build has for `" + value.text + "`,";
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
  case Value::Struct:
    return "the struct `" + value.type.structure->name + "`";
  case Value::Dict:
    return "a dictionary";
  case Value::Absent:
    return "a member without a value";
  case Value::Alias:
    return "the object `" + value.text + "`";
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
  case Value::Node:
    return value.items.empty() ? "the node `qd.root`" : "a node";
  case Value::Slice:
    return "a slice";
  }
  return "a value";
}

} // namespace sextant::sema
