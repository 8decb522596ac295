// Control flow under masks.
#include "tests/fuzz/Machine.h"

namespace fuzz {

bool any(const Mask &mask) {
  for (uint8_t lane : mask)
    if (lane)
      return true;
  return false;
}

void Machine::scoped(const ast::Block &body, Mask &mask) {
  frames.back().scopes.emplace_back();
  block(body, mask);
  frames.back().scopes.pop_back();
}

void Machine::block(const ast::Block &body, Mask &mask) {
  for (const ast::StmtPtr &statement : body) {
    if (!ghost && !any(mask))
      return;
    this->statement(*statement, mask);
  }
}

void Machine::statement(const ast::Stmt &statement, Mask &mask) {
  if ((steps += lanes) > 40'000'000)
    throw Unspecified("it runs for very long");
  if (const auto *node = std::get_if<ast::Assign>(&statement.node)) {
    const Val value = eval(*node->value, mask);
    for (const ast::ExprPtr &target : node->targets)
      assign(*target, value, mask);
  } else if (const auto *node = std::get_if<ast::AugAssign>(&statement.node)) {
    augment(*node, mask);
  } else if (const auto *node = std::get_if<ast::If>(&statement.node)) {
    ifStatement(*node, mask);
  } else if (const auto *node = std::get_if<ast::While>(&statement.node)) {
    whileLoop(*node, mask);
  } else if (const auto *node = std::get_if<ast::For>(&statement.node)) {
    forLoop(*node, mask);
  } else if (const auto *node = std::get_if<ast::Return>(&statement.node)) {
    returnStatement(*node, mask);
  } else if (const auto *node = std::get_if<ast::ExprStmt>(&statement.node)) {
    if (const auto *site = std::get_if<ast::Call>(&node->value->node))
      call(*node->value, *site, mask, false);
    else if (!std::holds_alternative<ast::StringLit>(node->value->node))
      throw Unsupported("this expression as a statement");
  } else if (std::holds_alternative<ast::Break>(statement.node) ||
             std::holds_alternative<ast::Continue>(statement.node)) {
    if (loops.empty())
      throw Unsupported("break or continue outside of a loop");
    Mask &left = std::holds_alternative<ast::Break>(statement.node) ? loops.back()->broken
                                                                    : loops.back()->continued;
    for (unsigned lane = 0; lane < lanes; ++lane)
      left[lane] |= mask[lane];
    mask.assign(lanes, 0);
  } else if (!std::holds_alternative<ast::Pass>(statement.node)) {
    throw Unsupported("this statement");
  }
}

/// `qd.static(…)` as a condition, evaluated.
std::optional<bool> Machine::staticCondition(const ast::Expr &condition) {
  const ast::Call *site = staticCall(condition);
  if (!site)
    return std::nullopt;
  const Val value = eval(*site->args[0], Mask(lanes, 1));
  if (!value.isConst())
    throw Unsupported("a static condition that is not constant");
  return value.kind == Val::Real ? value.real != 0 : value.integer != 0;
}

void Machine::ifStatement(const ast::If &node, Mask &mask) {
  if (std::optional<bool> chosen = staticCondition(*node.condition)) {
    scoped(*chosen ? node.then : node.otherwise, mask);
    return;
  }
  Mask yes = truth(eval(*node.condition, mask), mask), no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  ++branches;
  scoped(node.then, yes);
  scoped(node.otherwise, no);
  --branches;
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = yes[lane] || no[lane];
}

void Machine::returnStatement(const ast::Return &node, Mask &mask) {
  Frame &frame = frames.back();
  Val value;
  if (node.value) {
    value = mapLeaves(eval(*node.value, mask),
                      [&](const Val &leaf) { return leaf.isNumber() ? runtime(leaf) : leaf; });
  }
  if (frames.size() == 1) { // the kernel's
    if (inTask)
      throw Unsupported("return from a parallel loop");
    std::vector<Val> results; // one for each element of a tuple, and each member of a record
    const std::function<void(const Val &)> add = [&](const Val &part) {
      if (part.kind == Val::Record || (part.kind == Val::List && !part.isVector))
        for (const Val &item : part.items)
          add(item);
      else
        results.push_back(part);
    };
    if (node.value)
      add(value);
    if (results.size() != launch.results.size())
      throw Unsupported("another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      launch.results[i].data.clear();
      eachLeaf(results[i], [&](const Val &leaf) {
        const Val result = cast(leaf, launch.results[i].type, mask);
        usable(result, mask);
        launch.results[i].data.push_back(result.bits[0]);
      });
    }
    mask.assign(lanes, 0);
    return;
  }
  if (frame.result.kind == Val::None && !any(frame.returned)) {
    frame.result = value;
  } else if (value.kind != Val::None || frame.result.kind != Val::None) {
    if (!sameShape(value, frame.result))
      throw Unsupported("returns of different types");
    std::vector<Scalar> types;
    eachLeaf(value, [&](const Val &leaf) { types.push_back(leaf.type); });
    size_t next = 0;
    eachLeaf(frame.result, [&](const Val &leaf) {
      if (leaf.kind != Val::Lanes || leaf.type != types[next++])
        throw Unsupported("returns of different types");
    });
    merge(frame.result, value, mask);
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    frame.returned[lane] |= mask[lane];
  mask.assign(lanes, 0);
}

} // namespace fuzz
