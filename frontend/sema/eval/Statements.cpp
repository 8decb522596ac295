// Statements other than loops.
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Assertions.h"
#include "frontend/sema/eval/Atomics.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/LoopBody.h"
#include "frontend/sema/eval/Loops.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/eval/Restored.h"
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/eval/Spans.h"
#include "frontend/sema/eval/Tiles.h"
#include "frontend/sema/eval/Unreached.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/tasks/Waits.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/syntax/Children.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

/// Why a loop there is serial.
static constexpr const char *underIf = "under an `if` that is not static";

/// An `if` with its chain of `elif`.
struct Chain {
  bool isLong = false;                 ///< not all arms are nested in each other
  bool isRuntime = false;              ///< some condition is not known at compile time
  std::set<std::string_view> assigned; ///< names that arms from there on assign
  unsigned nested = 0;                 ///< arms
  std::optional<unsigned> pending;     ///< local: no arm so far ran, and there are more
  const ast::Stmt *rest = nullptr;     ///< the arms that follow where `pending` holds
};

Flow execBlock(Context &cx, const ast::Block &block, bool newScope) {
  if (newScope)
    cx.frame().scopes.emplace_back();
  Flow flow = Flow::Normal;
  for (size_t i = 0; i < block.size() && !cx.exhausted; ++i) {
    flow = exec(cx, *block[i]);
    if (flow == Flow::Normal)
      continue;
    analyseRest(cx, block, i + 1);
    break;
  }
  if (newScope)
    cx.frame().scopes.pop_back();
  return flow;
}

Flow inRuntime(Context &cx, hir::Block &into, const std::function<Flow()> &body) {
  return inRuntime(cx, into, cx.serialIn, body);
}

Flow inRuntime(Context &cx, hir::Block &into, const char *serialIn,
               const std::function<Flow()> &body) {
  block(cx, {}); // outside of tasks, this opens one
  const Restored outer(cx.current, cx.topLevel, cx.underKnownIf, cx.serialIn);
  cx.serialIn = serialIn;
  cx.current = &into;
  cx.topLevel = cx.underKnownIf = false;
  ++cx.frame().runtimeDepth;
  cx.frame().scopes.emplace_back();
  Flow flow = body();
  cx.frame().scopes.pop_back();
  --cx.frame().runtimeDepth;
  return flow;
}

//===--- Assignment --------------------------------------------------------===//

/// True for a range, whose bounds are read where it is made, and for a tuple with one.
static bool holdsRange(const Value &value) {
  return value.kind == Value::Range ||
         (value.kind == Value::Tuple && std::ranges::any_of(value.items, holdsRange));
}

