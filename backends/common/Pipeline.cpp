// The work between the stages of a compilation: printing, saving, verification.
#include "backends/common/Pipeline.h"
#include "backends/common/Codegen.h"
#include "frontend/ir/SimtDialect.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace sextant;

//===--- The forms ---------------------------------------------------------===//

Expected<std::string> Job::print(Form) const {
  std::string text;
  raw_string_ostream out(text);
  mlir::ModuleOp(tasks).print(out);
  out << "\n";
  return text;
}

Error Job::verify(Form form) const {
  if (form == Form::Tasks && failed(mlir::verify(tasks)))
    return fail("the module of tasks is not valid");
  return Error::success();
}

Expected<std::string> LlvmJob::print(Form form) const {
  return form == Form::Llvm ? Expected<std::string>(printModule(*code)) : Job::print(form);
}

Error LlvmJob::verify(Form form) const {
  if (form != Form::Llvm)
    return Job::verify(form);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(*code, &problems))
    return fail("the " + target.backend + " backend made invalid code: " + problem);
  return Error::success();
}

//===--- Files -------------------------------------------------------------===//

Error Job::save(const Twine &suffix, StringRef text) const {
  if (!saves())
    return Error::success();
  // The variants of one job share the prefix.
  std::string path = options.saveTemps;
  for (const std::string &feature : target.features)
    path += "+" + feature;
  return writeTemp(path + suffix.str(), text);
}

Error LlvmJob::saveCode(const Twine &suffix) const {
  return saves() ? save(suffix, printModule(*code)) : Error::success();
}

//===--- Stages ------------------------------------------------------------===//

static bool isDumped(const CompileOptions &options, StringRef stage) {
  return options.dumpStream && (is_contained(options.dumpIr, stage.str()) ||
                                is_contained(options.dumpIr, std::string("all")));
}

static Error dump(const Job &job, const StageInfo &stage, Form form) {
  Expected<std::string> text = job.print(form);
  if (!text)
    return text.takeError();
  *job.options.dumpStream << (form == Form::Tasks ? "// " : "; ") << job.target.str() << " after "
                          << stage.name << "\n"
                          << *text;
  return Error::success();
}

Error sextant::finishStage(const Job &job, const StageInfo &stage, Form form) {
  if (form == Form::Bytes)
    return Error::success();
  // Prints the result even if it is broken.
  if (isDumped(job.options, stage.name))
    if (Error error = dump(job, stage, form))
      return error;
  if (!job.options.verifyStages)
    return Error::success();
  if (Error error = job.verify(form))
    return fail("after " + stage.name + ": " + toString(std::move(error)));
  return Error::success();
}

std::vector<TaskResources> sextant::resourcesOf(mlir::ModuleOp tasks,
                                                function_ref<int(mlir::func::FuncOp)> sharedBytes) {
  std::vector<TaskResources> rows;
  for (auto task : tasks.getOps<mlir::func::FuncOp>()) {
    if (task.isPrivate()) // tasks call it
      continue;
    TaskResources row;
    row.task = task.getName().str();
    row.sharedBytes = sharedBytes(task);
    if (const auto info = simt::getTaskInfo(task))
      row.blockDim = info->blockDim;
    rows.push_back(std::move(row));
  }
  return rows;
}
