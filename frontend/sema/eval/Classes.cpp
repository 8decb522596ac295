// Classes: the types that they are to kernels, and what values of those types have.
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/eval/Unreached.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>
#include <charconv>

namespace sextant::sema {

//===--- Types -------------------------------------------------------------===//

std::string importedAs(const ast::Expr &expr, const ModuleScope &module) {
  if (auto *call = std::get_if<ast::Call>(&expr.node)) // @dataclass(frozen=True)
    return importedAs(*call->callee, module);
  if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    const std::string base = importedAs(*attribute->value, module);
    return base.empty() ? base : base + "." + std::string(attribute->name);
  }
  auto *name = std::get_if<ast::Name>(&expr.node);
  auto it = name ? module.names.find(name->id) : module.names.end();
  if (it == module.names.end())
    return {};
  const Definition &definition = it->second;
  if (definition.kind == Definition::Import)
    return definition.importPath;
  if (definition.kind == Definition::FromImport)
    return definition.importPath + "." + definition.importName;
  const bool isAlias = definition.kind == Definition::Expression && definition.path.empty() &&
                       definition.value != &expr;
  auto *other = isAlias ? std::get_if<ast::Name>(&definition.value->node) : nullptr;
  return isAlias && (!other || other->id != name->id) ? importedAs(*definition.value, module)
                                                      : std::string();
}

StructType::Kind kindOf(const ast::ClassDef &definition, const ModuleScope &module) {
  for (const ast::ExprPtr &decorator : definition.decorators) {
    const std::string path = importedAs(*decorator, module);
    const std::string_view last = std::string_view(path).substr(path.rfind('.') + 1);
    const bool isOurs = path.starts_with("quadrants.");
    if (path == "dataclasses.dataclass")
      return StructType::Container;
    if (isOurs && last == "dataclass")
      return StructType::Record;
    if (isOurs && last == "data_oriented")
      return StructType::Object;
  }
  return StructType::Plain;
}

/// A member's type. What means nothing to kernels is remembered for the member's first use.
static StructMember memberOf(Context &cx, ModuleScope &module, const ast::AnnAssign &node,
                             std::string_view name, StructType::Kind kind) {
  StructMember member;
  member.name = std::string(name);
  member.at = node.target->at;
  member.defaultValue = node.value.get();
  const Quietly quiet(cx);
  TypeValue *type = hostAnnotation(cx, *node.annotation, module, member.type);
  if (!type) {
    member.problem = "its annotation is not a type";
    if (!quiet.diagnostics().empty()) {
      member.problem = quiet.diagnostics()[0].message;
      member.fix = quiet.diagnostics()[0].fix;
    }
    return member;
  }
  const bool isValue = type->kind == TypeValue::Element || isRecord(*type);
  const bool isPassed = type->kind == TypeValue::NdArray || type->kind == TypeValue::Template ||
                        type->kind == TypeValue::Struct;
  if (!isValue && (kind == StructType::Record || !isPassed))
    member.problem = kind == StructType::Record
                         ? "a `@qd.dataclass` holds numbers, vectors, matrices and other such "
                           "classes, not " +
                               (type->kind == TypeValue::NdArray ? std::string("arrays")
                                                                 : "`" + spell(*type) + "`")
                         : "kernels take no `" + spell(*type) + "`";
  return member;
}

