// All kernels of a file: finds them and the requested instances, and runs each in turn.
#include "frontend/sema/Sema.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/kernels/Dispatch.h"
#include "frontend/sema/kernels/HostCalls.h"
#include "frontend/sema/kernels/Instantiate.h"
#include "frontend/sema/kernels/Marks.h"
#include "frontend/sema/kernels/RequestValues.h"
#include "frontend/sema/kernels/Requests.h"
#include "frontend/syntax/Docstring.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace sextant::sema {

namespace {

/// The meaning of an instance's name.
struct Instance {
  const ast::FunctionDef *function = nullptr;
  std::string key; ///< the values of its parameters, as a text
  std::string request;
};

struct Analysis {
  Program &program;
  Context host; ///< evaluates outside of kernels
  std::vector<Request> requests;
  std::vector<bool> used;                    ///< for each request, true if a kernel has its name
  std::map<std::string, Instance> instances; ///< the built instances, by name
  std::vector<Dispatch> dispatches;
  std::vector<HostObject> objects; ///< that host code makes
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
bool isOpen(Analysis &all, const KernelDef &kernel, const ast::Parameter &parameter) {
  if (parameter.kind == ast::Parameter::VarArgs || parameter.kind == ast::Parameter::KwArgs)
    return false; // no value helps: the analysis refuses it
  if (parameter.defaultValue)
    return false;
  if (!parameter.annotation)
    return true;
  const Quietly quiet(all.host); // annotations are checked when the kernel is built
  TypeValue type;
  if (!hostAnnotation(all.host, *parameter.annotation, kernel.module, type))
    return false;
  return type.kind == TypeValue::Template ||
         (type.kind == TypeValue::NdArray && (!type.elementKnown || type.ndim < 0));
}

/// "scan_i32", and "scan_i32_grad" for the gradient of the same.
std::string instanceOf(const KernelDef &kernel, const Bound &bound) {
  const bool isDerivative = kernel.derivative != Derivative::None;
  std::string instance = isDerivative ? primalOf(kernel.name) : kernel.name;
  std::replace(instance.begin(), instance.end(), '.', '_');
  for (const ast::Parameter &parameter : kernel.function.parameters)
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        if (const std::string part = nameOf(value); !part.empty())
          instance += "_" + part;
  if (isDerivative)
    instance += kernel.derivative == Derivative::Reverse ? "_grad" : "_dual";
  return instance;
}

void runImplementations(Analysis &all, const KernelDef &kernel, const Bound &bound,
                        const std::string &instance) {
  std::vector<hir::Kernel> made;
  std::vector<SourceRange> places;
  for (const ast::FunctionDef *function : kernel.dispatch->implementations) {
    Context cx(all.program);
    std::optional<hir::Kernel> one =
        run(cx, *function, kernel.module, bound, kernel.name, instance, kernel.derivative);
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
  std::string key = kernel.derivative == Derivative::None ? "" : kernel.name + ";";
  for (const ast::Parameter &parameter : kernel.function.parameters) // in their order
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        key += name + "=" + keyOf(value) + ";";
  const auto [known, isNew] =
      all.instances.try_emplace(instance, Instance{&kernel.function, key, request});
  const bool isSame = known->second.function == &kernel.function && known->second.key == key;
  if (isSame && asked && all.program.options.onRequest)
    all.program.options.onRequest(instance, *asked);
  if (!isNew) { // two requests may mean one instance
    if (isSame)
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
  const About about(all.sink(), instance);
  if (kernel.dispatch) {
    runImplementations(all, kernel, bound, instance);
    return all.tellReads(instance);
  }
  Context cx(all.program);
  std::optional<hir::Kernel> made =
      run(cx, kernel.function, kernel.module, bound, kernel.name, instance, kernel.derivative);
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
      bound = valuesOf(all.host, kernel, request);
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
  all.sink().warning(at, Warning::UninstantiatedKernel, "`" + kernel.name + "` " + std::move(why),
                     std::move(fix));
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
    const bool isFine =
        run(cx, kernel.function, kernel.module, bound, kernel.name, kernel.name).has_value();
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
/// \param object that host code makes; null: it makes none
std::string methodFix(const Analysis &all, const KernelDef &kernel,
                      const std::vector<const ast::Parameter *> &open, const HostObject *object) {
  const std::string self(kernel.function.parameters[0].name);
  std::string values = object ? spellMembers(object->object, self) : "";
  if (values.empty())
    values = self + ".member=...";
  for (const ast::Parameter *parameter : open)
    values += ", " + std::string(parameter->name) + "=...";
  const bool isOther = object && object->object.type.structure->module != all.program.main;
  const std::string file = isOther ? kernel.self->module->ast->file->path() : "";
  const std::string request = "'" + (isOther ? file + ":" : "") + kernel.name + "[" + values + "]'";
  if (isOther)
    return "compile '" + file + "' with this file, and name an instance there, as in --kernel " +
           request;
  return open.empty() && !object ? "name it, as in --kernel '" + kernel.name +
                                       "', or with what its object has, " + request
                                 : "name one, as in --kernel " + request;
}

bool inherits(const StructType &type, const StructType &base) {
  return type.definition == base.definition ||
         std::ranges::any_of(type.bases, [&](const auto &each) { return inherits(*each, base); });
}

/// Why an object that host code makes is not enough to build the kernel: a member that it reads is
/// not known. Empty: it is enough, or other errors say why not.
std::string lackOf(Analysis &all, const KernelDef &kernel, const Bound &bound) {
  Context cx(all.program);
  const Quietly quiet(cx);
  run(cx, kernel.function, kernel.module, bound, kernel.name, kernel.name);
  for (const Diagnostic &diagnostic : quiet.diagnostics())
    if (diagnostic.problem == Problem::MemberWithoutValue)
      return diagnostic.message;
  return {};
}

/// True if some member of the object has no value.
bool lacks(const Value &value) {
  return value.kind == Value::Absent || std::ranges::any_of(value.items, lacks);
}

/// Builds a method for the objects of its class that host code makes. Returns false if it makes
/// none.
bool buildMade(Analysis &all, const KernelDef &kernel,
               const std::vector<const ast::Parameter *> &open) {
  const std::string self(kernel.function.parameters[0].name);
  const std::set<std::string> before = all.program.reads;
  bool isMade = false;
  for (const HostObject &made : all.objects) {
    isMade |= inherits(*made.object.type.structure, *kernel.self);
    if (made.object.type.structure->definition != kernel.self->definition)
      continue; // its class inherits this one, and builds the method itself
    all.program.reads.insert(made.reads.begin(), made.reads.end());
    const std::set<std::string> withObject = all.program.reads;
    const Bound bound{{self, made.object}};
    const std::string name = made.name + "_" + std::string(kernel.function.name);
    std::string lack = made.isOther         ? "another object of this name is made otherwise"
                       : !open.empty()      ? "it has template or untyped parameters"
                       : lacks(made.object) ? lackOf(all, kernel, bound)
                                            : "";
    all.program.reads = withObject;
    if (lack.empty())
      build(all, kernel, bound, name, name, name);
    else
      warnNotBuilt(all, kernel, made.at, "is not built for this object: " + lack,
                   methodFix(all, kernel, open, &made));
    all.program.reads = before;
  }
  return isMade;
}

/// The parameters that need values, but for `self`.
std::vector<const ast::Parameter *> openOf(Analysis &all, const KernelDef &kernel) {
  std::vector<const ast::Parameter *> open;
  for (const ast::Parameter &parameter : kernel.function.parameters)
    if (!(kernel.self && &parameter == &kernel.function.parameters[0]) &&
        isOpen(all, kernel, parameter))
      open.push_back(&parameter);
  return open;
}

void buildOrWarn(Analysis &all, const KernelDef &kernel) {
  const std::set<std::string> before = all.program.reads;
  const std::vector<const ast::Parameter *> open = openOf(all, kernel);
  const bool isNamed = std::ranges::any_of(
      all.requests, [&](const Request &request) { return request.kernel == kernel.name; });
  const SourceRange at = kernel.function.nameAt;
  KernelDef adjoint = kernel, tangent = kernel;
  adjoint.name += ".grad", adjoint.derivative = Derivative::Reverse;
  tangent.name += ".dual", tangent.derivative = Derivative::Forward;
  const bool isRequested = buildRequested(all, kernel);
  const bool isDerived = buildRequested(all, adjoint), isAlong = buildRequested(all, tangent);
  if ((isDerived || isAlong) && !isRequested && (kernel.self || !open.empty()))
    return; // only its derivative is wanted
  if (!isRequested && open.empty() && !kernel.self)
    build(all, kernel, {}, instanceOf(kernel, {}), kernel.name, kernel.name);
  else if (!isNamed && kernel.self) {
    if (!buildMade(all, kernel, open))
      warnNotBuilt(all, kernel, at, "is a method and is not built: no instantiation names it",
                   methodFix(all, kernel, open, nullptr));
  } else if (!isNamed && !buildCalled(all, kernel, open))
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
  ModuleScope &module = *all.program.main;
  const auto &names = module.names;
  if (auto it = names.find(function.name); it == names.end() || it->second.stmt != &stmt) {
    // As in Python, the name means its last binding.
    all.sink().warning(function.nameAt, Warning::RedefinedKernel,
                       "this kernel is not built: `" + std::string(function.name) +
                           "` is defined again further down",
                       "give one of them another name");
    return;
  }
  for (const Dispatch &dispatch : all.dispatches)
    if (dispatch.prototype == &function)
      return buildOrWarn(all, {function, module, std::string(function.name), nullptr, &dispatch});
    else if (dispatch.has(function)) // the prototype's name is its own
      return refuseRequests(all, function, dispatch);
  if (isDecorated(function, module, "kernel"))
    buildOrWarn(all, {function, module, std::string(function.name), nullptr});
}

/// Visits the methods that are kernels, those of base classes under the name of this class too.
void forEachMethod(const std::shared_ptr<const StructType> &type,
                   const std::function<void(const KernelDef &, bool isOwn)> &visit) {
  std::set<std::string_view> seen;
  std::function<void(const StructType &, bool)> walk = [&](const StructType &from, bool isOwn) {
    if (from.definition)
      for (const ast::StmtPtr &stmt : from.definition->body)
        if (auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
            function && seen.insert(function->name).second &&
            isDecorated(*function, *from.module, "kernel"))
          visit({*function, *from.module, type->name + "." + std::string(function->name),
                 isStaticMethod(*function) ? nullptr : type},
                isOwn);
    for (const auto &base : from.bases)
      walk(*base, false);
  };
  walk(*type, true);
}

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
  forEachMethod(value->type.structure, [&](const KernelDef &kernel, bool isOwn) {
    if (isOwn)
      buildOrWarn(all, kernel);
    else if (!buildRequested(all, kernel) && kernel.self)
      buildMade(all, kernel, openOf(all, kernel));
  });
}

/// Builds the methods of classes of other files for the objects that this one makes.
void buildMethodsOfOthers(Analysis &all) {
  std::set<const ast::ClassDef *> seen;
  for (const HostObject &made : all.objects) {
    const std::shared_ptr<const StructType> &type = made.object.type.structure;
    if (type->module == all.program.main || !seen.insert(type->definition).second)
      continue;
    all.program.reads.clear();
    forEachMethod(type, [&](const KernelDef &kernel, bool) {
      if (kernel.self)
        buildMade(all, kernel, openOf(all, kernel));
    });
  }
}

} // namespace
} // namespace sextant::sema

namespace sextant {

std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink) {
  sema::Program program(module, options, sink, sema::BuiltinTable(sema::builtinRows()));
  sema::Analysis all{program, sema::Context(program), {}, {}, {}, {}, {}, {}};
  readRequests(all);
  all.objects = hostObjects(all.host);
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
  buildMethodsOfOthers(all);
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
  sema::Program program(module, options, unused, sema::BuiltinTable(sema::builtinRows()));
  sema::Context host(program);
  const sema::Value value = sema::evalText(host, text, *program.main, problem);
  if (value.kind == sema::Value::Bool)
    return value.integer != 0;
  if (!value.isPoison())
    problem = "it is neither true nor false";
  return std::nullopt;
}

} // namespace sextant