void assignTarget(Context &cx, const ast::Expr &target, const Value &value, SourceRange at) {
  if (auto *name = std::get_if<ast::Name>(&target.node)) {
    auto variable = findVariable(cx, name->id);
    if (variable) {
      if (value.isPoison())
        return;
      if (isReference(*variable))
        writePlace(cx, *variable->place, value, at);
      else
        assignVariable(cx, variable, value, at);
      return;
    }
    variable = declare(cx, name->id, target.at);
    if (value.isPoison()) { // uses of it keep quiet
      variable->alias = true;
      return;
    }
    bool compileTime =
        value.isStatic || (cx.staticDepth > 0 && value.isExact()) ||
        (!value.isNumber() && value.kind != Value::Tuple && value.kind != Value::Matrix);
    const Value kept = holdsRange(value) ? settled(cx, value, at) : value;
    // A name for an object or a container is not a copy of it.
    const bool isObject = value.kind == Value::Struct && !isRecord(value.type);
    if (isObject || (compileTime && !value.isRuntime())) {
      variable->alias = true;
      variable->value = kept;
      return;
    }
    Value typed = materialise(cx, kept, at);
    if (typed.isPoison()) {
      variable->alias = true;
      return;
    }
    variable->value = newVariable(cx, *variable, typed, at);
    assignVariable(cx, variable, typed, at);
    return;
  }
  if (auto *elements = ast::elementsOf(target)) {
    for (const ast::ExprPtr &element : *elements)
      if (ast::isStarred(element)) {
        error(cx, element->at, Problem::StarTarget, "`*` targets are not supported");
        return;
      }
    const size_t count = elements->size();
    const std::string names = " cannot be unpacked into " + std::to_string(count) + " names";
    const size_t given =
        value.kind == Value::Matrix && !value.vector ? value.rows : value.items.size();
    Value fixed; // after an error, the names exist all the same
    if (!value.isPoison() && value.kind != Value::Tuple && value.kind != Value::Matrix)
      error(cx, at, Problem::NotUnpackable, describe(value) + names);
    else if (!value.isPoison() && given != count)
      error(cx, at, Problem::UnpackCountWrong, std::to_string(given) + " values" + names);
    else
      fixed = snapshot(cx, value, at);
    for (size_t i = 0; i < count; ++i) {
      Value item = fixed.isPoison() ? Value()
                   : fixed.kind == Value::Matrix
                       ? indexMatrix(cx, fixed, {Value::exactInt(Exact(i))}, at)
                       : fixed.items[i];
      if (value.isStatic)
        item.isStatic = true;
      const Writing writing(cx, itemOf(cx.written, i, count));
      assignTarget(cx, *(*elements)[i], item, at);
    }
    return;
  }
  if (std::holds_alternative<ast::Starred>(target.node)) {
    error(cx, target.at, Problem::StarTarget, "`*` targets are not supported");
    return;
  }
  if (isTile(value) && storeTile(cx, target, value, at))
    return;
  if (auto *attribute = std::get_if<ast::Attribute>(&target.node))
    if (const VariablePtr object = objectInMaking(cx, *attribute->value))
      return giveMember(cx, *object, *attribute, value, at);
  auto place = evalPlace(cx, target, true);
  if (place)
    writePlace(cx, *place, value, at);
}

/// True if the target already has a type other than the annotation's.
static bool reannotated(Context &cx, const ast::AnnAssign &node, const TypeValue &type,
                        SourceRange at) {
  if (type.kind != TypeValue::Element)
    return false;
  const Value *old = nullptr;
  auto *name = std::get_if<ast::Name>(&node.target->node);
  VariablePtr variable = name ? findVariable(cx, name->id) : nullptr;
  if (variable && !variable->alias && !variable->value.isPoison())
    old = &variable->value;
  if (!old || (old->kind != Value::Scalar && old->kind != Value::Matrix))
    return false;
  ElementType has;
  has.type = old->kind == Value::Scalar ? old->expr->type : typeOf(cx, old->items[0]);
  if (old->kind == Value::Matrix)
    has = {has.type, old->rows, old->cols, true, old->vector};
  const ElementType &wanted = type.element;
  if (has.type == wanted.type && has.rows == wanted.rows && has.cols == wanted.cols &&
      has.matrix == wanted.matrix)
    return false;
  error(cx, at, Problem::LocalAnnotatedTwice,
        "`" + variable->name + "` is annotated as " + spell(wanted) + ", but is " + spell(has) +
            " already: a local keeps its first type",
        "use another name, or leave the annotation out to convert the value",
        {{variable->at, "it has its type from here"}});
  return true;
}

