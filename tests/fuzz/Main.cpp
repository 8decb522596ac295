// The fuzzer's command.
//
//   sextant-fuzz [--seed=S] [--count=N | --seconds=T] [--batch=N]
//                [--targets=LIST] [--folder=PATH] [--no-reduce] [--pack]
//                [--gpu]
//                [--sextant=COMMAND] [--launcher=SEXTANT-FUZZ-RUN]
//                [--compile="OPTIONS OF SEXTANT COMPILE"]
//   sextant-fuzz --found=FOLDER [--targets=LIST] [--folder=PATH]
//
// Kernels from seed S on, compiled for the targets ("cpu:x86-64-v3/wave8,…") and run; what is
// not as the interpreter says is printed with its seed and target, reduced, and kept in the
// folder. With --pack nothing is run: modules and launches go to the folder, for sextant-fuzz-run
// on another machine. With --gpu Vulkan's targets run on a GPU's driver; else on lavapipe, with
// kernels that leave out what it does wrong. The second form runs the kernel files
// of a folder, whose comments say what to launch them with (Cases.h). Status: 0 nothing found, 1
// something, 2 it could not run, 77 there is no device for the targets.
#include "tests/fuzz/Cases.h"
#include "tests/fuzz/Reducer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

using namespace fuzz;

namespace {

struct Options {
  Runner runner;
  std::vector<Target> targets;
  uint64_t seed = 1, count = 100;
  std::string found; ///< a folder of kernel files
  unsigned seconds = 0, batch = 10;
  bool reduce = true, pack = false;
};

/// The results of one target's kernels.
struct Tally {
  unsigned clean = 0, refused = 0, broken = 0;
  std::map<std::string, unsigned> reasons; ///< how often each reason for a refusal occurred
};

/// `again`: another target has shown it, and it is reduced there.
void report(const Options &options, const Case &test, const Target &target, const Outcome &outcome,
            bool again) {
  if (again) {
    std::printf("  also on %s: %.200s\n", target.name().c_str(), outcome.what.c_str());
    return;
  }
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
  if (!options.reduce)
    return;
  // The same kind of wrong: the first word says which, and the compiler's first error.
  const auto kindOf = [](const std::string &text) {
    const size_t error = text.find("error: ");
    return text.substr(0, text.find(':')) +
           (error == std::string::npos
                ? ""
                : text.substr(error, text.find_first_of("`\n", error) - error));
  };
  const std::string kind = kindOf(outcome.what);
  std::string what = outcome.what;
  auto holds = [&](const Program &candidate) {
    Case smaller;
    smaller.seed = test.seed;
    smaller.program = candidate;
    if (!expect(smaller, {target.wave}).empty())
      return false;
    const Outcome now = options.runner.run({&smaller}, {target})[0][0];
    if (now.kind != Outcome::Broken || kindOf(now.what) != kind)
      return false;
    what = now.what;
    return true;
  };
  Case smaller;
  smaller.program = reduce(test.program, holds);
  if (!expect(smaller, {target.wave}).empty())
    return;
  writeFile(stem + ".min.py", fileHead + smaller.program.text);
  writeFile(stem + ".min.cases",
            writeLaunch(smaller.program.launch) + writeLaunch(smaller.expected.at(target.wave)));
  std::printf("  reduced: %s.min.py: %s\n%s", stem.c_str(), what.c_str(),
              smaller.program.text.c_str());
  std::fflush(stdout);
}

/// A kernel file: its launch is what stands in comments before the first line that is not a
/// comment.
Case readFound(const std::filesystem::path &path) {
  Case test;
  test.program.text = readFile(path);
  std::istringstream in(test.program.text);
  std::string launch;
  bool inside = false;
  for (std::string line; std::getline(in, line) && line.starts_with("#");) {
    line.erase(0, std::min<size_t>(line.size(), 2));
    inside = inside || line.starts_with("launch ");
    if (inside)
      launch += line + "\n";
  }
  const std::vector<Launch> launches = readLaunches(launch);
  if (launches.size() != 1)
    throw std::runtime_error(path.string() + ": its first comment has to hold one launch");
  test.program.launch = launches[0];
  return test;
}

int runFound(const Options &options) {
  unsigned broken = 0, ran = 0, absent = 0;
  std::set<unsigned> waves;
  for (const Target &target : options.targets)
    waves.insert(target.wave);
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(options.found))
    if (entry.path().extension() == ".py")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path &path : paths) {
    Case test = readFound(path);
    const std::string problem = expect(test, waves);
    if (!problem.empty())
      throw std::runtime_error(path.string() + ": " + problem);
    const auto outcomes = options.runner.run({&test}, options.targets)[0];
    for (size_t i = 0; i < outcomes.size(); ++i) {
      ++ran;
      absent += outcomes[i].what.starts_with("no device");
      if (outcomes[i].kind != Outcome::Broken)
        continue;
      ++broken;
      std::printf("%s on %s: %s\n", path.c_str(), options.targets[i].name().c_str(),
                  outcomes[i].what.c_str());
    }
  }
  std::printf("%zu kernels on %zu targets, %u wrong\n", paths.size(), options.targets.size(),
              broken);
  if (ran == absent)
    return 77;
  return broken ? 1 : 0;
}

int fuzzAll(const Options &options) {
  std::set<unsigned> waves;
  for (const Target &target : options.targets)
    waves.insert(target.wave);
  bool lavapipe = false; // it is in use: what it cannot do, no target is given
  for (const Target &target : options.targets)
    lavapipe =
        lavapipe || (!options.pack && !options.runner.gpu && target.variant.starts_with("vulkan"));
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
      test.program = generate(test.seed, unsigned(cases.size()), !lavapipe);
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
    if (options.pack) {
      const std::string stem = options.runner.folder + "/seed" + std::to_string(cases.front().seed);
      const std::string problem = options.runner.pack(batch, options.targets, stem);
      if (!problem.empty())
        std::printf("%s: %s\n", stem.c_str(), problem.c_str());
      continue;
    }
    const auto outcomes = options.runner.run(batch, options.targets);
    for (size_t i = 0; i < cases.size(); ++i) {
      bool again = false;
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
          report(options, cases[i], options.targets[k], outcome, again);
          again = true;
        }
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
  if (ran == absent && !options.pack)
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
      else if (name == "--sextant")
        options.runner.sextant = value;
      else if (name == "--compile")
        options.runner.options = value;
      else if (name == "--launcher")
        options.runner.launcher = value;
      else if (name == "--found")
        options.found = value;
      else if (name == "--no-reduce")
        options.reduce = false;
      else if (name == "--pack")
        options.pack = true;
      else if (name == "--gpu")
        options.runner.gpu = true;
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
    return options.found.empty() ? fuzzAll(options) : runFound(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
