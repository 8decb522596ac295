#include "frontend/sema/Decorators.h"

#include <algorithm>

namespace sextant::sema {

bool isMark(const ast::Expr &decorator, ModuleScope &module, std::string_view mark) {
  const ast::Expr *expr = &decorator;
  if (auto *call = std::get_if<ast::Call>(&expr->node)) // @qd.kernel(...)
    expr = call->callee.get();
  // Decorators of other packages are ignored without errors.
  if (auto *attribute = std::get_if<ast::Attribute>(&expr->node)) {
    const ast::Expr *root = attribute->value.get();
    while (auto *inner = std::get_if<ast::Attribute>(&root->node))
      root = inner->value.get();
    auto *base = std::get_if<ast::Name>(&root->node);
    if (!base)
      return false;
    auto it = module.names.find(base->id);
    return it != module.names.end() && it->second.kind != Definition::Host &&
           attribute->name == mark;
  }
  auto *name = std::get_if<ast::Name>(&expr->node);
  auto it = name ? module.names.find(name->id) : module.names.end();
  return it != module.names.end() && it->second.kind == Definition::FromImport &&
         it->second.importName == mark;
}

bool isDecorated(const ast::FunctionDef &function, ModuleScope &module, std::string_view with) {
  return std::any_of(
      function.decorators.begin(), function.decorators.end(),
      [&](const ast::ExprPtr &decorator) { return isMark(*decorator, module, with); });
}

/// True if one of Python's own decorators stands above the function.
static bool hasDecorator(const ast::FunctionDef &function, std::string_view wanted) {
  return std::ranges::any_of(function.decorators, [&](const ast::ExprPtr &decorator) {
    auto *name = std::get_if<ast::Name>(&decorator->node);
    return name && name->id == wanted;
  });
}

bool isStaticMethod(const ast::FunctionDef &function) {
  return hasDecorator(function, "staticmethod");
}

bool isClassMethod(const ast::FunctionDef &function) {
  return hasDecorator(function, "classmethod");
}

bool isInit(const ast::FunctionDef &function) { return function.name == "__init__"; }

bool isProperty(const ast::FunctionDef &function) {
  return hasDecorator(function, "property") || hasDecorator(function, "cached_property");
}

std::vector<std::string_view> namesOf(const ast::FunctionDef &function) {
  std::vector<std::string_view> names;
  for (const ast::Parameter &parameter : function.parameters)
    names.push_back(parameter.name);
  return names;
}

} // namespace sextant::sema
