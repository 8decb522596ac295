// The fuzzer's command.
//
//   sextant-fuzz --sextant=PATH [--seed=S] [--count=N | --seconds=T] [--batch=N]
//                [--targets=LIST] [--folder=PATH] [--no-reduce]
//
// Kernels from seed S on, compiled for the targets ("cpu:x86-64-v3/wave8,…") and run; what is
// not as the interpreter says is printed with its seed and target, reduced, and kept in the
// folder. Status: 0 nothing found, 1 something, 2 it could not run, 77 there
// is no device for the targets.
#include "tests/fuzz/Cases.h"
#include "tests/fuzz/Runner.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace fuzz;

namespace {

struct Options {
  Runner runner;
  std::vector<Target> targets;
  uint64_t seed = 1, count = 100;
  unsigned seconds = 0, batch = 10;
  bool reduce = true;
};

/// What of one target's kernels.
struct Tally {
  unsigned clean = 0, refused = 0, broken = 0;
  std::map<std::string, unsigned> reasons; ///< of refusals
};

void report(const Options &options, const Case &test, const Target &target,
            const Outcome &outcome) {
  const std::string stem =
      options.runner.folder + "/found-" + std::to_string(test.seed) + "-" + [&] {
        std::string name = target.name();
        for (char &c : name)
          if (c == ':' || c == '/')
            c = '_';
        return name;
      }();
  writeFile(stem + ".py", fileHead + test.program.text);
  std::string cases = writeLaunch(test.program.launch);
  if (test.expected.contains(target.wave))
    cases += writeLaunch(test.expected.at(target.wave));
  writeFile(stem + ".cases", cases);
  std::printf("FOUND seed %llu on %s: %s\n  kernel: %s.py\n", (unsigned long long)test.seed,
              target.name().c_str(), outcome.what.c_str(), stem.c_str());
  std::fflush(stdout);
}

int fuzzAll(const Options &options) {
  std::set<unsigned> waves;
  for (const Target &target : options.targets)
    waves.insert(target.wave);
  std::vector<Tally> tallies(options.targets.size());
  std::map<std::string, unsigned> unusable;
  const auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  uint64_t seed = options.seed, made = 0;
  unsigned found = 0, ran = 0, absent = 0;
  while (options.seconds ? elapsed() < options.seconds : made < options.count) {
    std::vector<Case> cases;
    while (cases.size() < options.batch && (options.seconds || made < options.count)) {
      Case test;
      test.seed = seed++;
      test.program = generate(test.seed, unsigned(cases.size()));
      ++made;
      const std::string problem = expect(test, waves);
      if (problem.empty())
        cases.push_back(std::move(test));
      else
        ++unusable[problem];
    }
    if (cases.empty())
      continue;
    std::vector<const Case *> batch;
    for (const Case &test : cases)
      batch.push_back(&test);
    const auto outcomes = options.runner.run(batch, options.targets);
    for (size_t i = 0; i < cases.size(); ++i)
      for (size_t k = 0; k < options.targets.size(); ++k) {
        const Outcome &outcome = outcomes[i][k];
        Tally &tally = tallies[k];
        ++ran;
        if (outcome.kind == Outcome::Clean) {
          ++tally.clean;
        } else if (outcome.kind == Outcome::Refused) {
          ++tally.refused;
          std::string reason = outcome.what; // without the kernel's name
          if (const size_t semicolon = reason.find("; "); reason.find("'k") < semicolon)
            reason.erase(0, semicolon + 2);
          ++tally.reasons[reason];
          absent += outcome.what.starts_with("no device");
        } else {
          ++tally.broken;
          ++found;
          report(options, cases[i], options.targets[k], outcome);
        }
      }
  }
  unsigned thrown = 0;
  for (const auto &[reason, count] : unusable)
    thrown += count;
  std::printf("%llu kernels from seed %llu on, %u of them without one meaning, %.0f s\n",
              (unsigned long long)made, (unsigned long long)options.seed, thrown, elapsed());
  for (const auto &[reason, count] : unusable)
    std::printf("  %5u %s\n", count, reason.c_str());
  for (size_t k = 0; k < options.targets.size(); ++k) {
    std::printf("%-28s %5u clean %5u refused %5u wrong\n", options.targets[k].name().c_str(),
                tallies[k].clean, tallies[k].refused, tallies[k].broken);
    for (const auto &[reason, count] : tallies[k].reasons)
      std::printf("  %5u refused: %.200s\n", count, reason.c_str());
  }
  if (ran == absent)
    return 77;
  return found ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  options.runner.sextant = SEXTANT_FUZZ_COMMAND;
  options.runner.launcher = SEXTANT_FUZZ_LAUNCHER;
  options.runner.folder = "fuzz-found";
  std::string targets = "cpu:x86-64-v3/wave8,cpu:x86-64-v2/wave4,cpu:x86-64-v3/wave32";
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
      if (name == "--seed")
        options.seed = std::stoull(value);
      else if (name == "--count")
        options.count = std::stoull(value);
      else if (name == "--seconds")
        options.seconds = unsigned(std::stoul(value));
      else if (name == "--batch")
        options.batch = std::max(1u, unsigned(std::stoul(value)));
      else if (name == "--targets")
        targets = value;
      else if (name == "--folder")
        options.runner.folder = value;
      else if (name == "--no-reduce")
        options.reduce = false;
      else if (name == "--print") {
        std::printf("%s%s", fileHead, generate(std::stoull(value), 0).text.c_str());
        return 0;
      } else
        throw std::runtime_error("unknown option " + argument);
    }
    for (size_t at = 0; at < targets.size();) {
      const size_t comma = std::min(targets.find(',', at), targets.size());
      options.targets.push_back(parseTarget(targets.substr(at, comma - at)));
      at = comma + 1;
    }
    std::filesystem::create_directories(options.runner.folder);
    return fuzzAll(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
