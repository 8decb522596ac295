// Turns kernels into modules, and tasks into functions.
#include "frontend/irgen/Irgen.h"

#include "frontend/ir/DebugInfo.h"
#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/irgen/TaskGenerator.h"
#include "loader/abi/BlockLayout.h"
#include "loader/abi/Schedule.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;

static Location locationOf(MLIRContext *context, const SourceRange &at) {
  if (!at.file)
    return UnknownLoc::get(context);
  LineColumn place = at.file->lineColumn(at.begin);
  return FileLineColLoc::get(context, at.file->path(), place.line, place.column);
}

Location TaskGenerator::location(const hir::Loc &at) {
  Location place = locationOf(b.getContext(), at);
  if (!at.call)
    return place;
  auto known = callers.find(at.call);
  if (known == callers.end()) {
    const hir::InlinedCall &inlined = kernel.calls[at.call];
    Location from =
        simt::callerLocation({inlined.function, locationOf(b.getContext(), inlined.at), at.call},
                             location(inlined.calledAt));
    known = callers.try_emplace(at.call, from).first;
  }
  return CallSiteLoc::get(place, known->second);
}

//===--- For debuggers -----------------------------------------------------===//

/// Integers with their sign, which MLIR values do not have.
static Type shownType(MLIRContext *context, hir::Type type) {
  if (isFloat(type) || type == hir::Type::Bool)
    return valueType(context, type);
  return IntegerType::get(context, bitWidth(type),
                          isSigned(type) ? IntegerType::Signed : IntegerType::Unsigned);
}

void TaskGenerator::showLocal(unsigned number) {
  const hir::Local &local = task.locals[number];
  if (!local.variable)
    return;
  const hir::Variable &variable = kernel.variables[*local.variable];
  auto op = b.create<simt::DebugValueOp>(arith.loc, current[number], variable.name, *local.variable,
                                         local.component, shownType(b.getContext(), local.type),
                                         variable.rows, variable.cols, location(variable.at));
  simt::setParameter(op, variable.parameter);
}

/// The descriptions by which debuggers show the argument block, in its order.
static SmallVector<simt::ShownArgument> shownArguments(MLIRContext *context,
                                                       const hir::Kernel &kernel) {
  SmallVector<simt::ShownArgument> shown;
  const std::vector<uint32_t> firstParam = abi::layoutOf(kernel.arguments, {}).firstParam;
  for (auto [argument, param] : llvm::zip(kernel.arguments, firstParam)) {
    simt::ShownArgument one{argument.name, shownType(context, argument.dtype)};
    one.isBuffer = argument.kind == hir::Argument::Array;
    const bool isWide =
        one.isBuffer && argument.ndim != 0 && kernel.params[param + 1].type == hir::Type::I64;
    one.shape.assign(argument.ndim,
                     isWide ? simt::ShownArgument::wideInBlock : simt::ShownArgument::inBlock);
    one.rows = argument.rows;
    one.cols = argument.cols;
    shown.push_back(one);
  }
  for (const hir::HiddenBuffer &buffer : kernel.hidden) {
    bool isShown =
        buffer.role == hir::HiddenBuffer::Field || buffer.role == hir::HiddenBuffer::Carry;
    simt::ShownArgument one{isShown ? buffer.name : "", shownType(context, buffer.type)};
    one.isBuffer = !isValue(buffer.role);
    one.shape.assign(buffer.shape.begin(), buffer.shape.end());
    one.rows = buffer.role == hir::HiddenBuffer::Carry ? unsigned(buffer.count) : buffer.rows;
    one.cols = buffer.cols;
    shown.push_back(one);
  }
  return shown;
}

/// The parameter of a hidden buffer: these come last.
static unsigned hiddenParam(const hir::Kernel &kernel, size_t hidden) {
  return unsigned(kernel.params.size() - kernel.hidden.size() + hidden);
}

/// Tells what the loader sees to: how arrays and fields are aligned, that extents are not negative,
/// and which arrays share memory with no other. The application may bind fields to its own memory.
static void describeArguments(func::FuncOp task, const hir::Kernel &kernel) {
  const auto setAlignment = [&](unsigned param, const auto &array, auto type) {
    if (const uint64_t scalars = uint64_t(array.rows) * array.cols; scalars > 1)
      simt::setAlignment(task, param, abi::arrayAlignment(abi::sizeOf(type) * scalars));
  };
  const std::vector<uint32_t> firstParam = abi::layoutOf(kernel.arguments, {}).firstParam;
  for (auto [argument, param] : llvm::zip(kernel.arguments, firstParam)) {
    if (argument.kind != hir::Argument::Array)
      continue;
    setAlignment(param, argument, argument.dtype);
    for (unsigned axis = 0; axis < argument.ndim; ++axis)
      simt::setNonNegative(task, param + 1 + axis);
    if (argument.isApart)
      simt::setApart(task, param);
  }
  for (auto [k, buffer] : llvm::enumerate(kernel.hidden))
    if (buffer.role == hir::HiddenBuffer::Field)
      setAlignment(hiddenParam(kernel, k), buffer, buffer.type);
}

