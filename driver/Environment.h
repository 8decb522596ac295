// What the driver knows of the world around it: streams, folder, environment
// variables. The real process fills it in main.cpp; tests fill in their own.
#pragma once

#include "driver/MessageRules.h"

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
  std::string directory; ///< where relative paths start; empty: the process's folder
  std::function<std::optional<std::string>(const std::string &)> variable;
  bool errIsTerminal = false; ///< colours and a progress line are wanted
  bool outIsTerminal = false; ///< no place for a module's bytes
  std::istream *in = nullptr; ///< standard input; null: empty
  std::string commit = {};    ///< of the compiler's source; empty: unknown

  MessageRules messages = {}; ///< what is said, and how

  using Streams = std::map<std::string, std::string>;
  /// What was read of streams, by their names: they end but once, and commands may look twice.
  std::shared_ptr<Streams> streams = std::make_shared<Streams>();
};

/// Why a command cannot go on; runDriver prints it and returns 1.
struct Refusal : std::runtime_error {
  explicit Refusal(const std::string &message, std::string fix = {})
      : std::runtime_error(message), fix(std::move(fix)) {}
  std::string fix; ///< what to do instead, or empty
};

/// `path` seen from the environment's folder.
std::string resolvePath(const Environment &environment, const std::string &path);
/// The file that `path` names, for comparisons: two names of one file give the same text.
std::string fileIdentity(const Environment &environment, const std::string &path);
/// Whether `path` is a stream: `-`, a device, a pipe. It is read once and written in place.
bool isStream(const Environment &environment, const std::string &path);
/// The whole file; `-` is standard input. Throws Refusal.
std::string readFile(const Environment &environment, const std::string &path);
/// readFile() of a stream, whose text the environment keeps. Throws Refusal.
const std::string &readStream(const Environment &environment, const std::string &path);
/// Writes beside the file and renames, so that nobody sees half a file and an
/// error leaves nothing behind. Missing folders are made; `-` is standard output. Throws Refusal.
void writeFile(const Environment &environment, const std::string &path, std::string_view bytes);
/// Makes the folder and those above it. Throws Refusal.
void makeFolder(const Environment &environment, const std::string &path);

/// The candidates nearest to `name`, as "did you mean 'a' or 'b'?"; empty: none near.
std::string suggestion(std::string_view name, const std::vector<std::string> &candidates);

} // namespace sextant
