// Records: their types, values, methods and memory. Types of vectors and matrices, too, as they
// make values and memory in the same way.
#include "tests/fuzz/Machine.h"

#include <algorithm>

namespace fuzz {

std::vector<std::pair<std::string_view, Val>> membersOf(const Val &type) {
  std::vector<std::pair<std::string_view, Val>> members;
  for (const ast::StmtPtr &statement : type.record->body)
    if (const auto *member = std::get_if<ast::AnnAssign>(&statement->node))
      members.emplace_back(std::get<ast::Name>(member->target->node).id,
                           type.items.at(members.size()));
  return members;
}

/// A class: its annotated members and their types.
Val Machine::recordType(const ast::ClassDef &node) {
  Val type;
  type.kind = Val::Type;
  type.record = &node;
  for (const ast::StmtPtr &statement : node.body)
    if (const auto *member = std::get_if<ast::AnnAssign>(&statement->node)) {
      if (member->value)
        throw Unsupported("a default of a member");
      type.items.push_back(eval(*member->annotation, Mask(lanes, 1)));
      if (type.items.back().kind != Val::Type)
        throw Unsupported("a member of this type");
    }
  return type;
}

const ast::FunctionDef *Machine::method(const ast::ClassDef &record, std::string_view name) {
  for (const ast::StmtPtr &statement : record.body)
    if (const auto *function = std::get_if<ast::FunctionDef>(&statement->node))
      if (function->name == name)
        return function;
  throw Unsupported("the member " + std::string(name));
}

/// A value as a type has it: a number fills a vector or a record.
Val Machine::castTo(const Val &value, const Val &type, const Mask &mask) {
  if (type.kind != Val::Type)
    throw Unsupported("a cast to no type");
  if (type.items.empty() && !type.record)
    return cast(value, type.type, mask);
  Val result;
  result.kind = type.record ? Val::Record : Val::List;
  result.record = type.record;
  result.isVector = type.isVector;
  const bool fills = value.isNumber();
  if (!fills && (value.items.size() != type.items.size() || value.record != type.record))
    throw Unsupported("a value of another shape");
  for (size_t i = 0; i < type.items.size(); ++i)
    result.items.push_back(castTo(fills ? value : value.items[i], type.items[i], mask));
  return result;
}

/// A call of a type.
Val Machine::make(const Val &type, std::vector<Val> arguments,
                  const std::vector<std::pair<std::string_view, Val>> &named, const Mask &mask) {
  if (type.isVector) {
    if (!named.empty())
      throw Unsupported("a keyword argument");
    if (arguments.size() == 1)
      return castTo(arguments[0], type, mask);
    Val list;
    list.kind = Val::List;
    list.items = std::move(arguments);
    return castTo(list, type, mask);
  }
  if (!type.record || arguments.size() > type.items.size())
    throw Unsupported("a call of this type");
  if (arguments.size() == 1 && named.empty() && arguments[0].isNumber())
    return castTo(arguments[0], type, mask); // fills all
  if (arguments.size() == 1 && named.empty() && arguments[0].kind == Val::Record)
    throw Unsupported("a record of only a record");
  Val result;
  result.kind = Val::Record;
  result.record = type.record;
  for (size_t i = 0; i < type.items.size(); ++i)
    result.items.push_back(
        castTo(i < arguments.size() ? arguments[i] : constant(0), type.items[i], mask));
  for (const auto &[name, value] : named) {
    const auto members = membersOf(type);
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto &member) { return member.first == name; });
    const auto at = size_t(found - members.begin());
    if (at < arguments.size() || at >= type.items.size())
      throw Unsupported("no member for an argument");
    result.items[at] = castTo(value, type.items[at], mask);
  }
  return result;
}

static Val layOut(const Val &type, Array &array, size_t &offset) {
  Val memory;
  memory.kind = Val::Memory;
  memory.array = &array;
  memory.record = type.record;
  memory.isVector = type.isVector;
  if (type.items.empty()) {
    if (type.type != array.type)
      throw Unsupported("an array of another type");
    memory.offset = offset++;
  }
  for (const Val &item : type.items)
    memory.items.push_back(layOut(item, array, offset));
  return memory;
}

/// An array of a type's values. Each member of a record has memory of its own, if the record as a
/// whole has none.
Val Machine::memoryOf(const Val &type, const std::string &name, const FindArray &find) {
  if (type.kind != Val::Type)
    throw Unsupported("an array of no type");
  if (Array *array = find(name, type)) {
    size_t offset = 0;
    Val memory = layOut(type, *array, offset);
    if (offset != array->width)
      throw Unsupported("an array of other elements");
    return memory;
  }
  if (!type.record)
    throw Unsupported("no array " + name);
  Val memory;
  memory.kind = Val::Memory;
  memory.record = type.record;
  for (const auto &[member, inner] : membersOf(type))
    memory.items.push_back(memoryOf(inner, name + "." + std::string(member), find));
  return memory;
}

} // namespace fuzz
