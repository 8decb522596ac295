#include "driver/commands/Budget.h"
#include "driver/commands/Messages.h"
#include "driver/commands/ModuleFile.h"
#include "frontend/spelling/Texts.h"
#include "packager/Require.h"
#include "packager/Sizes.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

/// Throws a Refusal that names every task that spills. Otherwise says how many variants do not
/// report spills, or "".
std::string checkSpills(const std::string &path, std::span<const module::Kernel> kernels) {
  const packager::SpillReport report = packager::findSpills(kernels);
  if (report.spills.empty() && report.unknown == 0)
    return {};
  if (report.spills.empty())
    return "'" + path + "': " + std::to_string(report.unknown) + " of " +
           countText(report.variants, "variant") + " do not tell whether they spill (" +
           packager::listSome(report.untold) + ")";
  std::string text =
      "'" + path + "': " + countText(report.spills.size(), "task") + " spill registers to memory";
  for (const packager::Spill &spill : report.spills)
    text += "\n  kernel '" + spill.kernel + "', " + spill.target + ", task " + spill.task + ": " +
            countText(static_cast<size_t>(spill.bytes), "byte") + " a thread";
  throw Refusal(Problem::BudgetExceeded, text,
                "fewer threads a block, smaller tiles, or fewer values alive at once");
}

void checkRequired(const std::string &path, std::span<const module::Kernel> kernels,
                   const std::vector<std::string> &patterns) {
  std::string text;
  for (const packager::Missing &missing : packager::findMissing(
           kernels, require(packager::parsePatterns(patterns), Problem::OptionValueWrong)))
    text += (text.empty() ? "" : "\n  ") + str(missing);
  if (!text.empty())
    throw Refusal(Problem::BudgetExceeded, "'" + path + "': " + text);
}

} // namespace

void addBudgetOptions(CLI::App &command, Budget &budget) {
  command.add_option_function<std::string>(
      "--max-size",
      [&budget](const std::string &text) {
        budget.maxBytes = packager::parseByteCount(text);
        if (!budget.maxBytes)
          throw CLI::ValidationError(
              "--max-size", "'" + text + "' is not a size; write 65536, 400KB, 64KiB, 25MB");
      },
      "fail if the module is larger: bytes, or with KB, MB, GB, KiB, MiB, GiB");
  command.add_flag("--fail-on-spill", budget.failOnSpill,
                   "fail if the registers of some task did not suffice");
  command.add_option(
      "--require", budget.require,
      "fail if the module lacks what this names, repeatable: sm_90 (of every kernel), "
      "'amdgpu:gfx11*', 'scan*@amdgpu:gfx1100/wave32', 'kernel:scan'");
}

std::string checkBudget(const Budget &budget, const std::string &path,
                        std::span<const std::byte> bytes) {
  if (budget.maxBytes)
    if (module::Status status = packager::checkSize(bytes, *budget.maxBytes); !status.ok())
      throw Refusal(Problem::BudgetExceeded, "'" + path + "': " + status.message,
                    "leave targets or kernels out, or pass --compress=small; `sextant inspect "
                    "--size` shows all");
  if (!budget.failOnSpill && budget.require.empty())
    return {};
  const std::vector<module::Kernel> kernels =
      allKernels(require(module::Reader::fromMemory(bytes)));
  checkRequired(path, kernels, budget.require);
  return budget.failOnSpill ? checkSpills(path, kernels) : std::string();
}

std::vector<std::byte> buildModule(const Environment &environment, const std::string &path,
                                   packager::Contents contents,
                                   const packager::BuildOptions &options, const Budget &budget) {
  const packager::ModuleBuilder builder =
      require(packager::builderOf(std::move(contents)), Problem::ModuleNotBuildable);
  std::vector<std::byte> bytes = require(builder.build(options), Problem::ModuleNotBuildable);
  if (const std::string note = checkBudget(budget, path, bytes); !note.empty())
    sayNote(environment, note);
  return bytes;
}

} // namespace sextant
