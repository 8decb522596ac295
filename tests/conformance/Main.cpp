// Runs the conformance cases on one device, column by column, and prints a table.
//
//   sextant-conformance MODULES [--device=NAME] [--filter=TEXT[,TEXT…]]
//                       [--exclude=TEXT[,TEXT…]] [--results=FILE] [VARIANT/waveN …]
//
// MODULES is the folder of the compiled modules. If it has a file columns.txt, a line for each
// module with its name and the columns that it is built for, cases of others are left out. The
// device is the one named, else SEXTANT_DEVICE's, else the best there is. Without columns: every
// wave size that the device runs, on the CPU for each level. --filter keeps cases whose
// "module.name" holds one of the texts, --exclude leaves them out. --results writes a tab-separated
// row a case, which table.py makes a page of. Status: 0 no failure, 1 a failure, 2 the suite could
// not run.
#include "tests/conformance/Harness.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

using namespace conformance;

namespace {

std::vector<Column> defaultColumns(const sextant::Device &device) {
  const sextant::Device::Info info = device.info();
  const std::string backend = info.backend;
  std::vector<Column> columns;
  std::vector<std::string> variants = {backend};
  if (backend == "cpu")
    variants = std::string_view(info.arch).starts_with("x86-64")
                   ? std::vector<std::string>{"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"}
                   : std::vector<std::string>{"cpu:aarch64"};
  for (const std::string &variant : variants)
    for (size_t i = 0; i < info.wave_size_count; ++i)
      columns.push_back({backend, variant, info.wave_sizes[i]});
  return columns;
}

Column parseColumn(const std::string &text) {
  const size_t slash = text.find("/wave");
  const std::string variant = text.substr(0, slash);
  Column column{variant.substr(0, variant.find(':')), variant, 32};
  if (slash != std::string::npos)
    column.wave = unsigned(std::stoul(text.substr(slash + 5)));
  return column;
}

/// Why the device runs no code of the column whatever the kernel is, or "": x86-64-v4 code on
/// a v3 CPU.
std::string cannotRun(const sextant::Device &device, const Column &column) {
  const std::string level = "cpu:x86-64-v", arch = device.arch();
  if (!column.variant.starts_with(level) || !arch.starts_with("x86-64-v"))
    return "";
  return column.variant[level.size()] <= arch.back() ? "" : "the device is " + arch;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

std::string list(const std::set<std::string> &texts) {
  std::string result;
  for (const std::string &text : texts)
    result += (result.empty() ? "" : ", ") + text;
  return result;
}

/// The table on stdout and, where asked for, in a file.
class Report {
public:
  Report(const std::string &path, const sextant::Device &device) {
    const sextant::Device::Info info = device.info();
    std::printf("device: %s (%s, %s)\n", info.name, info.arch, info.description);
    if (path.empty())
      return;
    file = std::fopen(path.c_str(), "w");
    if (!file)
      throw std::runtime_error("cannot write " + path);
    const std::time_t now = std::time(nullptr);
    char date[16];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(file, "device\t%s\t%s\t%s\t%s\t%s\n", info.name, info.backend, info.arch,
                 info.description, date);
  }
  ~Report() {
    if (file)
      std::fclose(file);
  }
  Report(const Report &) = delete;

  /// `forms`: those of a generated kernel that were right.
  void add(const Case &test, const Column &column, const char *result, std::string why,
           const std::string &forms = "") {
    ++counts[result];
    std::replace(why.begin(), why.end(), '\n', ' ');
    std::replace(why.begin(), why.end(), '\t', ' ');
    std::printf("%-28s %-26s %-28s %s%s%s\n", test.module.c_str(), test.name.c_str(),
                column.name().c_str(), result, why.empty() ? "" : ": ", why.c_str());
    std::fflush(stdout);
    const auto now = std::chrono::steady_clock::now();
    const double milliseconds = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    if (!file)
      return;
    std::fprintf(file, "case\t%s\t%s\t%s\t%s\t%.0f\t%s", column.name().c_str(), test.module.c_str(),
                 test.name.c_str(), result, milliseconds, why.c_str());
    if (!test.op.empty())
      std::fprintf(file, "\t%s\t%s\t%s", test.op.c_str(), test.dtype.c_str(), forms.c_str());
    std::fputc('\n', file);
    std::fflush(file);
  }
  /// Status of the process.
  int finish() {
    std::printf("%u passed, %u failed, %u skipped\n", counts["ok"], counts["FAILED"],
                counts["skipped"]);
    if (counts["ok"] + counts["skipped"] == 0 && counts["FAILED"] == 0) {
      std::fprintf(stderr, "error: no case was chosen\n");
      return 2;
    }
    return counts["FAILED"] ? 1 : 0;
  }

private:
  std::FILE *file = nullptr;
  std::map<std::string, unsigned> counts;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// llvmpipe cannot be told to keep subnormal numbers either, but does.
bool flushesSubnormals(const sextant::Device &device) {
  const sextant::Device::Info info = device.info();
  return info.backend == std::string_view("vulkan") &&
         !std::string_view(info.description).starts_with("llvmpipe") &&
         std::none_of(info.features, info.features + info.feature_count, [](const char *feature) {
           return feature == std::string_view("float32-denorms");
         });
}

void runCase(const sextant::Device &device, const sextant::Module &module, const Case &test,
             const Column &column, Report &report) {
  const std::string refusal = refusalOf(test, column);
  std::string forms;
  try {
    sextant::Program program(module, device, column.variant, column.wave);
    const uint64_t seed = std::hash<std::string>{}(test.module + test.name + column.name());
    Run run{device,
            module,
            program,
            column,
            column.wave,
            std::mt19937_64(seed),
            flushesSubnormals(device)};
    test.body(run);
    device.defaultStream().synchronize();
    forms = list(run.right);
    if (!run.wrong.empty())
      throw Mismatch{run.mismatch + "; wrong: " + list(run.wrong)};
    if (refusal.empty())
      report.add(test, column, "ok", "", forms);
    else
      report.add(test, column, "FAILED", "runs, but should have been refused: " + refusal);
  } catch (const Mismatch &mismatch) {
    report.add(test, column, "FAILED", mismatch.message, forms);
  } catch (const Skipped &skipped) {
    report.add(test, column, "skipped", skipped.reason);
  } catch (const sextant::Error &error) {
    if (!refusal.empty() && error.status() == SXT_ERROR_NO_VARIANT)
      report.add(test, column, "skipped", refusal);
    else
      report.add(test, column, "FAILED", error.what());
  }
}

struct Options {
  std::string folder, device, results;
  std::vector<std::string> filter, exclude;
  std::vector<Column> columns;

  bool wants(const Case &test) const {
    const std::string name = test.module + "." + test.name;
    const auto isIn = [&](const std::vector<std::string> &texts) {
      return std::any_of(texts.begin(), texts.end(), [&](const std::string &text) {
        return name.find(text) != std::string::npos;
      });
    };
    return (filter.empty() || isIn(filter)) && !isIn(exclude);
  }
};

/// The targets that modules are built for: the lines of columns.txt. Without this file, or for a
/// module that it does not name, every column counts.
class BuiltColumns {
public:
  explicit BuiltColumns(const std::string &folder) {
    std::ifstream file(folder + "/columns.txt");
    for (std::string line; std::getline(file, line);) {
      const std::vector<std::string> words = split(line, ' ');
      columns[words[0]].insert(words.begin() + 1, words.end());
    }
  }
  bool have(const std::string &module, const Column &column) const {
    const auto found = columns.find(module);
    return found == columns.end() || found->second.contains(column.name());
  }

private:
  std::map<std::string, std::set<std::string>> columns;
};

int runAll(const Options &options) {
  const std::vector<Case> cases = allCases();
  const BuiltColumns built(options.folder);
  unsigned left = 0;
  const sextant::Device device = sextant::Device::open(options.device);
  Report report(options.results, device);
  std::map<std::string, sextant::Module> modules;
  for (const Column &column : options.columns.empty() ? defaultColumns(device) : options.columns)
    for (const Case &test : cases) {
      if (!options.wants(test))
        continue;
      if (!built.have(test.module, column)) {
        ++left;
        continue;
      }
      std::string why = cannotRun(device, column);
      if (!why.empty()) {
        report.add(test, column, "skipped", why);
        continue;
      }
      auto found = modules.find(test.module);
      try {
        if (found == modules.end())
          found = modules
                      .emplace(test.module,
                               sextant::Module::open(options.folder + "/" + test.module + ".sxt"))
                      .first;
      } catch (const sextant::Error &error) {
        report.add(test, column, "FAILED", error.what());
        continue;
      }
      runCase(device, found->second, test, column, report);
    }
  if (left)
    std::printf("%u cases left out: columns.txt has no such column for their modules\n", left);
  return report.finish();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--filter="))
      options.filter = split(argument.substr(9), ',');
    else if (argument.starts_with("--exclude="))
      options.exclude = split(argument.substr(10), ',');
    else if (argument.starts_with("--device="))
      options.device = argument.substr(9);
    else if (argument.starts_with("--results="))
      options.results = argument.substr(10);
    else if (options.folder.empty())
      options.folder = argument;
    else
      options.columns.push_back(parseColumn(argument));
  }
  if (options.folder.empty()) {
    std::fprintf(stderr,
                 "usage: %s MODULES [--device=NAME] [--filter=TEXT,…] [--exclude=TEXT,…] "
                 "[--results=FILE] [VARIANT/waveN …]\n",
                 argv[0]);
    return 2;
  }
  try {
    return runAll(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
