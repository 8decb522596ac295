// From a module and the requests of a build to kernel instances: parameters get
// types and values, instances get names.
#include "frontend/sema/Instantiate.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/sema/Arguments.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Marks.h"
#include "frontend/sema/Sema.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/syntax/Docstring.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;

/// Reads a type from an annotation; null after an error.
TypeValue *annotation(Context &cx, const ast::Expr &expr, TypeValue &out) {
  // Python's own names for tuples, under whatever module.
  if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    std::string_view name;
    if (auto *n = std::get_if<ast::Name>(&subscript->value->node))
      name = n->id;
    else if (auto *a = std::get_if<ast::Attribute>(&subscript->value->node))
      name = a->name;
    std::vector<const ast::Expr *> items;
    if (auto *tuple = std::get_if<ast::TupleExpr>(&subscript->index->node))
      for (auto &e : tuple->elements)
        items.push_back(e.get());
    else
      items.push_back(subscript->index.get());
    if (name == "tuple" || name == "Tuple") {
      out = TypeValue();
      out.kind = TypeValue::Tuple;
      for (auto *item : items) {
        TypeValue inner;
        if (!annotation(cx, *item, inner))
          return nullptr;
        out.items.push_back(std::move(inner));
      }
      return &out;
    }
    if (name == "NDArray" || name == "ndarray") {
      out = TypeValue();
      out.kind = TypeValue::NdArray;
      out.elementKnown = false;
      if (!items.empty()) {
        TypeValue element;
        if (!annotation(cx, *items[0], element))
          return nullptr;
        out.element = element.element;
        out.elementKnown = true;
      }
      if (items.size() > 1) {
        auto ndim = dimensions(cx, eval(cx, *items[1]), items[1]->at);
        if (!ndim)
          return nullptr;
        out.ndim = *ndim;
      }
      return &out;
    }
  }
  if (auto *tuple = std::get_if<ast::TupleExpr>(&expr.node)) { // `-> (qd.f32, qd.i32)`
    out = TypeValue();
    out.kind = TypeValue::Tuple;
    for (auto &item : tuple->elements) {
      TypeValue inner;
      if (!annotation(cx, *item, inner))
        return nullptr;
      out.items.push_back(std::move(inner));
    }
    return &out;
  }
  Value value = eval(cx, expr);
  switch (value.kind) {
  case Value::Poison:
    return nullptr;
  case Value::Type:
    out = value.type;
    return &out;
  case Value::None:
    out = TypeValue();
    out.kind = TypeValue::NoneType;
    return &out;
  case Value::Builtin: {
    std::string_view name = value.builtin->name;
    out = TypeValue();
    if (name == "py.int" || name == "py.float" || name == "py.bool") {
      out.element.type = name == "py.int"     ? cx.options.defaultInt
                         : name == "py.float" ? cx.options.defaultFloat
                                              : Type::Bool;
      return &out;
    }
    if (name == "qd.template" || name == "qd.Template") {
      out.kind = TypeValue::Template;
      return &out;
    }
    if (name == "types.ndarray" || name == "types.NDArray") {
      out.kind = TypeValue::NdArray;
      out.elementKnown = false;
      return &out;
    }
    break;
  }
  default:
    break;
  }
  error(cx, expr.at, describe(value) + " is not a type",
        "annotate with a scalar type (`qd.f32`), `qd.types.ndarray(...)`, `qd.types.vector(...)` "
        "or `qd.template()`");
  return nullptr;
}

Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module) {
  auto fresh = std::make_unique<Frame>();
  fresh->module = &module;
  fresh->isHost = true;
  fresh->scopes.emplace_back();
  cx.frames.push_back(std::move(fresh));
  Value value = eval(cx, expr);
  cx.frames.pop_back();
  return value;
}

Value evalText(Context &cx, const std::string &text, ModuleScope &module, std::string &problem) {
  const ast::Expr *expr = cx.program.parseText(text, problem);
  if (!expr)
    return Value();
  DiagnosticSink quiet;
  DiagnosticSink *saved = cx.program.sink;
  cx.program.sink = &quiet;
  Value value = evalHost(cx, *expr, module);
  cx.program.sink = saved;
  if (value.isPoison() && !quiet.diagnostics().empty())
    problem = quiet.diagnostics()[0].message;
  return value;
}

