// Statements: regions become scf.if, scf.for and scf.while. They hand on the locals that matter
// outside of them.
#include "frontend/irgen/TaskGenerator.h"

#include "llvm/Support/SaveAndRestore.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;
using Predicate = arith::CmpIPredicate;

//===--- Locals ------------------------------------------------------------===//

Type TaskGenerator::slotType(unsigned slot) const {
  hir::Type type = slot < task.locals.size() ? task.locals[slot].type : hir::Type::Bool;
  return valueType(b.getContext(), type);
}

Value TaskGenerator::read(unsigned slot) {
  return current[slot] ? current[slot] : arith.zero(slotType(slot));
}

SmallVector<Value> TaskGenerator::readAll(ArrayRef<unsigned> slots) {
  return llvm::map_to_vector(slots, [&](unsigned slot) { return read(slot); });
}

SmallVector<Type> TaskGenerator::typesOf(ArrayRef<unsigned> slots) const {
  return llvm::map_to_vector(slots, [&](unsigned slot) { return slotType(slot); });
}

void TaskGenerator::assignAll(ArrayRef<unsigned> slots, ValueRange values) {
  for (auto [slot, value] : llvm::zip(slots, values))
    current[slot] = value;
}

//===--- Branches ----------------------------------------------------------===//

Value TaskGenerator::branch(Value condition, const Extent &extent, Type resultType,
                            llvm::function_ref<Value()> then,
                            llvm::function_ref<Value()> otherwise) {
  SmallVector<unsigned> slots = plan.carried(extent);
  SmallVector<Type> types = typesOf(slots);
  if (resultType)
    types.push_back(resultType);
  bool hasElse = otherwise || !types.empty();
  auto op = b.create<scf::IfOp>(arith.loc, types, condition, /*addThenBlock=*/true, hasElse);
  SmallVector<Value> before = current;
  auto fill = [&](Block *block, llvm::function_ref<Value()> body) {
    OpBuilder::InsertionGuard guard(b);
    if (!block->empty()) // a builder may have put the terminator of an empty block there
      block->back().erase();
    b.setInsertionPointToEnd(block);
    Value result = body ? body() : Value();
    SmallVector<Value> values = readAll(slots);
    if (resultType)
      values.push_back(result);
    b.create<scf::YieldOp>(arith.loc, values);
    current = before;
  };
  fill(op.thenBlock(), then);
  if (hasElse)
    fill(op.elseBlock(), otherwise);
  assignAll(slots, op.getResults().take_front(slots.size()));
  return resultType ? op.getResults().back() : Value();
}

void TaskGenerator::emitIf(const Node &node) {
  Value condition = emitExpr(*std::get<hir::If>(node.stmt->node).condition);
  auto then = [&] {
    emitRegion(node.body);
    return Value();
  };
  auto otherwise = [&] {
    emitRegion(node.otherwise);
    return Value();
  };
  // The agreement must come right before the barrier.
  if (node.otherwise.empty())
    branch(agreed(condition, node.extent), node.extent, Type(), then, nullptr);
  else if (node.body.empty())
    branch(agreed(arith.logicNot(condition), node.extent), node.extent, Type(), otherwise, nullptr);
  else if (node.barrierInElse)
    branch(arith.logicNot(agreed(arith.logicNot(condition), node.extent)), node.extent, Type(),
           then, otherwise);
  else
    branch(agreed(condition, node.extent), node.extent, Type(), then, otherwise);
}

Value TaskGenerator::notLeft(ArrayRef<unsigned> flags) {
  Value left = read(flags.front());
  for (unsigned flag : flags.drop_front())
    left = arith.op<arith::OrIOp>(left, read(flag));
  return arith.logicNot(left);
}

void TaskGenerator::emitGuard(const Node &node) {
  branch(
      agreed(notLeft(node.flags), node.extent), node.extent, Type(),
      [&] {
        emitRegion(node.body);
        return Value();
      },
      nullptr);
}

//===--- Builds that check -------------------------------------------------===//

Value TaskGenerator::faults() {
  size_t hidden = 0, first = kernel.params.size() - kernel.hidden.size();
  while (kernel.hidden[hidden].role != hir::HiddenBuffer::Fault)
    ++hidden;
  return function.getArgument(first + hidden);
}

