// Modules and their names, facts about functions, texts from the command line.
#include "frontend/sema/Program.h"
#include "frontend/syntax/Children.h"

#include <algorithm>

namespace sextant::sema {

namespace {

Definition definition(Definition::Kind kind, const ast::Stmt &stmt, SourceRange at) {
  Definition d;
  d.kind = kind;
  d.stmt = &stmt;
  d.at = at;
  return d;
}

/// Adds the names of a target. `a, b = 1, 2` assigns each its own value; what a call returns is
/// taken apart by `path`.
void addTarget(ModuleScope &scope, const ast::Expr &target, const ast::Stmt &stmt,
               const ast::Expr *value, std::vector<Unpacked> path) {
  if (auto *name = std::get_if<ast::Name>(&target.node)) {
    Definition d = definition(value ? Definition::Expression : Definition::Host, stmt, target.at);
    d.value = value;
    d.path = std::move(path);
    scope.names[name->id] = std::move(d);
    return;
  }
  if (auto *starred = std::get_if<ast::Starred>(&target.node))
    return addTarget(scope, *starred->value, stmt, value, std::move(path));
  auto *elements = ast::elementsOf(target);
  auto *values = value && path.empty() ? ast::elementsOf(*value) : nullptr;
  const bool isOneByOne = values && std::ranges::none_of(*values, ast::isStarred);
  for (size_t k = 0; elements && k < elements->size(); ++k) {
    const Unpacked which = unpackedAt(*elements, k);
    const auto own = isOneByOne ? placeAmong(values->size(), which) : std::nullopt;
    auto inner = path;
    if (!own)
      inner.push_back(which);
    addTarget(scope, *(*elements)[k], stmt, own ? (*values)[*own].get() : value, std::move(inner));
  }
}

void addHost(ModuleScope &scope, const ast::Block &block);

void addStatement(ModuleScope &scope, const ast::Stmt &stmt, bool conditional) {
  if (auto *assign = std::get_if<ast::Assign>(&stmt.node)) {
    for (auto &target : assign->targets)
      addTarget(scope, *target, stmt, conditional ? nullptr : assign->value.get(), {});
  } else if (auto *assign = std::get_if<ast::AnnAssign>(&stmt.node)) {
    if (assign->value)
      addTarget(scope, *assign->target, stmt, conditional ? nullptr : assign->value.get(), {});
  } else if (auto *assign = std::get_if<ast::AugAssign>(&stmt.node)) {
    addTarget(scope, *assign->target, stmt, nullptr, {});
  } else if (auto *function = std::get_if<ast::FunctionDef>(&stmt.node)) {
    scope.names[function->name] = definition(Definition::Function, stmt, function->nameAt);
  } else if (auto *type = std::get_if<ast::ClassDef>(&stmt.node)) {
    scope.names[type->name] = definition(Definition::Class, stmt, type->nameAt);
  } else if (auto *import = std::get_if<ast::Import>(&stmt.node)) {
    for (auto &name : import->names) {
      Definition d = definition(Definition::Import, stmt, name.at);
      std::string_view path = name.path, bound = name.alias;
      if (bound.empty()) { // `import a.b` binds a
        bound = path.substr(0, path.find('.'));
        path = bound;
      }
      d.importPath = std::string(path);
      scope.names[bound] = std::move(d);
    }
  } else if (auto *from = std::get_if<ast::FromImport>(&stmt.node)) {
    for (auto &name : from->names) {
      Definition d = definition(Definition::FromImport, stmt, name.at);
      d.importPath = from->module;
      d.importName = name.path;
      d.level = from->level;
      std::string_view bound = name.alias.empty() ? std::string_view(name.path) : name.alias;
      if (name.path == "*")
        scope.stars.push_back(std::move(d));
      else
        scope.names[bound] = std::move(d);
    }
  } else if (auto *branch = std::get_if<ast::If>(&stmt.node)) {
    addHost(scope, branch->then);
    addHost(scope, branch->otherwise);
  } else if (auto *loop = std::get_if<ast::For>(&stmt.node)) {
    addHost(scope, loop->body);
  } else if (auto *opaque = std::get_if<ast::OpaqueStmt>(&stmt.node)) {
    for (auto name : opaque->binds)
      scope.names[name] = definition(Definition::Host, stmt, stmt.at);
  }
}

/// Names under the host's control flow: functions and imports are known, values are not.
void addHost(ModuleScope &scope, const ast::Block &block) {
  for (auto &stmt : block)
    addStatement(scope, *stmt, true);
}

bool hasConditionalReturn(const ast::Block &block, bool conditional) {
  for (auto &stmt : block) {
    if (std::holds_alternative<ast::Return>(stmt->node) && conditional)
      return true;
    if (auto *branch = std::get_if<ast::If>(&stmt->node)) {
      bool inner = conditional || !looksStatic(*branch->condition);
      if (hasConditionalReturn(branch->then, inner) ||
          hasConditionalReturn(branch->otherwise, inner))
        return true;
    } else if (auto *loop = std::get_if<ast::While>(&stmt->node)) {
      if (hasConditionalReturn(loop->body, true))
        return true;
    } else if (auto *loop = std::get_if<ast::For>(&stmt->node)) {
      if (hasConditionalReturn(loop->body, conditional || !looksStatic(*loop->iterable)))
        return true;
    } else if (auto *with = std::get_if<ast::With>(&stmt->node)) {
      if (hasConditionalReturn(with->body, conditional))
        return true;
    }
  }
  return false;
}

} // namespace

Unpacked unpackedAt(const std::vector<ast::ExprPtr> &targets, size_t position) {
  const auto star = std::ranges::find_if(targets, ast::isStarred);
  return {position, targets.size(),
          star == targets.end() ? std::nullopt : std::optional(size_t(star - targets.begin()))};
}

std::optional<size_t> placeAmong(size_t count, const Unpacked &which) {
  const bool fits = which.star ? count + 1 >= which.count : count == which.count;
  if (!fits || which.position == which.star)
    return std::nullopt;
  return which.star && which.position > *which.star ? count - which.count + which.position
                                                    : which.position;
}

Value unpackedItem(const std::vector<Value> &items, const Unpacked &which) {
  if (const auto place = placeAmong(items.size(), which))
    return items[*place];
  if (which.position != which.star || items.size() + 1 < which.count)
    return Value();
  const ptrdiff_t after = ptrdiff_t(which.count - which.position - 1);
  Value rest = Value::tuple({items.begin() + ptrdiff_t(which.position), items.end() - after});
  rest.isList = true;
  return rest;
}

bool looksStatic(const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  if (!call)
    return false;
  if (auto *attribute = std::get_if<ast::Attribute>(&call->callee->node))
    return attribute->name == "static";
  if (auto *name = std::get_if<ast::Name>(&call->callee->node))
    return name->id == "static";
  return false;
}

void collectTargets(const ast::Expr &target, std::set<std::string_view> &names) {
  if (auto *name = std::get_if<ast::Name>(&target.node))
    names.insert(name->id);
  else if (auto *elements = ast::elementsOf(target))
    for (auto &element : *elements)
      collectTargets(*element, names);
  else if (auto *starred = std::get_if<ast::Starred>(&target.node))
    collectTargets(*starred->value, names);
  else if (auto *subscript = std::get_if<ast::Subscript>(&target.node))
    collectTargets(*subscript->value, names); // a component of a local vector
  else if (auto *attribute = std::get_if<ast::Attribute>(&target.node))
    collectTargets(*attribute->value, names);
}

namespace {
/// Locals that calls write: `qd.atomic_add(x, 1)` and `x.fill(1)` on a local are assignments.
void collectWritten(const ast::Expr &expr, std::set<std::string_view> &names) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  if (!call)
    return;
  std::string_view name;
  if (auto *attribute = std::get_if<ast::Attribute>(&call->callee->node))
    name = attribute->name;
  else if (auto *id = std::get_if<ast::Name>(&call->callee->node))
    name = id->id;
  if (name.substr(0, 7) == "atomic_" && !call->args.empty())
    collectTargets(*call->args[0], names);
  if (auto *method = std::get_if<ast::Attribute>(&call->callee->node);
      method && method->name == "fill")
    collectTargets(*method->value, names);
}
} // namespace

