// libFuzzer's entry to the commands that read modules, as the command line calls them: their
// output is obeyed by no terminal, files are made where the command runs, a header holds no code
// of the module's, and memory has a bound. libFuzzer's -timeout bounds the time.
#include "driver/commands/Commands.h"
#include "driver/compile/Coverage.h"
#include "driver/compile/Targets.h"
#include "driver/host/KernelCall.h"
#include "loader/format/Hash.h"
#include "loader/format/Text.h"
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Allocations.h"
#include "tests/module/fuzz/Mutator.h"
#include "tests/module/fuzz/Samples.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace sextant;
using test::always;

// Functions that need CUDA's tools or LLVM are left out: they get names and bytes, not a module.
std::vector<std::byte> sextant::makeFatbin(std::span<const packager::Extracted>) { return {}; }
std::vector<ArchRow> sextant::listArchs() { return {}; }
Module sextant::openForLaunch(const Environment &environment, const std::string &path) {
  return Module::open(resolvePath(environment, path)); // pipes are not this fuzzer's
}
void sextant::checkCoverage(const std::vector<module::Kernel> &, const std::vector<std::string> &,
                            bool) {}

namespace {

/// The limit for what is decoded of a module; the records of its kernels come on top, 4 MiB of
/// them, which decode to 32 times that.
constexpr const char *maxDecoded = "4MiB";
constexpr size_t mostMemory = size_t(400) << 20;

bool isPlainName(const std::string &name) {
  return !name.empty() && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return std::isalnum(letter) ||
                  std::string("._+-").find(char(letter)) != std::string::npos;
         });
}

/// Two folders deep, so that a name with `..` shows.
class Place {
public:
  Place() {
    const char *memory = "/dev/shm";
    std::string pattern =
        (fs::exists(memory) ? fs::path(memory) : fs::temp_directory_path()) / "sextant-fuzz-XXXXXX";
    always(mkdtemp(pattern.data()) != nullptr);
    base = pattern;
    fs::create_directories(work());
    const std::vector<std::byte> &sample = fuzz::sampleFile(0);
    put("other.sxt", sample);
  }
  ~Place() { fs::remove_all(base); }

  fs::path work() const { return base / "upper" / "work"; }
  void put(const std::string &name, std::span<const std::byte> bytes) const {
    std::ofstream(base / name, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
  /// Looks at what was made, and takes it away.
  void checkAndClear() const {
    for (const auto &entry : fs::directory_iterator(base)) {
      const std::string name = entry.path().filename();
      always(name == "upper" || name == "m.sxt" || name == "other.sxt");
    }
    always(std::distance(fs::directory_iterator(base / "upper"), fs::directory_iterator()) == 1);
    for (const auto &entry : fs::recursive_directory_iterator(work())) {
      always(isPlainName(entry.path().filename()));
      always(entry.is_directory() || entry.is_regular_file());
    }
    for (const auto &entry : fs::directory_iterator(work()))
      fs::remove_all(entry.path());
  }

private:
  fs::path base;
};

/// The header without comments and literals: printable ASCII, and none but its own directives.
void checkHeader(const fs::path &path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    always(module::isPrintable(line) && (line.empty() || line.back() != '\\'));
    if (line.starts_with("/*")) // the one of its own
      continue;
    if (line.starts_with("#"))
      always(line == "#pragma once" || line.starts_with("#if") || line.starts_with("#endif") ||
             line.starts_with("#else") || line.starts_with("#include <") ||
             line.starts_with("#define ") || line.starts_with("#undef ") ||
             line.starts_with("#pragma push_macro(\"") || line.starts_with("#pragma pop_macro(\""));
    std::string code;
    bool isLiteral = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (!isLiteral && line.substr(i, 2) == "//")
        break;
      if (line[i] == '"')
        isLiteral = !isLiteral;
      else if (isLiteral && line[i] == '\\')
        ++i;
      else if (!isLiteral)
        code += line[i];
    }
    always(!isLiteral);
    for (const char letter : code)
      always(std::isalnum(static_cast<unsigned char>(letter)) ||
             std::string(" _:;,.<>(){}[]&*=-+#/!?|'%").find(letter) != std::string::npos);
  }
}

void run(const Place &place, const std::vector<std::string> &arguments) {
  std::ostringstream out, err;
  Environment environment{
      out, err, place.work(), [](const std::string &name) -> std::optional<std::string> {
        return name == "SEXTANT_MAX_DECODED" ? std::optional(maxDecoded) : std::nullopt;
      }};
  const size_t before = test::allocations().live;
  test::resetAllocations();
  CLI::App app;
  Action action;
  addInspectCommand(app, environment, action);
  addExplainCommand(app, environment, action);
  addExtractCommand(app, environment, action);
  addDiffCommand(app, environment, action);
  addMergeCommand(app, environment, action);
  addThinCommand(app, environment, action);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  try {
    const int status = action();
    always(status == 0 || status == 1);
  } catch (const Refusal &) { // the command line prints these, escaped
  }
  always(test::allocations().peak <= before + mostMemory);
  for (const std::string &text : {out.str(), err.str()})
    always(module::printableLines(text) == text);
  if (const fs::path header = place.work() / "made.hpp"; fs::exists(header))
    checkHeader(header);
  place.checkAndClear();
}

const std::vector<std::vector<std::string>> &commands() {
  static const std::string one = "../../m.sxt", other = "../../other.sxt";
  static const std::vector<std::vector<std::string>> all = {
      {"inspect", one},
      {"inspect", one, "--json"},
      {"inspect", one, "--size"},
      {"inspect", one, "--size", "--json"},
      {"inspect", one, "--fail-on-spill", "--require=sm_90"},
      {"extract", one},
      {"extract", one, "-k", "total", "-t", "sm_90"},
      {"extract", one, "--as=bundle", "-t", "*"},
      {"extract", one, "--as=fatbin", "-t", "*"},
      {"extract", one, "--all", "-o", "all"},
      {"explain", one, "--as", "sm_90", "--as", "gfx1100", "--as", "vulkan:1.3"},
      {"explain", one, "--as", "x86-64-v3", "--as", "metal:3.1", "--json"},
      {"explain", one, "total", "--device=cpu"},
      {"diff", one, other},
      {"diff", other, one, "--json"},
      {"diff", one, one, "--fail-on=spill,size+5%"},
      {"merge", one, "-o", "out.sxt", "--compress=fast", "-j1", "--emit-header=made.hpp"},
      {"merge", one, other, "-o", "out.sxt", "--compress=fast", "-j1", "--allow-mixed-compilers",
       "--emit-header=made.hpp", "--embed-symbol=blob"},
      {"thin", one, "-o", "out.sxt", "--keep=cuda", "--compress=none", "-j1"},
      {"thin", one, "-o", "out.sxt", "--drop=total@cpu", "--allow-empty-kernels", "--compress=fast",
       "-j1"},
  };
  return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Place place;
  const std::span<const std::byte> bytes = bytesOf(data, size);
  place.put("m.sxt", bytes);
  // Some of them for each input, the same each time.
  constexpr size_t each = 5;
  const auto &all = commands();
  const uint64_t first = module::hash64(bytes.data(), bytes.size());
  for (size_t i = 0; i < each; ++i)
    run(place, all[(first + i * 7) % all.size()]);
  return 0;
}