Value classType(Context &cx, ModuleScope &module, const ast::ClassDef &definition) {
  auto type = std::make_shared<StructType>();
  type->kind = kindOf(definition, module);
  type->name = std::string(definition.name);
  type->at = definition.nameAt;
  type->definition = &definition;
  type->module = &module;
  for (const ast::ExprPtr &base : definition.bases) {
    const Quietly quiet(cx);
    const Value value = evalHost(cx, *base, module);
    if (value.kind != Value::Type || value.type.kind != TypeValue::Struct)
      continue; // a class of the host
    type->bases.push_back(value.type.structure);
    if (type->kind == StructType::Plain && value.type.structure->kind == StructType::Object)
      type->kind = StructType::Object; // Python's classes inherit the mark
    for (const StructMember &inherited : value.type.structure->members)
      type->members.push_back(inherited);
  }
  if (type->kind == StructType::Record || type->kind == StructType::Container)
    for (const ast::StmtPtr &stmt : definition.body)
      if (auto *node = std::get_if<ast::AnnAssign>(&stmt->node))
        if (auto *name = std::get_if<ast::Name>(&node->target->node)) {
          StructMember member = memberOf(cx, module, *node, name->id, type->kind);
          if (auto k = type->find(name->id))
            type->members[*k] = std::move(member);
          else
            type->members.push_back(std::move(member));
        }
  return Value::ofType(TypeValue::of(std::move(type)));
}

bool hasValues(Context &cx, const StructType &type, SourceRange at) {
  if (type.kind != StructType::Plain)
    return true;
  return error(
      cx, at, Problem::ClassInKernel,
      "`" + type.name + "` is a class of the host, and kernels cannot use its objects",
      "decorate it with `@qd.dataclass` (values), `@dataclasses.dataclass` (arrays and numbers) "
      "or `@qd.data_oriented` (kernels as methods)");
}

//===--- Members -----------------------------------------------------------===//

static void addClasses(const StructType &type, std::vector<const StructType *> &order) {
  order.push_back(&type);
  for (const auto &base : type.bases)
    addClasses(*base, order);
}

std::vector<const StructType *> resolutionOrder(const StructType &type) {
  std::vector<const StructType *> order;
  addClasses(type, order);
  // A base of several classes comes after the last of them.
  for (size_t k = 0; k < order.size();)
    if (std::any_of(order.begin() + ptrdiff_t(k) + 1, order.end(),
                    [&](const StructType *later) { return isSame(*later, *order[k]); }))
      order.erase(order.begin() + ptrdiff_t(k));
    else
      ++k;
  return order;
}

std::optional<Value> ownMethod(const StructType &type, std::string_view name) {
  if (type.definition)
    for (const ast::StmtPtr &stmt : type.definition->body)
      if (auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
          function && function->name == name)
        return Value::ofFunction(function, type.module);
  return std::nullopt;
}

std::optional<Value> findMethod(const StructType &type, std::string_view name) {
  for (const StructType *kind : resolutionOrder(type))
    if (std::optional<Value> found = ownMethod(*kind, name))
      return found;
  return std::nullopt;
}

/// True for the `auto()` of the module `enum`.
static bool isAuto(const ast::Expr &expr, const ModuleScope &module) {
  return std::holds_alternative<ast::Call>(expr.node) && importedAs(expr, module) == "enum.auto";
}

/// The value of an `auto()`: one more than the greatest value before it, as Python's IntEnum has it
/// (docs.python.org, `enum.auto`), or for IntFlag the next power of two; 1 if there is none.
static Value automatic(Context &cx, const StructType &type, const ast::Expr &wanted) {
  bool isFlag = false;
  for (const ast::ExprPtr &base : type.definition->bases)
    isFlag |= importedAs(*base, *type.module).ends_with("Flag");
  Exact greatest = 0;
  for (const ast::StmtPtr &stmt : type.definition->body) {
    auto *node = std::get_if<ast::Assign>(&stmt->node);
    if (!node)
      continue;
    Exact next = greatest + 1;
    if (isFlag)
      for (next = 1; next <= greatest;)
        next *= 2;
    if (node->value.get() == &wanted)
      return Value::exactInt(next);
    const Value value = isAuto(*node->value, *type.module)
                            ? Value::exactInt(next)
                            : evalHost(cx, *node->value, *type.module);
    if (value.kind == Value::Int)
      greatest = std::max(greatest, value.integer);
  }
  return Value::exactInt(1);
}

