#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/values/Struct.h"

namespace sextant::sema {

bool isInterleavedLayout(const Value &layout) {
  return layout.kind == Value::Str && layout.text == "AOS";
}

/// Adds the struct's scalars to the element. Returns the member that has another type, or null.
static const StructMember *addScalars(const StructType &type, ElementType &element) {
  for (const StructMember &member : type.members) {
    if (member.type.kind == TypeValue::Struct) {
      if (const StructMember *other = addScalars(*member.type.structure, element))
        return other;
      continue;
    }
    if (element.rows != 0 && member.type.element.type != element.type)
      return &member;
    element.type = member.type.element.type;
    element.rows += member.type.element.count();
  }
  return nullptr;
}

std::optional<ElementType> interleavedElement(Context &cx, const StructType &type, bool isField,
                                              SourceRange at) {
  ElementType element{hir::Type::F32, 0, 1, true, true};
  const StructMember *other = addScalars(type, element);
  if (!other && element.rows != 0 && element.rows <= 1024)
    return element;
  const std::string why =
      other ? "needs members of one scalar type, but `" + other->name + "` is " + spell(other->type)
            : "has 1 to 1024 scalars an element";
  const std::string what = " of `" + type.name + "` in one piece " + why;
  if (isField)
    warn(cx, at, Problem::LayoutOfStruct,
         "a field" + what + ": each member is a field of its own here",
         "leave `layout` out, or split the struct", "layout");
  else
    error(cx, at, Problem::LayoutOfStruct, "an array" + what,
          "leave `layout` out: each member is an array of its own then");
  return std::nullopt;
}

static std::shared_ptr<ArrayRef>
partOver(const TypeValue &type, const std::shared_ptr<ArrayRef> &whole, unsigned &offset) {
  auto part = std::make_shared<ArrayRef>();
  part->space = whole->space;
  part->name = whole->name;
  part->shape = whole->shape;
  part->layout = whole->layout;
  part->at = whole->at;
  part->isUnplaced = whole->isUnplaced;
  part->whole = whole;
  if (type.kind != TypeValue::Struct) {
    part->element = type.element;
    part->offset = offset;
    offset += type.element.count();
    return part;
  }
  part->structure = type.structure;
  for (const StructMember &member : type.structure->members) {
    part->members.push_back(partOver(member.type, whole, offset));
    part->members.back()->name = part->name + "." + member.name;
  }
  return part;
}

std::shared_ptr<ArrayRef> interleavedOver(const std::shared_ptr<const StructType> &type,
                                          const std::shared_ptr<ArrayRef> &whole) {
  TypeValue value;
  value.kind = TypeValue::Struct;
  value.structure = type;
  unsigned offset = 0;
  return partOver(value, whole, offset);
}

} // namespace sextant::sema
