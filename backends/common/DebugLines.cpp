// The compile unit, functions and places. Each target itself describes where variables are.
#include "backends/common/DebugLines.h"

#include "frontend/ir/DebugInfo.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace sextant;

/// The file, line and column that `at` names: for inlined code, those of the callee.
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

/// The call that inlined the code at `at`, as its caller's location; null if the code was not
/// inlined.
static mlir::LocationAttr callerOf(mlir::Location at) {
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(at))
    return simt::getInlinedCall(call.getCaller()) ? mlir::LocationAttr(call.getCaller())
                                                  : mlir::LocationAttr();
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(at))
    return callerOf(named.getChildLoc());
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(at))
    for (mlir::Location part : fused.getLocations())
      if (fileLine(part))
        return callerOf(part);
  return {};
}

DebugLines::DebugLines(Module &module, DebugDetail detail) : detail(detail) {
  if (detail == DebugDetail::None)
    return;
  builder = std::make_unique<DIBuilder>(module);
  module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
}

DIFile *DebugLines::file(StringRef path) {
  return builder->createFile(sys::path::filename(path), sys::path::parent_path(path));
}

DIFile *DebugLines::fileOf(mlir::Location at) { return file(fileLine(at).getFilename()); }

unsigned DebugLines::lineOf(mlir::Location at) { return fileLine(at).getLine(); }

void DebugLines::begin(Function &function, mlir::Location at) {
  mlir::FileLineColLoc start = fileLine(at);
  task = nullptr;
  body = nullptr;
  calls.clear();
  if (!builder || !start)
    return;
  // PTX takes directives; object files need a line table.
  bool isText = Triple(function.getParent()->getTargetTriple()).isNVPTX();
  bool isFull = detail == DebugDetail::Variables;
  if (!unit)
    unit = builder->createCompileUnit(dwarf::DW_LANG_C99, file(start.getFilename()), "sextant",
                                      /*isOptimized=*/!isFull, "", 0, "",
                                      isText   ? DICompileUnit::DebugDirectivesOnly
                                      : isFull ? DICompileUnit::FullDebug
                                               : DICompileUnit::LineTablesOnly);
  // A kernel's tasks have the kernel's name, so that a breakpoint on it stops in each.
  auto named = mlir::dyn_cast<mlir::NameLoc>(at);
  StringRef name = named ? named.getName().strref() : function.getName();
  StringRef linkageName = named ? "" : function.getName(); // debuggers would show it instead
  DISubroutineType *type = builder->createSubroutineType(builder->getOrCreateTypeArray({}));
  task = builder->createFunction(unit, name, linkageName, file(start.getFilename()),
                                 start.getLine(), type, start.getLine(), DINode::FlagZero,
                                 DISubprogram::SPFlagDefinition);
  function.setSubprogram(task);
  body = task;
  if (isFull) // the author's variables hide ours of the same name
    body = builder->createLexicalBlock(task, task->getFile(), start.getLine(), start.getColumn());
}

DISubprogram *DebugLines::inlinedFunction(mlir::StringAttr name, mlir::Location at) {
  auto [known, isNew] = functions.try_emplace({name, mlir::LocationAttr(at)}, nullptr);
  if (isNew) {
    DISubroutineType *type = builder->createSubroutineType(builder->getOrCreateTypeArray({}));
    known->second = builder->createFunction(
        unit, name.strref(), "", fileOf(at), lineOf(at), type, lineOf(at), DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit);
  }
  return known->second;
}

DebugLines::Scope DebugLines::scopeOf(mlir::Location at) {
  mlir::LocationAttr caller = callerOf(at);
  if (!caller)
    return {body, nullptr};
  simt::InlinedCall call = *simt::getInlinedCall(caller);
  auto known = calls.find(caller);
  if (known == calls.end()) {
    // The node is distinct, so that two calls on one line are two.
    mlir::Location from = simt::callPlace(caller);
    Scope outer = scopeOf(from);
    mlir::FileLineColLoc line = fileLine(from);
    DILocation *site =
        DILocation::getDistinct(unit->getContext(), line ? line.getLine() : 0,
                                line ? line.getColumn() : 0, outer.scope, outer.inlinedAt);
    known = calls.try_emplace(caller, site).first;
  }
  return {inlinedFunction(mlir::StringAttr::get(at.getContext(), call.function), call.defined),
          known->second};
}

DILocation *DebugLines::place(mlir::Location at) {
  mlir::FileLineColLoc line = fileLine(at);
  Scope in = scopeOf(at);
  DILocalScope *scope = in.scope;
  if (DIFile *other = file(line.getFilename()); other != scope->getFile())
    scope = builder->createLexicalBlockFile(scope, other);
  return DILocation::get(unit->getContext(), line.getLine(), line.getColumn(), scope, in.inlinedAt);
}

void DebugLines::set(IRBuilderBase &b, mlir::Location at) {
  if (task && fileLine(at))
    b.SetCurrentDebugLocation(place(at));
}

void DebugLines::finish() {
  if (builder)
    builder->finalize();
}
