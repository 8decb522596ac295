// Statements other than loops.
#include "frontend/sema/Analyzer.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

Flow KernelAnalyzer::execBlock(const ast::Block &block, bool newScope) {
  if (newScope)
    frame().scopes.emplace_back();
  Flow flow = Flow::Normal;
  for (auto &stmt : block) {
    if (exhausted)
      break;
    flow = exec(*stmt);
    if (flow != Flow::Normal)
      break;
  }
  if (newScope)
    frame().scopes.pop_back();
  return flow;
}

Flow KernelAnalyzer::inRuntime(hir::Block &into, const std::function<Flow()> &body) {
  block({}); // outside of tasks, this opens one
  hir::Block *savedBlock = current;
  bool savedTop = topLevel;
  current = &into;
  topLevel = false;
  ++frame().runtimeDepth;
  frame().scopes.emplace_back();
  Flow flow = body();
  frame().scopes.pop_back();
  --frame().runtimeDepth;
  topLevel = savedTop;
  current = savedBlock;
  return flow;
}

Flow KernelAnalyzer::exec(const ast::Stmt &stmt) {
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
    variable->value = newVariableLeaves(variable->name, typed, at);
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

void KernelAnalyzer::execAnnAssign(const ast::Stmt &stmt, const ast::AnnAssign &node) {
  TypeValue type;
  if (!annotation(*node.annotation, type))
    return;
  if (!node.value)
    return;
  Value value = eval(*node.value);
  if (type.kind == TypeValue::Template)
    value.isStatic = true;
  else if (type.kind == TypeValue::Element &&
           (value.isNumber() || value.kind == Value::Tuple || value.kind == Value::Matrix))
    value = castTo(value, type.element, stmt.at);
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
  if (place->kind == Place::Memory && atomic >= 0) {
    atomicOn(negate ? -1 : atomic, *place, value, stmt.at, "");
    return;
  }
  if (place->kind == Place::Whole) {
    error(stmt.at, "a whole array cannot be assigned", "assign its elements in a loop");
    return;
  }
  // A variable of the kernel, changed by the threads of a parallel loop, is memory.
  if (place->kind == Place::Local && atomic >= 0 && place->path.empty() && region != 0 &&
      place->variable->region == 0 && !place->variable->alias) {
    atomicOn(negate ? -1 : atomic, *place, value, stmt.at, "");
    return;
  }
  Value old = readPlace(*place, stmt.at);
  Value result = binary(node.op, old, value, stmt.at);
  writePlace(*place, result, stmt.at);
}

//===--- Control flow ------------------------------------------------------===//

Flow KernelAnalyzer::execIf(const ast::Stmt &stmt, const ast::If &node) {
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
    return execBlock(truth ? node.then : node.otherwise);
  }
  ExprRef test = toBool(condition, node.condition->at);
  auto assigned = changedBy(node.then);
  assigned.merge(changedBy(node.otherwise));
  hir::Block then, otherwise;
  block(stmt.at);
  Flow a = inRuntime(then, [&] { return execBlock(node.then, false); });
  Flow b = inRuntime(otherwise, [&] { return execBlock(node.otherwise, false); });
  forget(assigned);
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
  hir::While loop;
  if (conditionBlock.empty())
    loop.condition = take(test);
  else
    loop.condition = std::make_unique<hir::Expr>(
        hir::Expr{stmt.at, hir::Type::Bool, hir::Sequence{std::move(conditionBlock), take(test)}});
  loop.body = std::move(body);
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

Flow KernelAnalyzer::execReturn(const ast::Stmt &stmt, const ast::Return &node) {
  Frame &f = frame();
  if (f.isKernel)
    return execKernelReturn(stmt, node);
  Value value = node.value ? eval(*node.value) : Value::none();
  if (f.returnType && !value.isPoison()) {
    if (f.returnType->kind == TypeValue::Element &&
        (value.isNumber() || value.kind == Value::Matrix || value.kind == Value::Tuple))
      value = castTo(value, f.returnType->element, stmt.at);
    else if (f.returnType->kind == TypeValue::Tuple && value.kind == Value::Tuple &&
             value.items.size() == f.returnType->items.size())
      for (size_t i = 0; i < value.items.size(); ++i)
        if (f.returnType->items[i].kind == TypeValue::Element)
          value.items[i] = castTo(value.items[i], f.returnType->items[i].element, stmt.at);
  }
  if (f.runtimeDepth == 0 && !f.returnScopeUsed) {
    f.directResult = std::move(value);
    return Flow::Dead;
  }
  if (value.isPoison()) {
    f.directResult = Value();
  } else if (value.kind != Value::None) {
    if (!value.isRuntime() && !value.isExact() && value.kind != Value::Tuple &&
        value.kind != Value::Matrix) {
      error(stmt.at, describe(value) + " cannot be returned under a run-time condition");
      return Flow::Dead;
    }
    auto holder = std::make_shared<Variable>();
    holder->name = "the result of `" + std::string(f.function->name) + "`";
    // The leaves of a result, in order.
    std::function<void(Value &, const std::function<void(Value &)> &)> eachLeaf =
        [&](Value &v, const std::function<void(Value &)> &visit) {
          if (v.isNumber())
            visit(v);
          else
            for (Value &item : v.items)
              eachLeaf(item, visit);
        };
    if (!f.resultLocals) {
      Value typed = materialise(value, stmt.at);
      if (typed.isPoison())
        return Flow::Dead;
      size_t k = 0;
      eachLeaf(typed, [&](Value &leaf) {
        if (k < f.resultTypes.size())
          leaf = Value::scalar(
              makeCast(leaf.expr, promote(leaf.expr->type, f.resultTypes[k]), stmt.at));
        ++k;
      });
      f.resultLocals = newVariableLeaves("result", typed, stmt.at);
    } else {
      // A result that would lose something in the type of the first makes the type wider.
      std::vector<hir::Type> have, want;
      Value result = value;
      eachLeaf(*f.resultLocals, [&](Value &leaf) { have.push_back(leaf.expr->type); });
      eachLeaf(result, [&](Value &leaf) {
        hir::Type type = typeOf(leaf);
        size_t k = want.size();
        if (k < have.size() && leaf.kind == Value::Int && !isFloat(have[k]))
          type = have[k]; // a literal takes the type of the others
        want.push_back(k < have.size() ? promote(have[k], type) : type);
      });
      if (want.size() == have.size() && want != have) {
        f.resultTypes = want;
        f.runAgain = true;
      }
    }
    assignLeaves(*f.resultLocals, value, holder, stmt.at);
  }
  if (f.runtimeDepth > 0) {
    f.returnScopeUsed = true;
    emit(stmt.at, hir::Leave{f.returnScope});
  }
  return Flow::Dead;
}

/// Writes the results to the hidden buffers; the launch hands them back.
Flow KernelAnalyzer::execKernelReturn(const ast::Stmt &stmt, const ast::Return &node) {
  Frame &f = frame();
  if (region != 0) {
    error(stmt.at, "a kernel cannot return from inside a parallel loop",
          "`continue` ends an iteration");
    return Flow::Dead;
  }
  Value value = node.value ? eval(*node.value) : Value::none();
  if (value.isPoison())
    return Flow::Dead;
  std::vector<Value> results;
  if (value.kind == Value::Tuple)
    results = value.items;
  else if (value.kind != Value::None)
    results = {value};
  std::vector<ElementType> types;
  if (f.returnType && f.returnType->kind == TypeValue::Element)
    types = {f.returnType->element};
  else if (f.returnType && f.returnType->kind == TypeValue::Tuple)
    for (auto &item : f.returnType->items)
      types.push_back(item.element);
  if (!results.empty() && types.empty() && f.returnType &&
      f.returnType->kind == TypeValue::NoneType) {
    error(stmt.at, "the kernel is annotated with `-> None`, but returns a value");
    return Flow::Dead;
  }
  if (!types.empty() && types.size() != results.size()) {
    if (types.size() == 1 && types[0].matrix && value.kind == Value::Tuple)
      results = {value};
    else {
      error(stmt.at, "the kernel is annotated with " + std::to_string(types.size()) +
                         " results, but returns " + std::to_string(results.size()));
      return Flow::Dead;
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Value result =
        types.empty() ? materialise(results[i], stmt.at) : castTo(results[i], types[i], stmt.at);
    if (result.isPoison())
      return Flow::Dead;
    if (result.kind == Value::Tuple)
      result = toMatrix(result, stmt.at);
    if (result.kind != Value::Scalar && result.kind != Value::Matrix) {
      error(stmt.at, "a kernel cannot return " + describe(result),
            "return scalars, vectors, matrices, or a tuple of those");
      return Flow::Dead;
    }
    hir::Type type = result.kind == Value::Scalar ? result.expr->type : typeOf(result.items[0]);
    std::string name = "return" + std::to_string(i);
    unsigned param = ~0u;
    for (size_t h = 0; h < kernel.hidden.size(); ++h)
      if (kernel.hidden[h].role == hir::HiddenBuffer::Return && kernel.hidden[h].name == name)
        param = argumentParams + unsigned(h);
    if (param == ~0u) {
      hir::HiddenBuffer hidden;
      hidden.role = hir::HiddenBuffer::Return;
      hidden.name = name;
      hidden.type = type;
      hidden.rows = result.rows;
      hidden.cols = result.cols;
      hidden.count = result.rows * result.cols;
      param = addHidden(std::move(hidden));
    }
    const hir::HiddenBuffer &hidden = kernel.hidden[param - argumentParams];
    std::vector<Value> items =
        result.kind == Value::Matrix ? result.items : std::vector<Value>{result};
    if (hidden.count != items.size()) {
      error(stmt.at, "the kernel's returns differ in shape");
      return Flow::Dead;
    }
    for (size_t k = 0; k < items.size(); ++k) {
      ExprRef e = convert(items[k], hidden.type, stmt.at);
      if (!e)
        return Flow::Dead;
      emit(stmt.at, hir::Store{{hir::BufferRef::Param, param},
                               take(makeInt(Exact(k), hir::Type::I32, stmt.at)),
                               take(std::move(e)),
                               false});
    }
  }
  if (f.runtimeDepth > 0) {
    if (!open->returnScope)
      open->returnScope = newScope();
    if (!returned)
      returned = newLocal("returned", hir::Type::I32);
    emit(stmt.at, hir::Assign{*returned, take(makeInt(1, hir::Type::I32, stmt.at))});
    emit(stmt.at, hir::Leave{open->returnScope});
  }
  return Flow::Dead;
}

/// What is known at compile time is tested then; the rest at run time, in builds that ask for it.
void KernelAnalyzer::execAssert(const ast::Stmt &stmt, const ast::Assert &node) {
  bool isStatic = looksStatic(*node.condition);
  if (!isStatic && !options.asserts)
    return;
  Value condition = eval(*node.condition);
  bool known = false;
  if (!isStatic) {
    Value message = node.message ? eval(*node.message) : Value::none();
    ExprRef test = condition.isPoison() ? nullptr : toBool(condition, node.condition->at);
    if (message.kind != Value::Str && message.kind != Value::None && !message.isPoison())
      error(node.message->at,
            "the message of an `assert` has to be a string literal, not " + describe(message));
    else if (test)
      checkAssertion(test, message.text, stmt.at);
    return;
  }
  if (condition.isPoison() || isTruthy(condition, known, stmt.at) || !known)
    return;
  Value message = node.message ? eval(*node.message) : Value();
  error(stmt.at, message.kind == Value::Str ? message.text : "the assertion does not hold");
}

} // namespace sextant::sema
