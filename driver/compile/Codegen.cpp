// Runs irgen and one backend on one kernel, and turns what MLIR and LLVM report into diagnostics on
// the kernel's source.
#include "driver/compile/Codegen.h"

#include "backends/Errors.h"
#include "frontend/hir/Fingerprint.h"
#include "frontend/ir/DebugInfo.h"
#include "frontend/ir/Refuse.h"
#include "frontend/ir/SimtDialect.h"
#include "frontend/irgen/Irgen.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <map>
#include <utility>

using namespace llvm;

namespace sextant {
namespace {

/// Returns the innermost place of `location` that is in a file we have read.
SourceRange findPlace(mlir::Location location,
                      const std::vector<std::unique_ptr<SourceFile>> &files) {
  if (auto at = dyn_cast<mlir::FileLineColLoc>(location)) {
    for (const auto &file : files) {
      if (file->path() != at.getFilename().getValue())
        continue;
      std::string_view line = file->line(at.getLine());
      auto begin = static_cast<uint32_t>(line.data() - file->text().data());
      uint32_t column = at.getColumn() ? at.getColumn() - 1 : 0;
      begin += std::min<uint32_t>(column, line.size());
      return {file.get(), begin, begin + 1};
    }
    return {};
  }
  if (auto named = dyn_cast<mlir::NameLoc>(location))
    return findPlace(named.getChildLoc(), files);
  if (auto call = dyn_cast<mlir::CallSiteLoc>(location))
    return findPlace(call.getCallee(), files);
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (SourceRange range = findPlace(part, files); range.file)
        return range;
  return {};
}

Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Note;
  }
}

/// Converts a diagnostic. If its place is unknown, it gets the kernel's.
Diagnostic convert(const mlir::Diagnostic &diagnostic, SourceRange fallback,
                   const std::vector<std::unique_ptr<SourceFile>> &files) {
  Diagnostic result;
  result.severity = severityOf(diagnostic.getSeverity());
  const simt::NamedPlace place = simt::namedPlace(diagnostic.getLocation());
  result.at = findPlace(place.at, files);
  if (!result.at.file)
    result.at = fallback;
  result.message = diagnostic.str();
  result.problem = place.problem;
  if (result.severity == Severity::Error && result.problem == Problem::Other)
    result.problem = Problem::InternalInvalidCode; // MLIR's own, of code that we made
  // For inlined functions, says where they were called from.
  mlir::Location location = place.at;
  while (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    location = call.getCaller();
    mlir::Location caller = location;
    if (auto outer = dyn_cast<mlir::CallSiteLoc>(caller))
      caller = outer.getCallee();
    if (SourceRange at = findPlace(caller, files); at.file)
      result.notes.push_back({Severity::Note, at, "called from here", {}, {}});
  }
  for (const mlir::Diagnostic &note : const_cast<mlir::Diagnostic &>(diagnostic).getNotes())
    result.notes.push_back(convert(note, {}, files));
  return result;
}

} // namespace

struct CodegenWorker::State {
  explicit State(const std::vector<std::unique_ptr<SourceFile>> &files)
      : context(mlir::MLIRContext::Threading::DISABLED), files(files) {
    context.printOpOnDiagnostic(false); // IR means nothing to the author of a kernel
    simt::loadDialects(context);
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
        result->diagnostics.push_back(convert(diagnostic, fallback, this->files));
      return mlir::success();
    });
  }

  mlir::MLIRContext context;
  const std::vector<std::unique_ptr<SourceFile>> &files;
  CodegenResult *result = nullptr; ///< the current job's
  SourceRange fallback;
};

CodegenWorker::CodegenWorker(const std::vector<std::unique_ptr<SourceFile>> &files)
    : files(files) {}
CodegenWorker::~CodegenWorker() = default;

