// `for`: which kind it is, unrolled loops, serial loops.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

using hir::Type;

Flow KernelAnalyzer::execFor(const ast::Stmt &stmt, const ast::For &node) {
  if (!node.otherwise.empty())
    error(stmt.at, "`for … else` is not supported");
  LoopConfig mine = config;
  Value iterable = eval(*node.iterable);
  if (iterable.isPoison()) {
    // The body may have errors of its own, but its indices are not known.
    return Flow::Normal;
  }
  if (iterable.isStatic)
    return staticFor(stmt, node, iterable);
  config = LoopConfig();
  auto range = rangeOf(iterable, node.iterable->at);
  if (!range)
    return Flow::Normal;
  if (topLevel && !mine.serialize) {
    config = mine;
    parallelFor(stmt, node, *range); // takes the configuration before it runs the body
    config = LoopConfig();
    return Flow::Normal;
  }
  if (mine.given && !topLevel)
    warn(mine.at, "`qd.loop_config` has no effect on a loop that is not at the top of the kernel");
  return serialFor(stmt, node, *range);
}

/// What a loop runs over, as begins and ends.
std::optional<Value> KernelAnalyzer::rangeOf(const Value &iterable, SourceRange at) {
  if (iterable.kind == Value::Range)
    return iterable;
  if (iterable.kind == Value::Array) {
    Value range = Value::of(Value::Range);
    if (iterable.array->space == ArrayRef::Shared) {
      error(at, "a loop cannot run over a SharedArray", "use `range`");
      return std::nullopt;
    }
    if (iterable.array->shape.empty()) {
      error(at, "a loop cannot run over a field without dimensions");
      return std::nullopt;
    }
    for (const Value &extent : iterable.array->shape) {
      range.items.push_back(Value::exactInt(0));
      range.items.push_back(extent);
    }
    return range;
  }
  if (iterable.kind == Value::Tuple || iterable.kind == Value::Matrix)
    error(at, "a loop over " + describe(iterable) + " is unrolled only under `qd.static`",
          "write `for … in qd.static(...)`");
  else if (!iterable.isPoison())
    error(at, "a loop cannot run over " + describe(iterable),
          iterable.isNumber() ? "write `range(...)`" : "");
  return std::nullopt;
}

void KernelAnalyzer::bindLoopTarget(const ast::Expr &target, std::vector<Value> index, bool grouped,
                                    SourceRange at) {
  auto bind = [&](const ast::Expr &to, Value value) {
    auto *name = std::get_if<ast::Name>(&to.node);
    if (!name) {
      Value fixed = value;
      fixed.isStatic = !value.isRuntime();
      assignTarget(to, fixed, at);
      return;
    }
    auto variable = declare(name->id, to.at);
    if (!value.isRuntime()) {
      value.isStatic = true;
      variable->alias = true;
      variable->value = std::move(value);
      return;
    }
    // A pure index gets a local of its own: the body may assign it.
    if (value.kind == Value::Scalar && std::holds_alternative<hir::LocalRead>(value.expr->node)) {
      variable->value = std::move(value);
      return;
    }
    variable->value = newVariableLeaves(variable->name, value, at);
    assignLeaves(variable->value, value, variable, at);
  };
  if (grouped) {
    bool runtime = false;
    for (const Value &v : index)
      runtime |= v.isRuntime();
    unsigned n = unsigned(index.size());
    (void)runtime;
    bind(target, Value::matrix(n, 1, true, std::move(index)));
    return;
  }
  const std::vector<ast::ExprPtr> *elements = nullptr;
  if (auto *tuple = std::get_if<ast::TupleExpr>(&target.node))
    elements = &tuple->elements;
  else if (auto *list = std::get_if<ast::ListExpr>(&target.node))
    elements = &list->elements;
  if (!elements) {
    if (index.size() == 1)
      return bind(target, std::move(index[0]));
    error(target.at, "this loop has " + std::to_string(index.size()) + " indices, but one target",
          "name them all, or use `qd.grouped(...)` for one vector of them");
    index.resize(1);
    return bind(target, std::move(index[0]));
  }
  if (index.size() == 1 && (index[0].kind == Value::Tuple || index[0].kind == Value::Matrix))
    index = std::vector<Value>(index[0].items);
  if (elements->size() != index.size()) {
    error(target.at, "this loop has " + std::to_string(index.size()) + " indices, but " +
                         std::to_string(elements->size()) + " targets");
    index.resize(elements->size());
  }
  for (size_t i = 0; i < elements->size(); ++i)
    bind(*(*elements)[i], std::move(index[i]));
}

//===--- Unrolled ----------------------------------------------------------===//