void TaskGenerator::emitCheck(const hir::Check &check) {
  Value ok = emitExpr(*check.ok);
  SmallVector<Value> values;
  for (auto *value : {&check.first, &check.second})
    if (*value)
      values.push_back(emitExpr(***value));
  b.create<simt::CheckOp>(arith.loc, ok, faults(), check.site, values);
}

Value TaskGenerator::agreed(Value value, const Extent &extent) {
  if (!extent.barrierSite)
    return value;
  return b.create<simt::AgreeOp>(arith.loc, value.getType(), value, faults(), extent.barrierSite);
}

//===--- Loops -------------------------------------------------------------===//

// Once the loop is left, the condition is not evaluated again.
Value TaskGenerator::whileCondition(const Node &node) {
  const hir::Expr &condition = *std::get<hir::While>(node.stmt->node).condition;
  if (node.flags.empty())
    return emitExpr(condition);
  Value stays = notLeft(node.flags);
  if (auto *known = std::get_if<hir::Const>(&condition.node); known && known->bits)
    return stays;
  return branch(
      agreed(stays, node.condition), node.condition, b.getI1Type(),
      [&] { return emitExpr(condition); }, [&] { return arith.boolean(false); });
}

void TaskGenerator::emitWhile(const Node &node) {
  Location loc = arith.loc;
  SmallVector<unsigned> slots = plan.carried(node.extent);
  // Variables that the condition assigns for the body, as `while (p := f(x)) > 0` does.
  for (unsigned slot : plan.carried(node.condition))
    if (!llvm::is_contained(slots, slot))
      slots.push_back(slot);
  SmallVector<Type> types = typesOf(slots);
  SmallVector<Location> locations(types.size(), loc);
  auto loop = b.create<scf::WhileOp>(loc, types, readAll(slots));
  SmallVector<Value> before = current;
  {
    OpBuilder::InsertionGuard guard(b);
    Block *test = b.createBlock(&loop.getBefore(), {}, types, locations);
    assignAll(slots, test->getArguments());
    Value goesOn = agreed(whileCondition(node), node.extent);
    b.create<scf::ConditionOp>(loc, goesOn, readAll(slots));

    current = before;
    Block *body = b.createBlock(&loop.getAfter(), {}, types, locations);
    assignAll(slots, body->getArguments());
    emitRegion(node.body);
    b.create<scf::YieldOp>(loc, readAll(slots));
  }
  current = before;
  assignAll(slots, loop.getResults());
}

/// The number of iterations between constant bounds, if an i64 holds it.
static std::optional<int64_t> constantTrips(Value begin, Value end, int64_t step) {
  APInt low, high;
  if (!matchPattern(begin, m_ConstantInt(&low)) || !matchPattern(end, m_ConstantInt(&high)))
    return std::nullopt;
  if (low.sge(high))
    return 0;
  uint64_t distance = uint64_t(high.getSExtValue()) - uint64_t(low.getSExtValue());
  uint64_t whole = (distance - 1) / uint64_t(step);
  return int64_t(std::min<uint64_t>(whole, INT64_MAX - 1) + 1);
}

