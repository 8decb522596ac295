// Small arrays of threads that a thread updates in place, at components that differ from lane to
// lane: a histogram in a thread. In memory, each such store goes to as many places as the subgroup
// has lanes (docs/decisions/0016-components-at-run-time.md). So each component becomes a variable
// of its own, and an access a choice among all. An update is made of each and kept by one:
//
//     v[k] = v[k] + x     =>     v0 = k == 0 ? v0 + x : v0;  v1 = k == 1 ? v1 + x : v1;  …
#include "frontend/ir/transforms/BlockUniform.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sextant::simt;

//===--- What to choose among ----------------------------------------------===//

static Value indexOf(Operation *access) {
  auto load = dyn_cast<LoadOp>(access);
  return load ? load.getIndex() : cast<StoreOp>(access).getIndex();
}

static bool isAtRunTime(Operation *access) { return !matchPattern(indexOf(access), m_Constant()); }

static int64_t countOf(Value array) { return cast<BufferType>(array.getType()).getCount(); }

/// The component of the array that code names by `index`, before one past the last became the last.
static Value component(Value array, Value index) {
  auto inside = index.getDefiningOp<arith::MinUIOp>();
  return inside && constantInteger(inside.getRhs()) == countOf(array) - 1 ? inside.getLhs() : index;
}

/// True for an update that is made of each component, though one of them is kept.
static bool isCheap(Operation *update) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AddFOp, arith::SubFOp,
             arith::MulFOp, arith::MinNumFOp, arith::MaxNumFOp, arith::MinimumFOp,
             arith::MaximumFOp>(update);
}

/// The load of the component that the store changes: one operation makes the value of it.
static LoadOp updatedBy(StoreOp store) {
  Operation *update = store.getValue().getDefiningOp();
  if (!update || !isCheap(update))
    return {};
  for (Value operand : update->getOperands()) {
    auto load = operand.getDefiningOp<LoadOp>();
    if (load && load.getBuffer() == store.getBuffer() &&
        component(store.getBuffer(), load.getIndex()) == store.getIndex())
      return load;
  }
  return {};
}