static void execAnnAssign(Context &cx, const ast::Stmt &stmt, const ast::AnnAssign &node) {
  TypeValue type;
  if (!annotation(cx, *node.annotation, type))
    return;
  if (!node.value) {
    error(cx, stmt.at, Problem::AnnotationWithoutValue,
          "an annotation without a value declares nothing",
          Fix("give it its first value, as in `x: qd.f32 = 0`",
              {{{stmt.at.file, stmt.at.end, stmt.at.end}, " = 0"}}, true));
    return;
  }
  Value value = eval(cx, *node.value);
  if (type.kind == TypeValue::Template)
    value.isStatic = true;
  const Writing writing(cx, {node.value.get()});
  if (type.kind == TypeValue::Element)
    value = asAnnotated(cx, value, type.element, node.value->at, "this value");
  auto *name = std::get_if<ast::Name>(&node.target->node);
  const VariablePtr variable = name ? findVariable(cx, name->id) : nullptr;
  if (!name || (variable && isReference(*variable))) {
    auto place = evalPlace(cx, *node.target, true);
    const ElementType &wanted = type.element;
    if (place && place->kind == Place::Memory && type.kind == TypeValue::Element &&
        (place->element.type != wanted.type || place->element.rows != wanted.rows ||
         place->element.cols != wanted.cols)) {
      error(cx, stmt.at, Problem::ElementAnnotatedDifferently,
            "this element is " + spell(place->element) + ", but is annotated as " + spell(wanted),
            Fix("leave the annotation out",
                {{{stmt.at.file, node.target->at.end, node.annotation->at.end}, ""}}));
    } else if (place) {
      writePlace(cx, *place, value, stmt.at);
    }
    return;
  }
  if (!reannotated(cx, node, type, stmt.at))
    assignTarget(cx, *node.target, value, stmt.at);
}

/// Returns the atomic operation for an augmented assignment to memory. Absent if it must be a read
/// and a write.
static std::optional<AtomicUpdate> atomicUpdate(ast::BinaryOp op) {
  using Op = ast::BinaryOp;
  switch (op) {
  case Op::Add:
    return AtomicUpdate{hir::Combine::Add};
  case Op::Sub:
    return AtomicUpdate{hir::Combine::Add, /*subtracts=*/true};
  case Op::And:
    return AtomicUpdate{hir::Combine::And};
  case Op::Or:
    return AtomicUpdate{hir::Combine::Or};
  case Op::Xor:
    return AtomicUpdate{hir::Combine::Xor};
  default:
    return std::nullopt;
  }
}

static void execAugAssign(Context &cx, const ast::Stmt &stmt, const ast::AugAssign &node) {
  if (auto *name = std::get_if<ast::Name>(&node.target->node))
    if (!findVariable(cx, name->id)) {
      error(cx, node.target->at, Problem::ChangedBeforeAssigned,
            "`" + std::string(name->id) + "` is changed before it has a value here",
            "assign it in this function first; module constants cannot be changed");
      return;
    }
  if (auto *member = std::get_if<ast::Attribute>(&node.target->node))
    if (const VariablePtr object = objectInMaking(cx, *member->value)) {
      const Value old = eval(cx, *node.target), value = eval(cx, *node.value);
      if (!old.isPoison() && !value.isPoison())
        giveMember(cx, *object, *member, binary(cx, node.op, old, value, stmt.at), stmt.at);
      return;
    }
  auto place = evalPlace(cx, *node.target, true);
  if (place && isTile(*place)) {
    changeTile(cx, *place, node, stmt.at);
    return;
  }
  Value value = eval(cx, *node.value);
  if (!place || value.isPoison())
    return;
  const std::optional<AtomicUpdate> update = atomicUpdate(node.op);
  if ((place->kind == Place::Memory || place->kind == Place::Several) && update) {
    const Writing writing(cx, {node.value.get()});
    atomicOn(cx, *update, *place, value, stmt.at, "");
    return;
  }
  if (place->kind == Place::Whole) // an error, which it reports
    return writePlace(cx, *place, value, stmt.at);
  Value old = readPlace(cx, *place, stmt.at);
  Value result = binary(cx, node.op, old, value, stmt.at);
  const Writing writing(cx, {node.value.get(), &node});
  writePlace(cx, *place, result, stmt.at);
}

//===--- Control flow ------------------------------------------------------===//

namespace {
/// Returns the code that runs if no arm of a chain so far did, or null if it is not a single `if`.
const ast::Stmt *nextArm(const ast::If &node) {
  if (node.otherwise.size() != 1 || !std::holds_alternative<ast::If>(node.otherwise[0]->node))
    return nullptr;
  return node.otherwise[0].get();
}

/// The number of arms of an `elif` chain that become nested statements. Compilers' passes take more
/// than linear time for deep nesting, and SPIR-V ends at 1023 levels. So a longer chain continues
/// after its first arms, under a flag.
constexpr unsigned nestedArms = 64;
} // namespace

