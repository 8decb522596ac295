// Statements other than loops.
#include "frontend/sema/Analyzer.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

Flow KernelAnalyzer::execBlock(const ast::Block &block, bool newScope) {
  if (newScope)
    frame().scopes.emplace_back();
  Flow flow = Flow::Normal;
  for (size_t i = 0; i < block.size() && !exhausted; ++i) {
    flow = exec(*block[i]);
    if (flow == Flow::Normal)
      continue;
    analyseRest(block, i + 1);
    break;
  }
  if (newScope)
    frame().scopes.pop_back();
  return flow;
}

Flow KernelAnalyzer::inRuntime(hir::Block &into, const std::function<Flow()> &body) {
  block({}); // outside of tasks, this opens one
  hir::Block *savedBlock = current;
  bool savedTop = topLevel, savedIf = underKnownIf;
  current = &into;
  topLevel = underKnownIf = false;
  ++frame().runtimeDepth;
  frame().scopes.emplace_back();
  Flow flow = body();
  frame().scopes.pop_back();
  --frame().runtimeDepth;
  topLevel = savedTop;
  underKnownIf = savedIf;
  current = savedBlock;
  return flow;
}

Flow KernelAnalyzer::exec(const ast::Stmt &stmt) {
  statementAt = stmt.at;
  if (!budget(stmt.at) || !stackLeft(stmt.at))
    return Flow::Dead;
  const auto &node = stmt.node;
  if (auto *n = std::get_if<ast::Assign>(&node)) {
    if (auto *name = std::get_if<ast::Name>(&n->targets[0]->node);
        name && std::holds_alternative<ast::Call>(n->value->node))
      sharedName = std::string(name->id);
    Value value = eval(*n->value);
    sharedName.clear();
    if (n->targets.size() > 1)
      value = snapshot(std::move(value), stmt.at);
    for (auto &target : n->targets)
      assignTarget(*target, value, stmt.at);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::AugAssign>(&node)) {
    execAugAssign(stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::AnnAssign>(&node)) {
    execAnnAssign(stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::ExprStmt>(&node)) {
    if (!std::holds_alternative<ast::StringLit>(n->value->node) &&
        !std::holds_alternative<ast::EllipsisLit>(n->value->node))
      eval(*n->value);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::If>(&node))
    return execIf(stmt, *n);
  if (auto *n = std::get_if<ast::While>(&node))
    return execWhile(stmt, *n);
  if (auto *n = std::get_if<ast::For>(&node))
    return execFor(stmt, *n);
  if (auto *n = std::get_if<ast::Return>(&node))
    return execReturn(stmt, *n);
  if (std::holds_alternative<ast::Break>(node))
    return execJump(stmt, true);
  if (std::holds_alternative<ast::Continue>(node))
    return execJump(stmt, false);
  if (std::holds_alternative<ast::Pass>(node))
    return Flow::Normal;
  if (auto *n = std::get_if<ast::Assert>(&node)) {
    execAssert(stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::FunctionDef>(&node)) {
    error(stmt.at, "`" + std::string(n->name) + "` is defined inside a kernel or function",
          "define functions at module level");
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::OpaqueStmt>(&node)) {
    error(stmt.at, n->keyword.empty() ? std::string("this statement cannot be used in kernels")
                                      : "`" + n->keyword + "` cannot be used in kernels");
    return Flow::Normal;
  }
  error(stmt.at, "imports stand at module level");
  return Flow::Normal;
}

//===--- Assignment --------------------------------------------------------===//

void KernelAnalyzer::assignTarget(const ast::Expr &target, const Value &value, SourceRange at) {
  if (auto *name = std::get_if<ast::Name>(&target.node)) {
    auto variable = findVariable(name->id);
    if (variable) {
      if (value.isPoison())
        return;
      assignVariable(variable, value, at);
      return;
    }
    variable = declare(name->id, target.at);
    if (value.isPoison()) { // uses of it keep quiet
      variable->alias = true;
      return;
    }
    bool compileTime = value.isStatic || (!value.isNumber() && value.kind != Value::Tuple &&
                                          value.kind != Value::Matrix);
    if (compileTime && !value.isRuntime()) {
      variable->alias = true;
      variable->value = value;
      return;
    }
    Value typed = materialise(value, at);
    if (typed.isPoison()) {
      variable->alias = true;
      return;
    }
    variable->value = newVariable(*variable, typed, at);
    assignVariable(variable, typed, at);
    return;
  }
  const std::vector<ast::ExprPtr> *elements = nullptr;
  if (auto *tuple = std::get_if<ast::TupleExpr>(&target.node))
    elements = &tuple->elements;
  else if (auto *list = std::get_if<ast::ListExpr>(&target.node))
    elements = &list->elements;
  if (elements) {
    if (!value.isPoison() && value.kind != Value::Tuple && value.kind != Value::Matrix) {
      error(at, describe(value) + " cannot be unpacked into " + std::to_string(elements->size()) +
                    " names");
      return;
    }
    size_t count = value.isPoison() ? elements->size() : value.items.size();
    if (value.kind == Value::Matrix && !value.vector)
      count = value.rows;
    if (count != elements->size()) {
      error(at, std::to_string(count) + " values cannot be unpacked into " +
                    std::to_string(elements->size()) + " names");
      return;
    }
    Value fixed = snapshot(value, at);
    for (size_t i = 0; i < count; ++i) {
      Value item = fixed.isPoison() ? Value()
                   : fixed.kind == Value::Matrix
                       ? indexMatrix(fixed, {Value::exactInt(Exact(i))}, at)
                       : fixed.items[i];
      if (value.isStatic)
        item.isStatic = true;
      assignTarget(*(*elements)[i], item, at);
    }
    return;
  }
  if (std::holds_alternative<ast::Starred>(target.node)) {
    error(target.at, "`*` targets are not supported");
    return;
  }
  auto place = evalPlace(target, true);
  if (place)
    writePlace(*place, value, at);
}

/// Whether the target has a type already, and another one than the annotation says.
bool KernelAnalyzer::reannotated(const ast::AnnAssign &node, const TypeValue &type,
                                 SourceRange at) {
  if (type.kind != TypeValue::Element)
    return false;
  const Value *old = nullptr;
  auto *name = std::get_if<ast::Name>(&node.target->node);
  VariablePtr variable = name ? findVariable(name->id) : nullptr;
  if (variable && !variable->alias && !variable->value.isPoison())
    old = &variable->value;
  if (!old || (old->kind != Value::Scalar && old->kind != Value::Matrix))
    return false;
  ElementType has;
  has.type = old->kind == Value::Scalar ? old->expr->type : typeOf(old->items[0]);
  if (old->kind == Value::Matrix)
    has = {has.type, old->rows, old->cols, true, old->vector};
  const ElementType &wanted = type.element;
  if (has.type == wanted.type && has.rows == wanted.rows && has.cols == wanted.cols &&
      has.matrix == wanted.matrix)
    return false;
  errorWithNote(at,
                "`" + variable->name + "` is annotated as " + spell(wanted) + ", but is " +
                    spell(has) + " already: a local keeps its first type",
                "use another name, or leave the annotation out to convert the value", variable->at,
                "it has its type from here");
  return true;
}

void KernelAnalyzer::execAnnAssign(const ast::Stmt &stmt, const ast::AnnAssign &node) {
  TypeValue type;
  if (!annotation(*node.annotation, type))
    return;
  if (!node.value) {
    error(stmt.at, "an annotation without a value declares nothing",
          "give it its first value, as in `x: qd.f32 = 0`");
    return;
  }
  Value value = eval(*node.value);
  if (type.kind == TypeValue::Template)
    value.isStatic = true;
  else if (type.kind == TypeValue::Element)
    value = asAnnotated(value, type.element, node.value->at, "this value");
  if (!std::holds_alternative<ast::Name>(node.target->node)) {
    auto place = evalPlace(*node.target, true);
    const ElementType &wanted = type.element;
    if (place && place->kind == Place::Memory && type.kind == TypeValue::Element &&
        (place->element.type != wanted.type || place->element.rows != wanted.rows ||
         place->element.cols != wanted.cols)) {
      error(stmt.at,
            "this element is " + spell(place->element) + ", but is annotated as " + spell(wanted),
            "leave the annotation out");
    } else if (place) {
      writePlace(*place, value, stmt.at);
    }
    return;
  }
  if (!reannotated(node, type, stmt.at))
    assignTarget(*node.target, value, stmt.at);
}

void KernelAnalyzer::execAugAssign(const ast::Stmt &stmt, const ast::AugAssign &node) {
  if (auto *name = std::get_if<ast::Name>(&node.target->node))
    if (!findVariable(name->id)) {
      error(node.target->at,
            "`" + std::string(name->id) + "` is changed before it has a value here",
            "assign it in this function first; module constants cannot be changed");
      return;
    }
  auto place = evalPlace(*node.target, true);
  Value value = eval(*node.value);
  if (!place || value.isPoison())
    return;
  using Op = ast::BinaryOp;
  int atomic = -1;
  bool negate = false;
  switch (node.op) {
  case Op::Add:
    atomic = int(hir::AtomicOp::Add);
    break;
  case Op::Sub:
    atomic = int(hir::AtomicOp::Add);
    negate = true;
    break;
  case Op::And:
    atomic = int(hir::AtomicOp::And);
    break;
  case Op::Or:
    atomic = int(hir::AtomicOp::Or);
    break;
  case Op::Xor:
    atomic = int(hir::AtomicOp::Xor);
    break;
  default:
    break;
  }
  if ((place->kind == Place::Memory || place->kind == Place::Several) && atomic >= 0) {
    atomicOn(negate ? -1 : atomic, *place, value, stmt.at, "");
    return;
  }
  if (place->kind == Place::Whole) {
    error(stmt.at, "a whole array cannot be assigned", "assign its elements in a loop");
    return;
  }
  Value old = readPlace(*place, stmt.at);
  Value result = binary(node.op, old, value, stmt.at);
  writePlace(*place, result, stmt.at);
}

//===--- Control flow ------------------------------------------------------===//

namespace {
/// What runs where no arm of a chain so far did; null where that is no further `if`.
const ast::Stmt *nextArm(const ast::If &node) {
  if (node.otherwise.size() != 1 || !std::holds_alternative<ast::If>(node.otherwise[0]->node))
    return nullptr;
  return node.otherwise[0].get();
}

/// Arms of a chain of `elif` that become nested statements. Compilers' passes take more than linear
/// time for deep nesting, and SPIR-V ends at 1023 levels, so longer chains go on behind their first
/// arms, under a flag.
constexpr unsigned kNestedArms = 64;
} // namespace

Flow KernelAnalyzer::execIf(const ast::Stmt &stmt, const ast::If &node) {
  Chain chain;
  unsigned arms = 1;
  for (const ast::Stmt *next = nextArm(node); next && !chain.isLong;
       next = nextArm(std::get<ast::If>(next->node)))
    chain.isLong = ++arms > kNestedArms;
  Flow flow = execArm(stmt, node, chain);
  while (chain.rest) {
    const ast::Stmt &rest = *chain.rest;
    chain.rest = nullptr;
    chain.nested = 0;
    hir::Block body;
    Flow more = inRuntime(body, [&] {
      emit(rest.at, hir::Assign{*chain.pending, take(makeInt(0, hir::Type::Bool, rest.at))});
      return execArm(rest, std::get<ast::If>(rest.node), chain);
    });
    emit(rest.at,
         hir::If{take(makeLocal(*chain.pending, hir::Type::Bool, rest.at)), std::move(body), {}});
    if (more == Flow::Normal)
      flow = Flow::Normal;
  }
  forget(chain.assigned);
  return flow;
}

Flow KernelAnalyzer::execArm(const ast::Stmt &stmt, const ast::If &node, Chain &chain) {
  if (!budget(stmt.at) || !stackLeft(stmt.at))
    return Flow::Dead;
  Value condition = eval(*node.condition);
  if (condition.isPoison()) {
    // Both branches may still have errors of their own.
    hir::Block lost;
    if (!isHost()) {
      inRuntime(lost, [&] { return execBlock(node.then); });
      inRuntime(lost, [&] { return execBlock(node.otherwise); });
    }
    return Flow::Normal;
  }
  if (condition.kind != Value::Scalar) {
    bool known = false;
    bool truth = isTruthy(condition, known, node.condition->at);
    if (!known)
      return Flow::Normal;
    // What is not told to be static is as it is at run time: a loop under it is serial.
    bool savedTop = topLevel, savedIf = underKnownIf;
    if (topLevel && !isHost() && !looksStatic(*node.condition)) {
      block(stmt.at); // what is not at the top stands in a task
      underKnownIf = true;
      topLevel = false;
    }
    if (isLiteral(*node.condition)) // nothing was decided: `if False:` hides no mistakes
      analyseUnreached([&] { execBlock(truth ? node.otherwise : node.then); });
    Flow flow = execBlock(truth ? node.then : node.otherwise);
    topLevel = savedTop;
    underKnownIf = savedIf;
    return flow;
  }
  if (!chain.isRuntime) {
    chain.isRuntime = true;
    chain.assigned = changedBy(node.then);
    chain.assigned.merge(changedBy(node.otherwise));
  }
  ExprRef test = toBool(condition, node.condition->at);
  hir::Block then, otherwise;
  block(stmt.at);
  if (chain.isLong && !chain.pending) {
    chain.pending = newLocal("pending", hir::Type::Bool);
    emit(stmt.at, hir::Assign{*chain.pending, take(makeInt(0, hir::Type::Bool, stmt.at))});
  }
  Flow a = inRuntime(then, [&] { return execBlock(node.then, false); });
  Flow b = inRuntime(otherwise, [&] {
    const ast::Stmt *next = nextArm(node);
    if (!next)
      return execBlock(node.otherwise, false);
    if (++chain.nested < kNestedArms)
      return execArm(*next, std::get<ast::If>(next->node), chain);
    emit(stmt.at, hir::Assign{*chain.pending, take(makeInt(1, hir::Type::Bool, stmt.at))});
    chain.rest = next;
    return Flow::Dead; // it goes on behind this statement
  });
  emit(stmt.at, hir::If{take(test), std::move(then), std::move(otherwise)});
  return a != Flow::Normal && b != Flow::Normal ? Flow::Dead : Flow::Normal;
}

/// Whether a loop with this body only waits for what its condition reads.
static bool doesNothing(const ast::Block &body) {
  return std::all_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
    return std::holds_alternative<ast::Pass>(stmt->node) ||
           std::holds_alternative<ast::Continue>(stmt->node);
  });
}

Flow KernelAnalyzer::execWhile(const ast::Stmt &stmt, const ast::While &node) {
  if (!node.otherwise.empty())
    error(stmt.at, "`while … else` is not supported");
  forget(changedBy(node.body, node.condition.get()));
  block(stmt.at);
  hir::Block conditionBlock, body, inner;
  ExprRef test;
  bool constant = false;
  ++loopNesting;
  // A wait for another thread's flag has to read it each time, and what follows
  // must not be read before it is seen.
  bool outerWaiting = waiting;
  waiting = doesNothing(node.body);
  waitedFor.reset();
  inRuntime(conditionBlock, [&] {
    Value condition = eval(*node.condition);
    if (!condition.isPoison())
      test = toBool(condition, node.condition->at);
    if (test && options.checks && waiting && !asConst(*test))
      test = both(test, noFaultYet(node.condition->at), node.condition->at);
    return Flow::Normal;
  });
  waiting = outerWaiting;
  if (!test)
    test = makeBool(true, stmt.at);
  if (auto *c = asConst(*test)) {
    if (!c->bits) {
      --loopNesting;
      if (isLiteral(*node.condition))
        analyseUnreached([&] {
          frame().loops.emplace_back();
          execBlock(node.body);
          frame().loops.pop_back();
        });
      return Flow::Normal;
    }
    constant = true;
  }
  LoopContext context;
  context.breakScope = newScope();
  context.continueScope = newScope();
  inRuntime(inner, [&] {
    context.depth = frame().runtimeDepth;
    frame().loops.push_back(context);
    Flow flow = execBlock(node.body, false);
    context = frame().loops.back();
    frame().loops.pop_back();
    return flow;
  });
  --loopNesting;
  auto wrap = [&](bool used, unsigned id, hir::Block &&content, hir::Block &out) {
    if (!used) {
      for (auto &s : content)
        out.push_back(std::move(s));
      return;
    }
    hir::Stmt scope;
    scope.at = stmt.at;
    scope.node = hir::Scope{id, std::move(content)};
    out.push_back(std::move(scope));
  };
  wrap(context.continueUsed, context.continueScope, std::move(inner), body);
  hir::ExprPtr condition = take(test);
  if (!conditionBlock.empty())
    condition = hir::Expr{stmt.at, hir::Type::Bool,
                          hir::Sequence{std::move(conditionBlock), std::move(condition)}};
  hir::While loop{std::move(condition), std::move(body)};
  hir::Block whole;
  hir::Stmt s;
  s.at = stmt.at;
  s.node = std::move(loop);
  whole.push_back(std::move(s));
  wrap(context.breakUsed, context.breakScope, std::move(whole), block(stmt.at));
  if (waitedFor)
    emit(stmt.at, hir::Fence{*std::exchange(waitedFor, std::nullopt)});
  return constant && !context.breakUsed ? Flow::Dead : Flow::Normal;
}

Flow KernelAnalyzer::execJump(const ast::Stmt &stmt, bool isBreak) {
  const char *what = isBreak ? "break" : "continue";
  if (frame().loops.empty()) {
    error(stmt.at, std::string("`") + what + "` outside of a loop");
    return Flow::Dead;
  }
  LoopContext &loop = frame().loops.back();
  if (loop.isParallel && isBreak) {
    error(stmt.at, "`break` cannot leave a parallel loop: its iterations run at the same time",
          "put `qd.loop_config(serialize=True)` before the loop, or test a flag in the body");
    return Flow::Dead;
  }
  if (loop.isStatic && frame().runtimeDepth == loop.depth)
    return isBreak ? Flow::Break : Flow::Continue;
  (isBreak ? loop.breakUsed : loop.continueUsed) = true;
  emit(stmt.at, hir::Leave{isBreak ? loop.breakScope : loop.continueScope});
  return Flow::Dead;
}

} // namespace sextant::sema
