// Joins accesses of neighbouring elements: the components of a vector in memory become one access
// of up to 16 bytes. A target may take runs of any alignment, and of three.
//
// Loads move up to the first of them, stores and additions down to the last. Nothing that may touch
// the same memory lies between. Buffers may overlap, but those of different spaces do not.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sextant::simt;

//===--- Indices -----------------------------------------------------------===//

namespace {
/// An index: a value, or null, and a constant that is added to it.
struct Index {
  Value base;
  int64_t offset = 0;
};
} // namespace

static Index split(Value index) {
  Index parts{index, 0};
  while (auto sum = parts.base.getDefiningOp<arith::AddIOp>()) {
    const std::optional<int64_t> constant = constantInteger(sum.getRhs());
    if (!constant)
      break;
    parts.offset += *constant;
    parts.base = sum.getLhs();
  }
  if (const std::optional<int64_t> constant = constantInteger(parts.base))
    return {Value(), parts.offset + *constant};
  return parts;
}

/// The sums, products and widenings that are looked through.
static constexpr unsigned mostSteps = 6;

/// Returns true if `value` is a multiple of `by`, as far as the next few operations show it. No
/// index overflows: it is a position in an array.
static bool isMultiple(Value value, int64_t by, unsigned steps = mostSteps) {
  if (const std::optional<int64_t> constant = constantInteger(value))
    return *constant % by == 0;
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  auto isOf = [&](unsigned operand) { return isMultiple(op->getOperand(operand), by, steps - 1); };
  if (isa<arith::AddIOp>(op))
    return isOf(0) && isOf(1);
  if (isa<arith::MulIOp>(op))
    return isOf(0) || isOf(1);
  return isa<arith::ExtSIOp>(op) && isOf(0);
}

/// Returns a multiple of `by`, divided by it. A part of what does not wrap does not, either.
static Value divide(OpBuilder &b, Value value, int64_t by) {
  const Location loc = value.getLoc();
  if (const std::optional<int64_t> constant = constantInteger(value))
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(value.getType(), *constant / by));
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtSIOp>(op))
    return b.create<arith::ExtSIOp>(loc, value.getType(), divide(b, op->getOperand(0), by));
  Value left = op->getOperand(0), right = op->getOperand(1);
  const arith::IntegerOverflowFlags flags =
      cast<arith::ArithIntegerOverflowFlagsInterface>(op).getOverflowAttr().getValue();
  if (isa<arith::AddIOp>(op))
    return b.createOrFold<arith::AddIOp>(loc, divide(b, left, by), divide(b, right, by), flags);
  if (isMultiple(right, by, mostSteps - 1))
    return b.createOrFold<arith::MulIOp>(loc, left, divide(b, right, by), flags);
  return b.createOrFold<arith::MulIOp>(loc, divide(b, left, by), right, flags);
}

//===--- Accesses ----------------------------------------------------------===//

namespace {

/// An access of one element.
struct Access {
  Operation *op;
  Value buffer, index;
  Cache cache = Cache::All;
};

/// An access of a run, and which one of the run it is in the order of the code.
struct Part {
  Operation *op = nullptr;
  size_t order = 0;
};

enum class Kind { Load, Store, Add };

/// Accesses of one kind to one buffer, whose indices differ by constants: by these. They tell the
/// caches the same.
struct Run {
  Kind kind = Kind::Load;
  Cache cache = Cache::All;
  Value buffer, base;
  Type indexType;
  llvm::DenseMap<int64_t, Part> accesses;

  void begin(const Access &first, Value base) {
    buffer = first.buffer;
    cache = first.cache;
    this->base = base;
    indexType = first.index.getType();
  }
  void add(int64_t offset, Operation *op) {
    accesses.try_emplace(offset, Part{op, accesses.size()}); // a second load of an element stays
  }
};

/// Joins the accesses of one block to one space.
class Joiner {
public:
  explicit Joiner(const VectorSupport &support) : support(support) {}
  void add(Kind kind, const Access &access);
  /// Something else may touch the memory: what was found so far can be joined, but not with later
  /// ones.
  void close();

private:
  void closeLoads();
  void closeUpdates();
  void join(Run &run);
  bool joins(const Run &run, int64_t first, unsigned count) const;
  void replace(Run &run, int64_t first, unsigned count);

  bool addsVectors(AtomicRmwOp op) const { return support.atomicAdd && support.atomicAdd(op); }
  bool takesAnyRun(Kind kind) const { return support.takesAnyRun && kind != Kind::Add; }

  const VectorSupport &support;
  llvm::MapVector<std::tuple<Value, Value, unsigned>, Run> loads; ///< since the last write
  Run updates;                                                    ///< one after the other
};

} // namespace

void Joiner::add(Kind kind, const Access &access) {
  const Index index = split(access.index);
  if (kind == Kind::Load) {
    closeUpdates();
    Run &run = loads[{access.buffer, index.base, unsigned(access.cache)}];
    run.begin(access, index.base);
    run.add(index.offset, access.op);
    return;
  }
  closeLoads();
  const bool isNext = updates.kind == kind && updates.buffer == access.buffer &&
                      updates.base == index.base && updates.cache == access.cache &&
                      !updates.accesses.contains(index.offset);
  if (!isNext) {
    closeUpdates();
    updates.kind = kind;
    updates.begin(access, index.base);
  }
  updates.add(index.offset, access.op);
}

