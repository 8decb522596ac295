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

/// A handler that needs to know nothing but the call.
using Handler = Value(Context &cx, CallSite &site);
Handler doAbs, doAddress, doWord, doAtan2, doAtomicCas, doBallot, doBallotFirstN, doBitCast,
    doBitLength, doBlockDim, doBroadcastFirst, doCast, doCheckBlock, doCheckRadix, doCheckTile,
    doCheckWarp, doClock, doComponentSum, doCopy, doCross, doDecorator, doDeterminant, doDiag,
    doDot, doDtype, doEnumerate, doFma, doFract, doFrexp, doGlobalThreadIdx, doGrouped, doGroupSize,
    doInLoop, doInstruction, doInverse, doInvocation, doIsInf, doIsNan, doIsScalar, doLen, doLoad,
    doLog2GroupSize, doLogicalShift, doLogicNot, doLoopConfig, doMatch, doMatchAny, doMatrix,
    doMatrixType, doMatrixUnit, doNdarrayType, doNdrange, doNormalized, doNumber, doOuter, doPause,
    doPow, doPrecise, doPrint, doProducts, doRandom, doRange, doReferenceType, doSelect,
    doSharedArray, doSharedLimit, doSign, doSpan, doStatic, doStaticAssert, doStaticPrint, doStore,
    doStruct, doStructField, doStructType, doSubgroupMatrix, doSubgroupSync, doSum, doSync,
    doTemplateType, doTensorType, doThreadIdx, doTileStaging, doTileType, doTrace, doTranspose,
    doTuple, doUnit, doUnpacked, doUnsupported, doVector, doVectorType, doView, doVolatileLoad,
    doWarpSync, doWiden, doZip, findNthSet;

Value doAnyAll(Context &cx, CallSite &site, bool isAll);
Value doAtomic(Context &cx, CallSite &site, hir::Combine op, bool subtracts = false);
Value doBarrierReduce(Context &cx, CallSite &site, hir::BarrierReduceKind kind);
Value doBinaryOp(Context &cx, CallSite &site, ast::BinaryOp op);
Value doBits(Context &cx, CallSite &site, hir::UnaryOp op);
Value doCheckInteger(Context &cx, CallSite &site, bool isLane);
Value doFence(Context &cx, CallSite &site, hir::FenceScope scope);
Value doCopies(Context &cx, CallSite &site, bool waits);
/// `sizes`: of the element's extents that are arguments.
Value doField(Context &cx, CallSite &site, size_t sizes);
/// Calls the function of library/math.py that has the method's name and an underscore.
Value doInLibrary(Context &cx, CallSite &site);
Value doMatrixOf(Context &cx, CallSite &site, Filled with);
Value doMinMax(Context &cx, CallSite &site, bool isMin);
Value doNdarray(Context &cx, CallSite &site, size_t sizes);
Value doPyCast(Context &cx, CallSite &site, PyType type);
Value doRawDivision(Context &cx, CallSite &site, hir::BinaryOp op);
Value doReduce(Context &cx, CallSite &site, hir::Combine op, Holds who);
Value doRounding(Context &cx, CallSite &site, hir::UnaryOp op);
Value doRows(Context &cx, CallSite &site, bool isColumns);
Value doScan(Context &cx, CallSite &site, hir::Combine op, Scanned how);
Value doScratchSlots(Context &cx, CallSite &site, Scratch of);
Value doShuffle(Context &cx, CallSite &site, hir::ShuffleKind kind);
Value doTensor(Context &cx, CallSite &site, size_t sizes);
Value doUnaryMath(Context &cx, CallSite &site, hir::UnaryOp op);
/// Returns a vector with all components `n`.
Value doVectorOf(Context &cx, CallSite &site, int n);
Value doVote(Context &cx, CallSite &site, Vote kind);
Value doZeroOne(Context &cx, CallSite &site, int n);
Value doAnyAllComponents(Context &cx, CallSite &site, hir::BinaryOp op);
Value doNorm(Context &cx, CallSite &site, hir::UnaryOp op);
Value doTimes(Context &cx, CallSite &site, double factor);
/// Returns the ballot of all lanes that exist.
Value ballotOf(Context &cx, CallSite &site);

} // namespace sextant::sema