static Flow execArm(Context &cx, const ast::Stmt &stmt, const ast::If &node, Chain &chain) {
  if (!budget(cx, stmt.at) || !stackLeft(cx, stmt.at))
    return Flow::Dead;
  Value condition = eval(cx, *node.condition);
  if (condition.isPoison()) {
    // Both branches may still have errors of their own.
    hir::Block lost;
    if (!cx.isHost()) {
      inRuntime(cx, lost, [&] { return execBlock(cx, node.then); });
      inRuntime(cx, lost, [&] { return execBlock(cx, node.otherwise); });
    }
    return Flow::Normal;
  }
  if (condition.kind != Value::Scalar) {
    bool known = false;
    bool truth = isTruthy(cx, condition, known, node.condition->at);
    if (!known)
      return Flow::Normal;
    // A condition outside of `qd.static` acts as at run time: a loop under it is serial.
    const Restored outer(cx.topLevel, cx.underKnownIf, cx.serialIn);
    if (cx.topLevel && !cx.isHost() && !looksStatic(*node.condition)) {
      cx.serialIn = underIf;
      block(cx, stmt.at); // code that is not at the top belongs to a task
      cx.underKnownIf = true;
      cx.topLevel = false;
    }
    if (isLiteral(*node.condition)) // nothing was decided: `if False:` hides no mistakes
      analyseUnreached(cx, [&] { execBlock(cx, truth ? node.otherwise : node.then); });
    return execBlock(cx, truth ? node.then : node.otherwise);
  }
  if (!chain.isRuntime) {
    chain.isRuntime = true;
    chain.assigned = changedBy(cx, node.then);
    chain.assigned.merge(changedBy(cx, node.otherwise));
  }
  ExprRef test = toBool(cx, condition, node.condition->at);
  hir::Block then, otherwise;
  block(cx, stmt.at);
  if (chain.isLong && !chain.pending) {
    chain.pending = newLocal(cx, "pending", hir::Type::Bool);
    emit(cx, stmt.at, hir::Assign{*chain.pending, take(cx, makeInt(0, hir::Type::Bool, stmt.at))});
  }
  Flow a = inRuntime(cx, then, underIf, [&] { return execBlock(cx, node.then, false); });
  Flow b = inRuntime(cx, otherwise, underIf, [&] {
    const ast::Stmt *next = nextArm(node);
    if (!next)
      return execBlock(cx, node.otherwise, false);
    if (++chain.nested < nestedArms)
      return execArm(cx, *next, std::get<ast::If>(next->node), chain);
    emit(cx, stmt.at, hir::Assign{*chain.pending, take(cx, makeInt(1, hir::Type::Bool, stmt.at))});
    chain.rest = next;
    return Flow::Dead; // it goes on after this statement
  });
  emit(cx, stmt.at, hir::If{take(cx, test), std::move(then), std::move(otherwise)});
  return a != Flow::Normal && b != Flow::Normal ? Flow::Dead : Flow::Normal;
}

static Flow execIf(Context &cx, const ast::Stmt &stmt, const ast::If &node) {
  Chain chain;
  unsigned arms = 1;
  for (const ast::Stmt *next = nextArm(node); next && !chain.isLong;
       next = nextArm(std::get<ast::If>(next->node)))
    chain.isLong = ++arms > nestedArms;
  Flow flow = execArm(cx, stmt, node, chain);
  while (chain.rest) {
    const ast::Stmt &rest = *chain.rest;
    chain.rest = nullptr;
    chain.nested = 0;
    hir::Block body;
    Flow more = inRuntime(cx, body, [&] {
      emit(cx, rest.at,
           hir::Assign{*chain.pending, take(cx, makeInt(0, hir::Type::Bool, rest.at))});
      return execArm(cx, rest, std::get<ast::If>(rest.node), chain);
    });
    emit(cx, rest.at,
         hir::If{
             take(cx, makeLocal(*chain.pending, hir::Type::Bool, rest.at)), std::move(body), {}});
    if (more == Flow::Normal)
      flow = Flow::Normal;
  }
  forget(cx, chain.assigned);
  return flow;
}

