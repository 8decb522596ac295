// The test's environment around runDriver.
#include "CommandLine.h"

#include "driver/Driver.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

const char *const saxpySource = R"(import quadrants as qd

@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1),
          y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(n):
        y[i] = a * x[i] + y[i]
)";

const char *const noSuchNameSource = R"(import quadrants as qd

@qd.kernel
def broken(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(a.shape[0]):
        a[i] = nowhere
)";

const char *const templateSource = R"(import quadrants as qd

SCALE = 3

@qd.kernel
def fill(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.template()):
    for i in range(out.shape[0]):
        out[i] = value * SCALE

@qd.kernel
def plain(out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(out.shape[0]):
        out[i] = SCALE + i
)";

Workplace::Workplace() {
  std::string pattern = (fs::temp_directory_path() / "sextant-driver-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()));
  folder = pattern;
}

Workplace::~Workplace() {
  std::error_code code;
  fs::remove_all(folder, code);
}

CommandResult Workplace::run(std::vector<std::string> arguments, bool terminal) const {
  return run(std::move(arguments), Surroundings{.errIsTerminal = terminal});
}

CommandResult Workplace::run(std::vector<std::string> arguments, const Surroundings &around) const {
  std::ostringstream out, err;
  std::istringstream in(around.input);
  auto variable = [&](const std::string &name) -> std::optional<std::string> {
    if (auto given = around.variables.find(name); given != around.variables.end())
      return given->second;
    const char *value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  sextant::Environment environment{
      out, err, folder, variable, around.errIsTerminal, around.outIsTerminal, &in, around.commit};
  CommandResult result;
  result.status = sextant::runDriver(arguments, environment);
  result.out = out.str();
  result.err = err.str();
  return result;
}

CommandResult Workplace::good(std::vector<std::string> arguments) const {
  CommandResult result = run(std::move(arguments));
  INFO(result.err);
  REQUIRE(result.status == 0);
  return result;
}

std::string Workplace::path(const std::string &name) const {
  return (fs::path(folder) / name).string();
}

void Workplace::write(const std::string &name, const std::string &text) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
}

std::string Workplace::read(const std::string &name) const {
  std::ifstream file(path(name), std::ios::binary);
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Workplace::has(const std::string &name) const { return fs::exists(path(name)); }

std::vector<std::string> Workplace::list(const std::string &sub) const {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(path(sub)))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
