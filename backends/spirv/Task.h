// The walk over one task that writes its SPIR-V function. Narrow integers are carried in 32 bits
// with the upper ones zero, so that no device needs 8- or 16-bit arithmetic. All integer types are
// unsigned, as signedness is in the instructions.
#pragma once

#include "backends/common/StructuredWalk.h"
#include "backends/spirv/Features.h"
#include "backends/spirv/Spirv.h"
#include "backends/spirv/Writer.h"
#include "loader/abi/Features.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace sextant::spirv {

/// The state that the tasks of a module share.
struct ModuleState {
  Writer w;
  const SpirvOptions &options;
  unsigned wave;
  std::set<std::string> requirements;
  /// Inputs that the device fills in, by BuiltIn.
  std::map<uint32_t, Id> builtins;
  /// The number of blocks in a row of the grid; 0 before its first use.
  Id rowLength = 0;
  /// The scalar arguments' variable, 0 before its first use.
  Id values = 0;
  spv::StorageClass valueStorage = spv::StorageClassPushConstant;
  /// Structs of one run-time array, by element and decorations.
  std::map<std::pair<Id, uint32_t>, Id> blocks;
  std::map<Id, Id> arrays;       ///< run-time arrays, by element
  std::map<Id, Id> tables;       ///< variables of the table of addresses, by type of pointer
  llvm::StringMap<Id> functions; ///< functions that tasks call, by name
};

/// How a buffer or array is declared.
struct Memory {
  Id variable = 0; ///< PhysicalStorageBuffer: the type of the pointer that the table holds
  spv::StorageClass storage = spv::StorageClassStorageBuffer;
  uint32_t binding = 0; ///< of a buffer; with a table, its place there
  mlir::Type element;   ///< of the simt type
  /// Declared as integers of the same width, because a loop of compare-and-swaps works on it.
  bool asBits = false;
  /// 8- and 16-bit elements take 32 bits each: only the code sees the layout of this memory.
  /// (Beyond usualShared they are packed.)
  bool wide = false;
  /// For a buffer of 8- or 16-bit elements with atomics: the same binding as words that hold the
  /// elements. As `variable` is. For a packed array of the block: its only variable.
  Id words = 0;
  /// The same binding as vectors, by their length.
  std::map<unsigned, Id> vectors;
  /// The same binding under other names, which stores ask for (marks::alias).
  std::map<std::string, Id> aliases;
};

/// True if elements of 8 or 16 bits in shared memory share words, which are accessed by atomics.
inline bool isPacked(const Memory &memory) {
  return memory.words != 0 && memory.storage == spv::StorageClassWorkgroup;
}

/// Memory semantics: acquire and release, of buffers and of shared memory.
inline constexpr uint32_t allMemory = uint32_t(spv::MemorySemanticsAcquireReleaseMask) |
                                      uint32_t(spv::MemorySemanticsUniformMemoryMask) |
                                      uint32_t(spv::MemorySemanticsWorkgroupMemoryMask);

class TaskEmitter : private StructuredWalk<Id, Id, Writer::Phi> {
public:
  TaskEmitter(ModuleState &state, mlir::func::FuncOp task);
  mlir::LogicalResult emit();
  /// Emits a function that tasks behind it call.
  mlir::LogicalResult emitCallee();

private:
  //===--- Task.cpp: functions and control flow ----------------------------===//
  void setLine(mlir::Location at) override;
  bool emitEffect(mlir::Operation &op) override;
  Id emitValue(mlir::Operation &op) override;
  Id call(mlir::func::CallOp op);
  Id currentBlock() override { return w.block(); }
  void enter(Id block) override { w.beginBlock(block); }
  void jump(Id to) override { w.effect(spv::OpBranch, {to}); }
  Writer::Phi phi(mlir::Type type, unsigned incoming) override {
    return w.phi(typeOf(type), incoming);
  }
  void setIncoming(Writer::Phi phi, unsigned number, Id value, Id from) override {
    w.setIncoming(phi, number, value, from);
  }
  Id valueOf(Writer::Phi phi) override { return phi.id; }
  Id lessThan(Id left, Id right) override {
    return w.op(spv::OpSLessThan, w.boolType(), {left, right});
  }
  Id add(mlir::Type type, Id left, Id right) override {
    return w.op(spv::OpIAdd, typeOf(type), {left, right});
  }
  Selection beginSelection(Id condition, bool hasElse) override;
  Loop beginLoop(LoopKind kind = LoopKind::While) override;
  void beginTest(const Loop &loop) override;
  void beginBody(const Loop &loop, Id goesOn) override;
  Id endBody(const Loop &loop) override;
  void endLoop(const Loop &loop) override;

  //===--- Arith.cpp: what works on each value alone -----------------------===//
  Id emitElementwise(mlir::Operation &op);
  Id constantOf(mlir::Attribute value);
  Id compareIntegers(mlir::Operation &op);
  Id compareFloats(mlir::Operation &op);
  Id divide(mlir::Operation &op, bool isSigned, bool isRemainder);
  Id convertInteger(mlir::Operation &op, bool isSigned);
  Id bitcast(mlir::Value from, mlir::Type to);
  Id bitcastId(Id value, mlir::Type from, mlir::Type to);
  Id countBits(mlir::Operation &op);
  /// The upper half of a product of two unsigned words.
  Id multiplyHigh(mlir::Type type, Operands factors);
  Id floatOp(spv::Op opcode, mlir::Type type, Operands operands);
  Id floatFunction(GLSLstd450 function, mlir::Type type, Operands operands);
  /// Returns `value` of `type`, sign-extended to the 32 bits that carry it.
  Id signExtended(Id value, mlir::Type type);
  /// Clears the bits above the type's width.
  Id normalized(Id value, mlir::Type type);

