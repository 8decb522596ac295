// A backend's pipeline: a list of named stages that reads top to bottom. Each stage is a function
// that takes one compilation a step further. --dump-ir, --help and verification come from the list.
#pragma once

#include "backends/Backend.h"
#include "backends/Errors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant {

/// The form of a stage's result, which is printed and verified.
enum class Form {
  Tasks, ///< the module of tasks
  Llvm,  ///< LLVM IR
  Spirv, ///< SPIR-V
  Bytes, ///< the image, or a file on the way to it: neither printed nor verified
};

/// One compilation on its way through the stages.
struct Job {
  mlir::ModuleOp tasks;
  const Target &target;
  const CompileOptions &options;
  Image image = {}; ///< filled in by the stages

  Job(mlir::ModuleOp tasks, const Target &target, const CompileOptions &options)
      : tasks(tasks), target(target), options(options) {}
  virtual ~Job() = default;

  /// Returns the text in that form, as --dump-ir prints it.
  virtual llvm::Expected<std::string> print(Form form) const;
  /// Returns an error if the result breaks the rules of its form.
  virtual llvm::Error verify(Form form) const;

  /// True if --save-temps asks for files.
  bool saves() const { return !options.saveTemps.empty(); }
  /// If files are asked for, writes `text` beside the other files of this target.
  llvm::Error save(const llvm::Twine &suffix, llvm::StringRef text) const;
};

/// A compilation by way of LLVM IR.
struct LlvmJob : Job {
  using Job::Job;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;

  llvm::Expected<std::string> print(Form form) const override;
  llvm::Error verify(Form form) const override;
  /// If files are asked for, writes the LLVM IR.
  llvm::Error saveCode(const llvm::Twine &suffix) const;
};

/// One stage of a pipeline of jobs of type `Own`. Names are in lower case, with dashes. Stages that
/// do the same in several backends share a name.
template <typename Own> struct Stage {
  StageInfo info;
  Form form;
  llvm::Error (*run)(Own &job);
};

/// Stages that several backends have.
namespace stages {
inline constexpr StageInfo simplify{"simplify", "folded, common subexpressions merged"};
inline constexpr StageInfo expandSubgroup{"expand-subgroup",
                                          "subgroup operations that the target lacks expanded"};
inline constexpr StageInfo expandBarrierReduce{"expand-barrier-reduce",
                                               "reducing barriers as counters in shared memory"};
inline constexpr StageInfo expandMath{"expand-math",
                                      "math functions that the target lacks as arithmetic"};
inline constexpr StageInfo expandConversions{
    "expand-conversions", "conversions of reals that the target lacks as arithmetic"};
inline constexpr StageInfo chooseComponents{"choose-components",
                                            "histograms of a thread in registers"};
inline constexpr StageInfo tallyAtomics{
    "tally-atomics", "updates at data-dependent places through tables in shared memory"};
inline constexpr StageInfo combineAtomics{"combine-atomics",
                                          "atomics at one place as one for the block"};
inline constexpr StageInfo loadAhead{"load-ahead",
                                     "loads of several turns of a block before their updates"};
inline constexpr StageInfo vectorizeRows{"vectorize-rows",
                                         "rows that a thread runs over, by four elements"};
inline constexpr StageInfo evaluateConditions{"evaluate-conditions", "short branches as selects"};
inline constexpr StageInfo vectorizeAccesses{"vectorize-accesses",
                                             "accesses of neighbouring elements joined"};
inline constexpr StageInfo spirvPrepare{"spirv-prepare", "ready to be emitted as SPIR-V"};
inline constexpr StageInfo spirv{"spirv", "SPIR-V as it is emitted"};
inline constexpr StageInfo spirvOptimize{"spirv-optimize", "shortened by SPIRV-Tools"};
} // namespace stages

/// Runs after each stage: --dump-ir, and verification if it is on.
llvm::Error finishStage(const Job &job, const StageInfo &stage, Form form);

/// Runs the stages in order, up to the first error.
template <typename Own> llvm::Error runStages(llvm::ArrayRef<Stage<Own>> stages, Own &job) {
  for (const Stage<Own> &stage : stages) {
    if (llvm::Error error = stage.run(job))
      return error;
    if (llvm::Error error = finishStage(job, stage.info, stage.form))
      return error;
  }
  return llvm::Error::success();
}

/// The stages that --dump-ir knows.
template <typename Own> std::vector<StageInfo> printedStages(llvm::ArrayRef<Stage<Own>> stages) {
  std::vector<StageInfo> infos;
  for (const Stage<Own> &stage : stages)
    if (stage.form != Form::Bytes)
      infos.push_back(stage.info);
  return infos;
}

/// Returns success, or the error of a transform that has already reported the problem.
inline llvm::Error reported(mlir::LogicalResult result) {
  return succeeded(result) ? llvm::Error::success() : alreadyReported();
}

/// Makes one row for each task. `sharedBytes` returns the shared memory of a block, or -1 if that
/// is not known yet.
std::vector<TaskResources> resourcesOf(mlir::ModuleOp tasks,
                                       llvm::function_ref<int(mlir::func::FuncOp)> sharedBytes);

/// The bytes as text, for save().
inline llvm::StringRef textOf(llvm::ArrayRef<char> bytes) { return {bytes.data(), bytes.size()}; }

} // namespace sextant
