// Finds what a function's text does first with a variable. If the text does not tell, the answer is
// that it reads.
#include "frontend/sema/eval/FirstUse.h"

#include "frontend/syntax/Children.h"

#include <optional>

namespace sextant::sema {

namespace {

bool mentions(const ast::Expr &expr, std::string_view name) {
  if (auto *id = std::get_if<ast::Name>(&expr.node))
    return id->id == name;
  bool found = false;
  forEachChild(expr, [&](const ast::Expr &child) { found = found || mentions(child, name); });
  return found;
}
bool mentions(const ast::ExprPtr &expr, std::string_view name) {
  return expr && mentions(*expr, name);
}

FirstUse ofExpr(const ast::Expr &expr, std::string_view name);
FirstUse ofExpr(const ast::ExprPtr &expr, std::string_view name) {
  return expr ? ofExpr(*expr, name) : FirstUse::Nothing;
}

/// First use inside code that may not run: an assignment there does not count.
FirstUse ifRun(FirstUse use) { return use == FirstUse::Assigns ? FirstUse::Nothing : use; }

/// In the order of evaluation. Only `:=` assigns.
FirstUse ofExpr(const ast::Expr &expr, std::string_view name) {
  FirstUse use = FirstUse::Nothing;
  if (auto *id = std::get_if<ast::Name>(&expr.node))
    return id->id == name ? FirstUse::Reads : use;
  if (auto *n = std::get_if<ast::NamedExpr>(&expr.node)) {
    use = ofExpr(n->value, name);
    const bool isTarget = std::get<ast::Name>(n->target->node).id == name;
    return use == FirstUse::Nothing && isTarget ? FirstUse::Assigns : use;
  }
  if (auto *n = std::get_if<ast::IfExpr>(&expr.node)) {
    use = ofExpr(n->condition, name);
    if (use != FirstUse::Nothing)
      return use;
    const FirstUse a = ofExpr(n->whenTrue, name), b = ofExpr(n->whenFalse, name);
    return a == b ? a : ifRun(a) == FirstUse::Nothing ? ifRun(b) : a;
  }
  const bool isShort = std::holds_alternative<ast::BoolOp>(expr.node) ||
                       std::holds_alternative<ast::Compare>(expr.node) ||
                       std::holds_alternative<ast::Comprehension>(expr.node);
  bool isFirst = true;
  forEachChild(expr, [&](const ast::Expr &child) {
    if (use == FirstUse::Nothing)
      use = isShort && !isFirst ? ifRun(ofExpr(child, name)) : ofExpr(child, name);
    isFirst = false;
  });
  return use;
}

/// For a target: a name is assigned as a whole; an element or a component only changes it.
FirstUse ofTarget(const ast::Expr &target, std::string_view name) {
  if (auto *id = std::get_if<ast::Name>(&target.node))
    return id->id == name ? FirstUse::Assigns : FirstUse::Nothing;
  auto *elements = ast::elementsOf(target);
  if (!elements)
    return mentions(target, name) ? FirstUse::Reads : FirstUse::Nothing;
  for (auto &element : *elements)
    if (FirstUse use = ofTarget(*element, name); use != FirstUse::Nothing)
      return use;
  return FirstUse::Nothing;
}

FirstUse ofLoop(const ast::Block &body, std::string_view name) { // it may not run at all
  return firstUse(body, name) == FirstUse::Reads ? FirstUse::Reads : FirstUse::Nothing;
}

FirstUse ofStmt(const ast::Stmt &stmt, std::string_view name) {
  auto reads = [&](const ast::ExprPtr &expr) { return ofExpr(expr, name); };
  if (auto *n = std::get_if<ast::Assign>(&stmt.node)) {
    FirstUse use = reads(n->value);
    for (auto &target : n->targets)
      if (use == FirstUse::Nothing)
        use = ofTarget(*target, name);
    return use;
  }
  if (auto *n = std::get_if<ast::AnnAssign>(&stmt.node)) {
    FirstUse use = reads(n->value);
    return use == FirstUse::Nothing && n->value ? ofTarget(*n->target, name) : use;
  }
  if (auto *n = std::get_if<ast::AugAssign>(&stmt.node))
    return mentions(n->target, name) ? FirstUse::Reads : reads(n->value);
  if (auto *n = std::get_if<ast::ExprStmt>(&stmt.node))
    return reads(n->value);
  if (auto *n = std::get_if<ast::Return>(&stmt.node))
    return reads(n->value);
  if (auto *n = std::get_if<ast::Assert>(&stmt.node))
    return mentions(n->condition, name) ? FirstUse::Reads : reads(n->message);
  if (auto *n = std::get_if<ast::If>(&stmt.node)) {
    if (FirstUse use = reads(n->condition); use != FirstUse::Nothing)
      return use;
    FirstUse a = firstUse(n->then, name), b = firstUse(n->otherwise, name);
    if (a == FirstUse::Reads || b == FirstUse::Reads)
      return FirstUse::Reads;
    return a == b ? a : FirstUse::Nothing;
  }
  if (auto *n = std::get_if<ast::While>(&stmt.node)) {
    FirstUse use = reads(n->condition); // evaluated once at least
    return use == FirstUse::Nothing ? ofLoop(n->body, name) : use;
  }
  if (auto *n = std::get_if<ast::For>(&stmt.node)) {
    if (FirstUse use = reads(n->iterable); use != FirstUse::Nothing)
      return use;
    // The loop's own variable hides one of the same name.
    FirstUse target = ofTarget(*n->target, name);
    return target == FirstUse::Nothing ? ofLoop(n->body, name)
           : target == FirstUse::Reads ? target
                                       : FirstUse::Nothing;
  }
  if (auto *n = std::get_if<ast::With>(&stmt.node))
    return mentions(n->context, name) ? FirstUse::Reads : firstUse(n->body, name);
  bool isQuiet = std::holds_alternative<ast::Pass>(stmt.node) ||
                 std::holds_alternative<ast::Break>(stmt.node) ||
                 std::holds_alternative<ast::Continue>(stmt.node);
  return isQuiet ? FirstUse::Nothing : FirstUse::Reads;
}

FirstUse firstUseFrom(const ast::Block &block, size_t from, std::string_view name) {
  for (size_t i = from; i < block.size(); ++i)
    if (FirstUse use = ofStmt(*block[i], name); use != FirstUse::Nothing)
      return use;
  return FirstUse::Nothing;
}

bool jumps(const ast::Block &block) {
  for (auto &stmt : block) {
    if (std::holds_alternative<ast::Break>(stmt->node) ||
        std::holds_alternative<ast::Continue>(stmt->node))
      return true;
    if (auto *n = std::get_if<ast::If>(&stmt->node))
      if (jumps(n->then) || jumps(n->otherwise))
        return true;
    if (auto *n = std::get_if<ast::With>(&stmt->node))
      if (jumps(n->body))
        return true;
  }
  return false;
}

/// Returns nullopt if the statement is not in the block.
std::optional<FirstUse> behindIn(const ast::Stmt &stmt, const ast::Block &block,
                                 std::string_view name) {
  for (size_t i = 0; i < block.size(); ++i) {
    std::optional<FirstUse> inner;
    if (block[i].get() == &stmt) {
      inner = FirstUse::Nothing;
    } else if (auto *n = std::get_if<ast::If>(&block[i]->node)) {
      inner = behindIn(stmt, n->then, name);
      if (!inner)
        inner = behindIn(stmt, n->otherwise, name);
    } else if (auto *n = std::get_if<ast::For>(&block[i]->node)) { // and round again
      inner = behindIn(stmt, n->body, name);
      if (inner && (jumps(n->body) || mentions(n->target, name)))
        inner = FirstUse::Reads;
      else if (inner == FirstUse::Nothing)
        inner = ofLoop(n->body, name);
    } else if (auto *n = std::get_if<ast::With>(&block[i]->node)) {
      inner = behindIn(stmt, n->body, name);
    } else if (auto *n = std::get_if<ast::While>(&block[i]->node)) {
      if (behindIn(stmt, n->body, name))
        inner = FirstUse::Reads;
    }
    if (inner)
      return inner == FirstUse::Nothing ? firstUseFrom(block, i + 1, name) : *inner;
  }
  return std::nullopt;
}

} // namespace

FirstUse firstUse(const ast::Block &block, std::string_view name) {
  return firstUseFrom(block, 0, name);
}

FirstUse firstUseBehind(const ast::Stmt &stmt, const ast::Block &function, std::string_view name) {
  return behindIn(stmt, function, name).value_or(FirstUse::Reads);
}

} // namespace sextant::sema
