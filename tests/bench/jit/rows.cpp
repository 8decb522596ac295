// The kernels of rows.py and scans.py from a module: the same arrays and launches as in
// run_rows.py, by the drivers given. Medians of 15 rounds of 50 launches, timed by the host's clock
// from a synchronised device to the next, and sums of the results.
//
//   bench-jit-rows ROWS.sxt SCANS.sxt DEVICE…      "cuda", "vulkan"
#include "../device-rows.h"

using namespace sextant;

namespace {

constexpr int count = 1 << 22, rows = 1 << 20, particles = 1 << 20, plane = 1 << 10;

/// Numbers below 2^bits.
std::vector<int32_t> mixed(int number, unsigned bits, unsigned seed = 0) {
  std::vector<int32_t> all(static_cast<size_t>(number));
  for (int i = 0; i < number; ++i)
    all[size_t(i)] = int32_t((unsigned(i) + seed) * 2654435761u >> (32 - bits));
  return all;
}
std::vector<float> reals(int number, float least, float most, unsigned seed) {
  std::vector<float> all(static_cast<size_t>(number));
  const std::vector<int32_t> numbers = mixed(number, 20, seed);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = least + (most - least) * float(numbers[i]) / float(1 << 20);
  return all;
}

void measure(const char *backend, const char *rowsPath, const char *scansPath) {
  DeviceRows bench{Device::open(backend), 50, 15};
  Program program(Module::open(rowsPath), bench.device),
      scans(Module::open(scansPath), bench.device);
  std::printf("\n%s, variant %s\n\n", bench.device.info().description,
              program.kernel("spmv").variant().c_str());
  Stream &stream = bench.stream;
  {
    auto price = bench.array(reals(count, 5, 30, 0)), strike = bench.array(reals(count, 5, 30, 7)),
         years = bench.array(reals(count, 0.25f, 10, 13));
    Array<float> call(bench.device, int64_t(count));
    for (const char *name : {"black_scholes", "black_scholes_strided"}) {
      const Kernel kernel = program.kernel(name);
      bench.row(
          name, [&] { kernel(stream, price, strike, years, call); }, [&] { return sumOf(call); });
    }
  }
  {
    std::vector<int32_t> begin{0};
    for (const int32_t length : mixed(rows, 4))
      begin.push_back(begin.back() + 8 + length);
    const int entries = begin.back();
    auto first = bench.array(begin), column = bench.array(mixed(entries, 20));
    auto value = bench.array(reals(entries, 0, 1, 3)), x = bench.array(reals(rows, 0, 1, 5));
    Array<float> y(bench.device, int64_t(rows));
    for (const char *name : {"spmv", "spmv_strided"}) {
      const Kernel kernel = program.kernel(name);
      bench.row(
          name, [&] { kernel(stream, first, column, value, x, y); }, [&] { return sumOf(y); });
    }
  }
  {
    std::vector<int32_t> sorted(static_cast<size_t>(rows));
    for (int i = 0; i < rows; ++i)
      sorted[size_t(i)] = 16 * i;
    auto table = bench.array(sorted), keys = bench.array(mixed(count, 24));
    Array<int32_t> places(bench.device, int64_t(count));
    for (const char *name : {"lower_bound", "lower_bound_strided"}) {
      const Kernel kernel = program.kernel(name);
      bench.row(name, [&] { kernel(stream, table, keys, places); }, [&] { return sumOf(places); });
    }
  }
  {
    using Four = Vector<float, 4>;
    Array<Four> x(bench.device, int64_t(count)), y(bench.device, int64_t(count));
    x.clear(), y.clear();
    const Kernel kernel = program.kernel("saxpy4");
    bench.row("saxpy4", [&] { kernel(stream, 2.0f, x, y); }, [] { return 0.0; });
    auto px = bench.array(reals(particles, 0, plane - 2, 1)),
         py = bench.array(reals(particles, 0, plane - 2, 77777));
    Array<Four, 2> grid(bench.device, {plane, plane});
    grid.clear();
    const Kernel scatter = program.kernel("scatter");
    bench.row("scatter", [&] { scatter(stream, px, py, grid); }, [] { return 0.0; });
    auto numbers = bench.array(mixed(count, 8));
    Array<int32_t> sums(bench.device, int64_t(count));
    const Kernel scan = scans.kernel("scan");
    bench.row("scan", [&] { scan(stream, numbers, sums); }, [&] { return sumOf(sums); });
  }
}

} // namespace

int main(int argc, char **argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench-jit-rows ROWS.sxt SCANS.sxt DEVICE...\n");
    return 2;
  }
  for (int i = 3; i < argc; ++i)
    measure(argv[i], argv[1], argv[2]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "bench-jit-rows: %s\n", error.what());
  return 1;
}
