// `sextant devices`: what this machine can run, as the loader sees it.
#define SEXTANT_THROWS
#include "driver/Commands.h"

#include "sextant/sextant.hpp"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

std::string sizeText(uint64_t bytes) {
  if (bytes >= uint64_t(1) << 30)
    return std::to_string(bytes >> 30) + " GiB";
  return bytes >= 1024 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " bytes";
}

int devicesCommand(Environment &environment) {
  for (const Device::Info &info : Device::all()) {
    environment.out << info.name << ": " << info.description << "\n  " << info.arch << ", wave";
    for (size_t index = 0; index < info.wave_size_count; ++index)
      environment.out << " " << info.wave_sizes[index];
    environment.out << ", " << info.multiprocessors
                    << (std::string_view(info.backend) == "cpu" ? " threads" : " multiprocessors")
                    << ", " << sizeText(info.shared_memory_bytes) << " shared memory a block";
    if (info.memory_bytes)
      environment.out << ", " << sizeText(info.memory_bytes) << " memory";
    environment.out << "\n";
    if (info.feature_count)
      environment.out << "  features:";
    for (size_t index = 0; index < info.feature_count; ++index)
      environment.out << " " << info.features[index];
    if (info.feature_count)
      environment.out << "\n";
  }
  return 0;
}

} // namespace

void addDevicesCommand(CLI::App &app, Environment &environment, Action &action) {
  CLI::App *devices = app.add_subcommand("devices", "List the devices of this machine");
  devices->callback([&environment, &action] {
    action = [&environment] {
      try {
        return devicesCommand(environment);
      } catch (const Error &error) {
        throw Refusal(error.what());
      }
    };
  });
}

} // namespace sextant
