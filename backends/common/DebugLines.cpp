// Line tables alone: no variables, no types.
#include "backends/common/DebugLines.h"

#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace sextant;

/// The file, line and column that `at` is about: of the callee for inlined code.
static mlir::FileLineColLoc fileLine(mlir::Location at) {
  if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(at))
    return place;
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(at))
    return fileLine(named.getChildLoc());
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(at))
    return fileLine(call.getCallee());
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(at))
    for (mlir::Location part : fused.getLocations())
      if (mlir::FileLineColLoc place = fileLine(part))
        return place;
  return {};
}

DebugLines::DebugLines(Module &module, bool enabled) {
  if (!enabled)
    return;
  builder = std::make_unique<DIBuilder>(module);
  module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

DIFile *DebugLines::file(StringRef path) {
  return builder->createFile(sys::path::filename(path), sys::path::parent_path(path));
}

void DebugLines::begin(Function &function, mlir::Location at) {
  mlir::FileLineColLoc place = fileLine(at);
  scope = nullptr;
  if (!builder || !place)
    return;
  // PTX takes directives; object files need a line table.
  bool isText = Triple(function.getParent()->getTargetTriple()).isNVPTX();
  if (!unit)
    unit = builder->createCompileUnit(dwarf::DW_LANG_C, file(place.getFilename()), "sextant",
                                      /*isOptimized=*/true, "", 0, "",
                                      isText ? DICompileUnit::DebugDirectivesOnly
                                             : DICompileUnit::LineTablesOnly);
  DISubroutineType *type = builder->createSubroutineType(builder->getOrCreateTypeArray({}));
  scope = builder->createFunction(unit, function.getName(), function.getName(),
                                  file(place.getFilename()), place.getLine(), type, place.getLine(),
                                  DINode::FlagZero, DISubprogram::SPFlagDefinition);
  function.setSubprogram(scope);
}

void DebugLines::set(IRBuilderBase &b, mlir::Location at) {
  mlir::FileLineColLoc place = fileLine(at);
  if (!scope || !place)
    return;
  DIScope *in = scope;
  if (DIFile *other = file(place.getFilename()); other != scope->getFile())
    in = builder->createLexicalBlockFile(scope, other);
  b.SetCurrentDebugLocation(
      DILocation::get(b.getContext(), place.getLine(), place.getColumn(), in));
}

void DebugLines::finish() {
  if (builder)
    builder->finalize();
}
