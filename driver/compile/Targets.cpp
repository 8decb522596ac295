// The backends' tables and disassemblers.
#include "driver/compile/Targets.h"

#include "backends/Backend.h"
#include "backends/cuda/Toolkit.h"
#include "driver/End.h"
#include "driver/Environment.h"
#include "driver/compile/TargetList.h"
#include "driver/compile/Tuning.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Host.h"

#include <map>

namespace sextant {

void endIfLlvmFails() {
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  llvm::install_fatal_error_handler(
      [](void *, const char *reason, bool) { endWithDefect(reason); });
}

std::string hostText() {
  return std::string("LLVM ") + LLVM_VERSION_STRING + "\nhost " + llvm::sys::getProcessTriple() +
         ", " + llvm::sys::getHostCPUName().str();
}

std::vector<ArchRow> listArchs() {
  std::vector<ArchRow> rows;
  for (const Backend *backend : allBackends()) {
    std::vector<std::string> native = backend->nativeArchs();
    for (const Arch &arch : backend->archs())
      rows.push_back({backend->name().str(), arch.name, arch.description, arch.waves,
                      arch.extraWaves, arch.major, llvm::is_contained(native, arch.name)});
  }
  return rows;
}

std::vector<ArchRow> listArchs(const std::vector<std::string> &targets,
                               const std::vector<std::string> &tuneTargets) {
  const std::vector<Target> named =
      uniqueTargets(expandTargets(targets.empty() ? std::vector<std::string>{"all"} : targets));
  checkTuneTargets(tuneTargets, named);
  std::vector<ArchRow> rows = listArchs();
  if (!targets.empty())
    llvm::erase_if(rows, [&](const ArchRow &row) {
      return llvm::none_of(named, [&](const Target &target) {
        const std::string &arch = target.arch; // gfx90a:xnack+
        return target.backend == row.backend && arch.substr(0, arch.find(':')) == row.arch;
      });
    });
  return rows;
}

std::vector<StageRow> listStages() {
  std::vector<StageRow> shared{{"irgen", "the tasks as they come from the frontend"}}, own;
  std::map<llvm::StringRef, unsigned> backends;
  for (const Backend *backend : allBackends())
    for (const StageInfo &stage : backend->stages())
      ++backends[stage.name];
  for (const Backend *backend : allBackends()) {
    // A new stage is inserted after those that the backend runs before it.
    auto place = shared.begin() + 1;
    for (const StageInfo &stage : backend->stages()) {
      auto known = llvm::find_if(shared, [&](auto &row) { return row.name == stage.name; });
      if (backends[stage.name] == 1)
        own.push_back({stage.name.str(), stage.help.str()});
      else if (known == shared.end())
        place = shared.insert(place, {stage.name.str(), stage.help.str()}) + 1;
      else
        place = std::max(place, known + 1);
    }
  }
  shared.insert(shared.end(), own.begin(), own.end());
  return shared;
}

std::vector<std::byte> makeFatbin(std::span<const packager::Extracted> images) {
  std::vector<FatbinImage> parts;
  for (const packager::Extracted &image : images)
    parts.push_back({image.format == "ptx",
                     image.target.arch,
                     {reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size()}});
  llvm::Expected<std::string> fatbin = sextant::makeFatbin(llvm::ArrayRef(parts));
  if (!fatbin)
    throw Refusal(Problem::ToolFailed, llvm::toString(fatbin.takeError()));
  const auto *first = reinterpret_cast<const std::byte *>(fatbin->data());
  return {first, first + fatbin->size()};
}

std::string disassemble(std::span<const std::byte> image, const module::Target &target) {
  const Backend *backend = findBackend(target.backend);
  if (!backend)
    throw Refusal(Problem::TargetUnknown, "this build has no backend '" + target.backend + "'");
  llvm::Expected<std::string> text =
      backend->disassemble({reinterpret_cast<const char *>(image.data()), image.size()},
                           {target.backend, target.arch, target.features, target.wave});
  if (!text)
    throw Refusal(Problem::ToolFailed, llvm::toString(text.takeError()));
  return *text;
}

} // namespace sextant