bool KernelAnalyzer::staticPoints(const Value &range, std::vector<std::vector<Value>> &points,
                                  SourceRange at) {
  size_t dims = range.items.size() / 2;
  for (const Value &bound : range.items)
    if (bound.kind != Value::Int && bound.kind != Value::Bool) {
      error(at,
            "the bounds of an unrolled loop have to be known at compile time, but this has " +
                describe(bound),
            "use `range` without `qd.static`, or a constant bound");
      return false;
    }
  points.push_back({});
  for (size_t d = 0; d < dims; ++d) {
    std::vector<std::vector<Value>> longer;
    Exact step = dims == 1 ? range.step : 1;
    for (auto &point : points)
      for (Exact i = range.items[2 * d].integer;
           step > 0 ? i < range.items[2 * d + 1].integer : i > range.items[2 * d + 1].integer;
           i += step) {
        if (longer.size() >= 65536) {
          error(at, "this loop would be unrolled more than 65536 times",
                "use `range` without `qd.static`");
          return false;
        }
        longer.push_back(point);
        longer.back().push_back(Value::exactInt(i));
      }
    points = std::move(longer);
  }
  return true;
}

Flow KernelAnalyzer::staticFor(const ast::Stmt &stmt, const ast::For &node, const Value &iterable) {
  std::vector<std::vector<Value>> points;
  bool grouped = false;
  if (iterable.kind == Value::Range) {
    if (iterable.runtimeStep) {
      error(node.iterable->at, "the step of an unrolled loop has to be known at compile time");
      return Flow::Normal;
    }
    grouped = iterable.grouped;
    if (!staticPoints(iterable, points, node.iterable->at))
      return Flow::Normal;
  } else if (iterable.kind == Value::Tuple || iterable.kind == Value::Matrix) {
    for (const Value &item : iterable.items)
      points.push_back({item});
  } else {
    error(node.iterable->at, "a loop cannot be unrolled over " + describe(iterable));
    return Flow::Normal;
  }
  LoopContext context;
  context.isStatic = true;
  context.depth = frame().runtimeDepth;
  context.breakScope = newScope();
  // Guarded jumps need scopes to leave; whether there are any is seen afterwards.
  // At the top of a kernel, tasks would not nest in them, so it is looked up first.
  bool jumps = false;
  std::function<void(const ast::Block &, bool)> look = [&](const ast::Block &block, bool guarded) {
    for (auto &s : block) {
      if (guarded && (std::holds_alternative<ast::Break>(s->node) ||
                      std::holds_alternative<ast::Continue>(s->node)))
        jumps = true;
      if (auto *branch = std::get_if<ast::If>(&s->node)) {
        bool inner = guarded || !looksStatic(*branch->condition);
        look(branch->then, inner);
        look(branch->otherwise, inner);
      }
    }
  };
  look(node.body, false);
  bool savedTop = topLevel;
  hir::Block whole;
  hir::Block *outer = nullptr;
  if (jumps) {
    outer = &block(stmt.at);
    topLevel = false;
    current = &whole;
  }
  Flow result = Flow::Normal;
  for (auto &point : points) {
    if (exhausted || !budget(stmt.at))
      break;
    context.continueScope = newScope();
    context.continueUsed = false;
    hir::Block *before = current;
    hir::Block iteration;
    if (jumps)
      current = &iteration;
    frame().scopes.emplace_back();
    bindLoopTarget(*node.target, point, grouped, node.target->at);
    frame().loops.push_back(context);
    Flow flow = execBlock(node.body, false);
    context = frame().loops.back();
    frame().loops.pop_back();
    frame().scopes.pop_back();
    if (jumps) {
      current = before;
      if (context.continueUsed)
        emit(stmt.at, hir::Scope{context.continueScope, std::move(iteration)});
      else
        for (auto &s : iteration)
          current->push_back(std::move(s));
    }
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Dead && !context.continueUsed) {
      if (!context.breakUsed)
        result = Flow::Dead; // it returned
      break;
    }
  }
  if (jumps) {
    current = outer;
    topLevel = savedTop;
    if (context.breakUsed)
      emit(stmt.at, hir::Scope{context.breakScope, std::move(whole)});
    else
      for (auto &s : whole)
        outer->push_back(std::move(s));
  }
  return result;
}

//===--- Serial ------------------------------------------------------------===//

/// A loop's index is a 32-bit integer unless a bound is wider.
Type KernelAnalyzer::loopType(const Value &begin, const Value &end, const Value *step) {
  auto wide = [&](const Value &v) {
    if (v.kind == Value::Scalar)
      return bitWidth(v.expr->type) == 64;
    return v.kind == Value::Int && (v.integer < minOf(Type::I32) || v.integer > maxOf(Type::I32));
  };
  if (wide(begin) || wide(end) || (step && wide(*step)) || options.defaultInt == Type::I64)
    return Type::I64;
  return Type::I32;
}

