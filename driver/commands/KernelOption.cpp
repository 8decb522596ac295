#include "driver/commands/KernelOption.h"

#include <CLI/CLI.hpp>

namespace sextant {

CLI::Option *addKernelOption(CLI::App &command, std::string &kernel, const std::string &text) {
  return command.add_option("-k,--kernel,kernel", kernel, text)->type_name("KERNEL");
}

} // namespace sextant