/// True if a loop with this body only waits for what its condition reads.
static bool doesNothing(const ast::Block &body) {
  return std::all_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
    return std::holds_alternative<ast::Pass>(stmt->node) ||
           std::holds_alternative<ast::Continue>(stmt->node);
  });
}

static Flow execWhile(Context &cx, const ast::Stmt &stmt, const ast::While &node) {
  if (!node.otherwise.empty())
    error(cx, stmt.at, Problem::WhileElse, "`while … else` is not supported",
          "set a variable before each `break`, and test it after the loop");
  forget(cx, changedBy(cx, node.body, node.condition.get()));
  block(cx, stmt.at);
  hir::Block conditionBlock, body, inner;
  ExprRef test;
  bool constant = false;
  ++cx.loopNesting;
  // A wait for another thread's flag has to read it each time, and later code must not read before
  // the flag is seen.
  bool outerWaiting = cx.waiting;
  cx.waiting = doesNothing(node.body);
  cx.waitedFor.reset();
  inRuntime(cx, conditionBlock, "in the condition of a `while` loop", [&] {
    Value condition = eval(cx, *node.condition);
    if (!condition.isPoison())
      test = toBool(cx, condition, node.condition->at);
    if (test && cx.options.checks && cx.waiting && !asConst(*test))
      test = both(test, noFaultYet(cx, node.condition->at), node.condition->at);
    return Flow::Normal;
  });
  cx.waiting = outerWaiting;
  if (!test)
    test = makeBool(true, stmt.at);
  if (auto *c = asConst(*test)) {
    if (!c->bits) {
      --cx.loopNesting;
      if (isLiteral(*node.condition))
        analyseUnreached(cx, [&] {
          cx.frame().loops.emplace_back();
          execBlock(cx, node.body);
          cx.frame().loops.pop_back();
        });
      return Flow::Normal;
    }
    constant = true;
  }
  LoopContext context;
  context.breakScope = cx.newScope();
  context.continueScope = cx.newScope();
  inRuntime(cx, inner, "in a `while` loop", [&] {
    context.depth = cx.frame().runtimeDepth;
    cx.frame().loops.push_back(context);
    Flow flow = execBlock(cx, node.body, false);
    context = cx.frame().loops.back();
    cx.frame().loops.pop_back();
    return flow;
  });
  --cx.loopNesting;
  addLeft(cx, body, context.continueScope, context.continueUsed, std::move(inner), stmt.at);
  hir::ExprPtr condition = take(cx, test);
  if (!conditionBlock.empty())
    condition = hir::Expr{stmt.at, hir::Type::Bool,
                          hir::Sequence{std::move(conditionBlock), std::move(condition)}};
  hir::While loop{std::move(condition), std::move(body)};
  hir::Block whole;
  hir::Stmt s = statement(cx, stmt.at, std::move(loop));
  if (cx.open && !cx.open->task.waits)
    cx.open->task.waits = mayWait(s);
  if (isPoll(s))
    std::get<hir::While>(s.node).body.push_back(statement(cx, stmt.at, hir::Pause{}));
  whole.push_back(std::move(s));
  addLeft(cx, block(cx, stmt.at), context.breakScope, context.breakUsed, std::move(whole), stmt.at);
  if (cx.waitedFor)
    emit(cx, stmt.at, hir::Fence{*std::exchange(cx.waitedFor, std::nullopt)});
  return constant && !context.breakUsed ? Flow::Dead : Flow::Normal;
}

