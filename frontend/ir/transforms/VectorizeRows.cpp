// A thread that runs over a row of an array, as in
//
//     for k in range(n): sum += x[i, k]
//
// has no neighbours that load beside it: they are in other rows, so one load of a subgroup is as
// many transactions as it has lanes. Four elements of a thread are one access of 16 bytes:
//
//     if n % 4 == 0 and address(x) % 16 == 0:
//         for k in range(0, n, 4):
//             a, b, c, d = x[i, k : k + 4]
//             sum += a; sum += b; sum += c; sum += d
//     else:
//         for k in range(n): sum += x[i, k]
//
// Memory moves in sectors of 32 bytes. The other half of one is gone from the caches by the time of
// a thread's next access, if all rows together are larger. So rows of eight words go by two
// accesses at once, and those of four by one.
//
// The tests are of values that all threads of a block share, so all take the same way.
#include "frontend/ir/transforms/BlockUniform.h"
#include "frontend/ir/transforms/GlobalAccess.h"
#include "frontend/ir/transforms/LateInLoops.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

constexpr unsigned accessBytes = 16; ///< an access has
constexpr unsigned sectorBytes = 32;
constexpr unsigned mostRows = 6;   ///< accesses of a body: their elements wait in registers
constexpr unsigned mostWork = 256; ///< operations of a body, all times that it is there
constexpr unsigned workOfMath = 8; ///< a function of reals, in operations
constexpr unsigned mostSteps = 8;  ///< the operations of an index
constexpr unsigned mostLoops = 16; ///< a task has: LLVM takes more than twice as long for twice

//===--- Indices -----------------------------------------------------------===//

/// Looks at indices in a loop that counts up by one. What wraps is still a multiple of a power of
/// two.
class RowIndex {
public:
  RowIndex(scf::ForOp loop, const BlockUniform &uniform, unsigned together)
      : loop(loop), uniform(&uniform), together(together) {}

  /// True for a constant multiple of the elements that are accessed together.
  bool isWhole(Value constant) const {
    const std::optional<int64_t> number = constantInteger(constant);
    return number && *number % together == 0;
  }
  /// True if `value` is the loop's number and such a multiple, as far as multiples() are.
  bool isRow(Value value, unsigned steps = mostSteps);
  bool isMultiple(Value value, unsigned steps = mostSteps);
  /// Computes a value of isRow() for the loop's number `number`.
  Value at(OpBuilder &b, Value value, Value number);
  /// The values that have to be multiples: the same for all threads of a block, and there before
  /// the loop.
  llvm::ArrayRef<Value> multiples() const { return needed.getArrayRef(); }

private:
  bool isLeaf(Value value);
  bool isInvariant(Value value, unsigned steps);

  scf::ForOp loop;
  const BlockUniform *uniform;
  unsigned together;
  llvm::SetVector<Value> needed;
};

bool RowIndex::isInvariant(Value value, unsigned steps) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && steps && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value of) { return isInvariant(of, steps - 1); });
}

bool RowIndex::isLeaf(Value value) {
  if (constantInteger(value))
    return isWhole(value);
  return loop.isDefinedOutsideOfLoop(value) && uniform->isUniform(value) &&
         (needed.insert(value), true);
}

bool RowIndex::isMultiple(Value value, unsigned steps) {
  if (isLeaf(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !steps)
    return false;
  if (isa<arith::MulIOp>(op))
    return llvm::any_of(llvm::ArrayRef{1u, 0u}, [&](unsigned k) {
      return isInvariant(op->getOperand(1 - k), steps) && isLeaf(op->getOperand(k));
    });
  return isa<arith::AddIOp, arith::ExtSIOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value of) { return isMultiple(of, steps - 1); });
}

bool RowIndex::isRow(Value value, unsigned steps) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !steps || loop.isDefinedOutsideOfLoop(value))
    return false;
  if (isa<arith::ExtSIOp>(op))
    return isRow(op->getOperand(0), steps - 1);
  if (!isa<arith::AddIOp>(op))
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  return (isRow(left, steps - 1) && isMultiple(right)) ||
         (isRow(right, steps - 1) && isMultiple(left));
}

Value RowIndex::at(OpBuilder &b, Value value, Value number) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), number);
  return computeAgain(
      b, value, mapping, [&](Value part) { return loop.isDefinedOutsideOfLoop(part); },
      /*mayWrap=*/false);
}

//===--- Accesses ----------------------------------------------------------===//

/// An access to memory, anywhere in the loop.
struct Touch {
  Operation *op;
  Value buffer, index;
  Cache cache = Cache::All;

  bool isLoad() const { return isa<LoadOp>(op); }
};

unsigned elementBits(const Touch &touch) {
  return cast<BufferType>(touch.buffer.getType()).getElementType().getIntOrFloatBitWidth();
}

std::optional<Touch> accessOf(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return Touch{&op, load.getBuffer(), load.getIndex(), load.getCache()};
  if (auto store = dyn_cast<StoreOp>(op))
    return Touch{&op, store.getBuffer(), store.getIndex(), store.getCache()};
  if (auto rmw = dyn_cast<AtomicRmwOp>(op))
    return Touch{&op, rmw.getBuffer(), rmw.getIndex()};
  return std::nullopt;
}

