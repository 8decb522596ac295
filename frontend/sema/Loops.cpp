// `for`: which kind it is, unrolled loops, serial loops.
#include "frontend/sema/Analyzer.h"
#include "frontend/sema/Ranges.h"

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
  checkLoopNames(node, iterable);
  // A field that is a template's argument is one like any other.
  if (iterable.isStatic && (iterable.kind != Value::Array || looksStatic(*node.iterable)))
    return staticFor(stmt, node, iterable);
  config = LoopConfig();
  auto range = rangeOf(iterable, node.iterable->at);
  if (!range)
    return Flow::Normal;
  if (underKnownIf && !mine.serialize)
    warn(stmt.at, "this loop is serial, since it stands under an `if` that is not static",
         "write `if qd.static(...)`, or `qd.loop_config(serialize=True)` before the loop",
         "serial-loop");
  if (topLevel && !mine.serialize) {
    config = mine;
    parallelFor(stmt, node, *range); // takes the configuration before it runs the body
    config = LoopConfig();
    return Flow::Normal;
  }
  if (mine.given && !topLevel)
    warn(mine.at, "`qd.loop_config` has no effect on a loop that is not at the top of the kernel",
         "", "ignored-loop-config");
  return serialFor(stmt, node, *range);
}

/// A loop's names live in it. One that hides a variable would mean something else in Python,
/// where the variable changes.
void KernelAnalyzer::checkLoopNames(const ast::For &node, const Value &iterable) {
  std::unordered_set<std::string_view> names;
  collectTargets(*node.target, names);
  for (auto name : names) {
    if (name == "_" || !findVariable(name))
      continue;
    std::string hidden = "`" + std::string(name) + "`";
    if (!iterable.isStatic && !iterable.isNdrange)
      error(node.target->at, hidden + " is a variable already, which a loop would not change",
            "give the loop's index a name of its own");
    else
      warn(node.target->at, "this loop hides the variable " + hidden + ", and does not change it",
           "give the loop's index a name of its own", "hidden-variable");
  }
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
      if (showsVariables())
        nameLeaves(variable->name, value, variable->at);
      variable->value = std::move(value);
      return;
    }
    variable->value = newVariable(*variable, value, at);
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
    if (index.empty()) {
      error(target.at, "this loop has no index: it runs once",
            "write `for I in qd.grouped(...)`, whose vector has no component");
      return bind(target, Value());
    }
    error(target.at, "this loop has " + std::to_string(index.size()) + " indices, but one target",
          "name them all, or use `qd.grouped(...)` for one vector of them");
    index.resize(1);
    return bind(target, std::move(index[0]));
  }
  if (index.size() == 1 && (index[0].kind == Value::Tuple || index[0].kind == Value::Matrix))
    index = elementsOf(index[0], target.at);
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
    for (const Value &item : elementsOf(iterable, node.iterable->at))
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

/// What makes `local` run over one dimension.
void KernelAnalyzer::serialLoop(const Range &range, unsigned local, Type type, hir::Block body,
                                hir::Block &into, SourceRange at) {
  auto add = [&](decltype(hir::Stmt::node) node, hir::Block &to) {
    hir::Stmt stmt;
    stmt.at = at;
    stmt.node = std::move(node);
    to.push_back(std::move(stmt));
  };
  auto step = constantOf(range.step);
  auto fits = [&](const Value &bound) { // an u64 may not
    auto constant = constantOf(bound);
    return constant ? *constant <= maxOf(type) : bound.expr->type != Type::U64;
  };
  if (step && *step > minOf(Type::I64) && fits(range.begin) && fits(range.end)) {
    add(hir::For{local, take(boundOf(range.begin, type, at)), take(boundOf(range.end, type, at)),
                 int64_t(*step), std::move(body)},
        into);
    return;
  }
  // Counts the iterations, from the least number on: there may be more than the type's greatest.
  ExprRef least = makeInt(minOf(type), type, at);
  ExprRef count = makeCast(countOf(range, type, at), type, at);
  unsigned counter = newLocal("counter", type);
  ExprRef number = makeBinary(hir::BinaryOp::Sub, makeLocal(counter, type, at), least, type, at);
  hir::Block whole;
  add(hir::Assign{local, take(indexAt(range, number, type, at))}, whole);
  for (auto &stmt : body)
    whole.push_back(std::move(stmt));
  ExprRef end = makeBinary(hir::BinaryOp::Add, count, least, type, at);
  add(hir::For{counter, take(least), take(end), 1, std::move(whole)}, into);
}

Flow KernelAnalyzer::serialFor(const ast::Stmt &stmt, const ast::For &node, const Value &range) {
  SourceRange at = stmt.at;
  block(at);
  forget(changedBy(node.body));
  size_t dims = dimensionsOf(range);
  std::vector<Range> all(dims);
  std::vector<unsigned> locals(dims);
  std::vector<Value> index(dims);
  const std::vector<ast::ExprPtr> *names = nullptr;
  if (auto *t = std::get_if<ast::TupleExpr>(&node.target->node))
    names = &t->elements;
  for (size_t d = 0; d < dims; ++d) {
    all[d] = dimension(range, d);
    Type type = indexTypeOf(all[d], options.defaultInt);
    std::string name = "i";
    const ast::Expr *target = !names              ? node.target.get()
                              : d < names->size() ? (*names)[d].get()
                                                  : nullptr;
    if (auto *n = target ? std::get_if<ast::Name>(&target->node) : nullptr)
      name = std::string(n->id);
    if (dims > 1 || range.runtimeStep || type == Type::I64) // evaluated once, before any iteration
      for (Value *bound : {&all[d].begin, &all[d].end, &all[d].step})
        *bound = snapshot(*bound, at);
    checkStep(all[d], at);
    locals[d] = newLocal(name, type);
    index[d] = Value::scalar(makeLocal(locals[d], type, at));
  }
  LoopContext context;
  context.breakScope = newScope();
  hir::Block body;
  ++loopNesting;
  loopBody(node, index, range.grouped, body, context);
  --loopNesting;
  std::vector<unsigned> order = axesOf(range);
  for (size_t k = dims; k-- > 0;) {
    unsigned d = order[k];
    hir::Block loop;
    serialLoop(all[d], locals[d], index[d].expr->type, std::move(body), loop, at);
    body = std::move(loop);
  }
  if (context.breakUsed) {
    emit(at, hir::Scope{context.breakScope, std::move(body)});
  } else {
    for (auto &s : body)
      block(at).push_back(std::move(s));
  }
  return Flow::Normal;
}

} // namespace sextant::sema
