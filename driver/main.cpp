// The process around runDriver.
#include "Commit.h"
#include "driver/Driver.h"
#include "driver/End.h"
#include "driver/commands/Messages.h"
#include "driver/compile/Targets.h"

#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

/// Gives standard streams that are closed a descriptor that cannot be used. Else the next file that
/// is opened would be standard output, and /dev/stdout a link to nothing, which an output replaces.
static void holdStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) // open() takes the lowest number that is free
      (void)open(stream == STDIN_FILENO ? "/dev/null" : "/dev/full",
                 stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int count, char **values) {
  holdStandardStreams();
  sextant::endIfLlvmFails();
  std::set_terminate([] { sextant::endWithDefect("an exception that nobody catches"); });
  sextant::Environment environment{std::cout,
                                   std::cerr,
                                   "",
                                   [](const std::string &name) -> std::optional<std::string> {
                                     const char *value = std::getenv(name.c_str());
                                     return value ? std::optional<std::string>(value)
                                                  : std::nullopt;
                                   },
                                   isatty(STDERR_FILENO) != 0,
                                   isatty(STDOUT_FILENO) != 0,
                                   &std::cin,
                                   SEXTANT_COMMIT};
  int status = sextant::runDriver({values + 1, values + count}, environment);
  if (std::cout.flush() || status != 0)
    return status;
  sayError(environment, sextant::Problem::FileUnwritable, "cannot write to standard output");
  return 1;
}
