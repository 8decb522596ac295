// Runs command lines in a folder of their own, with captured streams.
#pragma once

#include <map>
#include <string>
#include <vector>

/// The surroundings of a command, beside the folder.
struct Surroundings {
  std::string input = {};                            ///< standard input
  std::map<std::string, std::string> variables = {}; ///< over the process's own
  bool errIsTerminal = false, outIsTerminal = false;
  std::string commit = {};
};

struct CommandResult {
  int status = -1;
  std::string out, err;
};

/// A temporary folder, removed at the end; command lines run in it.
class Workplace {
public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace &) = delete;

  CommandResult run(std::vector<std::string> arguments, bool terminal = false) const;
  CommandResult run(std::vector<std::string> arguments, const Surroundings &around) const;
  /// run(), and the test fails unless it returns 0.
  CommandResult good(std::vector<std::string> arguments) const;
  void write(const std::string &name, const std::string &text) const;
  std::string read(const std::string &name) const;
  bool has(const std::string &name) const;
  /// Names in the folder, sorted.
  std::vector<std::string> list(const std::string &folder = ".") const;
  std::string path(const std::string &name) const;

private:
  std::string folder;
};

/// y[i] = a * x[i] + y[i].
extern const char *const saxpySource;
/// A kernel with an error: a name that nothing has, at 6:16.
extern const char *const noSuchNameSource;
/// A template kernel `fill[value, dtype]`, and `plain`.
extern const char *const templateSource;

bool contains(const std::string &text, const std::string &part);
