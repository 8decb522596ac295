// What values and types are.
#include "frontend/sema/Struct.h"

#include <algorithm>

namespace sextant::sema {

bool Value::isRuntime() const {
  if (kind == Scalar)
    return true;
  if (isCompound())
    return std::any_of(items.begin(), items.end(), [](const Value &v) { return v.isRuntime(); });
  return false;
}

std::optional<Exact> knownInt(const Value &value) {
  Exact constant = 0;
  if (value.kind == Value::Int || value.kind == Value::Bool)
    return value.integer;
  if (value.kind == Value::Scalar && constInt(*value.expr, constant))
    return constant;
  return std::nullopt;
}

static bool isSameType(const TypeValue &a, const TypeValue &b) {
  if (a.kind != b.kind)
    return false;
  if (a.kind == TypeValue::Struct)
    return isSame(*a.structure, *b.structure);
  return a.element.type == b.element.type && a.element.rows == b.element.rows &&
         a.element.cols == b.element.cols && a.element.matrix == b.element.matrix;
}

bool isSame(const StructType &a, const StructType &b) {
  if (&a == &b || a.definition || b.definition)
    return &a == &b || a.definition == b.definition;
  return std::ranges::equal(a.members, b.members, [](const StructMember &m, const StructMember &n) {
    return m.name == n.name && isSameType(m.type, n.type);
  });
}

} // namespace sextant::sema
