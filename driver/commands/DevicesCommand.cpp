// `sextant devices`: lists what this machine can run, as the loader sees it.
#define SEXTANT_THROWS
#include "driver/commands/Commands.h"
#include "driver/host/LoaderErrors.h"
#include "packager/Json.h"

#include "sextant/sextant.hpp"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

std::string sizeText(uint64_t bytes) {
  if (bytes >= uint64_t(1) << 30)
    return std::to_string(bytes >> 30) + " GiB";
  return bytes >= 1024 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " bytes";
}

std::string devicesJson() {
  packager::JsonWriter json;
  json.beginDocument().key("devices").beginArray();
  for (const Device::Info &info : Device::all()) {
    json.beginObject().member("name", info.name).member("description", info.description);
    json.member("backend", info.backend).member("arch", info.arch).key("waves").beginArray();
    for (size_t index = 0; index < info.wave_size_count; ++index)
      json.value(info.wave_sizes[index]);
    json.endArray().key("features").beginArray();
    for (size_t index = 0; index < info.feature_count; ++index)
      json.value(info.features[index]);
    json.endArray().key("memoryBytes");
    info.memory_bytes ? json.value(info.memory_bytes) : json.null();
    json.member("sharedMemoryBytes", info.shared_memory_bytes);
    json.member("multiprocessors", info.multiprocessors);
    json.member("maxThreadsPerBlock", info.max_threads_per_block).endObject();
  }
  return json.endArray().endObject().str();
}

int devicesCommand(bool isJson, Environment &environment) {
  if (isJson) {
    environment.out << devicesJson();
    return 0;
  }
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

void addDevicesCommand(CLI::App &app, Environment &environment, Actions &actions) {
  CLI::App *devices = app.add_subcommand("devices", "List the devices of this machine");
  auto isJson = std::make_shared<bool>(false);
  devices->add_flag("--json", *isJson, "print one JSON object");
  actions[devices] = [isJson, &environment] {
    return calling([&] { return devicesCommand(*isJson, environment); });
  };
}

} // namespace sextant
