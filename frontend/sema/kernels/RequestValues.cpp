// Reads the values of requests: types, constants, fields, and objects by their members.
#include "frontend/sema/kernels/RequestValues.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/syntax/Children.h"

#include <algorithm>
#include <functional>

namespace sextant::sema {

namespace {

/// Reports what is wrong with a request.
using Fail = std::function<void(std::string, Fix)>;

/// The values that a request gives a parameter: its own, and those of its members.
struct Given {
  std::string name;
  std::optional<Value> value;
  std::vector<Given> members;

  Given &at(std::string_view member) {
    for (Given &each : members)
      if (each.name == member)
        return each;
    members.push_back({std::string(member), std::nullopt, {}});
    return members.back();
  }
};

Value objectOf(const Given &given, const std::shared_ptr<const StructType> &type,
               const std::string &path, SourceRange at, const Fail &fail);

/// The class that a value is, if it is one of this kind; else null.
std::shared_ptr<const StructType> classOf(const std::optional<Value> &value,
                                          StructType::Kind kind) {
  const bool isClass = value && value->kind == Value::Type && value->type.kind == TypeValue::Struct;
  return isClass && value->type.structure->kind == kind ? value->type.structure : nullptr;
}

/// True for an array, or the type of arrays that launches pass.
bool isArray(const std::optional<Value> &value) {
  return value && (value->kind == Value::Array ||
                   (value->kind == Value::Type && value->type.kind == TypeValue::NdArray));
}

/// The array of a request that names its gradient, `x=ndarray(f32, 1), x.grad=ndarray(f32, 1)`.
/// They are of one type. Launches pass gradients in any case, so only those of fields matter here.
Value withGradient(const Given &given, const std::string &path, const Fail &fail) {
  const Value &gradient = *given.members[0].value;
  if (!given.value && gradient.kind == Value::Type)
    return gradient;
  Value array = given.value ? *given.value : gradient;
  const auto isLike = [](const ElementType &a, const ElementType &b) {
    return a.type == b.type && a.rows == b.rows && a.cols == b.cols && a.vector == b.vector;
  };
  const auto isSame = [&] {
    if (!given.value || array.kind != gradient.kind)
      return false;
    if (array.kind == Value::Type)
      return isLike(array.type.element, gradient.type.element) &&
             array.type.ndim == gradient.type.ndim &&
             array.type.structure == gradient.type.structure;
    const auto &one = array.array->shape, &other = gradient.array->shape;
    return isLike(array.array->element, gradient.array->element) &&
           array.array->structure == gradient.array->structure &&
           std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const Value &a, const Value &b) { return a.integer == b.integer; });
  };
  if (!isSame()) {
    fail("`" + path + ".grad` is to be an array of the same type and shape as `" + path +
             "`, which an instantiation names otherwise",
         {});
    return array;
  }
  if (array.kind == Value::Array) {
    array.array->gradient = gradient.array;
    linkMembers(*array.array, &ArrayRef::gradient);
  }
  return array;
}

Value valueOf(const Given &given, const std::string &path, SourceRange at, const Fail &fail);

/// A list with objects, `self.mats=[Elastic, Stiff], self.mats.0.mu=2.0`: each with its members.
Value listOf(const Given &given, const std::string &path, SourceRange at, const Fail &fail) {
  Value list = *given.value;
  std::vector<Given> items(list.items.size());
  for (size_t k = 0; k < items.size(); ++k)
    items[k] = {std::to_string(k), list.items[k], {}};
  for (const Given &member : given.members) {
    const auto item = std::ranges::find(items, member.name, &Given::name);
    if (item == items.end())
      fail("`" + path + "` has " + std::to_string(items.size()) + " items, and `" + path + "." +
               member.name + "` names none of them",
           {});
    else if (member.value)
      fail("`" + path + "." + member.name + "` is an item of `" + path +
               "`, which an instantiation names as a whole: write it there",
           {});
    else
      item->members = member.members;
  }
  for (size_t k = 0; k < items.size(); ++k)
    list.items[k] = valueOf(items[k], path + "." + items[k].name, at, fail);
  return list;
}

