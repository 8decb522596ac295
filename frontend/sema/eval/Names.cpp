// Resolves names: a variable, a module's own name, a name of `qd`, a Python builtin.
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Members.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/spelling/NameGuess.h"
#include "frontend/syntax/Children.h"
#include "frontend/syntax/Lexer.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

static Value evalDefinition(Context &cx, ModuleScope &module, Definition &definition,
                            std::string_view name, SourceRange at);

VariablePtr declare(Context &cx, std::string_view name, SourceRange at) {
  auto variable = std::make_shared<Variable>();
  variable->name = std::string(name);
  variable->at = at;
  variable->region = cx.region;
  variable->depth = cx.runtimeDepth();
  cx.frame().scopes.back()[name] = variable;
  return variable;
}

/// Forgets the known values of these names: code that may run more than once, or not at all,
/// assigns them.
void forget(Context &cx, const std::set<std::string_view> &names) {
  for (auto name : names)
    if (auto variable = findVariable(cx, name))
      variable->known.reset();
}

namespace {

/// The function that a callee is: one of this module or imported by its name. Null for others.
const Value *knownFunction(Context &cx, const ast::Expr &callee) {
  auto *name = std::get_if<ast::Name>(&callee.node);
  if (!name)
    return nullptr;
  const Value *value = nullptr;
  if (auto variable = findVariable(cx, name->id)) {
    value = &variable->value;
  } else {
    ModuleScope &module = *cx.frame().module;
    const auto it = module.names.find(name->id);
    if (it == module.names.end() ||
        (it->second.kind != Definition::Function && it->second.kind != Definition::FromImport))
      return nullptr;
    const Quietly quiet(cx); // who evaluates the call reports what is wrong
    evalDefinition(cx, module, it->second, name->id, callee.at);
    value = &it->second.result;
  }
  return value->kind == Value::Function && value->function ? value : nullptr;
}

/// True if a function shares the caller's variable at this place of its arguments.
bool takesReference(const Value &function, const ast::Call &call, size_t position,
                    std::string_view name) {
  const std::vector<ast::Parameter> &parameters = function.function->parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (name.empty() ? k != position : parameters[k].name != name)
      continue;
    const size_t before = name.empty() ? std::min(position + 1, call.args.size()) : 0;
    const auto end = call.args.begin() + ptrdiff_t(before);
    return parameters[k].kind == ast::Parameter::VarArgs ||
           std::any_of(call.args.begin(), end, ast::isStarred) ||
           isTemplateParameter(parameters[k]) || isReferenceParameter(parameters[k]);
  }
  return true;
}

/// True if a function may have template parameters, which are references, or is an atomic.
bool mayTakeReferences(Context &cx, const ast::Expr &callee) {
  if (auto *attribute = std::get_if<ast::Attribute>(&callee.node);
      attribute && attribute->name.substr(0, 7) == "atomic_")
    return true;
  // Functions of other packages may have some.
  const ast::Expr *base = &callee;
  while (auto *attribute = std::get_if<ast::Attribute>(&base->node))
    base = attribute->value.get();
  auto *name = std::get_if<ast::Name>(&base->node);
  if (!name)
    return true;
  if (auto variable = findVariable(cx, name->id))
    return variable->value.kind == Value::Function || variable->value.kind == Value::Struct ||
           variable->place;
  ModuleScope &module = *cx.frame().module;
  auto it = module.names.find(name->id);
  if (it == module.names.end())
    return false; // a Python builtin
  return it->second.kind == Definition::Function ||
         it->second.importPath.rfind("quadrants", 0) != 0 ||
         it->second.importName.rfind("atomic_", 0) == 0;
}

} // namespace

std::set<std::string_view> changedBy(Context &cx, const ast::Block &block,
                                     const ast::Expr *condition) {
  std::set<std::string_view> names;
  collectAssigned(block, names);
  if (const ast::FunctionDef *function = cx.frame().function)
    names.insert(function->named.begin(), function->named.end());
  const auto mayChange = [&](const ast::Call &call, size_t position, std::string_view name) {
    if (const Value *function = knownFunction(cx, *call.callee))
      return takesReference(*function, call, position, name);
    return mayTakeReferences(cx, *call.callee);
  };
  collectReferences(block, mayChange, names);
  if (condition)
    collectReferences(*condition, mayChange, names);
  return names;
}

