// Functions of the language that sema itself knows.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

struct CallSite {
  const ast::Call *node = nullptr;
  SourceRange at;
  const Builtin *builtin = nullptr;
  std::vector<Value> args; ///< by parameter; None-kind Poison where `given` is false
  std::vector<bool> given;
  std::vector<const ast::Expr *> nodes; ///< by parameter
};

/// A function of the language that sema itself knows.
struct Builtin {
  const char *name;   ///< "qd.sqrt", "subgroup.shuffle", "py.min"
  const char *params; ///< "value,index,dtype?"; "*" takes any number
  Value (*handler)(Context &, CallSite &);
  int data = 0;
  bool lazy = false; ///< the handler evaluates its arguments itself
};
const Builtin *findBuiltin(std::string_view name);
/// Whether vectors, matrices or numbers have a method of this name.
bool isVectorMethod(std::string_view name);
/// Close names, for "did you mean".
std::string closestBuiltin(std::string_view space, std::string_view name);

//===--- Handlers ----------------------------------------------------------===//

Value doStatic(Context &cx, CallSite &site);
Value doStaticAssert(Context &cx, CallSite &site);
Value doCast(Context &cx, CallSite &site);
Value doBitCast(Context &cx, CallSite &site);
Value doPyCast(Context &cx, CallSite &site);
Value doLen(Context &cx, CallSite &site);
Value doRange(Context &cx, CallSite &site);
Value doNdrange(Context &cx, CallSite &site);
Value doGrouped(Context &cx, CallSite &site);
Value doLoopConfig(Context &cx, CallSite &site);
Value doZeroOne(Context &cx, CallSite &site);
Value doSelect(Context &cx, CallSite &site);
Value doNdarrayType(Context &cx, CallSite &site);
Value doTemplateType(Context &cx, CallSite &site);
Value doMatrixType(Context &cx, CallSite &site);
Value doVector(Context &cx, CallSite &site);
Value doMatrix(Context &cx, CallSite &site);
Value doField(Context &cx, CallSite &site);
Value doNotDevice(Context &cx, CallSite &site);
Value doRows(Context &cx, CallSite &site);
Value doDiag(Context &cx, CallSite &site);
Value doUnit(Context &cx, CallSite &site);
Value doStaticPrint(Context &cx, CallSite &site);
Value doRandom(Context &cx, CallSite &site);
Value doVolatileLoad(Context &cx, CallSite &site);
Value doDecorator(Context &cx, CallSite &site);
Value doEnumerateZip(Context &cx, CallSite &site);
Value doSum(Context &cx, CallSite &site);
Value doNoOp(Context &cx, CallSite &site);
Value doTuple(Context &cx, CallSite &site);
Value doAnyAll(Context &cx, CallSite &site);
Value doUnaryMath(Context &cx, CallSite &site);
Value doRounding(Context &cx, CallSite &site);
Value doAbs(Context &cx, CallSite &site);
Value doMinMax(Context &cx, CallSite &site);
Value doAtan2(Context &cx, CallSite &site);
Value doPow(Context &cx, CallSite &site);
Value doBits(Context &cx, CallSite &site);
Value doBinaryOp(Context &cx, CallSite &site);
Value findNthSet(Context &cx, CallSite &site);
Value doFrexp(Context &cx, CallSite &site);
Value doLogicNot(Context &cx, CallSite &site);
Value doVectorMethod(Context &cx, CallSite &site);
Value doAtomic(Context &cx, CallSite &site);
Value doAtomicCas(Context &cx, CallSite &site);
Value doShuffle(Context &cx, CallSite &site);
Value doInvocation(Context &cx, CallSite &site);
Value doGroupSize(Context &cx, CallSite &site);
Value doBallot(Context &cx, CallSite &site);
Value doMatch(Context &cx, CallSite &site);
Value doVote(Context &cx, CallSite &site);
Value doReduce(Context &cx, CallSite &site);
Value doScan(Context &cx, CallSite &site);
Value doFence(Context &cx, CallSite &site);
Value doSync(Context &cx, CallSite &site);
Value doBarrierReduce(Context &cx, CallSite &site);
Value doSharedArray(Context &cx, CallSite &site);
Value doThreadIdx(Context &cx, CallSite &site);
Value doSubgroupSync(Context &cx, CallSite &site);
Value doInLoop(Context &cx, CallSite &site);
Value doCheckTile(Context &cx, CallSite &site);
Value doCheckInteger(Context &cx, CallSite &site);
Value doWiden(Context &cx, CallSite &site);
Value doCheckBlock(Context &cx, CallSite &site);
Value doCheckRadix(Context &cx, CallSite &site);

} // namespace sextant::sema
