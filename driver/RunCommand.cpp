// `sextant run`: launches one kernel of a module with arrays from files or specs.
#include "driver/ArraySpec.h"
#include "driver/Commands.h"

#include "sextant/sextant.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

namespace sextant {
namespace {

struct RunOptions {
  std::string module, kernel;
  std::vector<std::string> arguments; ///< NAME=VALUE
  std::string device, variant;
  unsigned wave = 0;
  std::vector<std::string> fields; ///< NAME=VALUE, written before the launch
  std::vector<std::string> save;   ///< NAME=FILE
  unsigned repeat = 1;
  bool quiet = false;
};

/// Errors of the loader leave as refusals.
void require(sxt_status status) {
  if (status != SXT_OK)
    throw Refusal(sxt_last_error_message());
}

template <class T> T sized() {
  T info{};
  info.struct_size = sizeof info;
  return info;
}

std::map<std::string, std::string> splitPairs(const std::vector<std::string> &texts) {
  std::map<std::string, std::string> pairs;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Refusal("'" + text + "' is not of the form NAME=VALUE");
    if (!pairs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw Refusal("'" + text.substr(0, equals) + "' is given twice");
  }
  return pairs;
}

std::string typeName(const sxt_parameter_info &info) {
  std::string type = sxt_dtype_name(info.dtype);
  if (info.rows > 1 || info.cols > 1)
    type += " " + std::to_string(info.rows) +
            (info.cols > 1 ? "x" + std::to_string(info.cols) : "") +
            (info.cols > 1 ? " matrix" : " vector");
  return info.kind == SXT_ARGUMENT_ARRAY
             ? std::to_string(info.ndim) + "-dimensional array of " + type
             : type;
}

std::vector<int64_t> elementShape(uint32_t rows, uint32_t cols) {
  if (cols > 1)
    return {rows, cols};
  if (rows > 1)
    return {rows};
  return {};
}

/// A module's kernel, found by name, with its signature.
struct Signature {
  std::string name;
  std::vector<sxt_parameter_info> arguments, results;
};

std::vector<std::string> kernelNames(const Module &module) { return module.kernels(); }

Signature findKernel(const Module &module, const std::string &name) {
  size_t index = 0;
  if (sxt_module_find_kernel(module.get(), name.c_str(), &index) != SXT_OK) {
    std::string near = suggestion(name, kernelNames(module));
    std::string list;
    for (const std::string &known : kernelNames(module))
      list += (list.empty() ? "" : ", ") + known;
    throw Refusal(sxt_last_error_message(), near.empty() ? "the module holds " + list : near);
  }
  auto info = sized<sxt_kernel_info>();
  require(sxt_module_kernel(module.get(), index, &info));
  Signature signature{info.name, {}, {}};
  for (size_t argument = 0; argument < info.argument_count; ++argument) {
    auto parameter = sized<sxt_parameter_info>();
    require(sxt_module_argument(module.get(), index, argument, &parameter));
    signature.arguments.push_back(parameter);
  }
  for (size_t result = 0; result < info.result_count; ++result) {
    auto parameter = sized<sxt_parameter_info>();
    require(sxt_module_result(module.get(), index, result, &parameter));
    signature.results.push_back(parameter);
  }
  return signature;
}

/// The values of the command line, checked against the signature.
struct HostArguments {
  std::vector<HostArray> arrays;    ///< one an argument; empty for scalars
  std::vector<std::string> scalars; ///< bytes, one an argument; empty for arrays
};

HostArray readArray(const Environment &environment, const std::string &text,
                    const WantedArray &wanted) {
  if (std::optional<HostArray> array = parseArraySpec(text, wanted))
    return *array;
  if (!text.ends_with(".npy"))
    throw Refusal(wanted.name + ": '" + text + "' is neither an array file nor a spec",
                  "write FILE.npy, zeros:f32[8], iota:i32[8], random:f32[8] or const:1.5:f32[8]");
  HostArray array = parseNpy(readFile(environment, text), text);
  checkArray(array, wanted);
  return array;
}

HostArguments readArguments(const Signature &signature, std::map<std::string, std::string> given,
                            const Environment &environment) {
  HostArguments host;
  std::vector<std::string> names;
  for (const sxt_parameter_info &info : signature.arguments) {
    names.push_back(info.name);
    auto found = given.find(info.name);
    if (found == given.end()) {
      std::string example = info.kind != SXT_ARGUMENT_ARRAY ? "=1"
                            : info.ndim == 1                ? "=iota[16]"
                                                            : "=zeros[16,16]";
      throw Refusal("kernel '" + signature.name + "' needs '" + info.name + "', a " +
                        typeName(info),
                    "add " + std::string(info.name) + example);
    }
    std::string text = found->second;
    given.erase(found);
    host.arrays.emplace_back();
    host.scalars.emplace_back();
    if (info.kind == SXT_ARGUMENT_ARRAY)
      host.arrays.back() = readArray(
          environment, text,
          {info.name, sxt_dtype_name(info.dtype), info.ndim, elementShape(info.rows, info.cols)});
    else if (info.kind == SXT_ARGUMENT_SCALAR)
      host.scalars.back() = encodeScalar(text, sxt_dtype_name(info.dtype), info.name);
    else
      host.scalars.back() =
          encodeMatrix(text, sxt_dtype_name(info.dtype), size_t(info.rows) * info.cols, info.name);
  }
  if (!given.empty()) {
    const std::string &name = given.begin()->first;
    throw Refusal("kernel '" + signature.name + "' has no argument '" + name + "'",
                  suggestion(name, names));
  }
  return host;
}

/// A device with a variant of the kernel, and the program there.
struct Chosen {
  Device device;
  Program program;
  Kernel kernel;
};

Chosen choose(const RunOptions &options, const Module &module, const Signature &signature,
              const Environment &environment) {
  auto on = [&](const std::string &name) {
    Device device = Device::open(name);
    Program program(module, device, options.variant, options.wave);
    Kernel kernel = program.kernel(signature.name);
    return Chosen{std::move(device), std::move(program), kernel};
  };
  if (!options.device.empty() || environment.variable("SEXTANT_DEVICE"))
    return on(options.device);
  // The best device that has a variant; the last one's reason if none has.
  std::vector<Device::Info> devices = Device::all();
  for (size_t index = 0;; ++index) {
    try {
      return on(devices.at(index).name);
    } catch (const Error &error) {
      bool skip = error.status() == SXT_ERROR_NO_VARIANT || error.status() == SXT_ERROR_NO_DEVICE;
      if (!skip || index + 1 >= devices.size())
        throw;
    }
  }
}

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

/// Arrays after the launch, fields that were asked for, and return values, by name.
using Outputs = std::vector<std::pair<std::string, HostArray>>;

HostArray globalArray(const Chosen &chosen, const std::string &name) {
  auto info = sized<sxt_global_info>();
  require(sxt_program_global(chosen.program.get(), name.c_str(), &info));
  HostArray array;
  array.type = sxt_dtype_name(info.dtype);
  array.shape.assign(info.shape, info.shape + info.ndim);
  for (int64_t extent : elementShape(info.rows, info.cols))
    array.shape.push_back(extent);
  array.bytes.resize(info.size_bytes);
  return array;
}

void writeFields(const Chosen &chosen, const RunOptions &options, const Environment &environment) {
  for (const auto &[name, text] : splitPairs(options.fields)) {
    HostArray field = globalArray(chosen, name);
    WantedArray wanted{name, field.type, static_cast<unsigned>(field.shape.size()), {}};
    HostArray value = readArray(environment, text, wanted);
    if (value.shape != field.shape)
      throw Refusal(name + ": the field has another shape than '" + text + "'");
    require(sxt_program_global_write(chosen.program.get(), name.c_str(), 0, value.bytes.data(),
                                     value.bytes.size(), nullptr));
  }
}

Outputs launch(const Chosen &chosen, const Signature &signature, HostArguments host,
               unsigned repeat, double &milliseconds) {
  std::vector<Buffer> buffers;
  std::vector<sxt_argument> arguments;
  for (size_t index = 0; index < signature.arguments.size(); ++index) {
    const sxt_parameter_info &info = signature.arguments[index];
    std::string &scalar = host.scalars[index];
    if (info.kind == SXT_ARGUMENT_ARRAY) {
      HostArray &array = host.arrays[index];
      buffers.emplace_back(chosen.device, array.bytes.size());
      require(sxt_buffer_write(buffers.back().get(), 0, array.bytes.data(), array.bytes.size(),
                               nullptr));
      arguments.push_back(
          sxt_make_array(buffers.back().get(), info.dtype, info.ndim, array.shape.data()));
      arguments.back().rows = info.rows;
      arguments.back().cols = info.cols;
    } else if (info.kind == SXT_ARGUMENT_SCALAR) {
      arguments.push_back(sxt_make_scalar(info.dtype, scalar.data(), scalar.size()));
    } else {
      arguments.push_back(sxt_make_matrix(scalar.data(), info.dtype, info.rows, info.cols));
    }
  }
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
    if (results.empty())
      require(sxt_kernel_launch(chosen.kernel.get(), nullptr, arguments.data(), arguments.size()));
    else
      require(sxt_kernel_call(chosen.kernel.get(), nullptr, arguments.data(), arguments.size(),
                              results.data(), results.size()));
  }
  require(sxt_device_synchronize(chosen.device.get()));
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  milliseconds = took.count() / repeat;

