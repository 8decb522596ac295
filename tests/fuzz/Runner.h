// Compiles programs by the `sextant` command and runs them by sextant-fuzz-run, each in a process
// of its own: a compiler or a driver that crashes or hangs is a finding like a wrong result.
#pragma once

#include "tests/fuzz/Generator.h"

#include <map>
#include <set>

namespace fuzz {

/// The target that programs are compiled for, and where they run: "cpu:x86-64-v3/wave8".
struct Target {
  std::string variant; ///< "cpu:x86-64-v3"
  unsigned wave = 0;
  std::string name() const { return variant + "/wave" + std::to_string(wave); }
};
Target parseTarget(const std::string &text);

/// The fate of one program on one target.
struct Outcome {
  enum Kind : uint8_t { Clean, Refused, Broken } kind = Clean;
  std::string what; ///< how it is broken: its first word is "compile", "refused", "launch",
                    ///< "differs", "died"
};

/// A program with its results for each wave size; no result: it means nothing there.
struct Case {
  uint64_t seed = 0;
  Program program;
  std::map<unsigned, Launch> expected;
};
/// Interprets for each wave size. Empty: fine; else why the program cannot be compared.
std::string expect(Case &test, const std::set<unsigned> &waves);

struct Runner {
  std::string sextant;    ///< the command
  std::string launcher;   ///< sextant-fuzz-run
  std::string folder;     ///< for files
  std::string options;    ///< more of `sextant compile`: "--check", "-O 0"
  unsigned seconds = 300; ///< a process may take
  bool gpu = false;       ///< Vulkan is a GPU's driver here, not lavapipe

  /// All cases on all targets: outcomes[case][target].
  std::vector<std::vector<Outcome>> run(const std::vector<const Case *> &cases,
                                        const std::vector<Target> &targets) const;

  /// Compiles the cases into STEM.sxt and writes what to launch into STEM-waveN.cases, for another
  /// machine. "" or what the compiler said.
  std::string pack(const std::vector<const Case *> &cases, const std::vector<Target> &targets,
                   const std::string &stem) const;

private:
  /// "" or what the compiler said.
  std::string compile(const std::vector<const Case *> &cases, const std::vector<Target> &targets,
                      const std::string &stem) const;
  std::vector<Outcome> launch(const std::vector<const Case *> &cases, const Target &target,
                              const std::string &stem) const;
};

} // namespace fuzz
