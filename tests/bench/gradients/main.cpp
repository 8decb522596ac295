// Times kernels beside their gradients: bench-gradients MODULE DEVICE [ELEMENTS [ROUNDS]].
//
// A row has the median time of a launch of each, in rounds by turns, and how many times as long the
// gradient takes.
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int64_t row = 64;

struct Launch {
  sextant::Kernel kernel;
  std::vector<sextant::Buffer> buffers;
  std::vector<sxt_argument> arguments;

  void operator()(const sextant::Stream &stream) {
    sextant::check(
        sxt_kernel_launch(kernel.get(), stream.get(), arguments.data(), arguments.size()));
  }
};

/// A kernel with arrays of its own: numbers near one for its values, and ones for gradients.
Launch prepare(const sextant::Device &device, const sextant::Module &module,
               sextant::Program &program, const sxt_kernel_info &info, size_t index,
               int64_t elements) {
  Launch launch;
  launch.kernel = program.kernel(info.name);
  for (size_t k = 0; k < info.argument_count; ++k) {
    sxt_parameter_info each{};
    each.struct_size = sizeof each;
    sextant::check(sxt_module_argument(module.get(), index, k, &each));
    const int64_t shape[] = {each.ndim == 2 ? elements / row : elements, row};
    const size_t count =
        size_t(each.rows) * each.cols * size_t(each.ndim == 2 ? elements : shape[0]);
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = std::string(each.name).find('.') == std::string::npos
                      ? 0.5f + float(i * 2654435761u % 1000) / 1000
                      : 1.0f;
    launch.buffers.emplace_back(device, count * sizeof(float));
    sextant::check(sxt_buffer_write(launch.buffers.back().get(), 0, values.data(),
                                    count * sizeof(float), device.defaultStream().get()));
    sxt_argument argument =
        sxt_make_array(launch.buffers.back().get(), each.dtype, each.ndim, shape);
    argument.rows = each.rows, argument.cols = each.cols;
    launch.arguments.push_back(argument);
  }
  return launch;
}

/// Microseconds of a launch, of many in a row.
double time(const sextant::Device &device, Launch &launch, int launches) {
  const sextant::Stream stream = device.defaultStream();
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < launches; ++k)
    launch(stream);
  stream.synchronize();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / launches;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-gradients MODULE DEVICE [ELEMENTS [ROUNDS]]\n");
    return 2;
  }
  const int64_t elements = argc > 3 ? std::atoll(argv[3]) : 1 << 22;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 15;
  const sextant::Module module = sextant::Module::open(argv[1]);
  const sextant::Device device = sextant::Device::open(argv[2]);
  sextant::Program program(module, device);
  std::printf("%s, %lld elements; us of a launch, medians of %d rounds in turn\n\n",
              device.name().c_str(), static_cast<long long>(elements), rounds);
  std::printf("| row | kernel | gradient | times |\n|---|---|---|---|\n");
  size_t count = 0;
  sextant::check(sxt_module_kernel_count(module.get(), &count));
  for (size_t index = 0; index < count; ++index) {
    sxt_kernel_info info{}, gradient{};
    info.struct_size = gradient.struct_size = sizeof info;
    sextant::check(sxt_module_kernel(module.get(), index, &info));
    size_t of = 0;
    if (sxt_module_find_kernel(module.get(), (info.name + std::string("_grad")).c_str(), &of))
      continue;
    sextant::check(sxt_module_kernel(module.get(), of, &gradient));
    Launch primal = prepare(device, module, program, info, index, elements),
           adjoint = prepare(device, module, program, gradient, of, elements);
    time(device, primal, 2), time(device, adjoint, 2);
    const int launches = std::max(1, int(20000 / std::max(time(device, adjoint, 2), 1.0)));
    std::vector<double> ours, theirs;
    for (int k = 0; k < rounds; ++k) {
      ours.push_back(time(device, primal, launches));
      theirs.push_back(time(device, adjoint, launches));
    }
    std::printf("| %s | %.1f | %.1f | %.2f |\n", info.name, median(ours), median(theirs),
                median(theirs) / median(ours));
    std::fflush(stdout);
  }
  return 0;
} catch (const sextant::Error &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
