// All kernels of a file: finds them and the requested instances, and runs each in turn.
#include "frontend/sema/Sema.h"
#include "frontend/sema/Instantiate.h"
#include "frontend/sema/Marks.h"
#include "frontend/sema/Requests.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Calls.h"

#include <map>

namespace sextant::sema {

namespace {

using Bound = std::vector<std::pair<std::string, Value>>;

struct Analysis {
  Program &program;
  Context host; ///< evaluates outside of kernels
  std::vector<Request> requests;
  std::vector<bool> used;                                    ///< by request
  std::map<std::string, const ast::FunctionDef *> instances; ///< and the kernel of each
  std::vector<hir::Kernel> kernels;

  DiagnosticSink &sink() { return *program.sink; }
};

void readRequests(Analysis &all) {
  for (const std::string &text : all.program.options.instantiations) {
    const Request &request = all.requests.emplace_back(parseRequest(text));
    if (!request.problem.empty())
      all.sink().error({}, Problem::RequestUnreadable,
                       "the instantiation `" + text + "` cannot be read: " + request.problem,
                       "write it as kernel[parameter=value, ...]");
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
  DiagnosticSink quiet; // annotations are checked when the kernel is built
  DiagnosticSink *saved = all.program.sink;
  all.program.sink = &quiet;
  const Value value = evalHost(all.host, *parameter.annotation, *all.program.main);
  all.program.sink = saved;
  if (value.kind == Value::Builtin)
    return !std::string_view(value.builtin->name).starts_with("py.");
  if (value.kind != Value::Type)
    return false;
  const TypeValue &type = value.type;
  return type.kind == TypeValue::Template ||
         (type.kind == TypeValue::NdArray && (!type.elementKnown || type.ndim < 0));
}

/// Evaluates a request's value. Python's `int` and `float` are types here.
Value requestedValue(Analysis &all, const std::string &text, std::string &problem) {
  const SemaOptions &options = all.program.options;
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

/// The result is absent after an error.
std::optional<Bound> valuesOf(Analysis &all, const ast::FunctionDef &function,
                              const Request &request) {
  Bound bound;
  bool ok = true;
  auto fail = [&](std::string message) {
    all.sink().error(function.nameAt, Problem::RequestWrong, std::move(message));
    ok = false;
  };
  for (const auto &[name, text] : request.values) {
    bool exists = false;
    for (const ast::Parameter &parameter : function.parameters)
      exists |= parameter.name == name;
    if (!exists) {
      fail("`" + request.kernel + "` has no parameter `" + name +
           "`, which an instantiation names");
      continue;
    }
    std::string problem;
    Value value = requestedValue(all, text, problem);
    if (value.isPoison())
      fail("the value `" + text + "` for `" + name + "` in an instantiation of `" + request.kernel +
           "` means nothing: " + problem);
    else
      bound.emplace_back(name, std::move(value));
  }
  if (!ok)
    return std::nullopt;
  return bound;
}

std::string instanceOf(const ast::FunctionDef &function, const Bound &bound) {
  std::string instance(function.name);
  for (const ast::Parameter &parameter : function.parameters)
    for (const auto &[name, value] : bound)
      if (name == parameter.name)
        instance += "_" + nameOf(value);
  return instance;
}

void build(Analysis &all, const ast::FunctionDef &function, const Bound &bound,
           const std::string &instance) {
  auto [known, isNew] = all.instances.try_emplace(instance, &function);
  if (!isNew) {
    if (known->second != &function) // two requests may mean one instance
      all.sink().error(function.nameAt, Problem::InstanceNameTaken,
                       "two kernels have an instance `" + instance + "`: `" +
                           std::string(known->second->name) + "` and `" +
                           std::string(function.name) + "`",
                       "rename one of the kernels");
    return;
  }
  if (all.program.options.onKernel)
    all.program.options.onKernel(instance);
  Context cx(all.program);
  if (std::optional<hir::Kernel> kernel = run(cx, function, bound, instance))
    all.kernels.push_back(std::move(*kernel));
}

/// Builds the requested instances. Returns false if no readable request asks for the kernel.
bool buildRequested(Analysis &all, const ast::FunctionDef &function) {
  bool isRequested = false;
  for (size_t r = 0; r < all.requests.size(); ++r) {
    const Request &request = all.requests[r];
    if (request.kernel != function.name)
      continue;
    all.used[r] = true;
    if (!request.problem.empty())
      continue;
    isRequested = true;
    std::optional<Bound> bound = valuesOf(all, function, request);
    if (!bound)
      continue;
    build(all, function, *bound, instanceOf(function, *bound));
  }
  return isRequested;
}

void warnNotBuilt(Analysis &all, const ast::FunctionDef &function,
                  const std::vector<std::string> &open) {
  for (const Request &request : all.requests)
    if (request.kernel == function.name)
      return;
  const std::string name(function.name);
  std::string values;
  for (const std::string &parameter : open)
    values += (values.empty() ? "" : ", ") + parameter + "=...";
  all.sink().warning(function.nameAt,
                     "`" + name +
                         "` has template or untyped parameters and "
                         "is not built: no instantiation names it",
                     "name one, as in --kernel '" + name + "[" + values + "]'",
                     "uninstantiated-kernel");
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
  std::vector<std::string> open;
  for (const ast::Parameter &parameter : function.parameters)
    if (isOpen(all, parameter))
      open.emplace_back(parameter.name);
  if (buildRequested(all, function))
    return;
  if (open.empty())
    build(all, function, {}, std::string(function.name));
  else
    warnNotBuilt(all, function, open);
}

} // namespace
} // namespace sextant::sema

namespace sextant {

std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink) {
  sema::Program program(module, options, sink);
  sema::Analysis all{program, sema::Context(program), {}, {}, {}, {}};
  readRequests(all);
  refuseLostKernels(all.host, *program.main);
  for (const ast::StmtPtr &stmt : module.body)
    if (auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
        function && sema::isDecorated(*function, *program.main, "kernel"))
      buildKernel(all, *stmt, *function);
  for (size_t r = 0; r < all.requests.size(); ++r)
    if (!all.used[r] && all.requests[r].problem.empty())
      sink.error({}, Problem::RequestOfUnknownKernel,
                 "the instantiation names a kernel `" + all.requests[r].kernel +
                     "` that the file does not have");
  return std::move(all.kernels);
}

} // namespace sextant