Value rootOf(Value buffer) {
  auto view = buffer.getDefiningOp<ViewOp>();
  return view ? view.getSource() : buffer;
}

bool areApart(Value left, Value right) {
  left = rootOf(left), right = rootOf(right);
  return left != right &&
         (isApart(cast<BlockArgument>(left)) || isApart(cast<BlockArgument>(right)));
}

/// The accesses of a loop's body. Nothing if something else is there that has an effect, or too
/// much for being there `times` times.
std::optional<llvm::SmallVector<Touch>> accessesOf(scf::ForOp loop, unsigned times) {
  llvm::SmallVector<Touch> all;
  unsigned work = 0;
  const auto look = [&](Operation *op) {
    work += isa<math::MathDialect>(op->getDialect()) ? workOfMath : 1;
    if (work * times > mostWork || isa<LoopLikeOpInterface>(op))
      return WalkResult::interrupt();
    if (isa<scf::IfOp, scf::YieldOp>(op) || isPure(op) || op->hasTrait<Subgroup>())
      return WalkResult::advance();
    const std::optional<Touch> access = accessOf(*op);
    if (!access)
      return WalkResult::interrupt();
    if (isGlobal(access->buffer))
      all.push_back(*access);
    return WalkResult::advance();
  };
  if (loop.getBody()->walk(look).wasInterrupted())
    return std::nullopt;
  return all;
}

/// True if the row may be loaded before several iterations, or stored after them: what else they
/// access is other memory, or this element, which is loaded before it is stored.
bool isFree(const Touch &row, llvm::ArrayRef<Touch> all) {
  return llvm::all_of(all, [&](const Touch &other) {
    if (other.op == row.op || (row.isLoad() && other.isLoad()) ||
        areApart(row.buffer, other.buffer))
      return true;
    return !isa<AtomicRmwOp>(other.op) && other.op->getBlock() == row.op->getBlock() &&
           other.buffer == row.buffer && other.index == row.index &&
           other.isLoad() != row.isLoad() && row.op->isBeforeInBlock(other.op) == row.isLoad();
  });
}

//===--- The loop of several iterations --------------------------------------===//

struct Plan {
  scf::ForOp loop;
  unsigned together; ///< iterations, and elements of a row
  RowIndex index;
  llvm::SmallVector<Touch> rows; ///< their element is the one that the loop's number names
};

std::optional<Plan> planFor(scf::ForOp loop, const BlockUniform &uniform, HasVectors hasVectors,
                            unsigned together) {
  Plan plan{loop, together, RowIndex(loop, uniform, together), {}};
  const bool counts = !isTurns(loop) && plan.index.isWhole(loop.getLowerBound()) &&
                      constantInteger(loop.getStep()) == 1 &&
                      uniform.isUniform(loop.getUpperBound());
  if (!counts || getUnroll(loop) != unrollFreely)
    return std::nullopt;
  const std::optional<llvm::SmallVector<Touch>> accesses = accessesOf(loop, together);
  if (!accesses)
    return std::nullopt;
  if (!plan.index.isMultiple(loop.getUpperBound()))
    return std::nullopt;
  bool differs = false; // else all lanes load the same, which is one transaction
  for (const Touch &access : *accesses) {
    RowIndex index = plan.index;
    if (isa<AtomicRmwOp>(access.op) || access.op->getBlock() != loop.getBody() ||
        !hasVectors(cast<BufferType>(access.buffer.getType())) || !index.isRow(access.index) ||
        !isFree(access, *accesses))
      continue;
    if (together > 4 && together * elementBits(access) != sectorBytes * 8)
      return std::nullopt;
    plan.index = index;
    plan.rows.push_back(access);
    differs |= !uniform.isUniform(access.index);
  }
  return differs && plan.rows.size() <= mostRows ? std::optional(plan) : std::nullopt;
}

/// Loads or stores elements, by as many accesses as they take.
void accessTogether(OpBuilder &b, const Touch &row, unsigned together, Value index,
                    llvm::SmallVector<Value> &elements) {
  const Location loc = row.op->getLoc();
  const Type type = cast<BufferType>(row.buffer.getType()).getElementType();
  const unsigned count = std::min(together, accessBytes * 8 / elementBits(row));
  const auto number = [&](int64_t of) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(index.getType(), of));
  };
  Value first = b.create<arith::ShRSIOp>(loc, index, number(llvm::Log2_32(count)));
  for (unsigned k = 0; k < together / count; ++k) {
    Value at = k ? b.create<arith::AddIOp>(loc, first, number(k), arith::IntegerOverflowFlags::nsw)
                 : first;
    if (row.isLoad()) {
      const llvm::SmallVector<Type> types(count, type);
      llvm::append_range(
          elements, b.create<LoadVectorOp>(loc, types, row.buffer, at, row.cache).getResults());
    } else {
      b.create<StoreVectorOp>(loc, llvm::ArrayRef(elements).slice(size_t(k) * count, count),
                              row.buffer, at, row.cache);
    }
  }
}

