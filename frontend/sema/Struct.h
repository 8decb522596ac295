// Structs: types whose values have members by name.
#pragma once

#include "frontend/sema/Value.h"

#include <map>
#include <optional>

namespace sextant::sema {

struct StructMember {
  std::string name;
  TypeValue type;
  SourceRange at;
  const ast::Expr *defaultValue = nullptr;
  /// Why the annotation means nothing to kernels, for the first use of the member. Empty: it has a
  /// type.
  std::string problem = {};
  Fix fix = {}; ///< the remedy of the problem
};

struct StructType {
  enum Kind : uint8_t {
    Record,    ///< `@qd.dataclass`, `qd.types.struct`: numbers, vectors and records, by value
    Container, ///< `@dataclasses.dataclass`: arrays, numbers and containers, passed one by one
    Object,    ///< `@qd.data_oriented`: what the build says about an instance
    Plain,     ///< a class of the host; kernels read what it assigns, and other classes inherit
  } kind = Record;
  std::string name;
  SourceRange at;
  std::vector<StructMember> members;                         ///< Object: those that the build names
  const ast::ClassDef *definition = nullptr;                 ///< null for `qd.types.struct`
  ModuleScope *module = nullptr;                             ///< the definition's module
  std::vector<std::shared_ptr<const StructType>> bases = {}; ///< their members are in `members` too
  bool isTile = false; ///< `qd.simt.Tile16x16` or Tile32x32; a member: the thread's row
  /// The values that a request for the type gave, by name, where the library made it.
  std::map<std::string, Value, std::less<>> constants = {};

  /// Returns the member's number, or nullopt.
  std::optional<size_t> find(std::string_view member) const {
    for (size_t k = 0; k < members.size(); ++k)
      if (members[k].name == member)
        return k;
    return std::nullopt;
  }
};

/// The members' names, for suggestions.
inline std::vector<std::string_view> namesOf(const std::vector<StructMember> &members) {
  std::vector<std::string_view> names;
  for (const StructMember &member : members)
    names.push_back(member.name);
  return names;
}

/// True for a type whose values are structs that memory holds.
inline bool isRecord(const TypeValue &type) {
  return type.kind == TypeValue::Struct && type.structure->kind == StructType::Record;
}
/// True for an object of a class that launches pass by members.
inline bool isObject(const Value &value) {
  return value.kind == Value::Struct && value.type.structure->kind == StructType::Object;
}
/// True for a type that the elements of arrays can have.
inline bool isElementType(const Value &value) {
  return value.kind == Value::Type &&
         (value.type.kind == TypeValue::Element || isRecord(value.type));
}

/// Two structs are of one type if one class made both, or if neither is a class and both have the
/// same members: names, types and order.
bool isSame(const StructType &a, const StructType &b);
/// True for one type with the same members in order. Objects of one class may have others.
bool isAlike(const StructType &a, const StructType &b);

} // namespace sextant::sema
