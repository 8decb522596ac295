// `sextant run`: launches one kernel of a module with arrays from files or specs.
#include "driver/commands/CallOptions.h"
#include "driver/commands/Commands.h"
#include "driver/commands/OneOf.h"
#include "driver/commands/VariantRules.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace sextant {
namespace {

struct RunOptions {
  CallOptions call;
  std::vector<std::string> save; ///< NAME=FILE
  unsigned repeat = 1;
  bool json = false;
};

std::string resultText(const HostArray &array) {
  return array.shape.empty() ? formatElement(array.bytes.data(), array.type) : formatArray(array);
}

std::string headline(const std::string &name, const HostArray &array) {
  std::string text = name + ": " + array.type;
  if (!array.shape.empty()) {
    text += '[';
    for (size_t axis = 0; axis < array.shape.size(); ++axis)
      text += (axis ? ", " : "") + std::to_string(array.shape[axis]);
    text += ']';
  }
  return text;
}

/// Writes every element as a JSON array on one line, flat and in row-major order. Numbers that are
/// not finite become text, because JSON has none.
std::string elementsJson(const HostArray &array) {
  const size_t size = elementSize(array.type);
  std::string list = "[";
  for (uint64_t index = 0; index < array.count(); ++index) {
    const std::string text = formatElement(array.bytes.data() + index * size, array.type);
    const bool isNumber = text.find_first_of("nN") == std::string::npos;
    list += (index ? ", " : "") + (isNumber ? text : packager::jsonString(text));
  }
  return list + "]";
}

/// Writes arrays after the launch, the requested fields, and return values, by name.
using Outputs = std::vector<std::pair<std::string, HostArray>>;

/// How the launches went.
struct Ran {
  double milliseconds = 0;          ///< a launch
  std::optional<GraphStatus> ended; ///< the last one, at a checkpoint
};

Outputs launch(const Chosen &chosen, const Signature &signature, HostArguments host,
               unsigned repeat, Ran &ran) {
  DeviceArguments arguments = upload(chosen.device, signature, host);
  std::vector<HostArray> values;
  std::vector<sxt_result> results;
  for (const sxt_parameter_info &info : signature.results) {
    HostArray value;
    value.type = sxt_dtype_name(info.dtype);
    value.shape = elementShape(info.rows, info.cols);
    value.bytes.resize(value.count() * elementSize(value.type));
    values.push_back(std::move(value));
  }
  for (size_t index = 0; index < values.size(); ++index)
    results.push_back({sizeof(sxt_result), signature.results[index].dtype,
                       signature.results[index].rows, signature.results[index].cols,
                       values[index].bytes.data()});

  require(sxt_device_synchronize(chosen.device.get()));
  auto begin = std::chrono::steady_clock::now();
  for (unsigned count = 0; count < repeat; ++count) {
    if (results.empty()) {
      sxt_graph_status status{};
      status.struct_size = sizeof status;
      require(sxt_kernel_resume(chosen.kernel.get(), nullptr, arguments.list.data(),
                                arguments.list.size(), nullptr, &status));
      if (status.yielded)
        ran.ended = GraphStatus{true, status.checkpoint};
    } else
      require(sxt_kernel_call(chosen.kernel.get(), nullptr, arguments.list.data(),
                              arguments.list.size(), results.data(), results.size()));
  }
  require(sxt_device_synchronize(chosen.device.get()));
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  ran.milliseconds = took.count() / repeat;

  Outputs outputs;
  size_t buffer = 0;
  for (size_t index = 0; index < signature.arguments.size(); ++index) {
    if (signature.arguments[index].kind != SXT_ARGUMENT_ARRAY)
      continue;
    HostArray &array = host.arrays[index];
    require(sxt_buffer_read(arguments.buffers[buffer++].get(), 0, array.bytes.data(),
                            array.bytes.size(), nullptr));
    outputs.emplace_back(signature.arguments[index].name, std::move(array));
  }
  for (size_t index = 0; index < values.size(); ++index)
    outputs.emplace_back(values.size() == 1 ? std::string("return")
                                            : "return" + std::to_string(index),
                         std::move(values[index]));
  return outputs;
}

std::string jsonOf(const Chosen &chosen, const Signature &signature, const Outputs &outputs,
                   const Ran &ran) {
  const Device::Info device = chosen.device.info();
  packager::JsonWriter json;
  json.beginDocument().member("kernel", signature.name);
  json.member("variant", chosen.kernel.variant()).key("device").beginObject();
  json.member("name", device.name).member("description", device.description);
  json.member("backend", device.backend).member("arch", device.arch).endObject();
  json.member("milliseconds", ran.milliseconds);
  if (ran.ended)
    json.member("checkpoint", ran.ended->checkpoint);
  json.key("outputs").beginArray();
  for (const auto &[name, array] : outputs) {
    json.beginObject().member("name", name).member("dtype", array.type).key("shape").beginArray();
    for (int64_t extent : array.shape)
      json.value(extent);
    json.endArray().key("values").raw(elementsJson(array)).endObject();
  }
  return json.endArray().endObject().str();
}

int runCommand(RunOptions options, Environment &environment) {
  options.call = sorted(std::move(options.call));
  Module module = openForLaunch(environment, options.call.module);
  Signature signature = findKernel(module, options.call.kernel);
  checkRules(environment, options.call, signature.name);
  HostArguments host = readArguments(signature, options.call, environment);
  std::map<std::string, std::string> save = splitPairs(options.save);
  Chosen chosen = choose(options.call, module, signature, environment);
  writeFields(chosen, options.call, environment);

  Ran ran;
  Outputs outputs = launch(chosen, signature, std::move(host), std::max(options.repeat, 1u), ran);
  for (const auto &[name, file] : save) {
    auto same = [&, &wanted = name](const auto &output) { return output.first == wanted; };
    if (std::none_of(outputs.begin(), outputs.end(), same)) {
      HostArray field = globalArray(chosen, name);
      require(sxt_program_global_read(chosen.program.get(), name.c_str(), 0, field.bytes.data(),
                                      field.bytes.size(), nullptr));
      outputs.emplace_back(name, std::move(field));
    }
  }
  for (const auto &[name, array] : outputs)
    if (auto file = save.find(name); file != save.end())
      writeFile(environment, file->second, formatNpy(array));
  if (options.json) {
    environment.out << jsonOf(chosen, signature, outputs, ran);
    return 0;
  }
  if (environment.messages.quiet)
    return 0;
  char time[32];
  std::snprintf(time, sizeof time, "%.3f ms", ran.milliseconds);
  environment.out << signature.name << " ran as " << chosen.kernel.variant() << " on "
                  << chosen.device.name() << " (" << chosen.device.info().description << ") in "
                  << time << (options.repeat > 1 ? " each" : "") << "\n";
  if (ran.ended)
    environment.out << "checkpoint " << ran.ended->checkpoint << " ended the launch\n";
  for (const auto &[name, array] : outputs)
    environment.out << headline(name, array) << " = " << resultText(array) << "\n";
  return 0;
}

} // namespace

void addRunCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *run = app.add_subcommand("run", "Launch a kernel of a module");
  addCallOptions(*run, options->call);
  run->add_option("--save", options->save,
                  "NAME=FILE.npy: writes an array, a field or 'return' after the launch");
  run->add_option("--repeat", options->repeat, "launch so many times, give the mean time")
      ->check(wholeNumber("--repeat", 1));
  run->add_flag("--json", options->json, "print one JSON object, with every element");
  actions[run] = [options, &environment] {
    return calling([&] { return runCommand(*options, environment); });
  };
}

} // namespace sextant
