// The process around runDriver.
#include "Commit.h"
#include "driver/Driver.h"

#include <cstdlib>
#include <iostream>
#include <new>
#include <unistd.h>

int main(int count, char **values) {
  // Allocators that are linked from C end the process otherwise.
  std::set_new_handler([] { throw std::bad_alloc(); });
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
  std::cout.flush();
  return status == 0 && !std::cout ? 1 : status;
}
