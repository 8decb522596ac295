// Debug information as attributes that MLIR has: a dictionary in a fused location, an array of
// dictionaries on a task.
#include "frontend/ir/DebugInfo.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sextant::simt;

static constexpr llvm::StringLiteral argumentsAttr = "simt.arguments";

//===--- Inlined calls -----------------------------------------------------===//

Location sextant::simt::callerLocation(const InlinedCall &call, Location at) {
  Builder b(at.getContext());
  auto about =
      b.getDictionaryAttr({b.getNamedAttr("function", b.getStringAttr(call.function)),
                           b.getNamedAttr("defined", LocationAttr(call.defined)),
                           b.getNamedAttr("number", b.getI32IntegerAttr(int32_t(call.number)))});
  return FusedLoc::get(b.getContext(), {at}, about);
}

std::optional<InlinedCall> sextant::simt::getInlinedCall(Location caller) {
  auto fused = dyn_cast<FusedLoc>(caller);
  auto about = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
  if (!about)
    return std::nullopt;
  auto function = about.getAs<StringAttr>("function");
  auto defined = about.getAs<LocationAttr>("defined");
  auto number = about.getAs<IntegerAttr>("number");
  if (!function || !defined || !number)
    return std::nullopt;
  return InlinedCall{function, Location(defined), uint32_t(number.getInt())};
}

Location sextant::simt::callPlace(Location caller) {
  return cast<FusedLoc>(caller).getLocations().front();
}

//===--- Arguments ---------------------------------------------------------===//

void sextant::simt::setShownArguments(func::FuncOp task, ArrayRef<ShownArgument> arguments) {
  Builder b(task.getContext());
  SmallVector<Attribute> rows;
  for (const ShownArgument &one : arguments)
    rows.push_back(
        b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(one.name)),
                             b.getNamedAttr("type", TypeAttr::get(one.type)),
                             b.getNamedAttr("buffer", b.getBoolAttr(one.isBuffer)),
                             b.getNamedAttr("shape", b.getDenseI64ArrayAttr(one.shape)),
                             b.getNamedAttr("rows", b.getI32IntegerAttr(int32_t(one.rows))),
                             b.getNamedAttr("cols", b.getI32IntegerAttr(int32_t(one.cols)))}));
  task->setAttr(argumentsAttr, b.getArrayAttr(rows));
}

SmallVector<ShownArgument> sextant::simt::getShownArguments(func::FuncOp task) {
  SmallVector<ShownArgument> arguments;
  auto rows = task->getAttrOfType<ArrayAttr>(argumentsAttr);
  if (!rows)
    return arguments;
  for (auto row : rows.getAsRange<DictionaryAttr>()) {
    ShownArgument one{row.getAs<StringAttr>("name").str(), row.getAs<TypeAttr>("type").getValue()};
    one.isBuffer = row.getAs<BoolAttr>("buffer").getValue();
    one.shape = llvm::to_vector(row.getAs<DenseI64ArrayAttr>("shape").asArrayRef());
    one.rows = unsigned(row.getAs<IntegerAttr>("rows").getInt());
    one.cols = unsigned(row.getAs<IntegerAttr>("cols").getInt());
    arguments.push_back(std::move(one));
  }
  return arguments;
}

//===--- Variables ---------------------------------------------------------===//

static constexpr llvm::StringLiteral parameterAttr = "parameter";

void sextant::simt::setParameter(DebugValueOp op, unsigned number) {
  if (number)
    op->setAttr(parameterAttr, Builder(op.getContext()).getI32IntegerAttr(int32_t(number)));
}

unsigned sextant::simt::getParameter(DebugValueOp op) {
  auto number = op->getAttrOfType<IntegerAttr>(parameterAttr);
  return number ? unsigned(number.getInt()) : 0;
}

void sextant::simt::dropVariables(ModuleOp module) {
  module.walk([](DebugValueOp op) { op.erase(); });
}
