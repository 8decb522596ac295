// All kernels of a file: finds them and the requested instances, and runs each in turn.
#include "frontend/sema/Sema.h"
#include "frontend/sema/Dispatch.h"
#include "frontend/sema/HostCalls.h"
#include "frontend/sema/Instantiate.h"
#include "frontend/sema/Marks.h"
#include "frontend/sema/Requests.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/values/Struct.h"
#include "frontend/syntax/Docstring.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace sextant::sema {

namespace {

using Bound = std::vector<std::pair<std::string, Value>>;

/// What a name of an instance stands for.
struct Instance {
  const ast::FunctionDef *function = nullptr;
  std::string key; ///< of the values
  std::string request;
};

struct Analysis {
  Program &program;
  Context host; ///< evaluates outside of kernels
  std::vector<Request> requests;
  std::vector<bool> used;                    ///< by request
  std::map<std::string, Instance> instances; ///< by name
  std::vector<Dispatch> dispatches;
  std::vector<hir::Kernel> kernels;

  DiagnosticSink &sink() { return *program.sink; }
  /// Tells what the analysis of an instance has read, with what was read before it.
  void tellReads(const std::string &instance) {
    if (program.options.onReads)
      program.options.onReads(instance, program.reads);
  }
  void lost(const std::string &instance, const std::string &implementation = {}) {
    if (program.options.onLost)
      program.options.onLost(instance, implementation);
  }
};

/// Diagnostics of a scope are about one kernel.
class About {
public:
  About(DiagnosticSink &sink, const std::string &instance) : sink(sink) {
    sink.setKernel(instance);
  }
  ~About() { sink.setKernel({}); }
  About(const About &) = delete;

private:
  DiagnosticSink &sink;
};

void readRequests(Analysis &all) {
  for (const std::string &text : all.program.options.instantiations) {
    const Request &request = all.requests.emplace_back(parseRequest(text));
    if (request.problem.empty())
      continue;
    const About about(all.sink(), request.wanted());
    all.sink().error({}, Problem::RequestUnreadable,
                     "the instantiation `" + text + "` cannot be read: " + request.problem,
                     "write it as kernel[parameter=value, ...], or kernel[...] as name");
    all.lost(request.wanted());
  }
  all.used.resize(all.requests.size());
}

/// Returns true if a kernel cannot be built before the parameter gets a value or a type.
bool isOpen(Analysis &all, const ast::Parameter &parameter) {
  if (parameter.kind == ast::Parameter::VarArgs || parameter.kind == ast::Parameter::KwArgs)
    return false; // no value helps: the analysis refuses it
  if (parameter.defaultValue)
    return false;
  if (!parameter.annotation)
    return true;
  const Quietly quiet(all.host); // annotations are checked when the kernel is built
  TypeValue type;
  if (!hostAnnotation(all.host, *parameter.annotation, *all.program.main, type))
    return false;
  return type.kind == TypeValue::Template ||
         (type.kind == TypeValue::NdArray && (!type.elementKnown || type.ndim < 0));
}

/// Evaluates a request's value. Python's `int` and `float` are types here. `dtype(qd.f32)` is that
/// type as a constant, where `qd.f32` means a number that launches pass.
Value requestedValue(Analysis &all, const std::string &text, std::string &problem) {
  const SemaOptions &options = all.program.options;
  constexpr std::string_view itself = "dtype(";
  if (text.starts_with(itself) && text.ends_with(")")) {
    Value type =
        requestedValue(all, text.substr(itself.size(), text.size() - itself.size() - 1), problem);
    if (type.isPoison())
      return type;
    if (!isElementType(type)) {
      problem = "`dtype(...)` takes a type of numbers, vectors or matrices";
      return Value();
    }
    type.type.isItself = true;
    return type;
  }
  Value value = evalText(all.host, text, *all.program.main, problem);
  if (value.kind != Value::Builtin)
    return value;
  const std::string_view name = value.builtin->name;
  ElementType element;
  if (name == "py.int")
    element.type = options.defaultInt;
  else if (name == "py.float")
    element.type = options.defaultFloat;
  else
    return value;
  return Value::ofElement(element);
}

/// A kernel of the file.
struct KernelDef {
  const ast::FunctionDef &function;       ///< whose parameters it has
  std::string name;                       ///< "step", or "Simulation.step" for a method
  std::shared_ptr<const StructType> self; ///< a method's class
  const Dispatch *dispatch = nullptr;     ///< null: the function is all of its code
};

/// Reports what is wrong with a request.
using Fail = std::function<void(std::string)>;

/// What a request says about a parameter: its value, and those of its members.
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
         "`, which an instantiation names otherwise");
    return array;
  }
  if (array.kind == Value::Array) {
    array.array->gradient = gradient.array;
    linkGradients(*array.array);
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
           member.name + "` names none of them");
    else if (member.value)
      fail("`" + path + "." + member.name + "` is an item of `" + path +
           "`, which an instantiation names as a whole: write it there");
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
           given.members[0].name + "`");
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
             member.name + "` names");
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
    if (value.kind == Value::Array && value.array->name.empty()) { // a field of this class
      value.array->at = own->at;
      nameArray(*value.array, type ? own->name + "." + member.name : name);
    }
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
/// "self.solver=Solver, self.wall.solver=self.solver". Parameters are no aliases of others.
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