  Outputs outputs;
  size_t buffer = 0;
  for (size_t index = 0; index < signature.arguments.size(); ++index) {
    if (signature.arguments[index].kind != SXT_ARGUMENT_ARRAY)
      continue;
    HostArray &array = host.arrays[index];
    require(sxt_buffer_read(buffers[buffer++].get(), 0, array.bytes.data(), array.bytes.size(),
                            nullptr));
    outputs.emplace_back(signature.arguments[index].name, std::move(array));
  }
  for (size_t index = 0; index < values.size(); ++index)
    outputs.emplace_back(values.size() == 1 ? std::string("return")
                                            : "return" + std::to_string(index),
                         std::move(values[index]));
  return outputs;
}

int runCommand(const RunOptions &options, Environment &environment) {
  Module module = Module::open(resolvePath(environment, options.module));
  Signature signature = findKernel(module, options.kernel);
  HostArguments host = readArguments(signature, splitPairs(options.arguments), environment);
  std::map<std::string, std::string> save = splitPairs(options.save);
  Chosen chosen = choose(options, module, signature, environment);
  writeFields(chosen, options, environment);

  double milliseconds = 0;
  Outputs outputs =
      launch(chosen, signature, std::move(host), std::max(options.repeat, 1u), milliseconds);
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
  if (options.quiet)
    return 0;
  char time[32];
  std::snprintf(time, sizeof time, "%.3f ms", milliseconds);
  environment.out << signature.name << " ran as " << chosen.kernel.variant() << " on "
                  << chosen.device.name() << " (" << chosen.device.info().description << ") in "
                  << time << (options.repeat > 1 ? " each" : "") << "\n";
  for (const auto &[name, array] : outputs)
    environment.out << headline(name, array) << " = " << resultText(array) << "\n";
  return 0;
}

} // namespace

void addRunCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *run = app.add_subcommand("run", "Launch a kernel of a module");
  run->add_option("module", options->module, "the module (.sxt)")->required();
  run->add_option("kernel", options->kernel, "the kernel's name")->required();
  run->add_option("arguments", options->arguments,
                  "NAME=VALUE for every argument: a number, FILE.npy, zeros:f32[8], "
                  "iota:i32[4,4], random:f32[8], const:1.5:f32[8]");
  run->add_option("--device", options->device, "cpu, cuda, cuda:1; default: the best usable one");
  run->add_option("--variant", options->variant,
                  "only targets that this names: cuda, sm_90, x86-64-v3/wave8");
  run->add_option("--wave", options->wave, "only variants of this wave size");
  run->add_option("--field", options->fields, "NAME=VALUE: fills a field before the launch")
      ->allow_extra_args(false);
  run->add_option("--save", options->save,
                  "NAME=FILE.npy: writes an array, a field or 'return' after the launch")
      ->allow_extra_args(false);
  run->add_option("--repeat", options->repeat, "launch so many times, give the mean time")
      ->check(CLI::PositiveNumber);
  run->add_flag("-q,--quiet", options->quiet, "print nothing");
  run->callback([options, &environment, &action] {
    action = [options, &environment] {
      try {
        return runCommand(*options, environment);
      } catch (const Error &error) {
        throw Refusal(error.what());
      }
    };
  });
}

} // namespace sextant