// Counts as the language does if no sum passes the ends of the type. Otherwise counts the
// iterations.
TaskGenerator::Counter TaskGenerator::countFor(const hir::For &loop, bool isAgreedOn) {
  hir::Type type = task.locals[loop.local].type;
  Value begin = arith.cast(loop.begin->type, type, emitExpr(*loop.begin));
  Value end = arith.cast(loop.end->type, type, emitExpr(*loop.end));
  Type mlirType = begin.getType();
  Value zero = arith.zero(mlirType), one = arith.integer(mlirType, 1);
  Counter count;
  // Counting down is counting up over -1 - i, which the type holds for every i.
  count.isDown = loop.step < 0;
  if (count.isDown) {
    begin = complement(begin);
    end = complement(end);
  }
  int64_t step = count.isDown ? -loop.step : loop.step;
  count.trips = constantTrips(begin, end, step);
  APInt last;
  bool isSafe = step == 1;
  if (!isSafe && matchPattern(end, m_ConstantInt(&last))) {
    int64_t greatest = APInt::getSignedMaxValue(last.getBitWidth()).getSExtValue();
    isSafe = step <= greatest && last.getSExtValue() <= greatest - step;
  }
  if (isSafe && !isAgreedOn) {
    count.begin = begin;
    count.end = end;
    count.step = arith.integer(mlirType, step);
    return count;
  }
  Value runs = arith.compare(Predicate::slt, begin, end);
  Value distance = arith.op<arith::SubIOp>(end, begin);
  if (step != 1) {
    Value whole = arith.op<arith::DivUIOp>(arith.op<arith::SubIOp>(distance, one),
                                           arith.integer(mlirType, step));
    distance = arith.op<arith::AddIOp>(whole, one);
  }
  // With steps of one and two there may be more iterations than the type's greatest number, so they
  // are counted from its least number. A count that the block's threads agree on starts at 0, the
  // value that they agree on if they differ.
  Value least = zero;
  if (step <= 2 && !isAgreedOn) {
    unsigned width = mlirType.getIntOrFloatBitWidth();
    least = arith.integer(mlirType, APInt::getSignedMinValue(width).getSExtValue());
    distance = arith.op<arith::AddIOp>(distance, least);
    begin = arith.op<arith::SubIOp>(begin,
                                    arith.op<arith::MulIOp>(least, arith.integer(mlirType, step)));
  }
  count.begin = least;
  count.end = arith.select(runs, distance, least);
  count.step = one;
  count.first = begin;
  count.stride = step;
  return count;
}

Value TaskGenerator::complement(Value value) {
  return arith.op<arith::SubIOp>(arith.integer(value.getType(), -1), value);
}

Value TaskGenerator::counterToLocal(const Counter &count, Value counter) {
  Value value = counter;
  if (count.first) {
    Value offset = arith.op<arith::MulIOp>(counter, arith.integer(counter.getType(), count.stride));
    value = arith.op<arith::AddIOp>(count.first, offset);
  }
  return count.isDown ? complement(value) : value;
}

void TaskGenerator::emitFor(const Node &node) {
  const hir::For &loop = std::get<hir::For>(node.stmt->node);
  Location loc = arith.loc;
  Counter count = countFor(loop, node.extent.barrierSite != 0);
  if (count.trips == 0)
    return;
  if (count.trips == 1 && node.flags.empty()) {
    current[loop.local] = counterToLocal(count, count.begin);
    showLocal(loop.local);
    emitRegion(node.body);
    return;
  }
  SmallVector<unsigned> slots = plan.carried(node.extent);
  SmallVector<Value> before = current;

  if (node.flags.empty()) {
    count.end = agreed(count.end, node.extent);
    auto op = b.create<scf::ForOp>(loc, count.begin, count.end, count.step, readAll(slots));
    simt::setUnroll(op, loop.unroll);
    OpBuilder::InsertionGuard guard(b);
    Block *body = op.getBody();
    if (!body->empty())
      body->back().erase();
    b.setInsertionPointToEnd(body);
    assignAll(slots, op.getRegionIterArgs());
    current[loop.local] = counterToLocal(count, op.getInductionVar());
    showLocal(loop.local);
    emitRegion(node.body);
    b.create<scf::YieldOp>(loc, readAll(slots));
    current = before;
    assignAll(slots, op.getResults());
    return;
  }

  // With an early exit, the condition is: counter < end and no flag set.
  SmallVector<Value> initial = readAll(slots);
  initial.push_back(count.begin);
  SmallVector<Type> types = typesOf(slots);
  types.push_back(count.begin.getType());
  SmallVector<Location> locations(types.size(), loc);
  auto op = b.create<scf::WhileOp>(loc, types, initial);
  simt::setUnroll(op, loop.unroll);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *test = b.createBlock(&op.getBefore(), {}, types, locations);
    assignAll(slots, test->getArguments().drop_back());
    Value below = arith.compare(Predicate::slt, test->getArguments().back(), count.end);
    Value goesOn = agreed(arith.op<arith::AndIOp>(below, notLeft(node.flags)), node.extent);
    b.create<scf::ConditionOp>(loc, goesOn, test->getArguments());

    current = before;
    Block *body = b.createBlock(&op.getAfter(), {}, types, locations);
    Value counter = body->getArguments().back();
    assignAll(slots, body->getArguments().drop_back());
    current[loop.local] = counterToLocal(count, counter);
    showLocal(loop.local);
    emitRegion(node.body);
    SmallVector<Value> next = readAll(slots);
    next.push_back(arith.op<arith::AddIOp>(counter, count.step));
    b.create<scf::YieldOp>(loc, next);
  }
  current = before;
  assignAll(slots, op.getResults().drop_back());
}

