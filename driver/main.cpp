// The process around runDriver.
#include "Commit.h"
#include "driver/Driver.h"
#include "driver/End.h"
#include "driver/commands/Messages.h"
#include "driver/compile/Targets.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <unistd.h>

int main(int count, char **values) {
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