/// The value that the class's own body assigns to a name, or nullopt.
static std::optional<Value> ownAssigned(Context &cx, const StructType &type,
                                        std::string_view name) {
  if (const auto constant = type.constants.find(name); constant != type.constants.end())
    return constant->second;
  const ast::Expr *value = nullptr;
  if (type.definition)
    for (const ast::StmtPtr &stmt : type.definition->body) {
      if (auto *node = std::get_if<ast::Assign>(&stmt->node)) {
        for (const ast::ExprPtr &target : node->targets)
          if (auto *id = std::get_if<ast::Name>(&target->node); id && id->id == name)
            value = node->value.get();
      } else if (auto *node = std::get_if<ast::AnnAssign>(&stmt->node)) {
        auto *id = std::get_if<ast::Name>(&node->target->node);
        if (id && id->id == name && node->value)
          value = node->value.get();
      } else if (auto *inner = std::get_if<ast::ClassDef>(&stmt->node);
                 inner && inner->name == name) {
        return classType(cx, *type.module, *inner);
      }
    }
  if (value && isAuto(*value, *type.module))
    return automatic(cx, type, *value);
  if (value) {
    Value found = evalHost(cx, *value, *type.module);
    if (found.kind == Value::None)
      found.text = type.name + "." + std::string(name);
    return found;
  }
  return std::nullopt;
}

/// The value that the class, or a base, assigns to a name, or nullopt.
static std::optional<Value> assigned(Context &cx, const StructType &type, std::string_view name) {
  for (const StructType *kind : resolutionOrder(type))
    if (std::optional<Value> found = ownAssigned(cx, *kind, name))
      return found;
  return std::nullopt;
}

/// The members, methods and constants of a class and its bases.
static std::vector<std::string_view> namesIn(const StructType &type) {
  std::vector<std::string_view> names = namesOf(type.members);
  if (type.definition)
    for (const ast::StmtPtr &stmt : type.definition->body) {
      if (auto *method = std::get_if<ast::FunctionDef>(&stmt->node))
        names.push_back(method->name);
      else if (auto *constant = std::get_if<ast::Assign>(&stmt->node))
        for (const ast::ExprPtr &target : constant->targets)
          if (auto *name = std::get_if<ast::Name>(&target->node))
            names.push_back(name->id);
    }
  for (const auto &base : type.bases)
    for (std::string_view name : namesIn(*base))
      names.push_back(name);
  return names;
}

static Value unknownMember(Context &cx, const Value &object, std::string_view name,
                           SourceRange at) {
  const StructType &type = *object.type.structure;
  const std::string text(name);
  const bool isObject = type.kind == StructType::Object || type.kind == StructType::Plain;
  const std::vector<std::string_view> names = namesIn(type);
  if (isObject && object.kind == Value::Struct && !object.text.empty())
    return error(cx, at, Problem::MemberNotGiven,
                 "this build gives `" + object.text + "." + text + "` no value",
                 nearestName(at, name, names,
                             "name it in the instance, as in --kernel '" + cx.draft.kernel.name +
                                 "[" + object.text + "." + text + "=...]'"));
  if (object.kind == Value::Type && type.find(name))
    return error(cx, at, Problem::MemberUnknown,
                 "this is the class `" + type.name + "` itself, which has no `" + text + "`",
                 "annotate the parameter with `" + type.name + "`: launches pass a value then");
  return unknownName(cx, at, Problem::MemberUnknown, "`" + type.name + "` has no", name, names);
}

bool isMethodOf(const StructType &type, const Value &value) {
  if (value.kind != Value::Function || isStaticMethod(*value.function) ||
      isClassMethod(*value.function))
    return false;
  const auto isIt = [&](const ast::StmtPtr &stmt) {
    return std::get_if<ast::FunctionDef>(&stmt->node) == value.function;
  };
  return (type.definition && std::ranges::any_of(type.definition->body, isIt)) ||
         std::ranges::any_of(type.bases,
                             [&](const auto &base) { return isMethodOf(*base, value); });
}