/// The value that a request gives a parameter or a member.
Value valueOf(const Given &given, const std::string &path, SourceRange at, const Fail &fail) {
  if (given.value && given.value->kind == Value::Alias) {
    if (!given.members.empty())
      fail("`" + path + "` is the object of `" + given.value->text + "`, so `" + path + "." +
               given.members[0].name + "` is named there, as `" + given.value->text + "." +
               given.members[0].name + "`",
           {});
    return *given.value;
  }
  if (given.members.size() == 1 && given.members[0].name == "grad" &&
      isArray(given.members[0].value) && (!given.value || isArray(given.value)))
    return withGradient(given, path, fail);
  if (const auto container = classOf(given.value, StructType::Container);
      container && !given.members.empty()) {
    // All members of the class; those that the request does not name are poison.
    Value value = Value::ofStruct(container, std::vector<Value>(container->members.size()));
    for (const Given &member : given.members)
      if (const std::optional<size_t> k = container->find(member.name))
        value.items[*k] = valueOf(member, path + "." + member.name, at, fail);
      else
        fail("`" + container->name + "` has no member `" + member.name + "`, which `" + path + "." +
                 member.name + "` names",
             nearestName({}, member.name, namesOf(container->members)));
    return value;
  }
  if (given.value && given.value->kind == Value::Tuple)
    return listOf(given, path, at, fail);
  const auto object = classOf(given.value, StructType::Object);
  return object || !given.members.empty() ? objectOf(given, object, path, at, fail) : *given.value;
}

/// Makes the methods in a list those of the object that holds the list.
void bindMethods(Value &value, const StructType &type, const std::string &path) {
  if (value.kind == Value::Tuple)
    for (Value &item : value.items)
      bindMethods(item, type, path);
  else if (isMethodOf(type, value)) {
    value.kind = Value::Alias;
    value.text = path;
  }
}

/// An object with the members that a request names.
/// \param path of the object: "self.solver"; empty for what holds the parameters
Value objectOf(const Given &given, const std::shared_ptr<const StructType> &type,
               const std::string &path, SourceRange at, const Fail &fail) {
  auto own = std::make_shared<StructType>(type ? *type : StructType());
  if (!type) {
    own->name = path;
    own->at = at;
  }
  own->kind = StructType::Object;
  own->members.clear();
  Value object = Value::ofStruct(own, {});
  object.text = path;
  for (const Given &member : given.members) {
    const std::string name = path.empty() ? member.name : path + "." + member.name;
    Value value = valueOf(member, name, at, fail);
    nameFields(value, own->at, type ? own->name + "." + member.name : name);
    if (type && value.kind == Value::Tuple)
      bindMethods(value, *type, path);
    StructMember declared;
    declared.name = member.name;
    declared.type = value.type;
    own->members.push_back(std::move(declared));
    object.items.push_back(std::move(value));
  }
  return object;
}

/// True if a value of a request is the path of an object that the request names, too:
/// "self.solver=Solver, self.wall.solver=self.solver". A parameter itself is not an alias.
bool isAlias(const KernelDef &kernel, const Request &request, const std::string &name,
             const std::string &text) {
  const auto isPathLetter = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  const std::string root = text.substr(0, text.find('.'));
  const auto &parameters = kernel.function.parameters;
  return name.find('.') != std::string::npos && std::ranges::all_of(text, isPathLetter) &&
         std::ranges::find(parameters, root, &ast::Parameter::name) != parameters.end() &&
         std::ranges::any_of(request.values, [&](const auto &value) {
           return value.first.starts_with(root + ".");
         });
}

/// The path that `self.solver.step` or `self.forces[0]` is, or an empty text.
std::string pathOf(const ast::Expr &expr) {
  if (auto *name = std::get_if<ast::Name>(&expr.node))
    return std::string(name->id);
  std::string outer, last;
  if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
    outer = pathOf(*attribute->value);
    last = attribute->name;
  } else if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    auto *index = std::get_if<ast::IntLit>(&subscript->index->node);
    outer = index ? pathOf(*subscript->value) : "";
    last = index ? std::to_string(index->value) : "";
  }
  return outer.empty() ? outer : outer + "." + last;
}

/// The aliases of a request: name and path.
using Aliases = std::vector<std::pair<std::string, std::string>>;

/// Reads the value of one name of a request.
struct Reader {
  Context &host;
  const KernelDef &kernel;
  const Request &request;
  const std::string &name;
  Aliases &aliases;
  std::string &problem;

  Value fromText(const std::string &text) {
    if (isAlias(kernel, request, name, text)) // `self.forces.0` is not an expression
      return alias(text);
    const ast::Expr *expr = host.program.parseText(text, problem);
    return expr ? fromExpr(*expr) : Value();
  }

