// Makes the names of instances, and tells values apart.
#include "frontend/sema/kernels/Requests.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Struct.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>

namespace sextant::sema {

/// Tells two things of this process apart.
static std::string addressOf(const void *thing) {
  return "@" + std::to_string(reinterpret_cast<uintptr_t>(thing)) + ";";
}

/// The length keeps a text from running into what follows it.
static std::string keyOf(const std::string &text) {
  return std::to_string(text.size()) + ":" + text;
}

static std::string keyOf(const StructType &structure);

static std::string keyOf(const TypeValue &type) {
  std::string key;
  for (const int number :
       {int(type.kind), int(type.element.type), int(type.element.rows), int(type.element.cols),
        int(type.element.matrix), int(type.element.vector), int(type.elementKnown), type.ndim,
        type.elementDim, int(type.isInterleaved), int(type.clamps), int(type.isConstant),
        int(type.isView), int(type.isOptional), int(type.isItself)})
    key += std::to_string(number) + ",";
  for (unsigned axis : type.layout)
    key += std::to_string(axis) + ",";
  if (type.structure)
    key += keyOf(*type.structure);
  for (const TypeValue &item : type.items)
    key += "[" + keyOf(item) + "]";
  return key + ";";
}

/// A type that no class makes is known by its members.
static std::string keyOf(const StructType &structure) {
  std::string key = std::to_string(structure.kind) + addressOf(structure.definition);
  if (structure.definition)
    return key;
  for (const StructMember &member : structure.members)
    key += keyOf(member.name) + keyOf(member.type);
  return key;
}

/// The members of an object, in one order, whatever that of the request.
static std::string keyOfMembers(const Value &object,
                                const std::function<std::string(const Value &)> &of) {
  std::set<std::string> members;
  for (size_t k = 0; k < object.items.size(); ++k)
    members.insert(object.type.structure->members[k].name + "=" + of(object.items[k]) + ";");
  std::string key = "{";
  for (const std::string &member : members)
    key += member;
  return key + "}";
}

std::string keyOf(const Value &value) {
  std::string key = std::to_string(value.kind) + " ";
  switch (value.kind) {
  case Value::Int:
  case Value::Bool:
    return key + spell(value.integer) + ";";
  case Value::Float: {
    uint64_t bits = 0; // also zeros and NaNs differ
    std::memcpy(&bits, &value.real, sizeof bits);
    return key + std::to_string(bits) + ";";
  }
  case Value::Type:
    return key + keyOf(value.type);
  case Value::Struct:
    return key + addressOf(value.type.structure->definition) +
           keyOfMembers(value, [](const Value &item) { return keyOf(item); });
  case Value::Array:
    return key + addressOf(value.array.get()) + addressOf(value.array->gradient.get()) +
           addressOf(value.array->tangent.get());
  default:
    break;
  }
  // Whatever a value of another kind is made of.
  key += keyOf(value.text) + addressOf(value.function) + addressOf(value.module) +
         addressOf(value.builtin) + addressOf(value.expr.get()) + spell(value.step) + ",";
  for (const unsigned number :
       {value.rows, value.cols, unsigned(value.vector), unsigned(value.isList),
        unsigned(value.grouped), unsigned(value.isNdrange), unsigned(value.runtimeStep)})
    key += std::to_string(number) + ",";
  for (unsigned axis : value.axes)
    key += std::to_string(axis) + ",";
  key += "[";
  for (const Value &item : value.items)
    key += keyOf(item);
  return key + "]";
}

/// Spells a value for the hash in a name, so it is the same in every build.
static std::string spelled(const Value &value) {
  if (value.kind == Value::Float) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%a", value.real);
    return digits;
  }
  if (value.kind == Value::Alias)
    return "=" + value.text + (value.function ? "." + std::string(value.function->name) : "");
  if (value.kind == Value::Tuple) {
    std::string text = "[";
    for (const Value &item : value.items)
      text += spelled(item) + ",";
    return text + "]";
  }
  return value.kind == Value::Struct ? keyOfMembers(value, spelled) : nameOf(value);
}

/// A few words for the members of an object, or a hash of many.
static std::string nameOfMembers(const Value &object) {
  constexpr size_t most = 40;
  std::string text;
  for (const Value &item : object.items)
    if (!item.isPoison()) // which the request does not name
      text += (text.empty() ? "" : "_") + nameOf(item);
  if (text.size() <= most)
    return text;
  uint64_t hash = 14695981039346656037u; // FNV-1a
  for (char c : spelled(object))
    hash = (hash ^ (unsigned char)c) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x", unsigned(hash ^ hash >> 32));
  return digits;
}

/// Adds the levels of memory, and those of the members.
void nameLevels(const Levels &levels, std::string &text) {
  for (const Level &level : levels.levels)
    text +=
        "_" + std::to_string(level.axis) + "x" + spell(level.extent) + "s" + spell(level.stride);
  for (const Levels &member : levels.members)
    nameLevels(member, text += "_m");
}

std::string nameOf(const Value &value) {
  std::string text;
  switch (value.kind) {
  case Value::Int:
    text = spell(value.integer);
    break;
  case Value::Bool:
    text = value.integer ? "True" : "False";
    break;
  case Value::Float:
    text = std::to_string(value.real);
    break;
  case Value::Str:
    text = value.text;
    break;
  case Value::Alias:
    text = value.function ? std::string(value.function->name) : value.text;
    break;
  case Value::Function:
    text = std::string(value.function->name);
    break;
  case Value::Builtin: {
    text = value.builtin->name;
    text = text.substr(text.rfind('.') + 1);
    break;
  }
  case Value::Type:
    text = value.type.kind == TypeValue::NdArray
               ? spell(value.type.element) + "_" + std::to_string(value.type.ndim) + "d"
               : spell(value.type);
    if (value.type.isInterleaved)
      text += "_aos";
    if (value.type.clamps)
      text += "_clamp";
    if (value.type.isConstant)
      text += "_constant";
    nameLevels(value.type.levels, text);
    if (!value.type.layout.empty())
      text += "_";
    for (unsigned axis : value.type.layout)
      text += std::to_string(axis);
    if (value.type.isItself)
      text.insert(0, "dtype_");
    break;
  case Value::None:
    text = "none";
    break;
  case Value::Struct:
    text = nameOfMembers(value);
    break;
  case Value::Array:
    text = "field";
    break;
  case Value::Tuple:
  case Value::Node:
    for (const Value &item : value.items)
      text += (text.empty() ? "" : "_") + nameOf(item);
    break;
  default:
    text = "x";
    break;
  }
  std::string out;
  for (char c : text) {
    if (c == '-')
      out += 'm';
    else if (c == '.')
      out += 'p';
    else if (std::isalnum((unsigned char)c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_')
    out.pop_back();
  return out;
}

} // namespace sextant::sema
