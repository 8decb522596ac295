// Registration of the dialect, its buffer type, and its task attributes.
#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sextant::simt;

#include "frontend/ir/SimtDialect.cpp.inc"
#include "frontend/ir/SimtEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "frontend/ir/SimtTypes.cpp.inc"

static constexpr llvm::StringLiteral taskAttr = "simt.task";
static constexpr llvm::StringLiteral waveAttr = "simt.wave";
static constexpr llvm::StringLiteral alignAttr = "simt.align";
static constexpr llvm::StringLiteral nonNegativeAttr = "simt.nonnegative";
static constexpr llvm::StringLiteral apartAttr = "simt.apart";
static constexpr llvm::StringLiteral preciseAttr = "simt.precise";
static constexpr llvm::StringLiteral fastMathAttr = "simt.fast_math";
static constexpr llvm::StringLiteral unrollAttr = "simt.unroll";
static constexpr llvm::StringLiteral turnsAttr = "simt.turns";
static constexpr llvm::StringLiteral onePlaceAttr = "simt.one_place";
static constexpr llvm::StringLiteral oftenOnePlaceAttr = "simt.often_one_place";

void SimtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "frontend/ir/SimtTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "frontend/ir/SimtOps.cpp.inc"
      >();
}

Operation *SimtDialect::materializeConstant(OpBuilder &b, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(b, value, type, loc);
}

//===--- The buffer type ---------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  Type element;
  StringRef word;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(element) || parser.parseComma() ||
      parser.parseKeyword(&word))
    return {};
  std::optional<Space> space = symbolizeSpace(word);
  if (!space) {
    parser.emitError(at) << "unknown address space '" << word
                         << "'; write global, shared or private";
    return {};
  }
  int64_t count = 0;
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(count))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(parser.getContext(), element, *space, count);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<" << getElementType() << ", " << stringifySpace(getSpace());
  if (getCount())
    printer << ", " << getCount();
  printer << ">";
}

LogicalResult BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element,
                                 Space space, int64_t count) {
  if (!element.isInteger(8) && !element.isInteger(16) && !element.isInteger(32) &&
      !element.isInteger(64) && !element.isF16() && !element.isF32() && !element.isF64())
    return emitError() << "a buffer cannot hold " << element;
  if (count < 0)
    return emitError() << "a buffer's count cannot be negative";
  if ((space == Space::Global) != (count == 0))
    return emitError() << "global buffers have no count, shared and private ones have one";
  return success();
}

//===--- Task and module attributes ----------------------------------------===//

LogicalResult SimtDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == waveAttr) {
    auto wave = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<ModuleOp>(op) || !wave || !wave.getType().isInteger(32) || wave.getInt() < 1 ||
        wave.getInt() > 128 || !llvm::isPowerOf2_64(wave.getInt()))
      return op->emitOpError("simt.wave is a power of two of type i32, at most 128, on a module");
    return success();
  }
  if (name == taskAttr) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || !getTaskInfo(function))
      return op->emitOpError(
          "simt.task is a dictionary with a positive i32 block_dim on a function");
    return success();
  }
  if (name == preciseAttr) {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
      return op->emitOpError(
          "simt.precise is on sums, differences, products and quotients of reals");
    return success();
  }
  if (name == onePlaceAttr || name == oftenOnePlaceAttr)
    return isa<AtomicRmwOp>(op) && op->use_empty()
               ? success()
               : op->emitOpError() << name << " is on atomics whose result is unused";
  if (name == unrollAttr)
    return isa<scf::ForOp, scf::WhileOp>(op) && isa<IntegerAttr>(attribute.getValue())
               ? success()
               : op->emitOpError("simt.unroll is an integer on a loop");
  if (name == turnsAttr)
    return isa<scf::ForOp>(op) ? success() : op->emitOpError("simt.turns is on a loop");
  if (name == alignAttr)
    return isa<ViewOp>(op) ? success() : op->emitOpError("simt.align is on a view");
  if (name == fastMathAttr)
    return isa<ModuleOp>(op) ? success() : op->emitOpError("simt.fast_math is on a module");
  if (name == "simt.arguments") // for debuggers, see DebugInfo.h
    return success();
  return op->emitOpError() << "unknown attribute " << name;
}

std::optional<TaskInfo> sextant::simt::getTaskInfo(func::FuncOp function) {
  auto dict = function->getAttrOfType<DictionaryAttr>(taskAttr);
  if (!dict)
    return std::nullopt;
  auto blockDim = dict.getAs<IntegerAttr>("block_dim");
  if (!blockDim || !blockDim.getType().isInteger(32) || blockDim.getInt() < 1)
    return std::nullopt;
  auto number = [&](StringRef name) {
    auto attribute = dict.getAs<IntegerAttr>(name);
    return attribute ? unsigned(attribute.getInt()) : 0;
  };
  return TaskInfo{unsigned(blockDim.getInt()), bool(dict.get("full_blocks")),
                  bool(dict.get("serial")),    number("loops"),
                  number("schedule"),          number("min_blocks")};
}