void collectAssigned(const ast::Block &block, std::set<std::string_view> &names) {
  for (auto &stmt : block) {
    if (auto *assign = std::get_if<ast::Assign>(&stmt->node)) {
      for (auto &target : assign->targets)
        collectTargets(*target, names);
      collectWritten(*assign->value, names);
    } else if (auto *assign = std::get_if<ast::AnnAssign>(&stmt->node)) {
      collectTargets(*assign->target, names);
    } else if (auto *assign = std::get_if<ast::AugAssign>(&stmt->node)) {
      collectTargets(*assign->target, names);
    } else if (auto *branch = std::get_if<ast::If>(&stmt->node)) {
      collectAssigned(branch->then, names);
      collectAssigned(branch->otherwise, names);
    } else if (auto *loop = std::get_if<ast::While>(&stmt->node)) {
      collectAssigned(loop->body, names);
    } else if (auto *loop = std::get_if<ast::For>(&stmt->node)) {
      collectTargets(*loop->target, names);
      collectAssigned(loop->body, names);
    } else if (auto *with = std::get_if<ast::With>(&stmt->node)) {
      collectAssigned(with->body, names);
    } else if (auto *statement = std::get_if<ast::ExprStmt>(&stmt->node)) {
      collectWritten(*statement->value, names);
    }
  }
}