Flow KernelAnalyzer::loopBody(const ast::For &node, const std::vector<Value> &index, bool grouped,
                              hir::Block &into, LoopContext &context) {
  hir::Block body;
  context.continueScope = newScope();
  Flow flow = inRuntime(body, [&] {
    context.depth = frame().runtimeDepth;
    bindLoopTarget(*node.target, index, grouped, node.target->at);
    frame().loops.push_back(context);
    Flow inner = execBlock(node.body, true);
    context = frame().loops.back();
    frame().loops.pop_back();
    return inner;
  });
  if (context.continueUsed) {
    hir::Stmt scope;
    scope.at = node.target->at;
    scope.node = hir::Scope{context.continueScope, std::move(body)};
    into.push_back(std::move(scope));
  } else {
    for (auto &s : body)
      into.push_back(std::move(s));
  }
  return flow;
}

Flow KernelAnalyzer::serialFor(const ast::Stmt &stmt, const ast::For &node, const Value &range) {
  SourceRange at = stmt.at;
  block(at);
  forget(changedBy(node.body));
  size_t dims = range.items.size() / 2;
  std::vector<unsigned> order = range.axes;
  if (order.empty())
    for (unsigned d = 0; d < dims; ++d)
      order.push_back(d);
  struct Dim {
    ExprRef begin, end;
    unsigned local;
    Type type;
  };
  std::vector<Dim> all(dims);
  std::vector<Value> index(dims);
  for (size_t d = 0; d < dims; ++d) {
    Type type = loopType(range.items[2 * d], range.items[2 * d + 1],
                         range.runtimeStep ? &range.items[2] : nullptr);
    ExprRef begin = convert(range.items[2 * d], type, at);
    ExprRef end = convert(range.items[2 * d + 1], type, at);
    if (!begin || !end)
      return Flow::Normal;
    std::string name = "i";
    if (auto *n = std::get_if<ast::Name>(&node.target->node))
      name = std::string(n->id);
    else if (auto *t = std::get_if<ast::TupleExpr>(&node.target->node); t && d < t->elements.size())
      if (auto *n = std::get_if<ast::Name>(&t->elements[d]->node))
        name = std::string(n->id);
    if (dims > 1 || range.runtimeStep) { // evaluated once, before any iteration
      begin = snapshot(Value::scalar(begin), at).expr;
      end = snapshot(Value::scalar(end), at).expr;
    }
    unsigned local = newLocal(name, type);
    all[d] = {begin, end, local, type};
    index[d] = Value::scalar(makeLocal(local, type, at));
  }
  LoopContext context;
  context.breakScope = newScope();
  hir::Block body;
  Flow flow = Flow::Normal;
  if (range.runtimeStep) {
    // for i in range(begin, end, step) with a step known at run time only
    Dim &d = all[0];
    ExprRef step = convert(range.items[2], d.type, at);
    if (!step)
      return Flow::Normal;
    step = snapshot(Value::scalar(step), at).expr;
    unsigned counter = newLocal("counter", d.type);
    emit(at, hir::Assign{counter, take(d.begin)});
    ExprRef now = makeLocal(counter, d.type, at);
    ExprRef zero = makeInt(0, d.type, at);
    ExprRef up = makeBinary(hir::BinaryOp::Gt, step, zero, Type::Bool, at);
    ExprRef down = makeBinary(hir::BinaryOp::Lt, step, zero, Type::Bool, at);
    ExprRef below = makeBinary(hir::BinaryOp::Lt, now, d.end, Type::Bool, at);
    ExprRef above = makeBinary(hir::BinaryOp::Gt, now, d.end, Type::Bool, at);
    ExprRef test =
        makeBinary(hir::BinaryOp::Or, makeBinary(hir::BinaryOp::And, up, below, Type::Bool, at),
                   makeBinary(hir::BinaryOp::And, down, above, Type::Bool, at), Type::Bool, at);
    hir::Stmt first;
    first.at = at;
    first.node = hir::Assign{d.local, take(makeLocal(counter, d.type, at))};
    body.push_back(std::move(first));
    ++loopNesting;
    flow = loopBody(node, index, range.grouped, body, context);
    --loopNesting;
    hir::Stmt next;
    next.at = at;
    next.node = hir::Assign{
        counter,
        take(makeBinary(hir::BinaryOp::Add, makeLocal(counter, d.type, at), step, d.type, at))};
    body.push_back(std::move(next));
    hir::Stmt loop;
    loop.at = at;
    loop.node = hir::While{take(test), std::move(body)};
    body = hir::Block();
    body.push_back(std::move(loop));
  } else {
    ++loopNesting;
    flow = loopBody(node, index, range.grouped, body, context);
    --loopNesting;
    for (size_t k = dims; k-- > 0;) {
      Dim &d = all[order[k]];
      hir::Stmt loop;
      loop.at = at;
      loop.node = hir::For{d.local, take(d.begin), take(d.end), dims == 1 ? int64_t(range.step) : 1,
                           std::move(body)};
      body = hir::Block();
      body.push_back(std::move(loop));
    }
  }
  (void)flow;
  if (context.breakUsed) {
    emit(at, hir::Scope{context.breakScope, std::move(body)});
  } else {
    for (auto &s : body)
      block(at).push_back(std::move(s));
  }
  return Flow::Normal;
}

} // namespace sextant::sema