static Value boundMethod(const Value &object, const Value &method) {
  Value bound = Value::method(method.function->name, object);
  bound.function = method.function;
  bound.module = method.module;
  return bound;
}

/// The number that a text consists of, as an item of a list is named.
static std::optional<size_t> itemNumber(std::string_view text) {
  size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

const Value *valueAt(const Value &object, std::string_view path) {
  const Value *value = &object;
  while (value && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    std::optional<size_t> k;
    if (value->kind == Value::Struct)
      k = value->type.structure->find(name);
    else if (value->kind == Value::Tuple)
      k = itemNumber(name);
    value = k && *k < value->items.size() ? &value->items[*k] : nullptr;
  }
  return value;
}

std::optional<Value> methodAt(const Value &object, std::string_view path) {
  const size_t dot = path.rfind('.');
  const std::string_view name = path.substr(dot + 1);
  const Value *owner = valueAt(object, path.substr(0, dot == path.npos ? 0 : dot));
  const auto method = owner && owner->kind == Value::Struct
                          ? findMethod(*owner->type.structure, name)
                          : std::nullopt;
  return method ? std::optional(boundMethod(*owner, *method)) : std::nullopt;
}

bool leadsElsewhere(const Value &value) {
  return value.kind == Value::Alias ||
         (value.kind == Value::Tuple && std::ranges::any_of(value.items, leadsElsewhere));
}

/// The member that an object has: of an alias, the object or the method that it is. Sema.cpp has
/// checked that there is one, which is not an alias.
static const Value *unaliased(Context &cx, const Value *member) {
  if (!leadsElsewhere(*member))
    return member;
  if (member->kind == Value::Tuple) {
    Value &list = cx.ofProperties.emplace_back(*member);
    for (Value &item : list.items)
      item = *unaliased(cx, &item);
    return &list;
  }
  const std::string_view path = member->text, root = path.substr(0, path.find('.'));
  const Value &parameter = cx.frames.front()->scopes.front().at(root)->value;
  const std::string_view rest = path.substr(std::min(path.size(), root.size() + 1));
  const Value *object = valueAt(parameter, rest);
  if (object && !member->function)
    return object;
  return &cx.ofProperties.emplace_back(object ? boundMethod(*object, *member)
                                              : *methodAt(parameter, rest));
}

Value structMember(Context &cx, const Value &object, std::string_view name, SourceRange at) {
  const StructType &type = *object.type.structure;
  if (std::optional<size_t> k = type.find(name)) {
    const Value &item = *unaliased(cx, &object.items[*k]);
    if (item.kind == Value::Absent)
      return error(cx, at, Problem::MemberWithoutValue, item.text, item.fix);
    return isMethodOf(type, item) ? boundMethod(object, item) : item;
  }
  if (std::optional<Value> method = findMethod(type, name)) {
    if (isProperty(*method->function))
      return readProperty(cx, *method, object, at);
    if (isClassMethod(*method->function))
      return boundMethod(Value::ofType(object.type), *method);
    return isStaticMethod(*method->function) ? *method : boundMethod(object, *method);
  }
  if (std::optional<Value> value = assigned(cx, type, name))
    return *value;
  return unknownMember(cx, object, name, at);
}

Value classMember(Context &cx, const Value &value, std::string_view name, SourceRange at) {
  const StructType &type = *value.type.structure;
  if (std::optional<Value> found = assigned(cx, type, name))
    return *found;
  if (std::optional<Value> method = findMethod(type, name))
    return isClassMethod(*method->function) ? boundMethod(value, *method) : *method;
  return unknownMember(cx, value, name, at);
}

//===--- Where structs are -------------------------------------------------===//

/// The object or the array that a property of `object` yields, or null.
static const Value *yielded(Context &cx, const Value &object, std::string_view name,
                            SourceRange at) {
  const std::optional<Value> getter = findMethod(*object.type.structure, name);
  if (!getter || !isProperty(*getter->function))
    return nullptr;
  const Quietly quiet(cx); // whoever evaluates the expression reports its errors
  Value value = readProperty(cx, *getter, object, at);
  if (value.kind != Value::Array && value.kind != Value::Struct)
    return nullptr;
  return &cx.ofProperties.emplace_back(std::move(value));
}

/// The field of the module that a name stands for, or null.
static const Value *fieldNamed(Context &cx, std::string_view name, SourceRange at) {
  ModuleScope &module = *cx.frame().module;
  const auto definition = module.names.find(name);
  if (definition == module.names.end() || definition->second.kind == Definition::Import)
    return nullptr;
  const Quietly quiet(cx); // as above
  std::optional<Value> field = moduleName(cx, module, name, at);
  return field && field->kind == Value::Array ? &cx.ofProperties.emplace_back(std::move(*field))
                                              : nullptr;
}

/// Returns the array that a name after an array's dot means: a member of structs, the gradient or
/// the tangent. Null if there is none.
static const Value *partOf(Context &cx, const ArrayRef &array, std::string_view name) {
  Value part = Value::of(Value::Array);
  if (const auto k = array.structure ? array.structure->find(name) : std::nullopt)
    part.array = array.members[*k];
  else if (name == "grad")
    part.array = array.gradient;
  else if (name == "dual")
    part.array = array.tangent;
  return part.array ? &cx.ofProperties.emplace_back(std::move(part)) : nullptr;
}

/// The item of a list at a constant index, or null.
static const Value *itemOf(Context &cx, const Value *list, const ast::Expr &index) {
  if (!list || list->kind != Value::Tuple)
    return nullptr;
  const Quietly quiet(cx); // as above
  std::optional<Exact> k;
  const auto evaluate = [&] { k = knownInt(eval(cx, index)); };
  if (cx.isHost() || isLiteral(index) || std::holds_alternative<ast::Name>(index.node))
    evaluate();
  else // whoever evaluates the expression also does what the index does
    analyseUnreached(cx, evaluate);
  const auto count = Exact(list->items.size());
  if (!k || *k < -count || *k >= count)
    return nullptr;
  return &list->items[size_t(*k < 0 ? *k + count : *k)];
}

const Value *knownValue(Context &cx, const ast::Expr &expr) {
  if (auto *name = std::get_if<ast::Name>(&expr.node)) {
    VariablePtr variable = findVariable(cx, name->id);
    if (!variable)
      return fieldNamed(cx, name->id, expr.at);
    return variable->place && variable->place->kind == Place::Local ? &localValue(*variable->place)
                                                                    : &variable->value;
  }
  if (auto *subscript = std::get_if<ast::Subscript>(&expr.node))
    return itemOf(cx, knownValue(cx, *subscript->value), *subscript->index);
  auto *attribute = std::get_if<ast::Attribute>(&expr.node);
  const Value *object = attribute ? knownValue(cx, *attribute->value) : nullptr;
  if (object && object->kind == Value::Array)
    return partOf(cx, *object->array, attribute->name);
  if (!object || object->kind != Value::Struct)
    return nullptr;
  const std::optional<size_t> k = object->type.structure->find(attribute->name);
  if (!k)
    return yielded(cx, *object, attribute->name, expr.at);
  return *k < object->items.size() ? unaliased(cx, &object->items[*k]) : nullptr;
}

std::shared_ptr<const StructType> structAt(Context &cx, const ast::Expr &expr) {
  if (const Value *value = knownValue(cx, expr); value && value->kind == Value::Struct)
    return value->type.structure;
  if (auto *name = std::get_if<ast::Name>(&expr.node)) {
    VariablePtr variable = findVariable(cx, name->id);
    return variable && variable->place ? variable->place->structure : nullptr;
  }
  if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    const auto outer = structAt(cx, *attribute->value);
    const std::optional<size_t> k = outer ? outer->find(attribute->name) : std::nullopt;
    return k && outer->members[*k].type.kind == TypeValue::Struct
               ? outer->members[*k].type.structure
               : nullptr;
  }
  auto *subscript = std::get_if<ast::Subscript>(&expr.node);
  if (!subscript)
    return nullptr;
  const Value *array = knownValue(cx, *subscript->value);
  return array && array->kind == Value::Array ? array->array->structure : nullptr;
}

