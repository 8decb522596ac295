#include "tests/fuzz/Runner.h"

#include "frontend/syntax/Diagnostics.h"
#include "tests/fuzz/Cases.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fuzz {

Target parseTarget(const std::string &text) {
  const size_t slash = text.find("/wave");
  if (slash == std::string::npos)
    throw std::runtime_error("a target has its wave size: cpu:x86-64-v3/wave8, not " + text);
  return {text.substr(0, slash), unsigned(std::stoul(text.substr(slash + 5)))};
}

std::string expect(Case &test, const std::set<unsigned> &waves) {
  const sextant::SourceFile file("program.py", fileHead + test.program.text);
  sextant::DiagnosticSink sink;
  const auto module = sextant::parse(file, sink);
  if (sink.hasErrors())
    return "does not parse: " + sextant::formatDiagnostic(sink.diagnostics()[0]);
  test.expected.clear();
  for (unsigned wave : waves) {
    Launch launch = test.program.launch;
    try {
      interpret(*module, wave, launch);
    } catch (const std::exception &error) {
      return error.what();
    }
    test.expected[wave] = std::move(launch);
  }
  return "";
}

/// Where a backend's code runs, and how the program that launches it is called there.
static std::string deviceOptions(const Target &target) {
  const std::string backend = target.variant.substr(0, target.variant.find(':'));
  return "--device=" + (backend == "amdgpu" ? "hip" : backend) + " --variant=" + target.variant +
         " --wave=" + std::to_string(target.wave);
}

static std::string surroundings(const Target &target, bool gpu) {
  const std::string backend = target.variant.substr(0, target.variant.find(':'));
  if (backend == "amdgpu") {
    const std::string arch = target.variant.substr(target.variant.find(':') + 1);
    return "AMDSIM_ARCH=" + arch + " AMDSIM_TIMEOUT=60 AMDSIM_ORDER=random AMDSIM_SEED=1 " +
           SEXTANT_FUZZ_AMDSIM;
  }
  if (backend == "vulkan" && !gpu) {
    const char *width = target.wave == 4 ? "128" : target.wave == 16 ? "512" : "256";
    return std::string("LP_NATIVE_VECTOR_WIDTH=") + width + " " + SEXTANT_FUZZ_LAVAPIPE;
  }
  return backend == "metal" ? SEXTANT_FUZZ_MSLSIM : "";
}

/// Runs a shell command, its output in a file; the status as of a shell, 124: it took too long.
static int shell(const std::string &command, unsigned seconds, const std::string &output) {
  const std::string line =
      "timeout -k 5 " + std::to_string(seconds) + " sh -c '" + command + "' >'" + output + "' 2>&1";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A target may refuse what it does not have: each error says that the kernel can do without.
static bool onlyRefuses(const std::string &output) {
  std::istringstream in(output);
  unsigned errors = 0, refusals = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find(": error: ") != std::string::npos) {
      ++errors;
      refusals += line.find("leave metal out") != std::string::npos;
    }
  return errors && errors == refusals;
}

static std::string firstLines(const std::string &text, size_t limit = 600) {
  return text.size() <= limit ? text : text.substr(0, limit) + "…";
}

/// The class whose method a kernel is, or "".
static std::string objectOf(const Program &program) {
  const size_t kernel = program.text.find("def " + program.launch.kernel + "(self");
  const size_t object = program.text.rfind("\nclass ", kernel);
  return kernel == std::string::npos || object == std::string::npos
             ? ""
             : program.text.substr(object + 7, program.text.find(':', object) - object - 7);
}

std::string Runner::compile(const std::vector<const Case *> &cases,
                            const std::vector<Target> &targets, const std::string &stem) const {
  std::string text = fileHead, list, kernels;
  bool areMethods = false;
  for (const Case *test : cases) {
    text += test->program.text;
    const std::string object = objectOf(test->program);
    areMethods = areMethods || !object.empty();
    const std::string &kernel = test->program.launch.kernel;
    kernels += " --kernel \"" +
               (object.empty() ? kernel : object + "." + kernel + "[] as " + kernel) + "\"";
  }
  for (const Target &target : targets)
    list += (list.empty() ? "" : ",") + target.name();
  writeFile(stem + ".py", text);
  const std::string output = stem + ".compile.txt";
  const int status = shell("\"" + sextant + "\" compile " + stem + ".py -o " + stem +
                               ".sxt --allow-missing --compress fast -j 1 " + options +
                               (areMethods ? kernels : "") + " --targets " + list,
                           seconds, output);
  if (status == 0)
    return "";
  if (status == 1 && onlyRefuses(readFile(output)))
    return "refused";
  return "compile: status " + std::to_string(status) + ": " + firstLines(readFile(output));
}

