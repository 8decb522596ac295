// The walk over structured control flow, for emitters whose code has blocks and phis: LLVM IR for
// one thread a lane, and SPIR-V. An if becomes a selection. A loop becomes a header with phis, a
// test, a body, and the way back.
#pragma once

#include "frontend/ir/Refuse.h"
#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace sextant {

template <typename Block> struct SelectionBlocks {
  Block then, otherwise, join; ///< without an else, `otherwise` is `join`
};
template <typename Block> struct LoopBlocks {
  Block header, body, next, after; ///< `next` is on the way back, where there is such a block
  unsigned unroll = simt::unrollFreely;
};

/// `Value`, `Block` and `Phi` are the emitter's handles. `Value()` stands for no value.
template <typename Value, typename Block, typename Phi> class StructuredWalk {
public:
  virtual ~StructuredWalk() = default;

protected:
  //===--- What the emitter does -------------------------------------------===//
  enum class LoopKind { For, While };
  using Selection = SelectionBlocks<Block>;
  using Loop = LoopBlocks<Block>;

  virtual void setLine(mlir::Location at) = 0;
  /// Emits an op without a value, or an array. Returns false if the emitter does not know the op.
  virtual bool emitEffect(mlir::Operation &op) = 0;
  /// Emits an op with one result and returns its value, or nothing if the emitter does not know the
  /// op.
  virtual Value emitValue(mlir::Operation &op) = 0;

  virtual Block currentBlock() = 0;
  virtual void enter(Block block) = 0;
  virtual void jump(Block to) = 0;
  virtual Phi phi(mlir::Type type, unsigned incoming) = 0;
  virtual void setIncoming(Phi phi, unsigned number, Value value, Block from) = 0;
  virtual Value valueOf(Phi phi) = 0;
  virtual Value lessThan(Value left, Value right) = 0;
  virtual Value add(mlir::Type type, Value left, Value right) = 0;

  /// Makes the blocks, and branches to the two sides.
  virtual Selection beginSelection(Value condition, bool hasElse) = 0;
  /// Makes the blocks, and enters the header.
  virtual Loop beginLoop(LoopKind kind) = 0;
  /// Called after the phis.
  virtual void beginTest(const Loop &loop) = 0;
  /// Branches to the body, which it enters, or to the end of the loop.
  virtual void beginBody(const Loop &loop, Value goesOn) = 0;
  /// Returns the block from which the way back leads to the header.
  virtual Block endBody(const Loop &loop) = 0;
  /// Closes the way back, and continues after the loop.
  virtual void endLoop(const Loop &loop) = 0;

  //===--- The walk --------------------------------------------------------===//
  Value get(mlir::Value value) { return values.lookup(value); }

  /// Emits all ops but the terminators, which the enclosing op handles.
  mlir::LogicalResult emitBlock(mlir::Block &block) {
    for (mlir::Operation &op : block)
      if (!mlir::isa<mlir::scf::YieldOp, mlir::scf::ConditionOp>(op) && failed(emitOp(op)))
        return mlir::failure();
    return mlir::success();
  }

  llvm::DenseMap<mlir::Value, Value> values;

private:
  mlir::LogicalResult emitOp(mlir::Operation &op) {
    setLine(op.getLoc());
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
      return emitIf(branch);
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
      return emitFor(loop);
    if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
      return emitWhile(loop);
    if (emitEffect(op))
      return mlir::success();
    if (op.getNumResults() == 1) {
      if (Value value = emitValue(op)) {
        values[op.getResult(0)] = value;
        return mlir::success();
      }
    }
    return simt::refuse(&op, Problem::InternalNoCode)
           << "internal error: no code for '" << op.getName()
           << "' on this target; please report it with the kernel";
  }

  mlir::LogicalResult emitIf(mlir::scf::IfOp op) {
    const Selection selection = beginSelection(get(op.getCondition()), op.elseBlock());
    struct Arm {
      Block last;
      mlir::Operation *yield;
    };
    llvm::SmallVector<Arm> arms;
    auto emitArm = [&](Block start, mlir::Block *body) {
      enter(start);
      if (failed(emitBlock(*body)))
        return mlir::failure();
      arms.push_back({currentBlock(), body->getTerminator()});
      jump(selection.join);
      return mlir::success();
    };
    if (failed(emitArm(selection.then, op.thenBlock())) ||
        (op.elseBlock() && failed(emitArm(selection.otherwise, op.elseBlock()))))
      return mlir::failure();
    enter(selection.join);
    for (auto [number, result] : llvm::enumerate(op.getResults())) {
      Phi joined = phi(result.getType(), arms.size());
      for (auto [arm, from] : llvm::enumerate(arms))
        setIncoming(joined, arm, get(from.yield->getOperand(number)), from.last);
      values[result] = valueOf(joined);
    }
    return mlir::success();
  }

  /// Makes the phi for `argument` of a loop, with its value on entry.
  Phi carry(mlir::Value argument, mlir::Value init, Block before) {
    Phi carried = phi(argument.getType(), 2);
    setIncoming(carried, 0, get(init), before);
    values[argument] = valueOf(carried);
    return carried;
  }

  mlir::LogicalResult emitFor(mlir::scf::ForOp op) {
    Block before = currentBlock();
    Loop loop = beginLoop(LoopKind::For);
    loop.unroll = simt::getUnroll(op);
    mlir::Value index = op.getInductionVar();
    Phi counter = carry(index, op.getLowerBound(), before);
    llvm::SmallVector<Phi> carried;
    for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs()))
      carried.push_back(carry(argument, init, before));
    beginTest(loop);
    beginBody(loop, lessThan(valueOf(counter), get(op.getUpperBound())));
    if (failed(emitBlock(*op.getBody())))
      return mlir::failure();
    Value next = add(index.getType(), valueOf(counter), get(op.getStep()));
    Block last = endBody(loop);
    setIncoming(counter, 1, next, last);
    for (auto [one, yielded] : llvm::zip(carried, op.getBody()->getTerminator()->getOperands()))
      setIncoming(one, 1, get(yielded), last);
    endLoop(loop);
    for (auto [result, one] : llvm::zip(op.getResults(), carried))
      values[result] = valueOf(one);
    return mlir::success();
  }

  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op) {
    Block before = currentBlock();
    Loop loop = beginLoop(LoopKind::While);
    loop.unroll = simt::getUnroll(op);
    llvm::SmallVector<Phi> carried;
    for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits()))
      carried.push_back(carry(argument, init, before));
    beginTest(loop);
    if (failed(emitBlock(*op.getBeforeBody())))
      return mlir::failure();
    mlir::scf::ConditionOp condition = op.getConditionOp();
    beginBody(loop, get(condition.getCondition()));
    // The test's last block dominates both the body and the code after the loop.
    for (auto [number, passed] : llvm::enumerate(condition.getArgs())) {
      values[op.getAfterArguments()[number]] = get(passed);
      values[op.getResult(number)] = get(passed);
    }
    if (failed(emitBlock(*op.getAfterBody())))
      return mlir::failure();
    Block last = endBody(loop);
    for (auto [one, yielded] : llvm::zip(carried, op.getYieldOp().getOperands()))
      setIncoming(one, 1, get(yielded), last);
    endLoop(loop);
    return mlir::success();
  }
};

} // namespace sextant