//===--- New values --------------------------------------------------------===//

/// Member `k` of a struct, of what a call gives for it. Null, if the call leaves it out: it has its
/// default or 0. As in a call, a number becomes the first member of a struct.
static Value toMember(Context &cx, const StructType &type, size_t k, const Value *value,
                      SourceRange at) {
  const StructMember &member = type.members[k];
  if (!value && member.defaultValue) {
    const Value initial = evalHost(cx, *member.defaultValue, *type.module);
    return initial.isPoison() ? Value() : toMember(cx, type, k, &initial, at);
  }
  if ((value && !value->isNumber()) || !isRecord(member.type)) {
    if (value && member.type.kind == TypeValue::Element)
      warnLossy(cx, *value, member.type.element.type, at);
    return castToMember(cx, value ? *value : Value::exactInt(0), member.type, at);
  }
  const StructType &inner = *member.type.structure;
  Value out = Value::ofStruct(member.type.structure, {});
  for (size_t i = 0; i < inner.members.size(); ++i) {
    out.items.push_back(toMember(cx, inner, i, i == 0 ? value : nullptr, at));
    if (out.items.back().isPoison())
      return Value();
  }
  return out;
}

Value makeStruct(Context &cx, const std::shared_ptr<const StructType> &type, const ast::Call &node,
                 SourceRange at) {
  const std::string what = "`" + type->name + "`";
  if (!hasValues(cx, *type, at))
    return Value();
  if (type->kind == StructType::Object)
    return makeObject(cx, type, node, at);
  if (type->kind != StructType::Record)
    return error(cx, at, Problem::ContainerMadeInKernel,
                 what + " holds arrays, and host code makes it",
                 "pass it to the kernel, or pass its members one by one");
  bool bad = false;
  std::vector<Value> args = evalItems(cx, node.args, bad);
  if (bad)
    return Value();
  if (args.size() == 1 && node.keywords.empty() && type->members.size() > 1 &&
      args[0].kind == Value::Struct)
    return castToStruct(cx, args[0], type, at);
  if (args.size() > type->members.size())
    return error(cx, at, Problem::ArgumentCountWrong,
                 what + " has " + std::to_string(type->members.size()) + " members, but is given " +
                     std::to_string(args.size()));
  std::vector<std::optional<Value>> given(type->members.size());
  std::vector<const ast::Expr *> texts(type->members.size());
  for (size_t k = 0; k < args.size(); ++k) {
    given[k] = std::move(args[k]);
    texts[k] = args.size() == node.args.size() ? node.args[k].get() : nullptr;
  }
  for (const ast::Keyword &keyword : node.keywords) {
    const std::optional<size_t> k = type->find(keyword.name);
    if (!k)
      return unknownName(cx, keyword.at, Problem::ParameterUnknown, what + " has no member",
                         keyword.name, namesOf(type->members));
    if (given[*k])
      return error(cx, keyword.at, Problem::ArgumentTwice,
                   what + " is given `" + std::string(keyword.name) + "` twice");
    given[*k] = eval(cx, *keyword.value);
    texts[*k] = keyword.value.get();
  }
  Value out = Value::ofStruct(type, {});
  for (size_t k = 0; k < type->members.size(); ++k) {
    const StructMember &member = type->members[k];
    if (!member.problem.empty())
      return error(cx, at, Problem::MemberWithoutValue,
                   what + " cannot be made: of its member `" + member.name + "`, " + member.problem,
                   member.fix);
    const Writing writing(cx, {texts[k]});
    out.items.push_back(toMember(cx, *type, k, given[k] ? &*given[k] : nullptr, at));
    if (out.items.back().isPoison())
      return Value();
  }
  return out;
}

} // namespace sextant::sema