  /// Python's `int` and `float` are types here. `dtype(qd.f32)` is that type as a constant, where
  /// `qd.f32` means a number that launches pass. Items of lists are values of the same kinds.
  Value fromExpr(const ast::Expr &expr) {
    if (std::string path = pathOf(expr); isAlias(kernel, request, name, path))
      return alias(std::move(path));
    if (const auto *items = itemsOf(expr))
      return listOf(*items, std::holds_alternative<ast::ListExpr>(expr.node));
    if (auto *call = std::get_if<ast::Call>(&expr.node)) {
      auto *callee = std::get_if<ast::Name>(&call->callee->node);
      if (callee && callee->id == "dtype" && call->args.size() == 1 && call->keywords.empty())
        return itself(fromExpr(*call->args[0]));
    }
    Value value = evalOption(host, expr, *host.program.main, problem);
    const std::string_view builtin = value.kind == Value::Builtin ? value.builtin->name : "";
    if (builtin != "py.int" && builtin != "py.float")
      return value;
    ElementType element;
    element.type = builtin == "py.int" ? host.options.defaultInt : host.options.defaultFloat;
    return Value::ofElement(element);
  }

private:
  Value alias(std::string path) {
    aliases.emplace_back(name, path);
    return Value::of(Value::Alias, &Value::text, std::move(path));
  }

  /// The items of a list or a tuple that is written out; null for other expressions.
  static const std::vector<ast::ExprPtr> *itemsOf(const ast::Expr &expr) {
    auto *items = ast::elementsOf(expr);
    return items && std::ranges::none_of(*items, ast::isStarred) ? items : nullptr;
  }

  Value listOf(const std::vector<ast::ExprPtr> &items, bool isList) {
    Value list = Value::tuple({});
    list.isList = isList;
    for (const ast::ExprPtr &item : items) {
      Value value = fromExpr(*item);
      if (value.isPoison())
        return value;
      list.items.push_back(std::move(value));
    }
    return list;
  }

  Value itself(Value type) {
    if (!type.isPoison() && !isElementType(type)) {
      problem = "`dtype(...)` takes a type of numbers, vectors or matrices";
      return Value();
    }
    type.type.isItself = true;
    return type;
  }
};

/// Reports aliases whose path is not an object of the request, or is an alias itself.
void checkAliases(const Request &request, const Bound &bound, const Aliases &aliases,
                  const Fail &fail) {
  for (const auto &[name, path] : aliases) {
    const std::string root = path.substr(0, path.find('.'));
    bool isThere = false;
    for (const auto &[parameter, value] : bound)
      if (parameter == root) {
        const std::string_view rest =
            std::string_view(path).substr(std::min(path.size(), root.size() + 1));
        const Value *object = valueAt(value, rest);
        isThere = object ? object->kind == Value::Struct : methodAt(value, rest).has_value();
      }
    if (!isThere)
      fail("`" + name + "` is to be the object of `" + path + "`, and an instantiation of `" +
               request.kernel + "` names no object there, and no method of one",
           {});
  }
}

} // namespace

std::optional<Bound> valuesOf(Context &host, const KernelDef &kernel, const Request &request) {
  Given given;
  Aliases aliases;
  bool ok = true;
  auto fail = [&](std::string message, Fix fix = {}) {
    host.program.sink->error(kernel.function.nameAt, Problem::RequestWrong, std::move(message),
                             std::move(fix));
    ok = false;
  };
  if (kernel.self && !kernel.function.parameters.empty())
    given.at(kernel.function.parameters[0].name);
  for (const auto &[name, text] : request.values) {
    const std::string root = name.substr(0, name.find('.'));
    bool exists = false;
    for (const ast::Parameter &parameter : kernel.function.parameters)
      exists |= parameter.name == root;
    if (!exists) {
      fail("`" + request.kernel + "` has no parameter `" + root + "`, which an instantiation names",
           nearestName({}, root, namesOf(kernel.function)));
      continue;
    }
    std::string problem;
    Value value = Reader{host, kernel, request, name, aliases, problem}.fromText(text);
    if (value.isPoison()) {
      fail("the value `" + text + "` for `" + name + "` in an instantiation of `" + request.kernel +
           "` means nothing: " + problem);
      continue;
    }
    Given *at = &given.at(root);
    for (size_t from = root.size(); from < name.size();) {
      const size_t to = std::min(name.find('.', from + 1), name.size());
      at = &at->at(std::string_view(name).substr(from + 1, to - from - 1));
      from = to;
    }
    if (at->value)
      fail("`" + name + "` has two values in an instantiation of `" + request.kernel + "`");
    at->value = std::move(value);
  }
  if (!ok)
    return std::nullopt;
  Bound bound;
  // Parameters are objects in the same way as members are.
  const SourceRange at = kernel.function.nameAt;
  for (size_t k = 0; k < given.members.size(); ++k) {
    const Given &parameter = given.members[k];
    const bool isSelf = k == 0 && kernel.self;
    bound.emplace_back(
        parameter.name,
        isSelf ? objectOf(parameter, kernel.self, parameter.name, at, fail)
               : objectOf({"", std::nullopt, {parameter}}, nullptr, "", at, fail).items[0]);
  }
  checkAliases(request, bound, aliases, fail);
  if (!ok)
    return std::nullopt;
  return bound;
}
} // namespace sextant::sema