namespace {
const ast::Expr *targetNamed(const ast::Expr &target, std::string_view name) {
  if (auto *id = std::get_if<ast::Name>(&target.node))
    return id->id == name ? &target : nullptr;
  if (auto *elements = elementsOf(target))
    for (auto &element : *elements)
      if (auto *found = targetNamed(*element, name))
        return found;
  return nullptr;
}
} // namespace

const ast::Expr *firstAssignment(const ast::Block &block, std::string_view name) {
  for (auto &stmt : block) {
    const ast::Expr *found = nullptr;
    if (auto *assign = std::get_if<ast::Assign>(&stmt->node)) {
      for (auto &target : assign->targets)
        found = found ? found : targetNamed(*target, name);
    } else if (auto *assign = std::get_if<ast::AnnAssign>(&stmt->node)) {
      found = targetNamed(*assign->target, name);
    } else if (auto *branch = std::get_if<ast::If>(&stmt->node)) {
      found = firstAssignment(branch->then, name);
      found = found ? found : firstAssignment(branch->otherwise, name);
    } else if (auto *loop = std::get_if<ast::While>(&stmt->node)) {
      found = firstAssignment(loop->body, name);
    } else if (auto *loop = std::get_if<ast::For>(&stmt->node)) {
      found = targetNamed(*loop->target, name);
      found = found ? found : firstAssignment(loop->body, name);
    } else if (auto *with = std::get_if<ast::With>(&stmt->node)) {
      found = firstAssignment(with->body, name);
    }
    if (found)
      return found;
  }
  return nullptr;
}

namespace {
void referencesIn(const ast::Expr *expr, const MayChange &mayChange,
                  std::set<std::string_view> &names) {
  if (!expr)
    return;
  forEachChild(*expr, [&](const ast::Expr &child) { referencesIn(&child, mayChange, names); });
  auto *call = std::get_if<ast::Call>(&expr->node);
  if (!call)
    return;
  for (size_t k = 0; k < call->args.size(); ++k)
    if (mayChange(*call, k, {}))
      collectTargets(*call->args[k], names);
  for (auto &keyword : call->keywords)
    if (mayChange(*call, 0, keyword.name))
      collectTargets(*keyword.value, names);
}
} // namespace