std::vector<std::string_view> namesOf(const ModuleScope &module) {
  std::vector<std::string_view> names;
  for (const auto &[name, definition] : module.names)
    names.push_back(name);
  return names;
}

/// Considers what `from x import *` takes from a kernel file.
static void considerStar(Context &cx, const Definition &star, NameGuess &guess) {
  const std::string path = std::string(star.level, '.') + star.importPath;
  const ast::Module *module =
      cx.options.import ? cx.options.import(path, *cx.frame().module->ast) : nullptr;
  if (module)
    for (auto &[known, definition] : cx.program.scopeOf(*module).names)
      guess.consider(known);
}

/// Reports a name that nothing binds. The error points to the closest match: an assignment in
/// another block, or a similar name.
static Value undefined(Context &cx, std::string_view name, SourceRange at) {
  const std::string text = "`" + std::string(name) + "`";
  const std::string message = "the name " + text + " is not defined here";
  const ast::FunctionDef *function = cx.frame().function;
  if (const ast::Expr *target = function ? firstAssignment(function->body, name) : nullptr) {
    const bool below = target->at.begin > at.begin;
    return error(cx, at, Problem::NameNotDefined, message,
                 below ? "assign it before it is used"
                       : "assign it before that block too: what a block assigns first, lives in it",
                 {{target->at, below ? text + " is assigned further down"
                                     : text + " is assigned here, in another block"}});
  }
  NameGuess guess(name);
  for (auto &scope : cx.frame().scopes)
    for (auto &[known, variable] : scope)
      guess.consider(known);
  for (auto &[known, definition] : cx.frame().module->names)
    guess.consider(known);
  for (std::string_view known : cx.program.builtins.names("py."))
    guess.consider(known);
  for (std::string_view known : {"True", "False", "None"})
    guess.consider(known);
  for (const Definition &star : cx.frame().module->stars)
    considerStar(cx, star, guess);
  if (!guess.best().empty())
    return error(cx, at, Problem::NameNotDefined, message, didYouMean(at, name, guess.best()));
  if (!function)
    return error(cx, at, Problem::NameNotDefined, message);
  // A name without lower-case letters is a constant by convention. Builds may give its value.
  const bool isConstant = name.find_first_of("abcdefghijklmnopqrstuvwxyz") == name.npos;
  return error(cx, at, Problem::NameNotDefined, message,
               isConstant ? "define it at module level, or set it with --const " +
                                std::string(name) + "=..."
                          : "assign it before it is used, or define it at module level");
}

Value lookup(Context &cx, std::string_view name, SourceRange at) {
  if (auto variable = findVariable(cx, name)) {
    if (variable->known)
      return *variable->known;
    if (variable->place)
      return readPlace(cx, *variable->place, at);
    // A variable that other threads change is read at its place in the text, like an array's
    // element.
    if (isChanging(cx, *variable))
      return readPlace(cx, sharedPlace(*variable, at), at);
    if (cx.isHost() && holdsUnknown(variable->value)) {
      const Value unknown = unknownOnHost("`" + std::string(name) + "`");
      return error(cx, at, Problem::MemberWithoutValue, unknown.text, unknown.fix);
    }
    return variable->value;
  }
  if (auto value = moduleName(cx, *cx.frame().module, name, at))
    return *value;
  if (name == "True" || name == "False")
    return Value::exactBool(name == "True");
  std::string path = "py." + std::string(name);
  if (auto *builtin = cx.program.builtins.find(path))
    return Value::ofBuiltin(builtin);
  if (name == "__name__")
    return Value::str("kernels");
  if (cx.inOption)
    for (const char *space : {"types", "qd"})
      if (std::optional<Value> found = findMember(cx, space, name, at))
        return *found;
  return undefined(cx, name, at);
}

