// The world around the driver: streams, folder, environment variables. main.cpp fills it in from
// the real process, tests fill in their own.
#pragma once

#include "driver/MessageRules.h"
#include "frontend/problems/Problems.h"

#include <cassert>
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

struct Environment {
  std::ostream &out;     ///< results
  std::ostream &err;     ///< diagnostics and progress
  std::string directory; ///< the folder of relative paths; empty: the process's folder
  std::function<std::optional<std::string>(const std::string &)> variable;
  bool errIsTerminal = false; ///< colours and a progress line are wanted
  bool outIsTerminal = false; ///< no place for a module's bytes
  std::istream *in = nullptr; ///< standard input; null: empty
  std::string commit = {};    ///< the commit of the source; empty: unknown

  MessageRules messages = {}; ///< which messages are shown, and how

  using Streams = std::map<std::string, std::string>;
  /// The contents of streams by name. A stream can be read only once, and commands may need it
  /// twice.
  std::shared_ptr<Streams> streams = std::make_shared<Streams>();
};

/// The reason why a command cannot go on. runDriver prints it and returns 1.
struct Refusal : std::runtime_error {
  /// \param problem its section in docs/messages, and no Problem::Other
  Refusal(Problem problem, const std::string &message, std::string fix = {})
      : std::runtime_error(message), fix(std::move(fix)), problem(problem) {
    assert(problem != Problem::Other);
  }
  std::string fix; ///< advice what to do instead, or empty
  Problem problem;
};

/// A Refusal of a word on the command line, where one of a few others may stand.
struct Misspelling : Refusal {
  /// \param option whose value has the word: "--color"; empty: it is an argument, or begins one
  /// \param known the words that may stand there
  /// \param otherwise what to do where none of them is near
  Misspelling(Problem problem, const std::string &message, std::string option, std::string word,
              const std::vector<std::string> &known, const std::string &otherwise = {});
  std::string option, word;
  std::vector<std::string> near; ///< the words that it may mean, the nearest first
};

/// Resolves `path` from the environment's folder.
std::string resolvePath(const Environment &environment, const std::string &path);
/// Returns the path from the root on, without `.` and `..`. Throws Refusal if the folder in which
/// the process runs is gone.
std::string absolutePath(const Environment &environment, const std::string &path);
/// Returns a canonical path for comparisons: two names of one file give the same text.
std::string fileIdentity(const Environment &environment, const std::string &path);
/// Returns true if `path` is a stream: `-`, a device, a pipe. A stream is read once and written in
/// place.
bool isStream(const Environment &environment, const std::string &path);
/// Throws a Refusal, which names `what`, if the bytes are more than this machine's memory.
void requireMemory(uint64_t bytes, Problem problem, const std::string &what);
/// Returns the whole file; `-` is standard input. A stream without an end is refused, and so is a
/// pipe to which nobody writes. Throws Refusal.
std::string readFile(const Environment &environment, const std::string &path);
/// readFile() for a stream. The environment keeps the text. Throws Refusal.
const std::string &readStream(const Environment &environment, const std::string &path);
/// Writes a new file and renames it, so that nobody sees half a file and an error leaves nothing
/// behind. Makes missing folders; `-` is standard output. Throws Refusal.
void writeFile(const Environment &environment, const std::string &path, std::string_view bytes);
/// Makes the folder and those above it. Throws Refusal.
void makeFolder(const Environment &environment, const std::string &path);

/// Where a page of the documentation lies: "command.md (in share/doc/sextant, …)".
std::string pageName(const std::string &page);

} // namespace sextant