LogicalResult TaskGenerator::emit() {
  MLIRContext *context = b.getContext();
  Location loc = location(task.at);
  if (!kernel.calls.empty())
    loc = NameLoc::get(b.getStringAttr(kernel.name), loc);
  if (plan.badLeave)
    return simt::refuse(location(plan.badLeave->at), Problem::InternalInvalidCode)
           << "internal error: an expression leaves a loop or function around it; please report "
              "it with the kernel";

  SmallVector<Type> inputs;
  for (const hir::Param &param : kernel.params) {
    Type element = elementType(context, param.type);
    inputs.push_back(param.kind == hir::Param::Buffer
                         ? simt::BufferType::get(context, element, simt::Space::Global, 0)
                         : valueType(context, param.type));
  }
  function = b.create<func::FuncOp>(loc, task.name, b.getFunctionType(inputs, {}));
  simt::TaskInfo info{blockDim, task.fullBlocks, task.serial};
  info.minBlocks = task.minBlocks;
  for (size_t i = 0; i < kernel.hidden.size(); ++i)
    if (kernel.hidden[i].role == hir::HiddenBuffer::Schedule) {
      info.loops = unsigned(abi::loopsOf(kernel.hidden[i].count));
      info.schedule = hiddenParam(kernel, i);
    }
  simt::setTaskInfo(function, info);
  describeArguments(function, kernel);
  if (!kernel.calls.empty())
    simt::setShownArguments(function, shownArguments(context, kernel));

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock());
  arith.setConstantBlock(b.getInsertionBlock());
  arith.loc = loc;
  auto bufferType = [&](const hir::ArrayDecl &array, simt::Space space) {
    return simt::BufferType::get(context, elementType(context, array.type), space,
                                 std::max<uint64_t>(array.count, 1));
  };
  for (const hir::ArrayDecl &array : task.shared)
    shared.push_back(b.create<simt::SharedOp>(location(array.at),
                                              bufferType(array, simt::Space::Shared), array.name));
  for (const hir::ArrayDecl &array : task.privates)
    privates.push_back(
        b.create<simt::PrivateOp>(location(array.at), bufferType(array, simt::Space::Private)));
  current.resize(plan.slots);
  if (takesTurns)
    emitTurns();
  else
    emitRegion(plan.body);
  b.setInsertionPointToEnd(&function.getBody().front());
  b.create<func::ReturnOp>(loc);
  return success();
}

namespace {
/// The use of the lower 32 bits of a part of the number of iterations.
enum class InWord {
  Exact,   ///< they are the part
  Modular, ///< they are right, but the part may have more
  Factor,  ///< they are the part, if the number is a product with it and positive
  Wrong,
};
} // namespace

/// \param isZero one of the operands is the constant
static InWord inWord(hir::LaunchExpr::Op op, InWord left, InWord right, bool isZero) {
  using Op = hir::LaunchExpr::Op;
  auto is = [&](InWord what) { return left == what || right == what; };
  if (is(InWord::Wrong))
    return InWord::Wrong;
  if (op == Op::Mul)
    return is(InWord::Factor) ? InWord::Factor : InWord::Modular;
  if (op == Op::Min || op == Op::Max) {
    if (left == InWord::Exact && right == InWord::Exact)
      return InWord::Exact;
    return op == Op::Max && isZero ? InWord::Factor : InWord::Wrong;
  }
  return is(InWord::Factor) ? InWord::Wrong : InWord::Modular;
}

/// True if 32 bits give the number of iterations: it is below 2^31, and tasks without any do not
/// run. So few devices need integers of 64 bits for it.
bool TaskGenerator::countsInWords() const {
  using Op = hir::LaunchExpr::Op;
  struct Part {
    InWord word;
    bool isZero = false;
  };
  SmallVector<Part> stack;
  for (const hir::LaunchExpr::Item &item : task.iterations->items) {
    if (item.op == Op::Constant) {
      stack.push_back(
          {llvm::isInt<32>(item.value) ? InWord::Exact : InWord::Modular, item.value == 0});
    } else if (item.op == Op::Param) {
      const hir::Type type = kernel.params[size_t(item.value)].type;
      const bool fits = bitWidth(type) < 32 || (bitWidth(type) == 32 && isSigned(type));
      stack.push_back({fits ? InWord::Exact : InWord::Modular});
    } else {
      const Part right = stack.pop_back_val();
      const Part left = item.op == Op::Neg ? Part{InWord::Exact} : stack.pop_back_val();
      stack.push_back({inWord(item.op, left.word, right.word, left.isZero || right.isZero)});
    }
  }
  return stack.back().word != InWord::Wrong;
}