namespace {
/// "quadrants.lang.simt.subgroup" → "subgroup"; empty for modules of other packages.
std::string canonical(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    size_t dot = path.find('.');
    parts.push_back(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  if (parts.empty() || parts[0] != "quadrants")
    return {};
  std::string at = "qd";
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "lang" || parts[i] == "_lib")
      continue;
    at = std::string(parts[i]);
  }
  return at;
}
} // namespace

Refused refusedPackage(std::string_view name, std::string_view path) {
  const std::string_view root = path.substr(0, path.find('.'));
  if (root != "taichi" && root != "gstaichi")
    return {};
  const std::string quoted = "`" + std::string(name) + "`";
  return {quoted + " is the package `" + std::string(path) +
              "`, but kernels are written for `quadrants`",
          "write `import quadrants as " + std::string(name) + "`; most names are the same"};
}

static Value importPath(const std::string &path, SourceRange at) {
  if (std::string ours = canonical(path); !ours.empty())
    return Value::space(ours == "lang" ? "qd" : ours);
  if (path == "math" || path == "numpy")
    return Value::space(path == "math" ? "pymath" : "numpy");
  return Value();
}

namespace {
/// `qd.field(...)`, `qd.Vector.field(...)`, `qd.types.vector(3, qd.f32).field(...)`, under any name
/// of the package.
bool makesField(const ast::Expr &expr, const ModuleScope &module) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  if (!call)
    return false;
  const ast::Expr *base = call->callee.get();
  auto *attribute = std::get_if<ast::Attribute>(&base->node);
  bool isField = attribute && attribute->name == "field";
  while (true) {
    if (auto *inner = std::get_if<ast::Attribute>(&base->node))
      base = inner->value.get();
    else if (auto *inner = std::get_if<ast::Call>(&base->node))
      base = inner->callee.get();
    else
      break;
  }
  auto *name = std::get_if<ast::Name>(&base->node);
  auto it = name ? module.names.find(name->id) : module.names.end();
  if (it != module.names.end() && it->second.kind == Definition::Class)
    return isField; // Particle.field(…)
  if (it == module.names.end() || it->second.importPath.rfind("quadrants", 0) != 0)
    return false;
  return isField || it->second.importName == "field";
}
} // namespace

/// Finds a name through `from x import *`. The last import that has it binds it, as in Python.
static std::optional<Value> nameOfStars(Context &cx, ModuleScope &module, std::string_view name,
                                        SourceRange at) {
  for (auto star = module.stars.rbegin(); star != module.stars.rend(); ++star) {
    if (star->state == Definition::Busy) // two modules that import each other
      continue;
    star->state = Definition::Busy;
    std::optional<Value> found;
    const Value space = star->level == 0 ? importPath(star->importPath, at) : Value();
    if (space.kind == Value::Namespace)
      found = findMember(cx, space.text, name, at);
    else if (cx.options.import)
      if (auto *imported =
              cx.options.import(std::string(star->level, '.') + star->importPath, *module.ast))
        found = moduleName(cx, cx.program.scopeOf(*imported), name, at);
    star->state = Definition::Fresh;
    if (found)
      return found;
  }
  return std::nullopt;
}

/// The name by which builds give a constant.
static std::string givenName(const ModuleScope &module, std::string_view name) {
  return (module.library.empty() ? "" : "qd." + module.library + ".") + std::string(name);
}

