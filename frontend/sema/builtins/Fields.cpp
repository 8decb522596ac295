// Calls that make fields, structs and tensors.
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Interleave.h"
#include "frontend/sema/eval/Levels.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

/// Returns what a call says from its argument `shape` on, with or without `needs_dual`.
static FieldCall fieldCall(const CallSite &site, size_t shape, bool hasDual) {
  FieldCall call;
  auto given = [&](size_t argument) {
    return site.given[argument] ? site.args[argument] : Value::none();
  };
  call.shape = given(shape);
  call.needsGradient = site.given[shape + 2] && site.integer(shape + 2);
  call.needsTangent = hasDual && site.given[shape + 3] && site.integer(shape + 3);
  call.layout = given(shape + 3 + hasDual);
  call.offset = given(shape + 4 + hasDual);
  return call;
}

/// A member of a struct that is made without a class; nullopt after an error.
static std::optional<StructMember> memberOf(Context &cx, std::string name, const Value &type,
                                            SourceRange at) {
  StructMember member;
  member.name = std::move(name);
  member.at = at;
  Type scalar;
  if (dtypeOf(type, cx.options, scalar))
    member.type.element.type = scalar;
  else if (isElementType(type))
    member.type = type.type;
  else {
    if (!type.isPoison())
      error(cx, at, Problem::StructMemberNotType,
            "the member `" + member.name + "` needs a type, not " + describe(type));
    return std::nullopt;
  }
  return member;
}

/// `qd.Struct.field({"pos": vec3, "mass": qd.f32}, shape=8)`
Value doStructField(Context &cx, CallSite &site) {
  auto structure = std::make_shared<StructType>();
  structure->name = noName;
  structure->at = site.at;
  const Value &members = site.args[0];
  if (members.kind != Value::Dict)
    return error(cx, site.at, Problem::StructMembersUnnamed,
                 "`qd.Struct.field` needs a dictionary of types, not " + describe(members),
                 "write `qd.Struct.field({\"mass\": qd.f32}, shape=...)`");
  for (size_t k = 0; k + 1 < members.items.size(); k += 2) {
    const Value &name = members.items[k];
    if (name.kind != Value::Str)
      return error(cx, site.at, Problem::StructMembersUnnamed,
                   "the name of a member is a string, not " + describe(name));
    auto member = memberOf(cx, name.text, members.items[k + 1], site.at);
    if (!member)
      return Value();
    structure->members.push_back(std::move(*member));
  }
  return makeField(cx, TypeValue::of(std::move(structure)), fieldCall(site, 1, /*hasDual=*/false),
                   site.at);
}

/// `qd.types.struct(pos=vec3, mass=qd.f32)`
Value doStructType(Context &cx, CallSite &site) {
  auto type = std::make_shared<StructType>();
  type->name = noName;
  type->at = site.at;
  if (!site.node->args.empty())
    return error(cx, site.at, Problem::StructMembersUnnamed,
                 "`qd.types.struct` takes its members by name",
                 "write `qd.types.struct(mass=qd.f32, ...)`");
  for (const ast::Keyword &keyword : site.node->keywords) {
    auto member = memberOf(cx, std::string(keyword.name), eval(cx, *keyword.value), keyword.at);
    if (!member)
      return Value();
    type->members.push_back(std::move(*member));
  }
  return Value::ofType(TypeValue::of(std::move(type)));
}

/// Adds a member with its value's type to a struct. Returns false after an error.
static bool addMember(Context &cx, StructType &type, std::vector<Value> &items,
                      const std::string &name, Value value, SourceRange at) {
  if (value.kind == Value::Tuple)
    value = toMatrix(cx, value, at);
  if (value.isPoison())
    return false;
  StructMember member;
  member.name = name;
  member.at = at;
  if (value.kind == Value::Struct && isRecord(value.type)) {
    member.type = value.type;
  } else if (value.kind == Value::Matrix) {
    member.type.element = elementOf(cx, value);
  } else if (value.isNumber()) {
    member.type.element.type = typeOf(cx, value);
  } else {
    return error(cx, at, Problem::StructMemberNotType,
                 "the member `" + name + "` needs a number, a vector, a matrix or a struct, not " +
                     describe(value));
  }
  items.push_back(castToMember(cx, value, member.type, at));
  type.members.push_back(std::move(member));
  return !items.back().isPoison();
}

/// `qd.Struct(mass=1.0, pos=v)`, also of a dictionary: a struct with these members.
Value doStruct(Context &cx, CallSite &site) {
  auto type = std::make_shared<StructType>();
  type->name = noName;
  type->at = site.at;
  std::vector<Value> items;
  for (const ast::ExprPtr &argument : site.node->args) {
    const Value members = eval(cx, *argument);
    if (members.kind != Value::Dict)
      return members.isPoison()
                 ? members
                 : error(cx, site.at, Problem::StructMembersUnnamed,
                         "`qd.Struct` takes its members by name, or a dictionary of them, not " +
                             describe(members),
                         "write `qd.Struct(mass=1.0, ...)`");
    for (size_t k = 0; k + 1 < members.items.size(); k += 2)
      if (!addMember(cx, *type, items, members.items[k].text, members.items[k + 1], argument->at))
        return Value();
  }
  for (const ast::Keyword &keyword : site.node->keywords)
    if (!addMember(cx, *type, items, std::string(keyword.name), eval(cx, *keyword.value),
                   keyword.at))
      return Value();
  return Value::ofStruct(type, std::move(items));
}

Value doField(Context &cx, CallSite &site, size_t sizes) {
  TypeValue type = site.args[sizes].type;
  if (sizes) {
    const unsigned cols = sizes == 1 ? 1 : unsigned(site.integer(1));
    type.element = {type.element.type, unsigned(site.integer(0)), cols, true, sizes == 1};
  }
  if (!cx.isHost())
    return error(cx, site.at, Problem::FieldInsideKernel, "fields cannot be made inside kernels",
                 "make it at module level");
  return makeField(cx, type, fieldCall(site, sizes + 1, /*hasDual=*/true), site.at);
}

/// `qd.tensor(…, backend=qd.Backend.FIELD)` is a field; other tensors are arrays of the host.
Value doTensor(Context &cx, CallSite &site, size_t sizes) {
  if (site.args[sizes + 7].text == "FIELD")
    return doField(cx, site, sizes);
  return error(cx, site.at, Problem::TensorInKernel,
               "`" + callName(site) + "` makes an array, which host code does",
               "pass it to the kernel (`x: qd.Tensor`), or write `backend=qd.Backend.FIELD`");
}

} // namespace sextant::sema
