// Expressions: names, attributes, indices, and choices.
#include "tests/fuzz/Machine.h"

namespace fuzz {

Val Machine::eval(const ast::Expr &expr, const Mask &mask) {
  if (const auto *node = std::get_if<ast::IntLit>(&expr.node))
    return constant(node->value);
  if (const auto *node = std::get_if<ast::FloatLit>(&expr.node)) {
    Val value;
    value.kind = Val::Real;
    value.real = node->value;
    return value;
  }
  if (const auto *node = std::get_if<ast::BoolLit>(&expr.node)) {
    Val value = constant(node->value);
    value.kind = Val::Bool;
    return value;
  }
  if (const auto *node = std::get_if<ast::StringLit>(&expr.node)) {
    Val text;
    text.kind = Val::Text;
    text.path = node->value;
    return text;
  }
  if (std::holds_alternative<ast::NoneLit>(expr.node))
    return {};
  if (const auto *node = std::get_if<ast::Name>(&expr.node))
    return loaded(name(node->id), mask);
  if (std::holds_alternative<ast::Attribute>(expr.node) ||
      std::holds_alternative<ast::Subscript>(expr.node))
    return loaded(reach(expr, mask), mask);
  if (const auto *node = std::get_if<ast::Unary>(&expr.node))
    return unary(node->op, eval(*node->operand, mask), mask);
  if (const auto *node = std::get_if<ast::Binary>(&expr.node)) {
    const Val a = eval(*node->lhs, mask);
    return binary(node->op, a, eval(*node->rhs, mask), mask);
  }
  if (const auto *node = std::get_if<ast::Compare>(&expr.node))
    return comparison(*node, mask);
  if (const auto *node = std::get_if<ast::BoolOp>(&expr.node))
    return boolOp(*node, mask);
  if (const auto *node = std::get_if<ast::IfExpr>(&expr.node))
    return ifExpr(*node, mask);
  if (const auto *node = std::get_if<ast::Call>(&expr.node))
    return call(expr, *node, mask, true);
  const std::vector<ast::ExprPtr> *elements = nullptr;
  if (const auto *node = std::get_if<ast::TupleExpr>(&expr.node))
    elements = &node->elements;
  if (const auto *node = std::get_if<ast::ListExpr>(&expr.node))
    elements = &node->elements;
  if (!elements)
    throw Unsupported("this expression");
  Val value;
  value.kind = Val::List;
  for (const ast::ExprPtr &element : *elements)
    value.items.push_back(eval(*element, mask));
  return value;
}

Val Machine::name(std::string_view id) {
  const auto &scopes = frames.back().scopes;
  const Val *found = nullptr;
  for (size_t i = scopes.size(); i-- > 0 && !found;)
    if (auto at = scopes[i].find(id); at != scopes[i].end())
      found = &at->second;
  if (!found) {
    auto at = globals.find(id);
    if (at == globals.end()) { // a builtin of Python
      Val value;
      value.kind = Val::Path;
      value.path = id;
      return value;
    }
    found = &at->second;
  }
  Val value = *found;
  // A local of the kernel, carried into a task: the same for all threads.
  bool isCarried = false;
  auto widen = [&](Val &item) {
    if (item.kind == Val::Lanes && item.bits.size() != lanes) {
      isCarried = true;
      item.bits.assign(lanes, item.bits[0]);
      item.taint.assign(lanes, item.taint[0]);
    }
  };
  eachLeaf(value, widen);
  if (isCarried)
    readCarried(*found);
  return value;
}

/// The thing that an attribute names: places where it is a component or a member of places.
Val Machine::attribute(const ast::Attribute &node, const Mask &mask) {
  Val value = reach(*node.value, mask);
  if (value.kind == Val::Path) {
    value.path += "." + std::string(node.name);
    if (const int type = scalarOf(node.name); type >= 0 && value.path.starts_with("qd.")) {
      value.kind = Val::Type;
      value.type = Scalar(type);
    }
    return value;
  }
  if (value.kind == Val::Memory && node.name == "shape") {
    while (!value.items.empty())
      value = Val(value.items[0]);
    Val shape;
    shape.kind = Val::List;
    for (int64_t extent : value.array->shape)
      shape.items.push_back(runtime(constant(extent)));
    return shape;
  }
  if (Val found = member(value, node.name); found.kind != Val::None)
    return found;
  if (value.record) // a constant of a class
    for (const ast::StmtPtr &statement : value.record->body)
      if (const auto *constant = std::get_if<ast::Assign>(&statement->node))
        if (const auto *name = std::get_if<ast::Name>(&constant->targets[0]->node);
            name && name->id == node.name)
          return eval(*constant->value, mask);
  if (value.isTree()) {
    Val called;
    called.kind = Val::Function;
    called.path = node.name;
    if (value.kind == Val::Record)
      called.function = method(*value.record, node.name);
    called.self = std::make_shared<Val>(std::move(value));
    return called;
  }
  throw Unsupported("the attribute " + std::string(node.name));
}

} // namespace fuzz