static std::optional<Value> valueOfName(Context &cx, ModuleScope &module, std::string_view name,
                                        SourceRange at) {
  auto it = module.names.find(name);
  if (module.ast->isBroken && &module != cx.program.main) // a function of it may lack a statement
    return Value(error(cx, at, Problem::ImportedFileHasErrors,
                       "`" + std::string(name) + "` comes from '" + module.ast->file->path() +
                           "', which has errors",
                       "correct them; they are reported at their lines"));
  // A value that the build gives wins over the file, and may be of a constant that the file does
  // not assign. The library's are its own.
  if (module.library.empty() || it != module.names.end()) {
    const std::string given = givenName(module, name);
    if (auto constant = cx.program.constants.find(given); constant != cx.program.constants.end()) {
      Definition &d = module.names[name];
      if (d.state == Definition::Busy)
        return Value(error(cx, at, Problem::DefinedByItself,
                           "`" + std::string(name) + "` is defined by itself"));
      if (d.state == Definition::Fresh) {
        d.state = Definition::Busy;
        std::string problem;
        d.result = evalText(cx, constant->second, module, problem);
        d.state = Definition::Done;
        if (d.result.isPoison())
          d.failure.emplace().message = "the value `" + constant->second + "` given for `" + given +
                                        "` means nothing: " + problem;
      }
      if (d.failure) {
        error(cx, at, Problem::ConstantGivenMeansNothing, d.failure->message);
        if (cx.program.quiet == 0) // it is said once, where somebody hears it
          d.failure.reset();
      }
      return d.result;
    }
  }
  return it == module.names.end() ? nameOfStars(cx, module, name, at)
                                  : evalDefinition(cx, module, it->second, name, at);
}

std::optional<Value> moduleName(Context &cx, ModuleScope &module, std::string_view name,
                                SourceRange at) {
  if (!cx.program.options.onReads)
    return valueOfName(cx, module, name, at);
  // A value that is there already depends on what it was made of.
  std::set<std::string> outer = std::exchange(cx.program.reads, {});
  std::optional<Value> value = valueOfName(cx, module, name, at);
  const auto definition = module.names.find(name);
  if (definition != module.names.end()) {
    if (definition->second.kind == Definition::Expression ||
        definition->second.kind == Definition::Host)
      cx.program.reads.insert(givenName(module, name));
    definition->second.reads.insert(cx.program.reads.begin(), cx.program.reads.end());
    outer.insert(definition->second.reads.begin(), definition->second.reads.end());
  } else {
    outer.merge(cx.program.reads);
  }
  cx.program.reads = std::move(outer);
  return value;
}