void Joiner::closeLoads() {
  for (auto &[key, run] : loads)
    join(run);
  loads.clear();
}

void Joiner::closeUpdates() {
  join(updates);
  updates = Run();
}

void Joiner::close() {
  closeLoads();
  closeUpdates();
}

/// Returns true if the elements from `first` on are all accessed, and one access can do it.
bool Joiner::joins(const Run &run, int64_t first, unsigned count) const {
  for (unsigned k = 0; k < count; ++k) {
    Operation *op = run.accesses.lookup(first + k).op;
    if (!op || (run.kind == Kind::Add && !addsVectors(cast<AtomicRmwOp>(op))))
      return false;
  }
  const auto buffer = cast<BufferType>(run.buffer.getType());
  if (run.kind != Kind::Add && !(support.access && support.access(buffer)))
    return false;
  return takesAnyRun(run.kind) ||
         getAlignment(run.buffer) >= buffer.getElementType().getIntOrFloatBitWidth() / 8 * count;
}

void Joiner::join(Run &run) {
  if (run.accesses.size() < 2)
    return;
  llvm::SmallVector<int64_t> offsets;
  for (const auto &[offset, part] : run.accesses)
    offsets.push_back(offset);
  llvm::sort(offsets);
  for (unsigned count : {4u, 3u, 2u}) {
    if (count == 3 && !takesAnyRun(run.kind))
      continue;
    if (run.base && !isMultiple(run.base, count))
      continue;
    for (int64_t first : offsets)
      if (first % count == 0 && joins(run, first, count))
        replace(run, first, count);
  }
}

void Joiner::replace(Run &run, int64_t first, unsigned count) {
  llvm::SmallVector<Operation *> parts;
  Part place; // the first load, or the last update
  for (unsigned k = 0; k < count; ++k) {
    const Part part = run.accesses.lookup(first + k);
    parts.push_back(part.op);
    if (!place.op || (part.order < place.order) == (run.kind == Kind::Load))
      place = part;
    run.accesses.erase(first + k);
  }
  Operation *at = place.op;
  OpBuilder b(at);
  const Location loc = at->getLoc();
  Value index = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(run.indexType, first / count));
  if (run.base)
    index = b.createOrFold<arith::AddIOp>(loc, divide(b, run.base, count), index);
  if (run.kind == Kind::Load) {
    llvm::SmallVector<Type> types(count, parts[0]->getResult(0).getType());
    auto whole = b.create<LoadVectorOp>(loc, types, run.buffer, index, run.cache);
    for (unsigned k = 0; k < count; ++k)
      parts[k]->getResult(0).replaceAllUsesWith(whole.getResult(k));
  } else {
    llvm::SmallVector<Value> values;
    for (Operation *part : parts) // the first operand of either
      values.push_back(part->getOperand(0));
    if (run.kind == Kind::Store)
      b.create<StoreVectorOp>(loc, values, run.buffer, index, run.cache);
    else
      b.create<AtomicAddVectorOp>(loc, values, run.buffer, index);
  }
  for (Operation *part : parts)
    part->erase();
}

//===--- The walk ----------------------------------------------------------===//

static void joinIn(Block &block, const VectorSupport &support) {
  Joiner global(support), shared(support);
  auto joinerOf = [&](Value buffer) -> Joiner * {
    const Space space = cast<BufferType>(buffer.getType()).getSpace();
    return space == Space::Global ? &global : space == Space::Shared ? &shared : nullptr;
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<Kind> kind;
    Access access{&op, {}, {}};
    bool isPlain = false;
    if (auto load = dyn_cast<LoadOp>(op)) {
      kind = Kind::Load;
      access = {&op, load.getBuffer(), load.getIndex(), load.getCache()};
      isPlain = !load.getVolatile_();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      kind = Kind::Store;
      access = {&op, store.getBuffer(), store.getIndex(), store.getCache()};
      isPlain = !store.getVolatile_();
    } else if (auto rmw = dyn_cast<AtomicRmwOp>(op)) {
      kind = Kind::Add;
      access = {&op, rmw.getBuffer(), rmw.getIndex()};
      isPlain = rmw.getKind() == CombineKind::AddF && rmw.use_empty();
    }
    if (!kind && isMemoryEffectFree(&op))
      continue;
    if (kind && isPlain) {
      if (Joiner *joiner = joinerOf(access.buffer))
        joiner->add(*kind, access);
      continue;
    }
    global.close();
    shared.close();
  }
  global.close();
  shared.close();
}

void sextant::simt::vectorizeAccesses(ModuleOp module, const VectorSupport &support) {
  llvm::SmallVector<Block *> blocks;
  module.walk([&](Block *block) {
    if (block->getParentOp() != module)
      blocks.push_back(block);
  });
  for (Block *block : blocks)
    joinIn(*block, support);
}