  //===--- Memory.cpp: arguments, arrays, accesses --------------------------===//
  void declareArguments();
  void declareValues();
  void declareBuffer(mlir::Value buffer, uint32_t binding);
  void declareView(mlir::Value buffer, uint32_t flags, uint32_t binding);
  void declareAliases(mlir::Value buffer, Memory &memory);
  void declareArray(mlir::Value array);
  Id loadArgument(mlir::Value argument, uint32_t member);
  Id blockType(Id element, unsigned width, uint32_t flags);
  Id declareBlock(const Memory &memory, Id element, unsigned width, uint32_t flags);
  /// True if the arrays come in a table of addresses.
  bool takesTable() const {
    return hasFeature(state.options, abi::wordOf(abi::VulkanFeature::BufferAddresses));
  }
  Id tableOf(Id pointer);
  Id blockOf(const Memory &memory, Id declared);
  void addAccess(llvm::SmallVectorImpl<uint32_t> &operands, const Memory &memory, bool isVolatile,
                 simt::Cache cache, unsigned count = 1);
  Id elementIndex(mlir::Value index);
  Id wordIndex(mlir::Value index, unsigned log2Elements);
  Id pointer(mlir::Value buffer, mlir::Value index);
  Id load(simt::LoadOp op);
  void store(simt::StoreOp op);
  Id vectorType(mlir::Value buffer, size_t count);
  Id vectorPointer(mlir::Value buffer, mlir::Value index, size_t count);
  void loadVector(simt::LoadVectorOp op);
  void storeVector(simt::StoreVectorOp op);
  void storeToAlias(simt::StoreOp op, llvm::StringRef alias);
  /// The types of values in memory, which differ from those in registers.
  Id memoryType(const Memory &memory);
  mlir::Type integerLike(mlir::Type type);
  Id toMemory(Id value, const Memory &memory);
  Id fromMemory(Id value, const Memory &memory);

  //===--- Atomics.cpp -----------------------------------------------------===//
  Id emitAtomicRmw(simt::AtomicRmwOp op);
  Id emitAtomicCas(simt::AtomicCasOp op);
  Id casLoop(Id pointer, Id bits, Id scope, llvm::function_ref<Id(Id old)> next);
  struct Part {
    Id pointer, offset; ///< of the word; in bits
    unsigned width;
  };
  Part partOf(mlir::Value buffer, mlir::Value at);
  Id partIn(Id word, const Part &part);
  Id withPart(Id word, Id bits, const Part &part);
  Id loadPart(mlir::Value array, mlir::Value index);
  void storePart(simt::StoreOp op);
  Id narrowAtomic(simt::AtomicRmwOp op, Id scope);
  Id narrowCas(simt::AtomicCasOp op, Id scope);
  Id nativeOnReals(simt::AtomicRmwOp op, Id at, Id scope);
  Id minMaxOfBits(simt::AtomicRmwOp op, Id at, Id scope);
  Id choose(Id type, Id condition, llvm::function_ref<Id()> whenTrue,
            llvm::function_ref<Id()> whenFalse);
  Id quieted(Id value, mlir::Type type);
  void requireAtomics(const Memory &memory);
  Id combine(simt::CombineKind kind, mlir::Type type, Id old, Id value);

  //===--- Subgroup.cpp: other threads -------------------------------------===//
  Id builtin(spv::BuiltIn which, unsigned components);
  Id builtinX(spv::BuiltIn which);
  void requireSubgroup(spv::Capability capability, abi::VulkanFeature feature);
  Id lane();
  Id threadIdx();
  Id blockIdx(simt::BlockIdxOp op);
  void barrier(spv::Scope execution);
  void fence(simt::Scope scope, uint32_t semantics = allMemory);
  Id shuffle(simt::ShuffleOp op);
  Id ballot(Id predicate);
  Id emitBallot(simt::BallotOp op);
  Id vote(simt::VoteOp op);
  Id reduceOrScan(simt::CombineKind kind, mlir::Type type, Id value, spv::GroupOperation operation);

  //===--- Small helpers ---------------------------------------------------===//
  Id typeOf(mlir::Type type);
  Id typeOf(mlir::Value value) { return typeOf(value.getType()); }
  Id u32Type() { return w.intType(32); }
  /// A signed integer type, for instructions whose constants SPIRV-Tools folds by the type's sign.
  Id signedTypeOf(mlir::Type type) {
    return w.signedType(std::max(type.getIntOrFloatBitWidth(), 32u));
  }
  Id u32(uint32_t value) { return w.intConstant(value); }
  Id integer(mlir::Type type, uint64_t value);
  Id scope(spv::Scope scope) { return u32(scope); }
  void require(llvm::StringRef word) { state.requirements.insert(word.str()); }
  void require(abi::VulkanFeature feature) { require(abi::wordOf(feature)); }
  Id select(Id type, Id condition, Id whenTrue, Id whenFalse) {
    return w.op(spv::OpSelect, type, {condition, whenTrue, whenFalse});
  }

  ModuleState &state;
  Writer &w;
  mlir::func::FuncOp source;
  simt::TaskInfo task;
  bool usesLanes = false;
  Id function = 0;
  llvm::DenseMap<mlir::Value, Memory> memories;
  std::set<Id> interface; ///< input variables that the function reads
};

/// The element's form in shared or private memory.
inline bool isNarrowInteger(mlir::Type type) { return type.isInteger(8) || type.isInteger(16); }

/// True if the buffer of reals is declared as integers of the same width, because under `options`
/// not all of its atomics are instructions on reals.
bool holdsBits(mlir::Value buffer, const SpirvOptions &options);

} // namespace sextant::spirv