//===--- All statements ----------------------------------------------------===//

void TaskGenerator::emitRegion(const Region &region) {
  for (const Node &node : region)
    emitNode(node);
}

void TaskGenerator::emitNode(const Node &node) {
  llvm::SaveAndRestore here(arith.loc, location(node.stmt->at));
  switch (node.kind) {
  case Node::Simple:
    return emitSimple(*node.stmt);
  case Node::If:
    return emitIf(node);
  case Node::While:
    return emitWhile(node);
  case Node::For:
    return emitFor(node);
  case Node::Guard:
    return emitGuard(node);
  case Node::SetFlag:
    current[node.flags[0]] = arith.boolean(node.value);
    return;
  }
}

static simt::Scope scopeOf(hir::FenceScope scope) {
  switch (scope) {
  case hir::FenceScope::Subgroup:
    return simt::Scope::Subgroup;
  case hir::FenceScope::Block:
    return simt::Scope::Block;
  case hir::FenceScope::Device:
    return simt::Scope::Device;
  }
  llvm_unreachable("a scope");
}

/// Statements that the plan takes apart: it has nodes for what becomes of them.
template <class Node>
concept Planned = std::is_same_v<Node, hir::If> || std::is_same_v<Node, hir::While> ||
                  std::is_same_v<Node, hir::For> || std::is_same_v<Node, hir::Scope> ||
                  std::is_same_v<Node, hir::Leave>;

void TaskGenerator::emitInstruction(const hir::Instruction &node) {
  SmallVector<Value> operands;
  for (const hir::ExprPtr &operand : node.operands)
    operands.push_back(emitExpr(*operand));
  SmallVector<unsigned> results(node.results.begin(), node.results.end());
  auto op = b.create<simt::InstructionOp>(arith.loc, typesOf(results), node.text,
                                          node.accessesMemory, node.isOfOneThread, operands);
  assignAll(results, op.getResults());
}

void TaskGenerator::emitSimple(const hir::Stmt &stmt) {
  Location loc = arith.loc;
  std::visit(llvm::makeVisitor(
                 [&](const hir::Assign &node) {
                   Value value = emitExpr(*node.value);
                   const hir::Type type = task.locals[node.local].type;
                   current[node.local] = arith.cast(node.value->type, type, value);
                   showLocal(node.local);
                 },
                 [&](const hir::Store &node) {
                   Value value =
                       toMemory(emitExpr(*node.value)); // as Python: the value, then the place
                   Value at = index(*node.index);
                   b.create<simt::StoreOp>(loc, value, buffer(node.buffer, value.getType()), at,
                                           node.isVolatile, cacheOf(node.cache));
                 },
                 [&](const hir::Eval &node) { emitExpr(*node.value); },
                 [&](const hir::Barrier &) { b.create<simt::BarrierOp>(loc); },
                 [&](const hir::SubgroupBarrier &) { b.create<simt::SubgroupBarrierOp>(loc); },
                 [&](const hir::Pause &) { b.create<simt::PauseOp>(loc); },
                 [&](const hir::AsyncCopies &node) {
                   if (node.pending)
                     b.create<simt::AwaitCopiesOp>(loc, *node.pending);
                   else
                     b.create<simt::EndCopiesOp>(loc);
                 },
                 [&](const hir::Instruction &node) { emitInstruction(node); },
                 [&](const hir::Fence &node) { b.create<simt::FenceOp>(loc, scopeOf(node.scope)); },
                 [&](const hir::Check &node) { emitCheck(node); },
                 []<Planned Node>(const Node &) { llvm_unreachable("the plan has no such node"); }),
             stmt.node);
}