static std::string launchesOf(const std::vector<const Case *> &cases, unsigned wave) {
  std::string text;
  for (const Case *test : cases)
    text += writeLaunch(test->program.launch) + writeLaunch(test->expected.at(wave));
  return text;
}

std::string Runner::pack(const std::vector<const Case *> &cases, const std::vector<Target> &targets,
                         const std::string &stem) const {
  const std::string problem = compile(cases, targets, stem);
  for (const Target &target : targets)
    writeFile(stem + "-wave" + std::to_string(target.wave) + ".cases",
              launchesOf(cases, target.wave));
  return problem;
}

std::vector<Outcome> Runner::launch(const std::vector<const Case *> &cases, const Target &target,
                                    const std::string &stem) const {
  std::vector<Outcome> outcomes(cases.size());
  std::map<std::string, size_t> byName;
  for (size_t i = 0; i < cases.size(); ++i) {
    outcomes[i] = {Outcome::Broken, "died: it was never launched"};
    byName[cases[i]->program.launch.kernel] = i;
  }
  writeFile(stem + ".cases", launchesOf(cases, target.wave));
  const std::string output = stem + ".run.txt";
  const int status = shell(surroundings(target, gpu) + " \"" + launcher + "\" " + stem + ".sxt " +
                               stem + ".cases " + deviceOptions(target),
                           seconds, output);
  const std::string said = readFile(output);
  if (status == 77) {
    for (Outcome &outcome : outcomes)
      outcome = {Outcome::Refused, "no device: " + firstLines(said)};
    return outcomes;
  }
  std::istringstream in(said);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string verdict, name, rest;
    words >> verdict >> name;
    std::getline(words, rest);
    const auto found = byName.find(name);
    if (found == byName.end())
      continue;
    Outcome &outcome = outcomes[found->second];
    if (verdict == "launching")
      outcome = {Outcome::Broken,
                 "died: status " + std::to_string(status) + ": " +
                     firstLines(said.substr(said.size() > 300 ? said.size() - 300 : 0))};
    else if (verdict == "clean")
      outcome = {Outcome::Clean, ""};
    else if (verdict == "refused") {
      const bool declared = rest.find("leave metal out") != std::string::npos;
      outcome = {declared ? Outcome::Refused : Outcome::Broken,
                 (declared ? "" : "refused:") + rest};
    } else if (verdict == "differs" || verdict == "failed")
      outcome = {Outcome::Broken, (verdict == "failed" ? "launch:" : "differs:") + rest};
  }
  return outcomes;
}

std::vector<std::vector<Outcome>> Runner::run(const std::vector<const Case *> &cases,
                                              const std::vector<Target> &targets) const {
  // A case that is run again by itself leaves the batch's module alone.
  const std::string stem = folder + (cases.size() > 1 ? "/batch" : "/one");
  std::vector<std::vector<Outcome>> all(cases.size(), std::vector<Outcome>(targets.size()));
  const std::string problem = compile(cases, targets, stem);
  if (!problem.empty()) {
    if (cases.size() > 1) { // each by itself
      for (size_t i = 0; i < cases.size(); ++i)
        all[i] = run({cases[i]}, targets)[0];
    } else if (targets.size() > 1) {
      for (size_t i = 0; i < targets.size(); ++i)
        all[0][i] = run(cases, {targets[i]})[0][0];
    } else {
      all[0][0] = {problem.starts_with("refused") ? Outcome::Refused : Outcome::Broken, problem};
    }
    return all;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    std::vector<Outcome> outcomes = launch(cases, targets[i], stem);
    // Programs after one that died had no turn.
    const bool again = cases.size() > 1 &&
                       std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome &outcome) {
                         return outcome.what.starts_with("died");
                       });
    for (size_t k = 0; k < cases.size(); ++k)
      all[k][i] = again && outcomes[k].kind == Outcome::Broken ? run({cases[k]}, {targets[i]})[0][0]
                                                               : outcomes[k];
  }
  return all;
}

} // namespace fuzz
