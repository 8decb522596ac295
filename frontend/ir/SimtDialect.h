// The `simt` dialect in C++: its type, its ops, and the attributes of tasks.
// SimtOps.td describes the ops.
#pragma once

#include "frontend/ir/SimtTraits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "frontend/ir/SimtDialect.h.inc"
#include "frontend/ir/SimtEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "frontend/ir/SimtTypes.h.inc"
#define GET_OP_CLASSES
#include "frontend/ir/SimtOps.h.inc"

namespace sextant::simt {

/// The `simt.task` attribute of a function (SimtOps.td describes it).
struct TaskInfo {
  unsigned blockDim = 1;   ///< threads a block
  bool fullBlocks = false; ///< every thread of every block runs the body
  bool serial = false;     ///< one block of one thread
  unsigned loops = 0;      ///< loops of the kernel, on the device: its schedule is a parameter …
  unsigned schedule = 0;   ///< … of this number; loader/abi/Schedule.h has its words
  unsigned minBlocks = 0;  ///< so many blocks have to fit a multiprocessor; 0: none is asked
};

/// Returns the task attributes of `function`, or nothing if it is not a task.
std::optional<TaskInfo> getTaskInfo(mlir::func::FuncOp function);
void setTaskInfo(mlir::func::FuncOp function, const TaskInfo &info);

/// Returns the wave size that `module` is built for: its `simt.wave` attribute.
unsigned getWaveSize(mlir::ModuleOp module);
void setWaveSize(mlir::ModuleOp module, unsigned wave);

/// Returns true if divisions, square roots and functions of f32 may be approximated: the attribute
/// `simt.fast_math` of the module. Those that are marked as precise may not.
bool isFastMath(mlir::ModuleOp module);
void setFastMath(mlir::ModuleOp module);

/// Returns the bytes that the address of a buffer is a multiple of: what setAlignment() set for a
/// task's argument, 16 at most; 16 for arrays of the block and of the thread, and for views that
/// setAligned() marks; or else an element's size.
unsigned getAlignment(mlir::Value buffer);
void setAligned(ViewOp view);
void setAlignment(mlir::func::FuncOp task, unsigned argument, unsigned bytes);

/// Integer arguments of a task that are not negative, such as extents of arrays. The mark is the
/// attribute `simt.nonnegative`.
bool isNonNegative(mlir::BlockArgument argument);
void setNonNegative(mlir::func::FuncOp task, unsigned argument);

/// Buffers that no other argument of the task shares memory with: the loader refuses such launches
/// (abi::Argument::isApart). The mark is the attribute `simt.apart`.
bool isApart(mlir::BlockArgument argument);
void setApart(mlir::func::FuncOp task, unsigned argument);

/// Real additions, subtractions, products and divisions that are rounded as written: no part of an
/// fma, and not approximated. The mark is the attribute `simt.precise`.
bool isPrecise(mlir::Operation *op);
/// True if some op of the module works on lanes of a subgroup, or gives a lane's number.
bool usesLanes(mlir::ModuleOp module);
void setPrecise(mlir::Operation *op);

/// Atomics without a use of the old value whose place is the same for all threads of the block: the
/// attribute `simt.one_place`. Lanes that run one together may perform it as one.
bool isAtOnePlace(mlir::Operation *op);
void setAtOnePlace(mlir::Operation *op);
/// For such atomics whose place depends on the thread: it is often the same for all lanes. The
/// attribute `simt.often_one_place`.
bool isOftenAtOnePlace(mlir::Operation *op);
void setOftenAtOnePlace(mlir::Operation *op);

/// How many iterations of a loop one step of the code does: the attribute `simt.unroll`. Or as many
/// as the target likes, or all.
inline constexpr unsigned unrollFreely = 0, unrollWhole = ~0u;
unsigned getUnroll(mlir::Operation *loop);
void setUnroll(mlir::Operation *loop, unsigned iterations);

/// True for the loop in which a block runs the code of several, one after the other: its turns,
/// which have no order. It is of the task's own code. The attribute `simt.turns`.
bool isTurns(mlir::Operation *loop);
void setTurns(mlir::Operation *loop);

/// The integer that `value` is at compile time, if any, sign-extended.
std::optional<int64_t> constantInteger(mlir::Value value);
/// A constant of 32 bits.
mlir::Value createWord(mlir::OpBuilder &b, mlir::Location loc, int64_t value);

/// Returns true if the operator combines reals.
bool isReal(CombineKind kind);

/// Registers and loads the dialects of tasks: simt, arith, math, scf, func.
void loadDialects(mlir::MLIRContext &context);

} // namespace sextant::simt
