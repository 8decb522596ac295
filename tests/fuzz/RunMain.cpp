// Launches kernels of a module on a device and compares with what is expected. It knows the
// loader and nothing else, so that it runs on machines without the compiler.
//
//   sextant-fuzz-run MODULE CASES [--device=NAME] [--variant=PATTERN] [--wave=N]
//
// CASES holds two launches a kernel (Cases.h): what goes in, and what has to come out. It prints
// a line a kernel: "clean K", "differs K WHAT", "refused K WHY" or "failed K WHY"; before each,
// "launching K", for whoever wants to know where it died. Status 0: no kernel differed or failed.
#include "tests/fuzz/Cases.h"

#include "sextant/sextant.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <set>

using namespace fuzz;

namespace {

struct Failure {
  sxt_status status;
  std::string message;
};

void check(sxt_status status) {
  if (status != SXT_OK)
    throw Failure{status, sxt_last_error_message()};
}

unsigned bytesOf(Scalar type) { return type == Scalar::U1 ? 1 : bitsOf(type) / 8; }

std::string oneLine(std::string text) {
  for (char &c : text)
    if (c == '\n')
      c = ';';
  return text;
}

/// Prints of the threads come in any order, those of a thread in its own.
std::string comparePrints(const std::vector<std::string> &expected,
                          const std::vector<std::string> &got) {
  const auto byThread = [](const std::vector<std::string> &texts) {
    std::multimap<std::string, std::string> threads; // keeps the order of each
    for (const std::string &text : texts)
      threads.emplace(text.substr(0, text.find_first_of(" |/,;")), text);
    return threads;
  };
  const auto wanted = byThread(expected), there = byThread(got);
  auto next = there.begin();
  for (const auto &[thread, text] : wanted) {
    if (next == there.end() || next->second != text)
      return "a print is " + (next == there.end() ? "missing" : next->second) + ", expected " +
             text;
    ++next;
  }
  return next == there.end() ? "" : "one print too many: " + next->second;
}

sxt_dtype dtypeOf(Scalar type) {
  static constexpr sxt_dtype dtypes[] = {
      SXT_DTYPE_BOOL, SXT_DTYPE_I8,  SXT_DTYPE_I16, SXT_DTYPE_I32, SXT_DTYPE_I64, SXT_DTYPE_U8,
      SXT_DTYPE_U16,  SXT_DTYPE_U32, SXT_DTYPE_U64, SXT_DTYPE_F16, SXT_DTYPE_F32, SXT_DTYPE_F64};
  return dtypes[size_t(type)];
}

std::vector<char> pack(const Datum &datum) {
  const unsigned width = bytesOf(datum.type);
  std::vector<char> bytes(std::max<size_t>(datum.data.size() * width, 1));
  for (size_t i = 0; i < datum.data.size(); ++i)
    std::memcpy(&bytes[i * width], &datum.data[i], width);
  return bytes;
}

/// The first difference, or "". Any NaN equals any other.
std::string compareWith(const Datum &expected, const std::vector<char> &bytes) {
  const unsigned width = bytesOf(expected.type);
  for (size_t i = 0; i < expected.data.size(); ++i) {
    Bits got = 0;
    std::memcpy(&got, &bytes[i * width], width);
    got = wrap(expected.type, got);
    if (got == expected.data[i] ||
        (isNan(expected.type, got) && isNan(expected.type, expected.data[i])))
      continue;
    auto show = [&](Bits bits) {
      char text[64];
      if (isReal(expected.type))
        std::snprintf(text, sizeof text, "%.17g", toDouble(expected.type, bits));
      else if (isSigned(expected.type))
        std::snprintf(text, sizeof text, "%lld", (long long)bits);
      else
        std::snprintf(text, sizeof text, "%llu", (unsigned long long)bits);
      return std::string(text);
    };
    return expected.name + "[" + std::to_string(i) + "] is " + show(got) + ", expected " +
           show(expected.data[i]);
  }
  return "";
}

std::string launchOne(sxt_module *module, sxt_device *device, const sxt_program_options &options,
                      const Launch &before, const Launch &after) {
  // Fields are zero at first in each program: a launch has one of its own.
  sxt_program *program = nullptr;
  check(sxt_program_create(module, device, &options, &program));
  std::vector<sxt_buffer *> buffers;
  struct Release {
    sxt_program *program;
    std::vector<sxt_buffer *> &buffers;
    ~Release() {
      for (sxt_buffer *buffer : buffers)
        sxt_buffer_release(buffer);
      sxt_program_release(program);
    }
  } release{program, buffers};
  sxt_kernel *kernel = nullptr;
  check(sxt_program_kernel(program, before.kernel.c_str(), &kernel));

  size_t index = 0;
  sxt_kernel_info info{};
  info.struct_size = sizeof info;
  check(sxt_kernel_index(kernel, &index));
  check(sxt_module_kernel(module, index, &info));
  std::set<std::string> taken; // for a record, the members that the kernel uses
  for (size_t i = 0; i < info.argument_count; ++i) {
    sxt_parameter_info parameter{};
    parameter.struct_size = sizeof parameter;
    check(sxt_module_argument(module, index, i, &parameter));
    taken.insert(parameter.name);
  }
  std::vector<sxt_argument> arguments;
  std::deque<std::vector<char>> values; // values of vectors and matrices
  for (const Datum &datum : before.arguments) {
    sxt_argument argument{};
    argument.struct_size = sizeof argument;
    argument.dtype = dtypeOf(datum.type);
    argument.rows = argument.cols = 1;
    if (datum.name.find('.') != std::string::npos && !datum.isArray && !taken.contains(datum.name))
      continue;
    if (datum.isArray) {
      const std::vector<char> bytes = pack(datum);
      sxt_buffer *buffer = nullptr;
      check(sxt_buffer_create(device, bytes.size(), &buffer));
      buffers.push_back(buffer);
      check(sxt_buffer_write(buffer, 0, bytes.data(), bytes.size(), nullptr));
      argument.kind = SXT_ARGUMENT_ARRAY;
      argument.ndim = uint32_t(datum.shape.size());
      for (size_t i = 0; i < datum.shape.size() && i < SXT_MAX_DIMS; ++i)
        argument.shape[i] = datum.shape[i];
      argument.rows = datum.element.empty() ? 1 : uint32_t(datum.element[0]);
      argument.cols = datum.element.size() < 2 ? 1 : uint32_t(datum.element[1]);
      argument.value.buffer = buffer;
    } else if (!datum.element.empty()) {
      values.push_back(pack(datum));
      argument.kind = SXT_ARGUMENT_MATRIX;
      argument.rows = uint32_t(datum.element[0]);
      argument.cols = datum.element.size() < 2 ? 1 : uint32_t(datum.element[1]);
      argument.value.data = values.back().data();
    } else {
      argument.kind = SXT_ARGUMENT_SCALAR;
      argument.value.bits = datum.data.at(0);
      if (bytesOf(datum.type) < 8)
        argument.value.bits &= (Bits(1) << 8 * bytesOf(datum.type)) - 1;
    }
    arguments.push_back(argument);
  }
  std::vector<sxt_result> results;
  std::vector<std::vector<char>> resultBytes;
  for (size_t i = 0; i < after.results.size(); ++i) {
    sxt_result result{};
    result.struct_size = sizeof result;
    result.dtype = dtypeOf(after.results[i].type);
    const std::vector<int64_t> &element = after.results[i].element;
    result.rows = element.empty() ? 1 : uint32_t(element[0]);
    result.cols = element.size() < 2 ? 1 : uint32_t(element[1]);
    resultBytes.emplace_back(size_t(8) * result.rows * result.cols);
    result.data = resultBytes[i].data();
    results.push_back(result);
  }
  std::vector<std::string> prints;
  sxt_print_set_callback(
      [](const char *text, size_t length, void *user) {
        static_cast<std::vector<std::string> *>(user)->emplace_back(text, length);
      },
      &prints);
  check(sxt_kernel_call(kernel, nullptr, arguments.data(), arguments.size(), results.data(),
                        results.size()));
  std::string difference = comparePrints(after.prints, std::move(prints));
  size_t next = 0;
  for (const Datum &expected : after.arguments) {
    if (!expected.isArray)
      continue;
    std::vector<char> bytes = pack(expected);
    check(sxt_buffer_read(buffers[next++], 0, bytes.data(), bytes.size(), nullptr));
    if (difference.empty())
      difference = compareWith(expected, bytes);
  }
  for (const Datum &expected : after.fields) {
    std::vector<char> bytes = pack(expected);
    check(sxt_program_global_read(program, expected.name.c_str(), 0, bytes.data(), bytes.size(),
                                  nullptr));
    if (difference.empty())
      difference = compareWith(expected, bytes);
  }
  for (size_t i = 0; i < after.results.size(); ++i)
    if (difference.empty())
      difference = compareWith(after.results[i], resultBytes[i]);
  return difference;
}

int run(const std::string &modulePath, const std::string &casesPath, const char *deviceName,
        const char *variant, unsigned wave) {
  const std::vector<Launch> launches = readLaunches(readFile(casesPath));
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  check(sxt_module_open_file(modulePath.c_str(), &module));
  check(sxt_device_open(deviceName, &device));
  sxt_program_options options{};
  options.struct_size = sizeof options;
  options.variant = variant;
  options.wave = wave;
  bool good = true;
  for (size_t i = 0; i + 1 < launches.size(); i += 2) {
    const std::string &kernel = launches[i].kernel;
    std::printf("launching %s\n", kernel.c_str());
    std::fflush(stdout);
    try {
      const std::string difference =
          launchOne(module, device, options, launches[i], launches[i + 1]);
      std::printf("%s %s %s\n", difference.empty() ? "clean" : "differs", kernel.c_str(),
                  oneLine(difference).c_str());
      good = good && difference.empty();
    } catch (const Failure &failure) {
      const bool refused = failure.status == SXT_ERROR_NO_VARIANT;
      std::printf("%s %s %s\n", refused ? "refused" : "failed", kernel.c_str(),
                  oneLine(failure.message).c_str());
      good = good && refused;
    }
    std::fflush(stdout);
  }
  sxt_device_release(device);
  sxt_module_release(module);
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  std::string paths[2];
  const char *device = nullptr, *variant = nullptr;
  unsigned wave = 0, count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--device=", 9))
      device = argv[i] + 9;
    else if (!std::strncmp(argv[i], "--variant=", 10))
      variant = argv[i] + 10;
    else if (!std::strncmp(argv[i], "--wave=", 7))
      wave = unsigned(std::atoi(argv[i] + 7));
    else if (count < 2)
      paths[count++] = argv[i];
  }
  if (count < 2) {
    std::fprintf(stderr, "usage: %s MODULE CASES [--device=NAME] [--variant=PATTERN] [--wave=N]\n",
                 argv[0]);
    return 2;
  }
  try {
    return run(paths[0], paths[1], device, variant, wave);
  } catch (const Failure &failure) {
    std::printf("error: %s\n", failure.message.c_str());
  } catch (const std::exception &error) {
    std::printf("error: %s\n", error.what());
  }
  return 2;
}