namespace {

/// Reports errors of an import at the import. Where another name was meant, the file has to import
/// and to use it, unless `as` gives it a name of its own.
void reportAtImport(Context &cx, const Definition &d, std::string_view name, SourceRange at,
                    const std::vector<Diagnostic> &errors) {
  for (Diagnostic each : errors) {
    const bool isRenamed = name != d.importName;
    if (!isRenamed && each.fix.edits.size() == 1 && d.at.file)
      each.fix.edits = renamed(*d.at.file, name, std::string(each.fix.edits[0].text));
    if (at.file)
      each.labels.push_back({at, "`" + std::string(name) + "` is used here"});
    cx.errorsHere += each.severity == Severity::Error;
    cx.program.sink->report(std::move(each));
  }
}

/// The member of a namespace of `qd` that `from … import` takes. Poison after an error.
Value importedMember(Context &cx, const Definition &d, const std::string &space,
                     std::string_view name, SourceRange at) {
  Value value;
  std::vector<Diagnostic> errors;
  {
    const Quietly quiet(cx);
    value = namespaceMember(cx, space, d.importName, d.at);
    errors = quiet.diagnostics();
  }
  reportAtImport(cx, d, name, at, errors);
  return value;
}

/// The error for a name that comes from a module of Python.
void refuseImport(Context &cx, const Definition &d, std::string_view name, SourceRange at) {
  const std::string &path = d.importPath;
  Refused refused = refusedPackage(name, path);
  if (refused.message.empty())
    refused = {"`" + std::string(name) + "` comes from the Python module `" + path +
                   "`, which is neither `quadrants` nor a kernel file beside this one or in its "
                   "package",
               "put the functions and constants that kernels use into a file beside this one"};
  const std::string package = path.substr(0, path.find('.'));
  auto *from = d.stmt ? std::get_if<ast::FromImport>(&d.stmt->node) : nullptr;
  error(cx, at, Problem::NameOfPythonModule, refused.message,
        nearestName(from ? from->moduleAt : d.at, package, {"quadrants"}, refused.fix));
}

/// Returns what `import` or `from … import` binds `name` to; nullopt after an error.
std::optional<Value> importedValue(Context &cx, ModuleScope &module, Definition &d,
                                   std::string_view name, SourceRange at) {
  const std::string &path = d.importPath;
  if (d.kind == Definition::Import || d.level == 0) {
    Value space = importPath(path, at);
    if (space.kind == Value::Namespace)
      return d.kind == Definition::Import ? space : importedMember(cx, d, space.text, name, at);
  }
  const std::string dots(d.level, '.'), package = dots + path;
  auto find = [&](const std::string &of) -> const ast::Module * {
    return cx.options.import ? cx.options.import(of, *module.ast) : nullptr;
  };
  const ast::Module *imported = path.empty() ? nullptr : find(package);
  bool wholeModule = d.kind == Definition::Import;
  // A module of a package, unless the package itself has the name.
  const bool isInPackage = imported && cx.program.scopeOf(*imported).names.count(d.importName);
  if (d.kind == Definition::FromImport && !isInPackage)
    if (const ast::Module *inner =
            find(path.empty() ? package + d.importName : package + "." + d.importName)) {
      imported = inner;
      wholeModule = true;
    }
  if (!imported) {
    refuseImport(cx, d, name, at);
    return std::nullopt;
  }
  ModuleScope &scope = cx.program.scopeOf(*imported);
  if (wholeModule)
    return Value::of(Value::Module, &Value::module, &scope);
  d.state = Definition::Busy;
  auto value = moduleName(cx, scope, d.importName, at);
  d.state = Definition::Fresh;
  if (value)
    return value;
  const Diagnostic unknown = located(cx, Severity::Error, d.at, Problem::ModuleMemberUnknown,
                                     "the module `" + path + "` has no `" + d.importName + "`",
                                     nearestName(d.at, d.importName, namesOf(scope)));
  reportAtImport(cx, d, name, at, {unknown});
  return Value();
}

/// The value of an assignment at module level.
/// All names that an assignment gives this value, in the order of the text.
std::vector<std::string> namesOf(const ModuleScope &module, const Definition &d) {
  std::vector<std::pair<uint32_t, std::string>> found;
  for (const auto &[name, other] : module.names)
    if (other.value == d.value && other.path == d.path)
      found.emplace_back(other.at.begin, name);
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (auto &[begin, name] : found)
    names.push_back(std::move(name));
  return names;
}

/// The part of an assigned value that a name gets.
Value unpackedBy(const std::vector<Unpacked> &path, Value value) {
  for (const Unpacked &which : path) {
    const bool hasItems = value.kind == Value::Tuple || value.kind == Value::Matrix;
    value = hasItems ? unpackedItem(value.items, which) : Value();
  }
  return holdsUnknown(value) ? Value() : value;
}

Value assignedValue(Context &cx, ModuleScope &module, Definition &d, std::string_view name,
                    SourceRange at) {
  // Host code may hold anything. Its errors matter only if a kernel uses the name.
  Value value;
  std::optional<Diagnostic> reason;
  {
    const Quietly quiet(cx);
    const auto known = module.shared.find(d.value);
    Value whole = known != module.shared.end() ? known->second
                  : d.path.empty()             ? evalHost(cx, *d.value, module)
                                               : evalHostParts(cx, *d.value, module);
    if (whole.kind == Value::Array && whole.array->isUnplaced && d.path.empty() &&
        !placeField(cx, module, namesOf(module, d), *whole.array))
      whole = Value();
    if (!whole.isPoison())
      module.shared[d.value] = whole;
    value = unpackedBy(d.path, std::move(whole));
    if (value.isPoison() && !quiet.hasErrors()) // the parts do not say why
      evalHost(cx, *d.value, module);
    if (quiet.hasErrors())
      reason = quiet.diagnostics()[0];
    else if (value.isPoison() && !d.path.empty())
      reason = Diagnostic{Severity::Error, d.value->at, "it is not what the names unpack", {}, {}};
  }
  if (reason && makesField(*d.value, module)) {
    // The name is meant for kernels, so an error in it is reported here.
    reason->labels.push_back({at, "`" + std::string(name) + "` is used here"});
    ++cx.errorsHere;
    cx.program.sink->report(std::move(*reason));
    value = Value();
  } else if (reason) {
    reason->severity = Severity::Note;
    reason->notes.clear();
    ++cx.errorsHere;
    Diagnostic report = located(cx, Severity::Error, at, Problem::NameWithoutValue,
                                "`" + std::string(name) + "` has no value when kernels are built",
                                "assign it a constant at module level, or set it with --const " +
                                    std::string(name) + "=...");
    if (!reason->fix.edits.empty())
      report.fix = std::exchange(reason->fix, {});
    report.notes.insert(report.notes.begin(), std::move(*reason));
    cx.program.sink->report(std::move(report));
    value = Value();
  }
  if (value.kind == Value::Array || isObject(value))
    nameFields(value, value.kind == Value::Array ? value.array->at : value.type.structure->at,
               namesOf(module, d)[0]);
  if (value.kind == Value::Type && value.type.kind == TypeValue::Struct)
    nameStruct(value.type, namesOf(module, d)[0]);
  return value;
}

/// The error for a name that only host code sets.
Value hostName(Context &cx, const Definition &d, std::string_view name, SourceRange at) {
  if (auto *opaque = d.stmt ? std::get_if<ast::OpaqueStmt>(&d.stmt->node) : nullptr;
      opaque && opaque->keyword == "class")
    return error(cx, at, Problem::ClassInKernel,
                 "`" + std::string(name) + "` is a class that kernels cannot use",
                 "define it at module level, over several lines");
  return error(cx, at, Problem::NameOfHostCode,
               "`" + std::string(name) +
                   "` is set by host code, which is not run when kernels are built",
               "give it a value by an assignment at module level, or with --const " +
                   std::string(name) + "=...");
}

} // namespace

