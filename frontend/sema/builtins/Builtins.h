// The functions of the language that sema knows.
#pragma once

#include "frontend/sema/Builtin.h"
#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The rows of all functions.
std::span<const Builtin> builtinRows();

/// Tests that each parameter takes its argument, and fills in the operands. False: there was an
/// error.
bool checkOperands(Context &cx, CallSite &site);

//===--- Handlers ----------------------------------------------------------===//

enum class PyType : uint8_t { Int, Float, Bool };
enum class Filled : uint8_t { Zeros, Ones, Identity };
enum class Vote : uint8_t { All, Any };
/// The lanes that get a reduction's result: the tile's first lane, or all.
enum class Holds : uint8_t { First, All };
enum class Scanned : uint8_t { Inclusive, Exclusive };
/// The algorithms that say how much scratch they need.
enum class Scratch : uint8_t { Reduce, Scan, Select, Runs, Sort };

Value doAbs(Context &cx, CallSite &site);
Value doAnyAll(Context &cx, CallSite &site, bool isAll);
Value doAtan2(Context &cx, CallSite &site);
Value doAtomic(Context &cx, CallSite &site, hir::Combine op, bool subtracts = false);
Value doAtomicCas(Context &cx, CallSite &site);
Value doBallot(Context &cx, CallSite &site);
Value doBallotFirstN(Context &cx, CallSite &site);
Value doBarrierReduce(Context &cx, CallSite &site, hir::BarrierReduceKind kind);
Value doBinaryOp(Context &cx, CallSite &site, ast::BinaryOp op);
Value doBitCast(Context &cx, CallSite &site);
Value doBits(Context &cx, CallSite &site, hir::UnaryOp op);
Value doBlockDim(Context &cx, CallSite &site);
Value doBroadcastFirst(Context &cx, CallSite &site);
Value doCast(Context &cx, CallSite &site);
Value doCheckBlock(Context &cx, CallSite &site);
Value doCheckInteger(Context &cx, CallSite &site, bool isLane);
Value doCheckRadix(Context &cx, CallSite &site);
Value doCheckTile(Context &cx, CallSite &site);
Value doDecorator(Context &cx, CallSite &site);
Value doDiag(Context &cx, CallSite &site);
Value doDtype(Context &cx, CallSite &site);
Value doEnumerate(Context &cx, CallSite &site);
Value doFence(Context &cx, CallSite &site, hir::FenceScope scope);
Value doPause(Context &cx, CallSite &site);
Value doCopy(Context &cx, CallSite &site);
Value doCopies(Context &cx, CallSite &site, bool waits);
/// `sizes`: of the element's extents that are arguments.
Value doField(Context &cx, CallSite &site, size_t sizes);
Value doFrexp(Context &cx, CallSite &site);
Value doGlobalThreadIdx(Context &cx, CallSite &site);
Value doGroupSize(Context &cx, CallSite &site);
Value doGrouped(Context &cx, CallSite &site);
Value doCheckWarp(Context &cx, CallSite &site);
Value doClock(Context &cx, CallSite &site);
/// Calls the function of library/math.py that has the method's name and an underscore.
Value doInLibrary(Context &cx, CallSite &site);
Value doInLoop(Context &cx, CallSite &site);
Value doInvocation(Context &cx, CallSite &site);
Value doIsScalar(Context &cx, CallSite &site);
Value doLen(Context &cx, CallSite &site);
Value doSharedLimit(Context &cx, CallSite &site);
Value doLog2GroupSize(Context &cx, CallSite &site);
Value doLogicNot(Context &cx, CallSite &site);
Value doLogicalShift(Context &cx, CallSite &site);
Value doLoopConfig(Context &cx, CallSite &site);
Value doMatch(Context &cx, CallSite &site);
Value doMatchAny(Context &cx, CallSite &site);
Value doMatrix(Context &cx, CallSite &site);
Value doMatrixOf(Context &cx, CallSite &site, Filled with);
Value doMatrixType(Context &cx, CallSite &site);
Value doMinMax(Context &cx, CallSite &site, bool isMin);
Value doNdarrayType(Context &cx, CallSite &site);
Value doNdarray(Context &cx, CallSite &site, size_t sizes);
Value doNdrange(Context &cx, CallSite &site);
Value doNumber(Context &cx, CallSite &site);
Value doOuter(Context &cx, CallSite &site);
Value doPrecise(Context &cx, CallSite &site);
Value doPrint(Context &cx, CallSite &site);
Value doPow(Context &cx, CallSite &site);
Value doPyCast(Context &cx, CallSite &site, PyType type);
Value doRandom(Context &cx, CallSite &site);
Value doRange(Context &cx, CallSite &site);
Value doRawDivision(Context &cx, CallSite &site, hir::BinaryOp op);
Value doReduce(Context &cx, CallSite &site, hir::Combine op, Holds who);
Value doReferenceType(Context &cx, CallSite &site);
Value doRounding(Context &cx, CallSite &site, hir::UnaryOp op);
Value doRows(Context &cx, CallSite &site, bool isColumns);
Value doScan(Context &cx, CallSite &site, hir::Combine op, Scanned how);
Value doScratchSlots(Context &cx, CallSite &site, Scratch of);
Value doSelect(Context &cx, CallSite &site);
Value doSharedArray(Context &cx, CallSite &site);
Value doShuffle(Context &cx, CallSite &site, hir::ShuffleKind kind);
Value doSpan(Context &cx, CallSite &site);
Value doStatic(Context &cx, CallSite &site);
Value doStaticAssert(Context &cx, CallSite &site);
Value doStaticPrint(Context &cx, CallSite &site);
Value doStruct(Context &cx, CallSite &site);
Value doTensor(Context &cx, CallSite &site, size_t sizes);
Value doStructField(Context &cx, CallSite &site);
Value doStructType(Context &cx, CallSite &site);
Value doSubgroupSync(Context &cx, CallSite &site);
Value doWarpSync(Context &cx, CallSite &site);
Value doSum(Context &cx, CallSite &site);
Value doSync(Context &cx, CallSite &site);
Value doTemplateType(Context &cx, CallSite &site);
Value doTensorType(Context &cx, CallSite &site);
Value doUnpacked(Context &cx, CallSite &site);
Value doTileStaging(Context &cx, CallSite &site);
Value doTileType(Context &cx, CallSite &site);
Value doThreadIdx(Context &cx, CallSite &site);
Value doTuple(Context &cx, CallSite &site);
Value doUnaryMath(Context &cx, CallSite &site, hir::UnaryOp op);
Value doUnit(Context &cx, CallSite &site);
Value doVector(Context &cx, CallSite &site);
/// Returns a vector with all components `n`.
Value doVectorOf(Context &cx, CallSite &site, int n);
Value doVectorType(Context &cx, CallSite &site);
Value doView(Context &cx, CallSite &site);
Value doVolatileLoad(Context &cx, CallSite &site);
Value doLoad(Context &cx, CallSite &site);
Value doStore(Context &cx, CallSite &site);
Value doVote(Context &cx, CallSite &site, Vote kind);
Value doWiden(Context &cx, CallSite &site);
Value doZeroOne(Context &cx, CallSite &site, int n);
Value doZip(Context &cx, CallSite &site);
Value doAnyAllComponents(Context &cx, CallSite &site, hir::BinaryOp op);
Value doBitLength(Context &cx, CallSite &site);
Value doComponentSum(Context &cx, CallSite &site);
Value doCross(Context &cx, CallSite &site);
Value doDeterminant(Context &cx, CallSite &site);
Value doDot(Context &cx, CallSite &site);
Value doFma(Context &cx, CallSite &site);
Value doFract(Context &cx, CallSite &site);
Value doInverse(Context &cx, CallSite &site);
Value doIsInf(Context &cx, CallSite &site);
Value doIsNan(Context &cx, CallSite &site);
Value doNorm(Context &cx, CallSite &site, hir::UnaryOp op);
Value doNormalized(Context &cx, CallSite &site);
Value doProducts(Context &cx, CallSite &site);
Value doSign(Context &cx, CallSite &site);
Value doTimes(Context &cx, CallSite &site, double factor);
Value doTrace(Context &cx, CallSite &site);
Value doTranspose(Context &cx, CallSite &site);
Value doUnsupported(Context &cx, CallSite &site);
Value findNthSet(Context &cx, CallSite &site);
/// Returns the ballot of all lanes that exist.
Value ballotOf(Context &cx, CallSite &site);

} // namespace sextant::sema