//===--- A kernel -----------------------------------------------------------===//

std::optional<hir::Kernel> run(Context &cx, const ast::FunctionDef &function,
                               const std::vector<std::pair<std::string, Value>> &bound,
                               std::string instance) {
  cx.draft.kernel.name = std::string(function.name);
  cx.draft.kernel.instance = std::move(instance);
  cx.draft.kernel.doc = docstringOf(function);
  cx.draft.kernel.wave = cx.options.wave;
  cx.draft.kernel.at = function.nameAt;
  if (cx.options.calls)
    cx.draft.kernel.calls.push_back({cx.draft.kernel.name, function.nameAt, function.nameAt});
  auto fresh = std::make_unique<Frame>();
  fresh->module = cx.program.main;
  fresh->function = &function;
  fresh->isKernel = true;
  fresh->scopes.emplace_back();
  cx.frames.push_back(std::move(fresh));
  if (!bindArguments(cx, function, bound))
    return std::nullopt;
  if (function.returns) {
    TypeValue type;
    if (!annotation(cx, *function.returns, type))
      return std::nullopt;
    cx.frame().returnType = type;
  }
  Flow end = execBlock(cx, function.body);
  if (!cx.errorsHere)
    checkReturns(cx, function, end);
  if (cx.errorsHere)
    return std::nullopt;
  for (auto &each : cx.tasks)
    cx.draft.tasks.push_back(std::move(*each));
  return hir::finish(std::move(cx.draft));
}

//===--- Requests ----------------------------------------------------------===//

namespace {

/// "scan[dtype=qd.i32, n=256]" in parts.
struct Request {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> values;
  std::string problem;
};

std::string trim(std::string text) {
  size_t a = text.find_first_not_of(" \t"), b = text.find_last_not_of(" \t");
  return a == std::string::npos ? "" : text.substr(a, b - a + 1);
}

Request parseRequest(const std::string &text) {
  Request request;
  size_t open = text.find('[');
  request.kernel = trim(text.substr(0, open));
  if (open == std::string::npos)
    return request;
  size_t close = text.rfind(']');
  if (close == std::string::npos || !trim(text.substr(close + 1)).empty()) {
    request.problem = "it does not end with `]`";
    return request;
  }
  std::string inner = text.substr(open + 1, close - open - 1), part;
  int depth = 0;
  auto finish = [&] {
    part = trim(part);
    if (part.empty())
      return;
    size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      request.problem = "`" + part + "` is not of the form parameter=value";
    else
      request.values.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
    part.clear();
  };
  for (char c : inner) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      finish();
    else
      part += c;
  }
  finish();
  return request;
}

/// What a value adds to an instance's name; only letters, digits and underscores.
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
    break;
  case Value::Tuple:
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

} // namespace
} // namespace sextant::sema