/// True if lanes may have different values. What memory holds at one place is the same for all.
static bool differs(Value value, const BlockUniform &uniform) {
  llvm::SetVector<Value> sources;
  sources.insert(value);
  for (size_t k = 0; k < sources.size(); ++k) {
    if (uniform.isUniform(sources[k]))
      continue;
    Operation *op = sources[k].getDefiningOp();
    if (!op || op->hasTrait<OfThread>() || op->getNumRegions() || (!isPure(op) && !isa<LoadOp>(op)))
      return true;
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

static unsigned loopsAround(Operation *op) {
  unsigned count = 0;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    ++count;
  return count;
}

/// True if the accesses that run most often are updates at places that differ.
static bool isWorthChoices(PrivateOp array, const BlockUniform &uniform) {
  unsigned most = 0, mostOfUpdates = 0;
  bool isUpdated = false;
  for (Operation *access : array->getUsers()) {
    if (!isAtRunTime(access))
      continue;
    const unsigned loops = loopsAround(access);
    most = std::max(most, loops);
    auto store = dyn_cast<StoreOp>(access);
    if (!store || !updatedBy(store) || !differs(store.getIndex(), uniform))
      continue;
    isUpdated = true;
    mostOfUpdates = std::max(mostOfUpdates, loops);
  }
  return isUpdated && mostOfUpdates == most;
}

/// Its registers, or none if something else than loads and stores uses it.
static unsigned registersOf(PrivateOp array) {
  if (!llvm::all_of(array->getUses(), [](OpOperand &use) {
        auto store = dyn_cast<StoreOp>(use.getOwner());
        return isa<LoadOp>(use.getOwner()) || (store && store.getBuffer() == use.get());
      }))
    return 0;
  auto type = cast<BufferType>(array.getType());
  return type.getCount() * llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 32);
}

//===--- The choices -------------------------------------------------------===//

static bool storesTo(Value buffer, Operation *op) {
  return op
      ->walk([&](StoreOp store) {
        return store.getBuffer() == buffer ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The operation that makes the stored value of what the component still holds at the store, or
/// null.
static Operation *updateOf(StoreOp store) {
  LoadOp load = updatedBy(store);
  if (!load)
    return nullptr;
  for (Operation *at = store;; at = at->getParentOp()) {
    const bool isLast = at->getBlock() == load->getBlock();
    Operation *first = isLast ? load.getOperation() : &at->getBlock()->front();
    for (Operation *op = first; op != at; op = op->getNextNode())
      if (storesTo(store.getBuffer(), op))
        return nullptr;
    if (isLast)
      return store.getValue().getDefiningOp();
    if (!isa<scf::IfOp>(at->getParentOp())) // rounds of a loop find what others stored
      return nullptr;
  }
}

namespace {

/// Replaces one array.
class Chooser {
public:
  explicit Chooser(PrivateOp array) : array(array), b(array), loc(array.getLoc()) {
    auto type = cast<BufferType>(array.getType());
    auto single = BufferType::get(b.getContext(), type.getElementType(), Space::Private, 1);
    zero = integer(b.getI32Type(), 0);
    for (int64_t k = 0; k < type.getCount(); ++k)
      variables.push_back(b.create<PrivateOp>(loc, single));
  }

  void run() {
    llvm::SmallVector<LoadOp> loads;
    llvm::SmallVector<std::pair<StoreOp, Operation *>> stores;
    for (Operation *user : array->getUsers())
      if (auto load = dyn_cast<LoadOp>(user))
        loads.push_back(load);
      else
        stores.emplace_back(user, updateOf(cast<StoreOp>(user)));
    for (auto [op, update] : stores)
      replace(op, update);
    for (LoadOp op : loads)
      replace(op);
    array.erase();
  }

private:
  Value integer(Type type, int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  }
  Value load(unsigned k) {
    auto type = cast<BufferType>(array.getType()).getElementType();
    return b.create<LoadOp>(loc, type, variables[k], zero, /*volatile_=*/false);
  }
  void store(Value value, unsigned k) {
    b.create<StoreOp>(loc, value, variables[k], zero, /*volatile_=*/false);
  }
  Value isAt(Value index, unsigned k) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, index,
                                   integer(index.getType(), k));
  }
  std::optional<unsigned> constantOf(Value index) {
    llvm::APInt at;
    if (!matchPattern(index, m_ConstantInt(&at)))
      return std::nullopt;
    return std::min<uint64_t>(at.getZExtValue(), variables.size() - 1);
  }

  void dropTest(StoreOp op);
  void replace(StoreOp op, Operation *update);
  void replace(LoadOp op);

  PrivateOp array;
  OpBuilder b;
  Location loc;
  Value zero;
  llvm::SmallVector<PrivateOp> variables;
};

} // namespace

/// Takes the store out of a test that its index is one of a component: no choice is made of others.
void Chooser::dropTest(StoreOp op) {
  auto test = dyn_cast<scf::IfOp>(op->getParentOp());
  if (!test || test.elseBlock())
    return;
  auto isInside = test.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!isInside || isInside.getPredicate() != arith::CmpIPredicate::ult ||
      isInside.getLhs() != op.getIndex() ||
      constantInteger(isInside.getRhs()) != countOf(op.getBuffer()) ||
      !llvm::all_of(test.thenBlock()->without_terminator(), [&](Operation &each) {
        auto load = dyn_cast<LoadOp>(each);
        return &each == op.getOperation() || isPure(&each) ||
               (load && load.getBuffer() == op.getBuffer());
      }))
    return;
  test->getBlock()->getOperations().splice(test->getIterator(), test.thenBlock()->getOperations(),
                                           test.thenBlock()->begin(),
                                           std::prev(test.thenBlock()->end()));
  test.erase();
}

void Chooser::replace(StoreOp op, Operation *update) {
  dropTest(op);
  b.setInsertionPoint(op);
  loc = op.getLoc();
  if (std::optional<unsigned> k = constantOf(op.getIndex())) {
    store(op.getValue(), *k);
    return op.erase();
  }
  LoadOp before = updatedBy(op);
  for (unsigned k = 0; k < variables.size(); ++k) {
    Value old = load(k), value = op.getValue();
    if (update) {
      IRMapping mapping;
      mapping.map(before.getResult(), old);
      value = b.clone(*update, mapping)->getResult(0);
    }
    store(b.create<arith::SelectOp>(loc, isAt(op.getIndex(), k), value, old), k);
  }
  op.erase();
}

void Chooser::replace(LoadOp op) {
  b.setInsertionPoint(op);
  loc = op.getLoc();
  const Value index = component(op.getBuffer(), op.getIndex());
  const std::optional<unsigned> only = constantOf(index);
  Value value = load(only.value_or(variables.size() - 1));
  for (unsigned k = only ? 0 : variables.size() - 1; k-- > 0;)
    value = b.create<arith::SelectOp>(loc, isAt(index, k), load(k), value);
  op.replaceAllUsesWith(value);
  op.erase();
}

void sextant::simt::chooseComponents(ModuleOp module, unsigned fewest) {
  constexpr unsigned mostRegisters = 64; // each task
  constexpr size_t mostChoices = 4096;   // each task: of the accesses, among all components
  for (auto task : module.getOps<func::FuncOp>()) {
    llvm::SmallVector<PrivateOp> arrays(task.getOps<PrivateOp>());
    llvm::erase_if(arrays, [&](PrivateOp array) { return registersOf(array) < fewest; });
    if (arrays.empty())
      continue;
    const BlockUniform uniform(task);
    unsigned registers = 0;
    size_t choices = 0;
    for (PrivateOp array : arrays) {
      const unsigned more = registersOf(array);
      const size_t moreChoices =
          size_t(countOf(array)) * size_t(llvm::count_if(array->getUsers(), isAtRunTime));
      if (registers + more > mostRegisters || choices + moreChoices > mostChoices ||
          !isWorthChoices(array, uniform))
        continue;
      registers += more;
      choices += moreChoices;
      Chooser(array).run();
    }
  }
}
