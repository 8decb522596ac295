// Takes no memory, and runs no destructor. An output that is not finished has another name yet.
#include "driver/End.h"

#include <atomic>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace sextant {

static std::atomic<bool> isJson = false;

static void print(std::string_view text) { (void)!write(STDERR_FILENO, text.data(), text.size()); }

void endInJson() { isJson = true; }

void endWithoutMemory() {
  print(isJson ? "{\"schema\":1,\"severity\":\"error\",\"code\":\"launch-failed\","
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
  print(isJson ? "{\"schema\":1,\"severity\":\"error\",\"code\":\"internal-error\","
                 "\"message\":\"internal: "
               : "sextant: error: internal: ");
  print(shown);
  print(isJson ? "\",\"help\":\"" : "\n  help: ");
  print("this is a defect of sextant; report it with the command line and its files");
  print(isJson ? "\"}\n" : "\n");
  _exit(2);
}

} // namespace sextant