/// The number of iterations, as that type. Such tasks have no divisions in it.
Value TaskGenerator::iterations(Type wide) {
  SmallVector<Value> stack;
  for (const hir::LaunchExpr::Item &item : task.iterations->items) {
    using Op = hir::LaunchExpr::Op;
    if (item.op == Op::Constant) {
      stack.push_back(arith.integer(wide, uint64_t(item.value)));
    } else if (item.op == Op::Param) {
      Value argument = function.getArgument(unsigned(item.value));
      const hir::Type type = kernel.params[size_t(item.value)].type;
      const unsigned bits = argument.getType().getIntOrFloatBitWidth();
      stack.push_back(bits == wide.getIntOrFloatBitWidth() ? argument
                      : bits > wide.getIntOrFloatBitWidth()
                          ? b.create<arith::TruncIOp>(arith.loc, wide, argument).getResult()
                      : isSigned(type)
                          ? b.create<arith::ExtSIOp>(arith.loc, wide, argument).getResult()
                          : b.create<arith::ExtUIOp>(arith.loc, wide, argument).getResult());
    } else {
      Value right = stack.pop_back_val();
      Value left = item.op == Op::Neg ? arith.integer(wide, 0) : stack.pop_back_val();
      stack.push_back(combined(item.op, left, right));
    }
  }
  return stack.back();
}

Value TaskGenerator::combined(hir::LaunchExpr::Op op, Value left, Value right) {
  using Op = hir::LaunchExpr::Op;
  switch (op) {
  case Op::Add:
    return b.create<arith::AddIOp>(arith.loc, left, right);
  case Op::Sub:
  case Op::Neg:
    return b.create<arith::SubIOp>(arith.loc, left, right);
  case Op::Mul:
    return b.create<arith::MulIOp>(arith.loc, left, right);
  case Op::Min:
    return b.create<arith::MinSIOp>(arith.loc, left, right);
  default:
    return b.create<arith::MaxSIOp>(arith.loc, left, right);
  }
}

/// Runs the code of neighbouring blocks of iterations, as many for each block of the grid: what is
/// sorted has few places there.
void TaskGenerator::emitTurns() {
  const Type word = b.getI32Type(), counter = countsInWords() ? word : Type(b.getI64Type());
  auto dividedBy = [&](Value number, Value by, Value byLessOne) -> Value {
    Value above = b.create<arith::AddIOp>(arith.loc, number, byLessOne);
    return b.create<arith::DivUIOp>(arith.loc, above, by);
  };
  Value blocks = dividedBy(iterations(counter), arith.integer(counter, blockDim),
                           arith.integer(counter, blockDim - 1));
  if (counter != word)
    blocks = b.create<arith::TruncIOp>(arith.loc, word, blocks);
  Value grid = b.create<simt::GridDimOp>(arith.loc), one = arith.integer(word, 1);
  Value turns = dividedBy(blocks, grid, b.create<arith::SubIOp>(arith.loc, grid, one));
  Value first = b.create<arith::MulIOp>(arith.loc, b.create<simt::BlockIdxOp>(arith.loc), turns);
  Value behind = b.create<arith::AddIOp>(arith.loc, first, turns);
  auto loop = b.create<scf::ForOp>(arith.loc, first,
                                   b.create<arith::MinSIOp>(arith.loc, behind, blocks), one);
  simt::setTurns(loop);
  simt::setUnroll(loop, 1);
  b.setInsertionPointToStart(loop.getBody());
  turn = loop.getInductionVar();
  emitRegion(plan.body);
}

OwningOpRef<ModuleOp> sextant::generate(const hir::Kernel &kernel, MLIRContext &context,
                                        const hir::Choice &choice) {
  simt::loadDialects(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(locationOf(&context, kernel.at), kernel.instance);
  simt::setWaveSize(*module, kernel.wave);
  if (kernel.fastMath)
    simt::setFastMath(*module);
  OpBuilder builder(&context);
  builder.setInsertionPointToStart(module->getBody());
  for (const hir::Task &task : kernel.tasks)
    if (failed(TaskGenerator(kernel, task, choice, builder).emit()))
      return nullptr;
  if (failed(verify(*module)) || failed(simt::simplify(*module)) ||
      failed(simt::checkBarriers(*module)))
    return nullptr;
  simt::expandChecks(*module);
  return module;
}