Value evalDefinition(Context &cx, ModuleScope &module, Definition &d, std::string_view name,
                     SourceRange at) {
  if (d.state == Definition::Done) {
    if (d.failure && d.isUnseen) {
      ++cx.errorsHere;
      d.isUnseen = cx.program.quiet > 0;
      cx.program.sink->report(*d.failure);
    } else if (d.failure && cx.program.quiet == 0) {
      ++cx.errorsHere;
      cx.program.sink->repeated(d.failure->at, d.failure->message);
    }
    return d.result;
  }
  if (d.state == Definition::Busy)
    return error(cx, at, Problem::DefinedByItself,
                 "`" + std::string(name) + "` is defined by itself");
  const std::vector<Diagnostic> &reported = cx.program.sink->diagnostics();
  const size_t before = reported.size();
  switch (d.kind) {
  case Definition::Function:
    d.result = Value::ofFunction(&std::get<ast::FunctionDef>(d.stmt->node), &module);
    break;
  case Definition::Class:
    d.state = Definition::Busy;
    d.result = classType(cx, module, std::get<ast::ClassDef>(d.stmt->node));
    break;
  case Definition::Import:
  case Definition::FromImport: {
    auto value = importedValue(cx, module, d, name, at);
    if (!value) // each use of the name says so
      return Value();
    d.result = std::move(*value);
    break;
  }
  case Definition::Expression:
    d.state = Definition::Busy;
    d.result = assignedValue(cx, module, d, name, at);
    break;
  case Definition::Host:
    d.result = hostName(cx, d, name, at);
    break;
  }
  if (d.result.kind == Value::None)
    d.result.text = std::string(name);
  for (size_t k = before; k < reported.size() && !d.failure; ++k)
    if (reported[k].severity == Severity::Error)
      d.failure = reported[k];
  d.isUnseen = cx.program.quiet > 0;
  d.state = Definition::Done;
  return d.result;
}

} // namespace sextant::sema
