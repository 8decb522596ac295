// Values are attributes; elementwise ops compute by their own folders.
#include "tests/ir/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sextant;

namespace {

class Interpreter {
public:
  explicit Interpreter(HostArguments &arguments) : arguments(arguments) {}

  void bind(func::FuncOp task) {
    unsigned buffers = 0;
    for (auto [number, argument] : llvm::enumerate(task.getArguments())) {
      if (isa<simt::BufferType>(argument.getType()))
        memory[argument] = buffers++;
      else
        values[argument] = arguments.values[number];
    }
  }

  /// Returns what the block's terminator hands on.
  std::optional<SmallVector<Attribute>> run(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!step(op))
        return std::nullopt;
    return all(block.getTerminator()->getOperands());
  }

private:
  SmallVector<Attribute> all(ValueRange operands) {
    SmallVector<Attribute> result;
    for (Value operand : operands)
      result.push_back(values.lookup(operand));
    return result;
  }

  void bindAll(ValueRange to, ArrayRef<Attribute> from) {
    for (auto [value, attribute] : llvm::zip(to, from))
      values[value] = attribute;
  }

  std::optional<int64_t> integer(Value value) {
    auto attribute = dyn_cast_or_null<IntegerAttr>(values.lookup(value));
    if (!attribute)
      return std::nullopt;
    return attribute.getType().isInteger(1) ? attribute.getValue().getZExtValue()
                                            : attribute.getValue().getSExtValue();
  }

  Attribute *element(Value buffer, Value index) {
    std::optional<int64_t> at = integer(index);
    auto found = memory.find(buffer);
    if (!at || found == memory.end())
      return nullptr;
    HostBuffer &elements = arguments.buffers[found->second];
    return *at >= 0 && *at < int64_t(elements.size()) ? &elements[*at] : nullptr;
  }

  bool step(Operation &op) {
    if (++steps > 1000000)
      return false;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto load = dyn_cast<simt::LoadOp>(op)) {
      Attribute *at = element(load.getBuffer(), load.getIndex());
      if (at)
        values[load.getResult()] = *at;
      return at;
    }
    if (auto store = dyn_cast<simt::StoreOp>(op)) {
      Attribute *at = element(store.getBuffer(), store.getIndex());
      if (at)
        *at = values.lookup(store.getValue());
      return at && *at;
    }
    if (isa<simt::ThreadIdxOp, simt::BlockIdxOp>(op)) {
      values[op.getResult(0)] = IntegerAttr::get(op.getResult(0).getType(), 0);
      return true;
    }
    if (auto narrow = dyn_cast<arith::TruncFOp>(op)) {
      auto real = dyn_cast_or_null<FloatAttr>(values.lookup(narrow.getIn()));
      if (real) // the folder takes only what fits
        values[narrow.getOut()] = FloatAttr::get(narrow.getType(), real.getValueAsDouble());
      return bool(real);
    }
    return fold(op);
  }

  bool fold(Operation &op) {
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      values[op.getResult(0)] = constant;
      return true;
    }
    SmallVector<Attribute> operands = all(op.getOperands());
    if (op.getNumResults() != 1 || llvm::is_contained(operands, Attribute()))
      return false;
    // Folders may reorder a commutative op's operands: a copy bears that.
    Operation *copy = op.clone();
    SmallVector<OpFoldResult> results;
    bool ok = succeeded(copy->fold(operands, results)) && results.size() == 1;
    if (ok) {
      if (auto attribute = dyn_cast<Attribute>(results.front()))
        values[op.getResult(0)] = attribute;
      else
        values[op.getResult(0)] = values.lookup(cast<Value>(results.front()));
    }
    copy->destroy();
    return ok && values.lookup(op.getResult(0));
  }

  bool runIf(scf::IfOp op) {
    std::optional<int64_t> condition = integer(op.getCondition());
    if (!condition)
      return false;
    Block *block = *condition ? op.thenBlock() : op.elseBlock();
    if (!block)
      return true;
    auto results = run(*block);
    if (results)
      bindAll(op.getResults(), *results);
    return results.has_value();
  }

  bool runFor(scf::ForOp op) {
    std::optional<int64_t> begin = integer(op.getLowerBound()), end = integer(op.getUpperBound()),
                           step = integer(op.getStep());
    if (!begin || !end || !step || *step <= 0)
      return false;
    SmallVector<Attribute> carried = all(op.getInitArgs());
    for (int64_t i = *begin; i < *end; i += *step) {
      values[op.getInductionVar()] = IntegerAttr::get(op.getInductionVar().getType(), i);
      bindAll(op.getRegionIterArgs(), carried);
      auto yielded = run(*op.getBody());
      if (!yielded)
        return false;
      carried = *yielded;
    }
    bindAll(op.getResults(), carried);
    return true;
  }

  bool runWhile(scf::WhileOp op) {
    SmallVector<Attribute> carried = all(op.getInits());
    while (true) {
      bindAll(op.getBeforeArguments(), carried);
      auto passed = run(*op.getBeforeBody());
      if (!passed || !passed->front())
        return false;
      bool goesOn = cast<IntegerAttr>(passed->front()).getValue().getBoolValue();
      passed->erase(passed->begin());
      if (!goesOn) {
        bindAll(op.getResults(), *passed);
        return true;
      }
      bindAll(op.getAfterArguments(), *passed);
      auto yielded = run(*op.getAfterBody());
      if (!yielded)
        return false;
      carried = *yielded;
    }
  }

  HostArguments &arguments;
  llvm::DenseMap<Value, Attribute> values;
  llvm::DenseMap<Value, unsigned> memory;
  unsigned steps = 0;
};

} // namespace

bool interpret(func::FuncOp task, HostArguments &arguments) {
  Interpreter interpreter(arguments);
  interpreter.bind(task);
  return interpreter.run(task.getBody().front()).has_value();
}
