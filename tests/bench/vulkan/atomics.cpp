// The kernels of atomics.py by the drivers given, on 2^24 elements: medians of 11 rounds of 50
// launches, timed by the host's clock from a synchronised device to the next, and sums of the
// results of one launch.
//
//   bench-vulkan-atomics ATOMICS.sxt DEVICE…      "cuda", "vulkan"
#include "../device-rows.h"

using namespace sextant;

namespace {

constexpr int64_t count = 1 << 24, mostBins = 1 << 20;

/// Numbers below 2^20.
template <class T> std::vector<T> numbers() {
  std::vector<T> all(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    all[size_t(i)] = T(uint32_t(i) * 2654435761u >> 12);
  return all;
}

/// A row whose sum is what one launch makes of zeros.
template <class T>
void row(const DeviceRows &bench, const std::string &name, Array<T> &out,
         const std::function<void()> &launch) {
  out.clear();
  bench.row(name, launch, [&] { return sumOf(out); });
}

void measure(const char *backend, const char *path) {
  DeviceRows bench{Device::open(backend), 50, 11};
  Program program(Module::open(path), bench.device);
  Stream &stream = bench.stream;
  std::printf("\n%s, variants %s and %s\n\n", bench.device.info().description,
              program.kernel("sum_f32").variant().c_str(),
              program.kernel("bins").variant().c_str());
  const std::vector<int32_t> words = numbers<int32_t>();
  const std::vector<float> values = numbers<float>();
  const Array<int32_t> x(bench.device, Span<const int32_t>(words));
  const Array<float> v(bench.device, Span<const float>(values));
  Array<int32_t> out(bench.device, mostBins);
  Array<float> real(bench.device, mostBins);
  for (const char *name : {"sum_i32", "max_i32", "count_half", "count_seldom"})
    row(bench, name, out, [&, kernel = program.kernel(name)] { kernel(stream, x, out); });
  for (const char *name : {"sum_f32", "max_f32", "sum_rows"})
    row(bench, name, real, [&, kernel = program.kernel(name)] { kernel(stream, v, real); });
  for (const int32_t bins : {1, 16, 256, 4096, int32_t(mostBins)}) {
    const std::string of = " " + std::to_string(bins);
    for (const char *name : {"bins", "keyed_max"})
      row(bench, name + of, out,
          [&, kernel = program.kernel(name)] { kernel(stream, x, bins - 1, out); });
    row(bench, "keyed_f32" + of, real,
        [&, kernel = program.kernel("keyed_f32")] { kernel(stream, x, v, bins - 1, real); });
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-vulkan-atomics ATOMICS.sxt DEVICE...\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i)
    measure(argv[i], argv[1]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "bench-vulkan-atomics: %s\n", error.what());
  return 1;
}