void collectReferences(const ast::Block &block, const MayChange &mayChange,
                       std::set<std::string_view> &names) {
  auto go = [&](const ast::ExprPtr &e) { referencesIn(e.get(), mayChange, names); };
  for (auto &stmt : block) {
    if (auto *n = std::get_if<ast::Assign>(&stmt->node)) {
      go(n->value);
      for (auto &target : n->targets)
        go(target);
    } else if (auto *n = std::get_if<ast::AnnAssign>(&stmt->node)) {
      go(n->value);
    } else if (auto *n = std::get_if<ast::AugAssign>(&stmt->node)) {
      go(n->target);
      go(n->value);
    } else if (auto *n = std::get_if<ast::If>(&stmt->node)) {
      go(n->condition);
      collectReferences(n->then, mayChange, names);
      collectReferences(n->otherwise, mayChange, names);
    } else if (auto *n = std::get_if<ast::While>(&stmt->node)) {
      go(n->condition);
      collectReferences(n->body, mayChange, names);
    } else if (auto *n = std::get_if<ast::For>(&stmt->node)) {
      go(n->iterable);
      collectReferences(n->body, mayChange, names);
    } else if (auto *n = std::get_if<ast::With>(&stmt->node)) {
      collectReferences(n->body, mayChange, names);
    } else if (auto *n = std::get_if<ast::Return>(&stmt->node)) {
      go(n->value);
    } else if (auto *n = std::get_if<ast::ExprStmt>(&stmt->node)) {
      go(n->value);
    }
  }
}

void collectReferences(const ast::Expr &expr, const MayChange &mayChange,
                       std::set<std::string_view> &names) {
  referencesIn(&expr, mayChange, names);
}

Program::Program(const ast::Module &mainModule, const SemaOptions &options, DiagnosticSink &sink,
                 BuiltinTable builtins)
    : options(options), builtins(builtins), sink(&sink) {
  for (auto &[name, text] : options.constants)
    constants[name] = text;
  main = &scopeOf(mainModule);
}

ModuleScope &Program::scopeOf(const ast::Module &module, std::string library) {
  auto &slot = scopes[&module];
  if (!slot) {
    slot = std::make_unique<ModuleScope>();
    slot->ast = &module;
    slot->library = std::move(library);
    if (!slot->library.empty())
      libraryFiles.insert(module.file);
    for (auto &stmt : module.body)
      addStatement(*slot, *stmt, false);
  }
  return *slot;
}

const FunctionFacts &Program::factsOf(const ast::FunctionDef &function) {
  auto &slot = facts[&function];
  if (!slot) {
    slot = std::make_unique<FunctionFacts>();
    collectAssigned(function.body, slot->assigned);
    slot->assigned.insert(function.named.begin(), function.named.end());
    slot->conditionalReturn = hasConditionalReturn(function.body, false);
  }
  return *slot;
}

const ast::Expr *Program::parseText(const std::string &text, std::string &problem) {
  std::string line = "value = (" + text + "\n)\n";
  std::unique_ptr<SourceFile> own;
  if (!options.keepText)
    own = std::make_unique<SourceFile>("<option>", line);
  const SourceFile &file = own ? *own : options.keepText(std::move(line));
  DiagnosticSink local;
  auto module = parse(file, local);
  const ast::Expr *value = nullptr;
  if (!local.hasErrors() && module->body.size() == 1)
    if (auto *assign = std::get_if<ast::Assign>(&module->body[0]->node))
      value = assign->value.get();
  if (!value)
    problem =
        local.diagnostics().empty() ? "it is not an expression" : local.diagnostics()[0].message;
  texts.emplace_back(std::move(own), std::move(module));
  return value;
}

} // namespace sextant::sema
