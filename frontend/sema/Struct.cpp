#include "frontend/sema/Struct.h"

#include <algorithm>

namespace sextant::sema {

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
  if (!a.constants.empty() || !b.constants.empty())
    return false;
  return std::ranges::equal(a.members, b.members, [](const StructMember &m, const StructMember &n) {
    return m.name == n.name && isSameType(m.type, n.type);
  });
}

bool isAlike(const StructType &a, const StructType &b) {
  return isSame(a, b) &&
         std::ranges::equal(a.members, b.members, {}, &StructMember::name, &StructMember::name);
}

} // namespace sextant::sema