/// The path that `self.solver.step` is, or an empty text.
std::string pathOf(const ast::Expr &expr) {
  if (auto *name = std::get_if<ast::Name>(&expr.node))
    return std::string(name->id);
  auto *attribute = std::get_if<ast::Attribute>(&expr.node);
  const std::string outer = attribute ? pathOf(*attribute->value) : "";
  return outer.empty() ? outer : outer + "." + std::string(attribute->name);
}

/// The aliases of a request: name and path.
using Aliases = std::vector<std::pair<std::string, std::string>>;

/// A list with aliases, `self.steps=[self.a.step, self.b.step]`; nothing if the text is another
/// one.
std::optional<Value> listWithAliases(Analysis &all, const KernelDef &kernel, const Request &request,
                                     const std::string &name, const std::string &text,
                                     Aliases &aliases, std::string &problem) {
  const ast::Expr *expr = all.program.parseText(text, problem);
  auto *list = expr ? std::get_if<ast::ListExpr>(&expr->node) : nullptr;
  const auto isPath = [&](const ast::ExprPtr &item) {
    return isAlias(kernel, request, name, pathOf(*item));
  };
  if (!list || std::ranges::none_of(list->elements, isPath))
    return std::nullopt;
  Value value = Value::tuple({});
  value.isList = true;
  const Quietly quiet(all.host);
  for (const ast::ExprPtr &item : list->elements) {
    Value one = Value::of(Value::Alias);
    if (isPath(item)) {
      one.text = pathOf(*item);
      aliases.emplace_back(name, one.text);
    } else {
      one = evalHost(all.host, *item, *all.program.main);
    }
    if (one.isPoison()) {
      problem = quiet.diagnostics()[0].message;
      return one;
    }
    value.items.push_back(std::move(one));
  }
  return value;
}

/// Reports aliases of what is no object of the request, or is an alias itself.
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
           request.kernel + "` names no object there, and no method of one");
  }
}

