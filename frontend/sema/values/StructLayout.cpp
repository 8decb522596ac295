#include "frontend/sema/values/StructLayout.h"

#include <algorithm>

namespace sextant::sema {

/// A member as a struct of its own.
static StructLayout layoutOf(const TypeValue &type) {
  if (type.kind == TypeValue::Struct)
    return layoutOf(*type.structure);
  StructLayout layout;
  layout.smallest = layout.largest = byteWidth(type.element.type);
  layout.scalars = type.element.count();
  layout.size = layout.scalars * layout.largest;
  layout.only = type.element.type;
  return layout;
}

static uint64_t roundedUp(uint64_t bytes, unsigned unit) {
  return (bytes + unit - 1) / unit * unit;
}

StructLayout layoutOf(const StructType &type) {
  StructLayout layout;
  bool isMixed = false;
  for (const StructMember &member : type.members) {
    const StructLayout part = layoutOf(member.type);
    layout.offsets.push_back(roundedUp(layout.size, part.scalars ? part.largest : 1));
    if (part.scalars == 0)
      continue;
    layout.size = layout.offsets.back() + part.size;
    layout.smallest = std::min(layout.smallest, part.smallest);
    layout.largest = std::max(layout.largest, part.largest);
    isMixed |= !part.only || (layout.only && layout.only != part.only);
    layout.only = part.only;
    layout.scalars += part.scalars;
  }
  if (isMixed)
    layout.only.reset();
  layout.size = roundedUp(layout.size, layout.largest);
  return layout;
}

} // namespace sextant::sema
