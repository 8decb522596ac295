#include "frontend/sema/Casts.h"

#include "frontend/sema/Decorators.h"
#include "frontend/syntax/Children.h"

#include <algorithm>

namespace sextant::sema {

Written itemOf(const Written &written, size_t item, size_t count) {
  const auto *items = written.value ? ast::elementsOf(*written.value) : nullptr;
  if (!items || items->size() != count || std::ranges::any_of(*items, ast::isStarred))
    return {};
  return {(*items)[item].get()};
}

std::string packagePrefix(Context &cx, const SourceFile *file) {
  for (auto frame = cx.frames.rbegin(); frame != cx.frames.rend(); ++frame) {
    const ModuleScope *module = (*frame)->module;
    if (!module || module->ast->file != file)
      continue;
    for (const auto &[name, definition] : module->names)
      if (definition.kind == Definition::Import && definition.importPath == "quadrants")
        return std::string(name) + ".";
    return {};
  }
  return {};
}

Fix callFix(Context &cx, std::string text, const std::string &name, SourceRange at, bool isGuess) {
  const std::string prefix = at.file ? packagePrefix(cx, at.file) : std::string();
  if (prefix.empty())
    return {std::move(text)};
  return {std::move(text), calledWith(prefix + name, at), isGuess};
}

/// True if an operator before the expression's text applies to all of it.
static bool isAtom(const ast::Expr &expr) {
  return std::holds_alternative<ast::Name>(expr.node) ||
         std::holds_alternative<ast::IntLit>(expr.node) ||
         std::holds_alternative<ast::FloatLit>(expr.node) ||
         std::holds_alternative<ast::Call>(expr.node) ||
         std::holds_alternative<ast::Attribute>(expr.node) ||
         std::holds_alternative<ast::Subscript>(expr.node);
}

/// `a += b` becomes `a = cast(a + b)`.
static std::vector<Edit> castSum(const ast::AugAssign &node, const std::string &cast) {
  const SourceRange target = node.target->at, value = node.value->at;
  const std::string_view text = target.file->text();
  const size_t equals = text.find('=', target.end);
  const size_t op = text.find_first_not_of(" \t", target.end);
  if (equals >= value.begin)
    return {};
  const std::string sum = std::string(text.substr(target.begin, target.end - target.begin)) + " " +
                          std::string(text.substr(op, equals - op));
  const bool isAlone = isAtom(*node.value);
  std::vector<Edit> edits{
      {{target.file, target.end, uint32_t(equals + 1)}, " = " + cast + "(" + sum}};
  if (!isAlone)
    edits.push_back({{value.file, value.begin, value.begin}, "("});
  edits.push_back({{value.file, value.end, value.end}, isAlone ? ")" : "))"});
  return edits;
}

Fix castFix(Context &cx, hir::Type to, SourceRange at, const std::string &ending) {
  const bool isDefault = to == cx.options.defaultInt;
  const std::string name = isDefault ? "int" : spell(to);
  Fix fix("write `" + (isDefault ? "" : std::string("qd.")) + name + "(...)`" + ending);
  const Written &written = cx.written;
  if (!written.value || !at.file)
    return fix;
  const SourceRange value = written.value->at;
  if (value.file != at.file || value.begin < at.begin || value.end > at.end)
    return fix;
  const std::string prefix = isDefault ? "" : packagePrefix(cx, value.file);
  if (isDefault || !prefix.empty())
    fix.edits = written.augmented ? castSum(*written.augmented, prefix + name)
                                  : calledWith(prefix + name, value);
  return fix;
}

std::vector<Edit> optionEdits(const ast::FunctionDef &kernel, ModuleScope &module,
                              const std::string &options) {
  for (const ast::ExprPtr &decorator : kernel.decorators) {
    if (!isMark(*decorator, module, "kernel"))
      continue;
    const SourceRange at = decorator->at;
    auto *call = std::get_if<ast::Call>(&decorator->node);
    if (!call)
      return {{{at.file, at.end, at.end}, "(" + options + ")"}};
    const uint32_t first = call->callee->at.end + 1; // after the bracket
    if (at.file->text().substr(first - 1, 1) != "(")
      return {};
    const bool isAlone = call->args.empty() && call->keywords.empty();
    return {{{at.file, first, first}, options + (isAlone ? "" : ", ")}};
  }
  return {};
}

} // namespace sextant::sema