/// The result is absent after an error.
std::optional<Bound> valuesOf(Analysis &all, const KernelDef &kernel, const Request &request) {
  Given given;
  Aliases aliases;
  bool ok = true;
  auto fail = [&](std::string message, Fix fix = {}) {
    all.sink().error(kernel.function.nameAt, Problem::RequestWrong, std::move(message),
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
    Value value;
    if (isAlias(kernel, request, name, text)) {
      value = Value::of(Value::Alias);
      value.text = text;
      aliases.emplace_back(name, text);
    } else {
      auto list = listWithAliases(all, kernel, request, name, text, aliases, problem);
      value = list ? std::move(*list) : requestedValue(all, text, problem);
    }
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

std::string instanceOf(const KernelDef &kernel, const Bound &bound) {
  std::string instance = kernel.name;
  std::replace(instance.begin(), instance.end(), '.', '_');
  for (const ast::Parameter &parameter : kernel.function.parameters)
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        if (const std::string part = nameOf(value); !part.empty())
          instance += "_" + part;
  return instance;
}

void runImplementations(Analysis &all, const KernelDef &kernel, const Bound &bound,
                        const std::string &instance) {
  std::vector<hir::Kernel> made;
  std::vector<SourceRange> places;
  for (const ast::FunctionDef *function : kernel.dispatch->implementations) {
    Context cx(all.program);
    std::optional<hir::Kernel> one = run(cx, *function, bound, kernel.name, instance);
    if (!one) {
      all.lost(instance, std::string(function->name));
      continue;
    }
    one->implementation = function->name;
    one->isAlternative = function != kernel.dispatch->implementations.front();
    if (std::string doc = docstringOf(kernel.function); !doc.empty())
      one->doc = std::move(doc);
    made.push_back(std::move(*one));
    places.push_back(function->nameAt);
  }
  const unsigned before = all.sink().errorCount();
  checkAgreement(all.host, made, places);
  if (all.sink().errorCount() != before)
    all.lost(instance);
  std::move(made.begin(), made.end(), std::back_inserter(all.kernels));
}

/// \param request what asks for the instance
/// \param asked the parts of `request`; null: a kernel that needs none
/// \param wanted what is lost if another instance has the name
void build(Analysis &all, const KernelDef &kernel, const Bound &bound, const std::string &instance,
           const std::string &request, const std::string &wanted, const Request *asked = nullptr) {
  std::string key;
  for (const ast::Parameter &parameter : kernel.function.parameters) // in their order
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        key += name + "=" + keyOf(value) + ";";
  const auto [known, isNew] =
      all.instances.try_emplace(instance, Instance{&kernel.function, key, request});
  if (!isNew) { // two requests may mean one instance
    if (known->second.function == &kernel.function && known->second.key == key)
      return;
    const About about(all.sink(), wanted);
    if (known->second.function != &kernel.function)
      all.sink().error(kernel.function.nameAt, Problem::InstanceNameTaken,
                       "two kernels have an instance `" + instance + "`: `" +
                           std::string(known->second.function->name) + "` and `" + kernel.name +
                           "`",
                       "rename one of the kernels");
    else
      all.sink().error(kernel.function.nameAt, Problem::InstanceNameTaken,
                       "two instances of `" + kernel.name + "` would have the name `" + instance +
                           "`: `" + known->second.request + "` and `" + request + "`",
                       "name one of them, as in --kernel '" + kernel.name + "[...] as NAME'");
    all.lost(wanted);
    return;
  }
  if (all.program.options.onKernel)
    all.program.options.onKernel(instance);
  if (asked && all.program.options.onRequest)
    all.program.options.onRequest(instance, *asked);
  const About about(all.sink(), instance);
  if (kernel.dispatch) {
    runImplementations(all, kernel, bound, instance);
    return all.tellReads(instance);
  }
  Context cx(all.program);
  std::optional<hir::Kernel> made = run(cx, kernel.function, bound, kernel.name, instance);
  all.tellReads(instance);
  if (made)
    all.kernels.push_back(std::move(*made));
  else {
    all.lost(instance);
    if (all.sink().hasErrors())
      return;
    all.sink().error(kernel.function.nameAt, Problem::InternalKernelLost,
                     "`" + instance + "` is not built, and no error says why",
                     "this is a fault of the compiler");
  }
}

/// Builds the requested instances. Returns false if no readable request asks for the kernel.
bool buildRequested(Analysis &all, const KernelDef &kernel) {
  bool isRequested = false;
  const std::set<std::string> before = all.program.reads;
  for (size_t r = 0; r < all.requests.size(); ++r) {
    const Request &request = all.requests[r];
    if (request.kernel != kernel.name)
      continue;
    all.used[r] = true;
    if (!request.problem.empty())
      continue;
    isRequested = true;
    all.program.reads = before;
    std::optional<Bound> bound;
    {
      const About about(all.sink(), request.wanted());
      bound = valuesOf(all, kernel, request);
    }
    if (bound)
      build(all, kernel, *bound,
            request.instance.empty() ? instanceOf(kernel, *bound) : request.instance, request.text,
            request.wanted(), &request);
    else
      all.lost(request.wanted());
  }
  return isRequested;
}

void warnNotBuilt(Analysis &all, const KernelDef &kernel, SourceRange at, std::string why,
                  std::string fix) {
  all.sink().warning(at, "`" + kernel.name + "` " + std::move(why), std::move(fix),
                     "uninstantiated-kernel");
}

/// A request with fields of the file for all of these parameters, which can be built; or one with
/// places to fill in.
std::string requestFor(Analysis &all, const KernelDef &kernel,
                       const std::vector<const ast::Parameter *> &open) {
  constexpr size_t mostTries = 64;
  const std::set<std::string> before = all.program.reads;
  const auto fields = fieldsOf(all.host);
  size_t choices = fields.empty() ? 0 : 1;
  for (size_t k = 0; k < open.size(); ++k)
    choices = std::min(choices * fields.size(), mostTries);
  auto spelled = [&](std::optional<size_t> choice) {
    std::string values;
    for (const ast::Parameter *parameter : open) {
      values += (values.empty() ? "" : ", ") + std::string(parameter->name) + "=" +
                (choice ? fields[*choice % fields.size()].first : "...");
      choice = choice ? std::optional(*choice / fields.size()) : choice;
    }
    return kernel.name + "[" + values + "]";
  };
  for (size_t choice = 0; choice < choices; ++choice) {
    Bound bound;
    size_t rest = choice;
    for (const ast::Parameter *parameter : open) {
      bound.emplace_back(parameter->name, fields[rest % fields.size()].second);
      rest /= fields.size();
    }
    Context cx(all.program);
    const Quietly quiet(cx);
    const bool isFine = run(cx, kernel.function, bound, kernel.name, kernel.name).has_value();
    all.program.reads = before;
    if (isFine && !quiet.hasErrors())
      return spelled(choice);
  }
  return spelled(std::nullopt);
}

/// Builds what the file's host code calls. Returns false if it calls nothing.
bool buildCalled(Analysis &all, const KernelDef &kernel,
                 const std::vector<const ast::Parameter *> &open) {
  const std::set<std::string> before = all.program.reads;
  const std::vector<HostInstance> calls = hostInstances(all.host, kernel.function, open);
  for (const HostInstance &call : calls) {
    if (call.isKnown)
      build(all, kernel, call.bound, call.name, call.request, call.request);
    else
      warnNotBuilt(all, kernel, call.at,
                   "is not built for this call: host code decides what it passes",
                   "name an instance, as in --kernel '" + call.request + "'");
    all.program.reads = before;
  }
  return !calls.empty();
}

/// How to name an instance of a method.
std::string methodFix(const KernelDef &kernel, const std::vector<const ast::Parameter *> &open) {
  std::string values = std::string(kernel.function.parameters[0].name) + ".member=...";
  for (const ast::Parameter *parameter : open)
    values += ", " + std::string(parameter->name) + "=...";
  const std::string request = "'" + kernel.name + "[" + values + "]'";
  return open.empty() ? "name it, as in --kernel '" + kernel.name +
                            "', or with what its object has, " + request
                      : "name one, as in --kernel " + request;
}

void buildOrWarn(Analysis &all, const KernelDef &kernel) {
  const std::set<std::string> before = all.program.reads;
  std::vector<const ast::Parameter *> open;
  for (const ast::Parameter &parameter : kernel.function.parameters)
    if (!(kernel.self && &parameter == &kernel.function.parameters[0]) && isOpen(all, parameter))
      open.push_back(&parameter);
  const bool isNamed = std::ranges::any_of(
      all.requests, [&](const Request &request) { return request.kernel == kernel.name; });
  const SourceRange at = kernel.function.nameAt;
  const bool isRequested = buildRequested(all, kernel);
  if (!isRequested && open.empty() && !kernel.self)
    build(all, kernel, {}, instanceOf(kernel, {}), kernel.name, kernel.name);
  else if (!isNamed && kernel.self)
    warnNotBuilt(all, kernel, at, "is a method and is not built: no instantiation names it",
                 methodFix(kernel, open));
  else if (!isNamed && !buildCalled(all, kernel, open))
    warnNotBuilt(all, kernel, at,
                 "has template or untyped parameters and is not built: no instantiation names it",
                 "name one, as in --kernel '" + requestFor(all, kernel, open) + "'");
  all.program.reads = before;
}

/// An implementation has no instances of its own.
void refuseRequests(Analysis &all, const ast::FunctionDef &function, const Dispatch &dispatch) {
  for (size_t r = 0; r < all.requests.size(); ++r)
    if (all.requests[r].kernel == function.name) {
      const About about(all.sink(), all.requests[r].wanted());
      all.used[r] = true;
      all.lost(all.requests[r].wanted());
      all.sink().error(function.nameAt, Problem::RequestWrong,
                       "an instantiation names `" + std::string(function.name) +
                           "`, which implements `" + std::string(dispatch.prototype->name) + "`",
                       "name `" + std::string(dispatch.prototype->name) + "`");
    }
}

void buildKernel(Analysis &all, const ast::Stmt &stmt, const ast::FunctionDef &function) {
  const auto &names = all.program.main->names;
  if (auto it = names.find(function.name); it == names.end() || it->second.stmt != &stmt) {
    // As in Python, the name means its last binding.
    all.sink().warning(function.nameAt,
                       "this kernel is not built: `" + std::string(function.name) +
                           "` is defined again further down",
                       "give one of them another name", "redefined-kernel");
    return;
  }
  for (const Dispatch &dispatch : all.dispatches)
    if (dispatch.prototype == &function)
      return buildOrWarn(all, {function, std::string(function.name), nullptr, &dispatch});
    else if (dispatch.has(function)) // the prototype's name is its own
      return refuseRequests(all, function, dispatch);
  if (isDecorated(function, *all.program.main, "kernel"))
    buildOrWarn(all, {function, std::string(function.name), nullptr});
}

/// Builds the methods that are kernels, those of base classes under the name of this class too.
void buildMethods(Analysis &all, const ast::ClassDef &definition) {
  const auto &names = all.program.main->names;
  auto it = names.find(definition.name);
  if (it == names.end() || it->second.kind != Definition::Class ||
      &std::get<ast::ClassDef>(it->second.stmt->node) != &definition)
    return;
  const std::optional<Value> value =
      moduleName(all.host, *all.program.main, definition.name, definition.nameAt);
  if (!value || value->kind != Value::Type || value->type.structure->kind != StructType::Object)
    return; // Marks.cpp refuses kernels there
  const std::shared_ptr<const StructType> type = value->type.structure;
  std::set<std::string_view> seen;
  std::function<void(const StructType &, bool)> walk = [&](const StructType &from, bool isOwn) {
    if (from.definition)
      for (const ast::StmtPtr &stmt : from.definition->body)
        if (auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
            function && seen.insert(function->name).second &&
            isDecorated(*function, *from.module, "kernel")) {
          const KernelDef kernel{*function, type->name + "." + std::string(function->name),
                                 isStaticMethod(*function) ? nullptr : type};
          if (isOwn)
            buildOrWarn(all, kernel);
          else
            buildRequested(all, kernel);
        }
    for (const auto &base : from.bases)
      walk(*base, false);
  };
  walk(*type, true);
}

} // namespace
} // namespace sextant::sema

namespace sextant {

std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink) {
  sema::Program program(module, options, sink);
  sema::Analysis all{program, sema::Context(program), {}, {}, {}, {}, {}};
  readRequests(all);
  refuseLostKernels(all.host, *program.main);
  all.dispatches = findDispatches(all.host);
  for (const ast::StmtPtr &stmt : module.body) {
    program.reads.clear();
    if (auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
        function && (sema::isDecorated(*function, *program.main, "kernel") ||
                     sema::isDecorated(*function, *program.main, "perf_dispatch")))
      buildKernel(all, *stmt, *function);
    if (auto *definition = std::get_if<ast::ClassDef>(&stmt->node))
      buildMethods(all, *definition);
  }
  for (size_t r = 0; r < all.requests.size(); ++r)
    if (!all.used[r] && all.requests[r].problem.empty()) {
      const sema::About about(sink, all.requests[r].wanted());
      sink.error({}, Problem::RequestOfUnknownKernel,
                 "the instantiation names a kernel `" + all.requests[r].kernel +
                     "` that the file does not have");
      all.lost(all.requests[r].wanted());
    }
  return std::move(all.kernels);
}

std::optional<bool> evaluateCondition(const ast::Module &module, const SemaOptions &options,
                                      const std::string &text, std::string &problem) {
  DiagnosticSink unused;
  sema::Program program(module, options, unused);
  sema::Context host(program);
  const sema::Value value = sema::evalText(host, text, *program.main, problem);
  if (value.kind == sema::Value::Bool)
    return value.integer != 0;
  if (!value.isPoison())
    problem = "it is neither true nor false";
  return std::nullopt;
}

} // namespace sextant
