#include "frontend/syntax/Children.h"

namespace sextant {

void forEachChild(const ast::Expr &expr, const std::function<void(const ast::Expr &)> &visit) {
  auto go = [&](const ast::ExprPtr &child) {
    if (child)
      visit(*child);
  };
  auto all = [&](const std::vector<ast::ExprPtr> &children) {
    for (const ast::ExprPtr &child : children)
      go(child);
  };
  if (auto *n = std::get_if<ast::FormatString>(&expr.node)) {
    for (const ast::FormatString::Part &part : n->parts)
      go(part.value);
  } else if (auto *n = std::get_if<ast::Attribute>(&expr.node)) {
    go(n->value);
  } else if (auto *n = std::get_if<ast::Call>(&expr.node)) {
    go(n->callee);
    all(n->args);
    for (const ast::Keyword &keyword : n->keywords)
      go(keyword.value);
  } else if (auto *n = std::get_if<ast::Subscript>(&expr.node)) {
    go(n->value);
    go(n->index);
  } else if (auto *n = std::get_if<ast::Slice>(&expr.node)) {
    go(n->lower);
    go(n->upper);
    go(n->step);
  } else if (auto *n = std::get_if<ast::Starred>(&expr.node)) {
    go(n->value);
  } else if (auto *n = std::get_if<ast::Unary>(&expr.node)) {
    go(n->operand);
  } else if (auto *n = std::get_if<ast::Binary>(&expr.node)) {
    go(n->lhs);
    go(n->rhs);
  } else if (auto *n = std::get_if<ast::Compare>(&expr.node)) {
    go(n->first);
    all(n->rest);
  } else if (auto *n = std::get_if<ast::BoolOp>(&expr.node)) {
    all(n->operands);
  } else if (auto *n = std::get_if<ast::IfExpr>(&expr.node)) {
    go(n->whenTrue);
    go(n->condition);
    go(n->whenFalse);
  } else if (auto *n = std::get_if<ast::NamedExpr>(&expr.node)) {
    go(n->value);
    go(n->target);
  } else if (auto *n = std::get_if<ast::TupleExpr>(&expr.node)) {
    all(n->elements);
  } else if (auto *n = std::get_if<ast::ListExpr>(&expr.node)) {
    all(n->elements);
  } else if (auto *n = std::get_if<ast::DictExpr>(&expr.node)) {
    all(n->keys);
    all(n->values);
  } else if (auto *n = std::get_if<ast::Comprehension>(&expr.node)) {
    go(n->key);
    go(n->element);
    for (const ast::CompFor &loop : n->loops) {
      go(loop.iterable);
      all(loop.conditions);
    }
  }
}

const std::vector<ast::ExprPtr> *ast::elementsOf(const Expr &expr) {
  if (auto *tuple = std::get_if<TupleExpr>(&expr.node))
    return &tuple->elements;
  auto *list = std::get_if<ListExpr>(&expr.node);
  return list ? &list->elements : nullptr;
}

bool ast::isStarred(const ExprPtr &expr) { return std::holds_alternative<Starred>(expr->node); }

} // namespace sextant