namespace sextant {

using namespace sema;

std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink) {
  Program program(module, options, sink);
  std::vector<hir::Kernel> kernels;
  std::set<std::string> instances;
  std::vector<Request> requests;
  for (auto &text : options.instantiations) {
    requests.push_back(parseRequest(text));
    if (!requests.back().problem.empty())
      sink.error({}, "the instantiation `" + text + "` cannot be read: " + requests.back().problem,
                 "write it as kernel[parameter=value, ...]");
  }
  std::vector<bool> used(requests.size());
  Context host(program);
  refuseLostKernels(host, *program.main);

  for (auto &stmt : module.body) {
    auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    if (!function || !isDecorated(*function, *program.main, "kernel"))
      continue;
    auto it = program.main->names.find(function->name);
    if (it == program.main->names.end() || it->second.stmt != stmt.get()) {
      // As in Python, the name means what it was bound to last.
      std::string name(function->name);
      sink.warning(function->nameAt,
                   "this kernel is not built: `" + name + "` is defined again further down",
                   "give one of them another name", "redefined-kernel");
      continue;
    }

    // Does it need values?
    std::vector<std::string> open;
    for (auto &parameter : function->parameters) {
      if (parameter.kind == ast::Parameter::VarArgs || parameter.kind == ast::Parameter::KwArgs)
        continue; // no value helps: the analysis refuses it
      bool isOpen = !parameter.annotation;
      if (parameter.annotation) {
        DiagnosticSink quiet; // annotations are checked when the kernel is built
        DiagnosticSink *saved = program.sink;
        program.sink = &quiet;
        Value value = evalHost(host, *parameter.annotation, *program.main);
        program.sink = saved;
        if (value.kind == Value::Type)
          isOpen = value.type.kind == TypeValue::Template ||
                   (value.type.kind == TypeValue::NdArray &&
                    (!value.type.elementKnown || value.type.ndim < 0));
        else if (value.kind == Value::Builtin) {
          std::string_view name = value.builtin->name;
          isOpen = name.substr(0, 3) != "py.";
        }
      }
      if (isOpen && !parameter.defaultValue)
        open.push_back(std::string(parameter.name));
    }
    bool requested = false;
    for (size_t r = 0; r < requests.size(); ++r) {
      Request &request = requests[r];
      if (request.kernel != function->name)
        continue;
      used[r] = true;
      if (!request.problem.empty())
        continue;
      requested = true;
      std::vector<std::pair<std::string, Value>> bound;
      bool ok = true;
      for (auto &[name, text] : request.values) {
        bool exists = false;
        for (auto &parameter : function->parameters)
          exists |= parameter.name == name;
        if (!exists) {
          sink.error(function->nameAt, "`" + request.kernel + "` has no parameter `" + name +
                                           "`, which an instantiation names");
          ok = false;
          continue;
        }
        std::string problem;
        Value value = evalText(host, text, *program.main, problem);
        if (value.kind == Value::Builtin && (value.builtin->name == std::string_view("py.int") ||
                                             value.builtin->name == std::string_view("py.float"))) {
          ElementType element;
          element.type = value.builtin->name == std::string_view("py.int") ? options.defaultInt
                                                                           : options.defaultFloat;
          value = Value::ofElement(element);
        }
        if (value.isPoison()) {
          sink.error(function->nameAt, "the value `" + text + "` for `" + name +
                                           "` in an instantiation of `" + request.kernel +
                                           "` means nothing: " + problem);
          ok = false;
          continue;
        }
        bound.emplace_back(name, std::move(value));
      }
      if (!ok)
        continue;
      std::string instance = request.kernel;
      for (auto &parameter : function->parameters)
        for (auto &[name, value] : bound)
          if (name == parameter.name)
            instance += "_" + nameOf(value);
      if (!instances.insert(instance).second)
        continue;
      if (options.onKernel)
        options.onKernel(instance);
      Context cx(program);
      if (auto kernel = run(cx, *function, bound, instance))
        kernels.push_back(std::move(*kernel));
    }
    if (requested)
      continue;
    if (!open.empty()) {
      std::string values;
      for (auto &name : open)
        values += (values.empty() ? "" : ", ") + name + "=...";
      bool mentioned = false;
      for (auto &request : requests)
        mentioned |= request.kernel == function->name;
      if (!mentioned)
        sink.warning(function->nameAt,
                     "`" + std::string(function->name) +
                         "` has template or untyped parameters and "
                         "is not built: no instantiation names it",
                     "name one, as in --kernel '" + std::string(function->name) + "[" + values +
                         "]'",
                     "uninstantiated-kernel");
      continue;
    }
    std::string instance(function->name);
    instances.insert(instance);
    if (options.onKernel)
      options.onKernel(instance);
    Context cx(program);
    if (auto kernel = run(cx, *function, {}, instance))
      kernels.push_back(std::move(*kernel));
  }
  for (size_t r = 0; r < requests.size(); ++r)
    if (!used[r] && requests[r].problem.empty())
      sink.error({}, "the instantiation names a kernel `" + requests[r].kernel +
                         "` that the file does not have");
  return kernels;
}

} // namespace sextant