static Flow execJump(Context &cx, const ast::Stmt &stmt, bool isBreak) {
  const char *what = isBreak ? "break" : "continue";
  if (cx.frame().loops.empty()) {
    error(cx, stmt.at, Problem::JumpOutsideLoop, std::string("`") + what + "` outside of a loop");
    return Flow::Dead;
  }
  LoopContext &loop = cx.frame().loops.back();
  if (loop.isOnDevice) {
    error(cx, stmt.at, Problem::JumpOfDeviceLoop,
          std::string("`") + what + "` cannot leave a round of `qd.graph.do_while`",
          isBreak ? "set its flag to 0: the round is the last one" : "put the rest under an `if`");
    return Flow::Dead;
  }
  if (loop.isParallel && isBreak) {
    error(cx, stmt.at, Problem::BreakOfParallelLoop,
          "`break` cannot leave a parallel loop: its iterations run at the same time",
          "put `qd.loop_config(serialize=True)` before the loop, or test a flag in the body");
    return Flow::Dead;
  }
  if (loop.isStatic && cx.frame().runtimeDepth == loop.depth)
    return isBreak ? Flow::Break : Flow::Continue;
  (isBreak ? loop.breakUsed : loop.continueUsed) = true;
  emit(cx, stmt.at, hir::Leave{isBreak ? loop.breakScope : loop.continueScope});
  return Flow::Dead;
}

//===--- All statements ----------------------------------------------------===//

static Flow execNode(Context &cx, const ast::Stmt &stmt) {
  cx.statementAt = stmt.at;
  if (!budget(cx, stmt.at) || !stackLeft(cx, stmt.at))
    return Flow::Dead;
  const auto &node = stmt.node;
  if (auto *n = std::get_if<ast::Assign>(&node)) {
    if (assignsTile(cx, *n)) {
      assignTile(cx, *n, stmt.at);
      return Flow::Normal;
    }
    if (auto *name = std::get_if<ast::Name>(&n->targets[0]->node);
        name && std::holds_alternative<ast::Call>(n->value->node))
      cx.sharedName = std::string(name->id);
    Value value = eval(cx, *n->value);
    cx.sharedName.clear();
    if (n->targets.size() > 1)
      value = snapshot(cx, std::move(value), stmt.at);
    const Writing writing(cx, {n->value.get()});
    for (auto &target : n->targets)
      assignTarget(cx, *target, value, stmt.at);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::AugAssign>(&node)) {
    execAugAssign(cx, stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::AnnAssign>(&node)) {
    execAnnAssign(cx, stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::ExprStmt>(&node)) {
    if (!std::holds_alternative<ast::StringLit>(n->value->node) &&
        !std::holds_alternative<ast::EllipsisLit>(n->value->node))
      eval(cx, *n->value);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::If>(&node))
    return execIf(cx, stmt, *n);
  if (auto *n = std::get_if<ast::While>(&node))
    return isDoWhile(cx, *n) ? execDoWhile(cx, stmt, *n) : execWhile(cx, stmt, *n);
  if (auto *n = std::get_if<ast::For>(&node))
    return execFor(cx, stmt, *n);
  if (auto *n = std::get_if<ast::With>(&node))
    return execWith(cx, stmt, *n);
  if (auto *n = std::get_if<ast::Return>(&node))
    return execReturn(cx, stmt, *n);
  if (std::holds_alternative<ast::Break>(node))
    return execJump(cx, stmt, true);
  if (std::holds_alternative<ast::Continue>(node))
    return execJump(cx, stmt, false);
  if (std::holds_alternative<ast::Pass>(node))
    return Flow::Normal;
  if (auto *n = std::get_if<ast::Assert>(&node)) {
    execAssert(cx, stmt, *n);
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::FunctionDef>(&node)) {
    error(cx, stmt.at, Problem::DefinitionInsideFunction,
          "`" + std::string(n->name) + "` is defined inside a kernel or function",
          "define functions at module level");
    return Flow::Normal;
  }
  if (auto *n = std::get_if<ast::OpaqueStmt>(&node)) {
    error(cx, stmt.at, Problem::StatementNotInKernels,
          n->keyword.empty() ? std::string("this statement cannot be used in kernels")
                             : "`" + n->keyword + "` cannot be used in kernels");
    return Flow::Normal;
  }
  error(cx, stmt.at, Problem::ImportInsideFunction, "imports stand at module level");
  return Flow::Normal;
}

Flow exec(Context &cx, const ast::Stmt &stmt) {
  const Restored outer(cx.frame().statementScopes);
  cx.frame().statementScopes = cx.frame().scopes.size();
  return execNode(cx, stmt);
}

} // namespace sextant::sema
