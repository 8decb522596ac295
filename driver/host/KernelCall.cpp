// The kernels, arguments and devices of a command line.
#include "driver/host/KernelCall.h"

#include "driver/host/InstanceName.h"
#include "frontend/spelling/Texts.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sextant {

std::map<std::string, std::string> splitPairs(const std::vector<std::string> &texts) {
  std::map<std::string, std::string> pairs;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Refusal(Problem::NameWithoutEquals, "'" + text + "' is not of the form NAME=VALUE");
    if (!pairs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw Refusal(Problem::NamedTwice, "'" + text.substr(0, equals) + "' is given twice");
  }
  return pairs;
}

static std::string typeName(const sxt_parameter_info &info) {
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

Module openForLaunch(const Environment &environment, const std::string &path) {
  if (!isStream(environment, path))
    return Module::open(resolvePath(environment, path));
  const std::string &bytes = readStream(environment, path);
  return Module::fromMemory(bytes.data(), bytes.size());
}

static Requests requestsOf(const Module &module) {
  const void *text = nullptr;
  size_t size = 0;
  if (sxt_module_attachment(module.get(), requestsAttachment, &text, &size) != SXT_OK)
    return {}; // no instance has requests
  return parseRequests({static_cast<const char *>(text), size});
}

Signature findKernel(const Module &module, const std::string &name) {
  size_t index = 0;
  const Requests requests = requestsOf(module);
  const std::string instance = instanceMeant(name, module.kernels(), requests);
  if (sxt_module_find_kernel(module.get(), instance.c_str(), &index) != SXT_OK) {
    // The loader's message lists the kernels.
    const std::string message = sxt_last_error_message();
    throw Refusal(Problem::KernelNotInModule, message,
                  instancesNear(name, module.kernels(), requests));
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

static HostArray readArray(const Environment &environment, const std::string &text,
                           const WantedArray &wanted) {
  if (std::optional<HostArray> array = parseArraySpec(text, wanted))
    return std::move(*array);
  if (wanted.ndim == 0 && !text.ends_with(".npy")) {
    HostArray array{wanted.type, wanted.elementShape, {}};
    array.bytes = encodeMatrix(text, wanted.type, array.count(), wanted.name);
    return array;
  }
  if (!text.ends_with(".npy"))
    throw Refusal(Problem::RunArgumentWrong,
                  wanted.name + ": '" + text + "' is neither an array file nor a spec",
                  std::string("write FILE.npy, ") + arraySpecExamples);
  HostArray array = parseNpy(readFile(environment, text), text, wanted.type);
  checkArray(array, wanted);
  return array;
}

/// Throws Refusal if the names are others than those of the kernel's parameters. It names all of
/// them that are missing, and all that are unknown.
static void checkNames(const Signature &signature,
                       const std::map<std::string, std::string> &given) {
  std::vector<std::string> known, missing, needs, examples, unknown;
  for (const sxt_parameter_info &info : signature.arguments) {
    const std::string &name = known.emplace_back(info.name);
    if (given.count(name))
      continue;
    missing.push_back(name);
    needs.push_back("'" + name + "' (" + typeName(info) + ")");
    examples.push_back(name + (info.kind != SXT_ARGUMENT_ARRAY || info.ndim == 0 ? "=1"
                               : info.ndim == 1                                  ? "=iota[16]"
                                                : "=zeros[16,16]"));
  }
  for (const auto &[name, value] : given)
    if (std::find(known.begin(), known.end(), name) == known.end())
      unknown.push_back(name);
  const std::string kernel = "kernel '" + signature.name + "'";
  const std::string lack = missing.empty() ? "" : " needs " + joined(needs),
                    advice = missing.empty() ? "" : "add " + joined(examples, " ");
  if (!unknown.empty())
    throw Misspelling(Problem::RunArgumentWrong,
                      kernel + " has no argument '" + joined(unknown, "' or '") + "'" +
                          (missing.empty() ? "" : ", and" + lack),
                      "", unknown.front(), missing.empty() ? known : missing,
                      missing.empty() ? "it has " + joined(known) : advice);
  if (!missing.empty())
    throw Refusal(Problem::RunArgumentMissing, kernel + lack, advice);
}

HostArguments readArguments(const Signature &signature, const CallOptions &options,
                            const Environment &environment) {
  const std::map<std::string, std::string> given = splitPairs(options.arguments);
  checkNames(signature, given);
  HostArguments host;
  for (const sxt_parameter_info &info : signature.arguments) {
    const std::string &text = given.at(info.name);
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
  return host;
}

/// Returns the device names, without their numbers, that a kernel has variants for.
static std::set<std::string> backendsOf(const Module &module, const std::string &kernel) {
  const Device cpu = Device::open("cpu");
  const Program program(module, cpu);
  size_t count = 0;
  require(sxt_program_verdict_count(program.get(), kernel.c_str(), &count));
  std::set<std::string> backends;
  for (size_t index = 0; index < count; ++index) {
    auto verdict = sized<sxt_verdict>();
    require(sxt_program_verdict(program.get(), kernel.c_str(), index, &verdict));
    const std::string target = verdict.target;
    const std::string backend = target.substr(0, target.find(':'));
    const module::Family *family = module::findFamily(backend);
    backends.insert(family ? family->device : backend);
  }
  return backends;
}

/// Says for each device that the kernel has code for, here or not, why it cannot run the kernel.
static std::string whyNone(const std::vector<std::pair<std::string, std::string>> &passed,
                           std::set<std::string> backends) {
  std::string lines;
  auto add = [&](const std::string &device, const std::string &why) {
    lines += "\n  " + device + ": " + why;
  };
  for (const auto &[device, why] : passed)
    if (backends.count(device.substr(0, device.find(':'))))
      add(device, why);
  for (const auto &[device, why] : passed)
    backends.erase(device.substr(0, device.find(':')));
  for (const std::string &backend : backends)
    try {
      (void)Device::open(backend);
    } catch (const Error &error) {
      add(backend, error.what());
    }
  return lines;
}

static std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const Device::Info &device : Device::all())
    names.emplace_back(device.name);
  return names;
}

Chosen choose(const CallOptions &options, const Module &module, const Signature &signature,
              const Environment &environment) {
  auto on = [&](const std::string &name) {
    Device device = Device::open(name);
    Program program(module, device, options.variant, options.wave);
    Kernel kernel = program.kernel(signature.name);
    return Chosen{std::move(device), std::move(program), kernel};
  };
  if (!options.device.empty() || environment.variable("SEXTANT_DEVICE"))
    try {
      return on(options.device);
    } catch (const Error &error) {
      if (error.status() == SXT_ERROR_NOT_FOUND)
        throw Misspelling(Problem::DeviceMissing, error.what(), "--device", options.device,
                          deviceNames());
      throw;
    }
  // Returns the best device that opens and has a variant.
  std::vector<std::pair<std::string, std::string>> passed;
  for (const Device::Info &device : Device::all())
    try {
      return on(device.name);
    } catch (const Error &error) {
      if (error.status() != SXT_ERROR_NO_VARIANT && error.status() != SXT_ERROR_NO_DEVICE &&
          error.status() != SXT_ERROR_DEVICE)
        throw;
      passed.emplace_back(device.name, error.what());
    }
  throw Refusal(Problem::DeviceMissing, "no device here runs kernel '" + signature.name + "'" +
                                            whyNone(passed, backendsOf(module, signature.name)));
}

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

void writeFields(const Chosen &chosen, const CallOptions &options, const Environment &environment) {
  for (const auto &[name, text] : splitPairs(options.fields)) {
    HostArray field = globalArray(chosen, name);
    WantedArray wanted{name, field.type, static_cast<unsigned>(field.shape.size()), {}};
    HostArray value = readArray(environment, text, wanted);
    if (value.shape != field.shape)
      throw Refusal(Problem::RunArgumentWrong,
                    name + ": the field has another shape than '" + text + "'");
    require(sxt_program_global_write(chosen.program.get(), name.c_str(), 0, value.bytes.data(),
                                     value.bytes.size(), nullptr));
  }
}

DeviceArguments upload(const Device &device, const Signature &signature, HostArguments &host) {
  DeviceArguments arguments;
  for (size_t index = 0; index < signature.arguments.size(); ++index) {
    const sxt_parameter_info &info = signature.arguments[index];
    std::string &scalar = host.scalars[index];
    if (info.kind == SXT_ARGUMENT_ARRAY) {
      HostArray &array = host.arrays[index];
      arguments.buffers.emplace_back(device, array.bytes.size());
      require(sxt_buffer_write(arguments.buffers.back().get(), 0, array.bytes.data(),
                               array.bytes.size(), nullptr));
      arguments.list.push_back(sxt_make_array(arguments.buffers.back().get(), info.dtype, info.ndim,
                                              array.shape.data()));
      arguments.list.back().rows = info.rows;
      arguments.list.back().cols = info.cols;
    } else if (info.kind == SXT_ARGUMENT_SCALAR) {
      arguments.list.push_back(sxt_make_scalar(info.dtype, scalar.data(), scalar.size()));
    } else {
      arguments.list.push_back(sxt_make_matrix(scalar.data(), info.dtype, info.rows, info.cols));
    }
  }
  return arguments;
}

} // namespace sextant
