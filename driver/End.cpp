// Takes no memory, and runs no destructor. An output that is not finished has another name yet.
#include "driver/End.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace sextant {

static std::atomic<bool> isJson = false;

static void print(std::string_view text) { (void)!write(STDERR_FILENO, text.data(), text.size()); }

void endInJson() { isJson = true; }

/// True if the process's own arguments ask for JSON. Memory may run out before main() has them.
static bool commandLineAsks() {
  static char text[1 << 16];
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
  std::string_view rest(text, size_t(std::max<ssize_t>(size, 0))), before;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('\0'));
    if (word == "--")
      return false;
    if (word == "--diagnostics=json" || (before == "--diagnostics" && word == "json"))
      return true;
    before = word;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return false;
}

static bool inJson() { return isJson || commandLineAsks(); }

void endWithoutMemory() {
  print(inJson() ? "{\"schema\":1,\"severity\":\"error\",\"code\":\"launch-failed\","
                   "\"message\":\"there is not enough memory\"}\n"
                 : "sextant: error: there is not enough memory\n");
  _exit(1);
}

void endWithDefect(const char *reason) {
  char shown[400] = {}; // as it may stand in a string of JSON
  std::strncpy(shown, reason, sizeof shown - 1);
  for (char &letter : shown)
    if (letter == '"' || letter == '\\')
      letter = '\'';
    else if (letter && (letter < ' ' || letter > '~'))
      letter = ' ';
  const bool asked = inJson();
  print(asked ? "{\"schema\":1,\"severity\":\"error\",\"code\":\"internal-error\","
                "\"message\":\"internal: "
              : "sextant: error: internal: ");
  print(shown);
  print(asked ? "\",\"help\":\"" : "\n  help: ");
  print("this is a defect of sextant; report it with the command line and its files");
  print(asked ? "\"}\n" : "\n");
  _exit(2);
}

} // namespace sextant
