#include "frontend/syntax/ModuleNames.h"
#include "frontend/syntax/Children.h"

namespace sextant {
namespace {

class Walk {
public:
  explicit Walk(ModuleNames &names) : names(names) {}

  /// \param isOuter true at module level, or under control flow there
  void block(const ast::Block &block, bool isOuter) {
    for (const ast::StmtPtr &stmt : block)
      statement(*stmt, isOuter);
  }

private:
  void statement(const ast::Stmt &stmt, bool isOuter) {
    if (auto *assign = std::get_if<ast::Assign>(&stmt.node)) {
      for (const ast::ExprPtr &one : assign->targets)
        target(one, isOuter);
      read(assign->value);
    } else if (auto *assign = std::get_if<ast::AnnAssign>(&stmt.node)) {
      target(assign->target, isOuter);
      read(assign->annotation);
      read(assign->value);
    } else if (auto *assign = std::get_if<ast::AugAssign>(&stmt.node)) {
      target(assign->target, isOuter);
      read(assign->target);
      read(assign->value);
    } else if (auto *branch = std::get_if<ast::If>(&stmt.node)) {
      read(branch->condition);
      block(branch->then, isOuter);
      block(branch->otherwise, isOuter);
    } else if (auto *loop = std::get_if<ast::While>(&stmt.node)) {
      read(loop->condition);
      block(loop->body, isOuter);
      block(loop->otherwise, isOuter);
    } else if (auto *loop = std::get_if<ast::For>(&stmt.node)) {
      target(loop->target, isOuter);
      read(loop->iterable);
      block(loop->body, isOuter);
      block(loop->otherwise, isOuter);
    } else if (auto *with = std::get_if<ast::With>(&stmt.node)) {
      read(with->context);
      block(with->body, isOuter);
    } else if (auto *result = std::get_if<ast::Return>(&stmt.node)) {
      read(result->value);
    } else if (auto *assertion = std::get_if<ast::Assert>(&stmt.node)) {
      read(assertion->condition);
      read(assertion->message);
    } else if (auto *alone = std::get_if<ast::ExprStmt>(&stmt.node)) {
      read(alone->value);
    } else if (auto *function = std::get_if<ast::FunctionDef>(&stmt.node)) {
      definition(*function);
    } else if (auto *type = std::get_if<ast::ClassDef>(&stmt.node)) {
      names.others.emplace(type->name);
      for (const ast::ExprPtr &decorator : type->decorators)
        read(decorator);
      for (const ast::ExprPtr &base : type->bases)
        read(base);
      block(type->body, false);
    } else if (auto *import = std::get_if<ast::Import>(&stmt.node)) {
      for (const ast::ImportName &name : import->names) {
        names.imports.insert(name.path);
        names.others.emplace(name.alias.empty() ? std::string_view(name.path) : name.alias);
      }
    } else if (auto *from = std::get_if<ast::FromImport>(&stmt.node)) {
      const std::string package = std::string(from->level, '.') + from->module;
      for (const ast::ImportName &name : from->names) {
        if (!from->module.empty())
          names.imports.insert(package);
        names.imports.insert(from->module.empty() ? package + name.path
                                                  : package + "." + name.path);
        names.others.insert(name.path);
        if (!name.alias.empty())
          names.others.emplace(name.alias);
      }
    } else if (auto *opaque = std::get_if<ast::OpaqueStmt>(&stmt.node)) {
      names.others.insert(opaque->binds.begin(), opaque->binds.end());
    }
  }

  void definition(const ast::FunctionDef &function) {
    names.others.emplace(function.name);
    for (const ast::ExprPtr &decorator : function.decorators)
      read(decorator);
    for (const ast::Parameter &parameter : function.parameters) {
      read(parameter.annotation);
      read(parameter.defaultValue);
    }
    read(function.returns);
    const std::set<std::string_view> before = parameters;
    for (const ast::Parameter &parameter : function.parameters)
      parameters.insert(parameter.name);
    block(function.body, false);
    parameters = before;
  }

  void target(const ast::ExprPtr &expr, bool isOuter) {
    if (auto *name = std::get_if<ast::Name>(&expr->node)) {
      if (isOuter)
        names.assigned.emplace(name->id);
    } else if (auto *elements = ast::elementsOf(*expr)) {
      for (const ast::ExprPtr &element : *elements)
        target(element, isOuter);
    } else {
      read(expr);
    }
  }

  void read(const ast::ExprPtr &expr) {
    if (expr)
      read(*expr);
  }

  void read(const ast::Expr &expr) {
    if (auto *name = std::get_if<ast::Name>(&expr.node)) {
      if (!parameters.count(name->id))
        names.others.emplace(name->id);
    } else if (auto *attribute = std::get_if<ast::Attribute>(&expr.node)) {
      names.others.emplace(attribute->name); // an imported module's, perhaps
    }
    forEachChild(expr, [&](const ast::Expr &child) { read(child); });
  }

  ModuleNames &names;
  std::set<std::string_view> parameters; ///< parameters of the functions around
};

} // namespace

void ModuleNames::add(const ModuleNames &more) {
  assigned.insert(more.assigned.begin(), more.assigned.end());
  others.insert(more.others.begin(), more.others.end());
  imports.insert(more.imports.begin(), more.imports.end());
}

ModuleNames namesOf(const ast::Module &module) {
  ModuleNames names;
  Walk(names).block(module.body, true);
  return names;
}

} // namespace sextant
