#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/Struct.h"
#include "loader/abi/Structure.h"

namespace sextant::sema {

bool isInterleavedLayout(const Value &layout) {
  return layout.kind == Value::Str && layout.text == "AOS";
}

static abi::Structure structureOf(const StructType &type) {
  abi::Structure structure{type.name, {}};
  for (const StructMember &member : type.members) {
    const ElementType &element = member.type.element;
    structure.members.push_back({member.name, element.type, element.rows, element.cols});
    if (member.type.kind == TypeValue::Struct)
      structure.members.back().inner.push_back(structureOf(*member.type.structure));
  }
  return structure;
}

std::optional<ElementType> interleavedElement(Context &cx, const StructType &type, bool isField,
                                              SourceRange at) {
  constexpr uint64_t mostComponents = 1024; // a vector has no more
  const abi::StructureLayout layout = abi::layoutOf(structureOf(type));
  const uint64_t count = layout.size / layout.smallest;
  if (count >= 1 && count <= mostComponents)
    return ElementType{layout.unit, unsigned(count), 1, true, true};
  const std::string what = " of `" + type.name + "` in one piece has 1 to 1024 units an element, " +
                           "each as large as the struct's smallest scalar, not " +
                           std::to_string(count);
  if (isField)
    warn(cx, at, Warning::Layout, Problem::LayoutOfStruct,
         "a field" + what + ": each member is a field of its own here",
         "leave `layout` out, or split the struct");
  else
    error(cx, at, Problem::LayoutOfStruct, "an array" + what,
          "leave `layout` out: each member is an array of its own then");
  return std::nullopt;
}

/// The part of each element that has this type. \param offset where it begins, in bytes
/// \param stride from one element to the next, in bytes
static std::shared_ptr<ArrayRef> partOver(const TypeValue &type,
                                          const std::shared_ptr<ArrayRef> &whole, uint64_t offset,
                                          uint64_t stride) {
  auto part = std::make_shared<ArrayRef>();
  part->space = whole->space;
  part->name = whole->name;
  part->shape = whole->shape;
  part->layout = whole->layout;
  part->at = whole->at;
  part->isUnplaced = whole->isUnplaced;
  part->whole = whole;
  if (type.kind != TypeValue::Struct) {
    const unsigned scalar = byteWidth(type.element.type);
    part->element = type.element;
    part->offset = unsigned(offset / scalar);
    part->stride = unsigned(stride / scalar);
    return part;
  }
  part->structure = type.structure;
  const abi::StructureLayout layout = abi::layoutOf(structureOf(*type.structure));
  for (size_t k = 0; k < layout.offsets.size(); ++k) {
    const StructMember &member = type.structure->members[k];
    part->members.push_back(partOver(member.type, whole, offset + layout.offsets[k], stride));
    part->members.back()->name = part->name + "." + member.name;
  }
  return part;
}

std::shared_ptr<ArrayRef> interleavedOver(const std::shared_ptr<const StructType> &type,
                                          const std::shared_ptr<ArrayRef> &whole) {
  const abi::Structure structure = structureOf(*type);
  whole->elements = abi::textOf(structure);
  return partOver(TypeValue::of(type), whole, 0, abi::layoutOf(structure).size);
}

} // namespace sextant::sema