/// The test for the loop of several iterations.
Value canRun(OpBuilder &b, Plan &plan) {
  const Location loc = plan.loop.getLoc();
  Value rest = createWord(b, loc, 0);
  const auto add = [&](Value value, int64_t multipleOf) {
    const unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width > 32)
      value = b.create<arith::TruncIOp>(loc, b.getI32Type(), value);
    else if (width < 32)
      value = b.create<arith::ExtSIOp>(loc, b.getI32Type(), value);
    value = b.create<arith::AndIOp>(loc, value, createWord(b, loc, multipleOf - 1));
    rest = b.createOrFold<arith::OrIOp>(loc, value, rest);
  };
  for (Value number : plan.index.multiples())
    add(number, plan.together);
  llvm::SetVector<Value> buffers;
  for (const Touch &row : plan.rows)
    if (getAlignment(row.buffer) < accessBytes)
      buffers.insert(rootOf(row.buffer));
  for (Value buffer : buffers)
    add(b.create<AddressOp>(loc, b.getI64Type(), buffer, createWord(b, loc, 0)), accessBytes);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, createWord(b, loc, 0));
}

scf::ForOp createTogether(OpBuilder &b, Plan &plan) {
  scf::ForOp loop = plan.loop;
  const Location loc = loop.getLoc();
  Value step = b.create<arith::ConstantOp>(
      loc, b.getIntegerAttr(loop.getInductionVar().getType(), plan.together));
  auto together = b.create<scf::ForOp>(loc, loop.getLowerBound(), loop.getUpperBound(), step,
                                       loop.getInitArgs());
  OpBuilder in = OpBuilder::atBlockBegin(together.getBody());
  Value start = together.getInductionVar();
  llvm::DenseMap<Operation *, llvm::SmallVector<Value>> elements; // keys: rows
  for (const Touch &row : plan.rows) {
    llvm::SmallVector<Value> &own = elements[row.op];
    if (row.isLoad())
      accessTogether(in, row, plan.together, plan.index.at(in, row.index, start), own);
  }
  llvm::SmallVector<Value> carried(together.getRegionIterArgs());
  for (unsigned k = 0; k < plan.together; ++k) {
    IRMapping mapping;
    Value more = in.create<arith::ConstantOp>(loc, in.getIntegerAttr(start.getType(), k));
    mapping.map(loop.getInductionVar(),
                in.create<arith::AddIOp>(loc, start, more, arith::IntegerOverflowFlags::nsw));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      const auto row = elements.find(&op);
      if (row == elements.end())
        in.clone(op, mapping);
      else if (isa<LoadOp>(op))
        mapping.map(op.getResult(0), row->second[k]);
      else
        row->second.push_back(mapping.lookupOrDefault(op.getOperand(0)));
    }
    for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
      value = mapping.lookupOrDefault(yielded);
  }
  for (const Touch &row : plan.rows)
    if (!row.isLoad())
      accessTogether(in, row, plan.together, plan.index.at(in, row.index, start), elements[row.op]);
  if (!carried.empty())
    in.create<scf::YieldOp>(loc, carried);
  return together;
}

void vectorize(Plan &plan) {
  scf::ForOp loop = plan.loop;
  moveLoopInvariantCode(loop);
  OpBuilder b(loop);
  const Location loc = loop.getLoc();
  auto branch = b.create<scf::IfOp>(loc, loop.getResultTypes(), canRun(b, plan), true);
  loop->replaceAllUsesWith(branch);
  OpBuilder then = branch.getThenBodyBuilder();
  scf::ForOp together = createTogether(then, plan);
  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  if (loop.getNumResults() == 0)
    return;
  then.create<scf::YieldOp>(loc, together.getResults());
  OpBuilder::atBlockEnd(branch.elseBlock()).create<scf::YieldOp>(loc, loop.getResults());
}

/// The last loop comes first: its plan then does not speak of what becomes of a loop before it.
/// `uniform` has to outlive the plans.
llvm::SmallVector<Plan> plansFor(func::FuncOp task, const BlockUniform &uniform,
                                 HasVectors hasVectors, unsigned together) {
  llvm::SmallVector<Plan> plans;
  if (synchronises(task))
    return plans;
  task.walk([&](scf::ForOp loop) {
    if (plans.size() == mostLoops)
      return;
    if (std::optional<Plan> plan = planFor(loop, uniform, hasVectors, together))
      plans.push_back(std::move(*plan));
  });
  std::reverse(plans.begin(), plans.end());
  return plans;
}

} // namespace

bool sextant::simt::hasRows(ModuleOp module, HasVectors hasVectors) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp task) {
    return !plansFor(task, BlockUniform(task), hasVectors, 4).empty();
  });
}

void sextant::simt::vectorizeRows(ModuleOp module, HasVectors hasVectors) {
  for (auto task : module.getOps<func::FuncOp>()) {
    // The loops as they were, which stay beside those of eight, get loops of four.
    for (const unsigned together : {8u, 4u}) {
      const BlockUniform uniform(task);
      for (Plan &plan : plansFor(task, uniform, hasVectors, together))
        vectorize(plan);
    }
  }
}