namespace {

bool hasError(const CodegenResult &result) {
  return any_of(result.diagnostics,
                [](const Diagnostic &one) { return one.severity == Severity::Error; });
}

/// Runs irgen, then the backend's check and compilation of each variant. If one variant fails, the
/// job fails, because the backend asked for it.
/// \param result gets what is known beside variants
Expected<std::vector<BuiltVariant>> build(const CodegenJob &job, mlir::MLIRContext &context,
                                          CodegenResult &result, raw_ostream &dump) {
  const Backend *backend = findBackend(job.target.backend);
  mlir::OwningOpRef<mlir::ModuleOp> module = generate(*job.kernel, context, choiceOf(*backend));
  if (!module)
    return alreadyReported();
  simt::setWaveSize(*module, job.target.wave); // the kernel may be that of another
  if (failed(mlir::verify(*module)))
    return alreadyReported();
  CompileOptions options = job.options;
  options.dumpStream = &dump;
  if (is_contained(options.dumpIr, "irgen") || is_contained(options.dumpIr, "all")) {
    dump << "// " << job.name << ", " << job.target.str() << ": after irgen\n";
    module->print(dump);
    dump << "\n";
  }
  result.ignoresWave = backend->ignoresWave(*module);
  if (!backend->showsVariables())
    simt::dropVariables(*module);
  std::vector<Target> targets = backend->variants(*module, job.target);
  std::vector<BuiltVariant> built;
  for (const Target &target : targets) {
    mlir::OwningOpRef<mlir::ModuleOp> own =
        &target == &targets.back() ? std::exchange(module, {}) : module->clone();
    if (failed(backend->check(*own, target)))
      return alreadyReported();
    Expected<Image> image = backend->compile(*own, target, options);
    if (!image)
      return image.takeError();
    built.push_back({target, std::move(*image)});
  }
  return built;
}

Diagnostic toolFailure(const CodegenJob &job, const std::string &message) {
  return {Severity::Error,
          job.kernel->at,
          "kernel '" + job.kernel->name + "' for " + job.target.str() + ": " + message,
          {},
          {},
          {},
          Problem::ToolFailed};
}

} // namespace

CodegenResult CodegenWorker::run(const CodegenJob &job) {
  CodegenResult result;
  if (!state)
    state = std::make_unique<State>(files);
  state->result = &result;
  state->fallback = job.kernel->at;
  raw_string_ostream dump(result.dump);
  Expected<std::vector<BuiltVariant>> built = build(job, state->context, result, dump);
  if (built) {
    result.variants = std::move(*built);
  } else {
    std::string message;
    handleAllErrors(
        built.takeError(),
        [&](const AlreadyReported &) {
          if (!hasError(result))
            message = "the compiler gave no reason";
        },
        [&](const ErrorInfoBase &error) { message = error.message(); });
    if (!message.empty())
      result.diagnostics.push_back(toolFailure(job, message));
  }
  state->result = nullptr;
  return result;
}

bool hasDrafts(const CodegenResult &result) {
  return any_of(result.variants, [](const BuiltVariant &built) { return built.image.isDraft; });
}

void completeDrafts(const std::vector<CodegenRun> &runs) {
  struct Draft {
    const CodegenRun *run;
    BuiltVariant *variant;
  };
  std::map<std::string, std::vector<Draft>> byTarget;
  for (const CodegenRun &run : runs)
    for (BuiltVariant &variant : run.result->variants)
      if (variant.image.isDraft)
        byTarget[variant.target.str()].push_back({&run, &variant});
  std::vector<std::pair<const CodegenRun *, std::string>> failures;
  for (const auto &[name, drafts] : byTarget) {
    SmallVector<Image *> images(
        map_range(drafts, [](const Draft &draft) { return &draft.variant->image; }));
    const Target &target = drafts.front().variant->target;
    const CompileOptions &options = drafts.front().run->job->options;
    for (auto [draft, error] :
         zip(drafts, findBackend(target.backend)->complete(images, target, options)))
      if (error)
        failures.emplace_back(draft.run, toString(std::move(error)));
  }
  for (const auto &[run, message] : failures) {
    run->result->variants.clear();
    run->result->diagnostics.push_back(toolFailure(*run->job, message));
  }
}

Fingerprint fingerprintOf(const hir::Kernel &kernel) {
  const auto hashOf = [](const std::string &bytes) {
    return toHex(BLAKE3::hash<32>(arrayRefFromStringRef(bytes)));
  };
  const hir::KernelBytes bytes = hir::bytesOf(kernel);
  return {hashOf(bytes.code), hashOf(bytes.places)};
}

} // namespace sextant
