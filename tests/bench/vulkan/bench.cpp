// The device's own subgroup arithmetic beside trees of shuffles: the pairs lib_X and tree_X of
// each module, in turn on one stream, the best of several rounds. Results have to agree.
//
//   bench-vulkan [ELEMENTS] TYPE_kLOG2.sxt…      "f64_k5.sxt": f64, tiles of 32 lanes
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

using namespace sextant;

namespace {

constexpr int rounds = 5, launchesPerRound = 5;

double timeOne(const Device &device, const Kernel &kernel, const auto &x, const auto &out) {
  const Stream stream = device.defaultStream();
  Event begin(device), end(device);
  begin.record(stream);
  for (int i = 0; i < launchesPerRound; ++i)
    kernel(stream, x, out);
  end.record(stream);
  end.synchronize();
  return end.since(begin) * 1e3 / launchesPerRound;
}

/// Sums of reals may differ by their order.
template <class T> size_t differences(const std::vector<T> &a, const std::vector<T> &b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    bool close = std::is_floating_point_v<T> &&
                 std::fabs(double(a[i]) - double(b[i])) <= 1e-3 * (1 + std::fabs(double(b[i])));
    count += !(a[i] == b[i] || close || (a[i] != a[i] && b[i] != b[i]));
  }
  return count;
}

template <class T> void compare(const Device &device, const std::string &path, size_t elements) {
  const Module module = Module::open(path);
  const Program program(module, device);
  std::vector<T> values(elements);
  uint64_t random = 1;
  for (T &value : values) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    value = T(random >> 56);
  }
  const Array<T> x(device, std::span<const T>(values)), ours(device, std::span<const T>(values)),
      trees(device, std::span<const T>(values));
  std::string name = path.substr(path.find_last_of('/') + 1);
  const int lanes = 1 << (name.find("_k") == name.npos ? 5 : name[name.find("_k") + 2] - '0');
  for (const std::string &kernel : module.kernels()) {
    if (!kernel.starts_with("lib_"))
      continue;
    const std::string op = kernel.substr(4);
    const Kernel lib = program.kernel(kernel), tree = program.kernel("tree_" + op);
    double best[2] = {1e30, 1e30};
    for (int round = 0; round <= rounds; ++round) { // the first warms up
      const double a = timeOne(device, lib, x, ours), b = timeOne(device, tree, x, trees);
      if (round) {
        best[0] = std::min(best[0], a);
        best[1] = std::min(best[1], b);
      }
    }
    const size_t wrong = differences(ours.read(), trees.read());
    std::printf("| %s | %d | %s | %.1f | %.1f | %.2f | %s |\n", name.substr(0, 3).c_str(), lanes,
                op.c_str(), best[0], best[1], best[1] / best[0],
                wrong ? (std::to_string(wrong) + " differ").c_str() : "yes");
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) try {
  const Device device = Device::open("vulkan");
  const Device::Info info = device.info();
  std::printf("%s (%s, %s)\nfeatures:", info.name, info.arch, info.description);
  for (size_t i = 0; i < info.feature_count; ++i)
    std::printf(" %s", info.features[i]);
  std::printf(
      "\n\n| type | lanes | operation | native µs | shuffles µs | shuffles/native | agree |\n"
      "|---|---|---|---|---|---|---|\n");
  size_t elements = size_t(1) << 22;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i], name = path.substr(path.find_last_of('/') + 1);
    if (std::isdigit(path[0]))
      elements = std::stoul(path);
    else if (name.starts_with("i32"))
      compare<int32_t>(device, path, elements);
    else if (name.starts_with("u32"))
      compare<uint32_t>(device, path, elements);
    else if (name.starts_with("i64"))
      compare<int64_t>(device, path, elements);
    else if (name.starts_with("u64"))
      compare<uint64_t>(device, path, elements);
    else if (name.starts_with("f64"))
      compare<double>(device, path, elements);
    else
      compare<float>(device, path, elements);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