void sextant::simt::setTaskInfo(func::FuncOp function, const TaskInfo &info) {
  Builder b(function.getContext());
  SmallVector<NamedAttribute> entries{
      b.getNamedAttr("block_dim", b.getI32IntegerAttr(info.blockDim))};
  if (info.fullBlocks)
    entries.push_back(b.getNamedAttr("full_blocks", b.getUnitAttr()));
  if (info.loops) {
    entries.push_back(b.getNamedAttr("loops", b.getI32IntegerAttr(int32_t(info.loops))));
    entries.push_back(b.getNamedAttr("schedule", b.getI32IntegerAttr(int32_t(info.schedule))));
  }
  if (info.minBlocks)
    entries.push_back(b.getNamedAttr("min_blocks", b.getI32IntegerAttr(int32_t(info.minBlocks))));
  if (info.serial)
    entries.push_back(b.getNamedAttr("serial", b.getUnitAttr()));
  function->setAttr(taskAttr, b.getDictionaryAttr(entries));
}

unsigned sextant::simt::getWaveSize(ModuleOp module) {
  auto wave = module->getAttrOfType<IntegerAttr>(waveAttr);
  return wave ? unsigned(wave.getInt()) : 32;
}

void sextant::simt::setWaveSize(ModuleOp module, unsigned wave) {
  module->setAttr(waveAttr, Builder(module.getContext()).getI32IntegerAttr(wave));
}

bool sextant::simt::isAtOnePlace(Operation *op) { return op->hasAttr(onePlaceAttr); }

void sextant::simt::setAtOnePlace(Operation *op) {
  op->setAttr(onePlaceAttr, UnitAttr::get(op->getContext()));
}

bool sextant::simt::isOftenAtOnePlace(Operation *op) { return op->hasAttr(oftenOnePlaceAttr); }

void sextant::simt::setOftenAtOnePlace(Operation *op) {
  op->setAttr(oftenOnePlaceAttr, UnitAttr::get(op->getContext()));
}

unsigned sextant::simt::getUnroll(Operation *loop) {
  auto set = loop->getAttrOfType<IntegerAttr>(unrollAttr);
  return set ? unsigned(set.getInt()) : unrollFreely;
}

void sextant::simt::setUnroll(Operation *loop, unsigned iterations) {
  if (iterations != unrollFreely)
    loop->setAttr(unrollAttr, Builder(loop->getContext()).getI32IntegerAttr(int32_t(iterations)));
}

bool sextant::simt::isTurns(Operation *loop) { return loop->hasAttr(turnsAttr); }

void sextant::simt::setTurns(Operation *loop) {
  loop->setAttr(turnsAttr, UnitAttr::get(loop->getContext()));
}

bool sextant::simt::isFastMath(ModuleOp module) { return module->hasAttr(fastMathAttr); }

void sextant::simt::setFastMath(ModuleOp module) {
  module->setAttr(fastMathAttr, UnitAttr::get(module.getContext()));
}

unsigned sextant::simt::getAlignment(Value buffer) {
  if (auto view = buffer.getDefiningOp<ViewOp>()) {
    if (view->hasAttr(alignAttr))
      return 16;
    buffer = view.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return 16;
  auto task = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (auto set = task.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), alignAttr))
    return unsigned(set.getInt());
  return std::max(cast<BufferType>(buffer.getType()).getElementType().getIntOrFloatBitWidth() / 8,
                  1u);
}

void sextant::simt::setAligned(ViewOp view) {
  view->setAttr(alignAttr, Builder(view.getContext()).getI32IntegerAttr(16));
}

void sextant::simt::setAlignment(func::FuncOp task, unsigned argument, unsigned bytes) {
  task.setArgAttr(argument, alignAttr, Builder(task.getContext()).getI32IntegerAttr(bytes));
}

static bool isMarked(BlockArgument argument, StringRef mark) {
  auto task = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return task && task.getArgAttr(argument.getArgNumber(), mark);
}

static void mark(func::FuncOp task, unsigned argument, StringRef as) {
  task.setArgAttr(argument, as, UnitAttr::get(task.getContext()));
}

bool sextant::simt::isNonNegative(BlockArgument argument) {
  return isMarked(argument, nonNegativeAttr);
}

void sextant::simt::setNonNegative(func::FuncOp task, unsigned argument) {
  mark(task, argument, nonNegativeAttr);
}

bool sextant::simt::isApart(BlockArgument argument) { return isMarked(argument, apartAttr); }

void sextant::simt::setApart(func::FuncOp task, unsigned argument) {
  mark(task, argument, apartAttr);
}

bool sextant::simt::usesLanes(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->hasTrait<Subgroup>() || isa<LaneOp>(op) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

bool sextant::simt::isPrecise(Operation *op) { return op->hasAttr(preciseAttr); }

void sextant::simt::setPrecise(Operation *op) {
  op->setAttr(preciseAttr, UnitAttr::get(op->getContext()));
}

Value sextant::simt::createWord(OpBuilder &b, Location loc, int64_t value) {
  return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(int32_t(value)));
}

std::optional<int64_t> sextant::simt::constantInteger(Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

void sextant::simt::loadDialects(MLIRContext &context) {
  context.loadDialect<SimtDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                      func::FuncDialect>();
}
