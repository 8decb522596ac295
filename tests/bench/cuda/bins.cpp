// Counts and sums at data-dependent places, beside CUDA C++: in turn on one stream; medians.
//
//   bench-cuda-bins BINS.sxt
#include "bins.h"
#include "timing.h"

#include <cmath>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 5;
constexpr int mostShared = 12288, mostLibrary = 1 << 16;

enum class Kind { Uniform, Same, Sorted, Skewed };
struct Input {
  const char *name;
  int extent;
  Kind kind;
  int count = 1 << 24;
};

std::vector<int32_t> keysOf(const Input &input) {
  std::vector<int32_t> keys(static_cast<size_t>(input.count));
  uint64_t random = 1;
  for (int i = 0; i < input.count; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const double unit = double(random >> 11) * 0x1p-53;
    keys[size_t(i)] =
        input.kind == Kind::Same     ? input.extent / 3
        : input.kind == Kind::Sorted ? int32_t(int64_t(i) * input.extent / input.count)
        : input.kind == Kind::Skewed // the k-th place 1 / k as often as the first, far apart
            ? int32_t(unsigned(std::pow(double(input.extent), unit) - 1) * 2654435761u %
                      unsigned(input.extent))
            : int32_t(unit * input.extent);
  }
  return keys;
}

template <class T, unsigned N> T *pointer(Array<T, N> &array) {
  return reinterpret_cast<T *>(array.buffer().address());
}

struct Bench {
  const Device &device;
  Stream stream = device.createStream();
  Program program;
  bool same = true;

  template <class T>
  void compare(const std::string &name, const std::vector<double> &wanted, Array<T> &bins,
               Array<T> &theirs, const timing::Launch &ours, const timing::Launch &peer) {
    bins.clear(), theirs.clear();
    ours(), peer();
    stream.synchronize();
    for (Array<T> *each : {&bins, &theirs}) {
      const std::vector<T> got = each->read();
      for (size_t k = 0; k < got.size(); ++k)
        if (!(std::fabs(double(got[k]) - wanted[k]) <= 1e-4 * std::fabs(wanted[k])) && same) {
          std::printf("%s: element %zu is %g, not %g\n", name.c_str(), k, double(got[k]),
                      wanted[k]);
          same = false;
        }
    }
    timing::printRow(name, device, stream, launchesPerRound, ours, peer);
    std::fflush(stdout);
  }
  template <class T>
  void compareSums(const Input &input, const std::string &name, const char *kernel,
                   Array<int32_t> &x, const std::vector<int32_t> &keys);
  void compareAll(const Input &input);
};

template <class T>
void Bench::compareSums(const Input &input, const std::string &name, const char *kernelName,
                        Array<int32_t> &x, const std::vector<int32_t> &keys) {
  std::vector<T> values(keys.size());
  std::vector<double> wanted(static_cast<size_t>(input.extent));
  for (size_t i = 0; i < keys.size(); ++i) {
    values[i] = T((unsigned(i) * 2654435761u) >> 31);
    wanted[size_t(keys[i])] += double(values[i]);
  }
  Array<T> v(device, Span<const T>(values)), bins(device, int64_t(input.extent)),
      theirs(device, int64_t(input.extent));
  const Kernel kernel = program.kernel(kernelName);
  void *native = stream.native();
  const timing::Launch ours = [&] { kernel(stream, x, v, bins); };
  compare(name + ", plain", wanted, bins, theirs, ours,
          [&] { peerPlainSums(pointer(x), pointer(v), pointer(theirs), input.count, native); });
  if (input.extent <= mostShared)
    compare(name + ", shared", wanted, bins, theirs, ours, [&] {
      peerSharedSums(pointer(x), pointer(v), pointer(theirs), input.extent, input.count, native);
    });
}

void Bench::compareAll(const Input &input) {
  const std::vector<int32_t> keys = keysOf(input);
  std::vector<double> wanted(static_cast<size_t>(input.extent));
  for (const int32_t key : keys)
    ++wanted[size_t(key)];
  Array<int32_t> x(device, Span<const int32_t>(keys)), bins(device, int64_t(input.extent)),
      theirs(device, int64_t(input.extent));
  const Kernel kernel = program.kernel("counts");
  void *native = stream.native();
  const timing::Launch ours = [&] { kernel(stream, x, bins); };
  const std::string name = input.name;
  compare(name + ", plain", wanted, bins, theirs, ours,
          [&] { peerPlainCounts(pointer(x), pointer(theirs), input.count, native); });
  if (input.extent <= mostShared)
    compare(name + ", shared", wanted, bins, theirs, ours, [&] {
      peerSharedCounts(pointer(x), pointer(theirs), input.extent, input.count, native);
    });
  if (input.extent <= mostLibrary) {
    size_t bytes = 0;
    peerLibraryCounts(nullptr, bytes, pointer(x), pointer(theirs), input.extent, input.count,
                      native);
    Array<int32_t> memory(device, int64_t(bytes / 4 + 1));
    compare(name + ", CUB", wanted, bins, theirs, ours, [&] {
      peerLibraryCounts(pointer(memory), bytes, pointer(x), pointer(theirs), input.extent,
                        input.count, native);
    });
  }
  compareSums<int32_t>(input, name + ", sums i32", "sums", x, keys);
  compareSums<float>(input, name + ", sums f32", "real_sums", x, keys);
}

int run(const char *path) {
  const Device device = Device::open("cuda");
  Bench bench{device, device.createStream(), Program(Module::open(path), device)};
  std::printf("%s, variant %s\n\n", device.info().description,
              bench.program.kernel("counts").variant().c_str());
  constexpr Input inputs[] = {
      {"16 bins", 16, Kind::Uniform},
      {"256 bins", 256, Kind::Uniform},
      {"4096 bins", 4096, Kind::Uniform},
      {"65536 bins", 1 << 16, Kind::Uniform},
      {"2^20 bins", 1 << 20, Kind::Uniform},
      {"256 bins, all one", 256, Kind::Same},
      {"2^20 bins, all one", 1 << 20, Kind::Same},
      {"4096 bins, sorted", 4096, Kind::Sorted},
      {"2^20 bins, sorted", 1 << 20, Kind::Sorted},
      {"2^20 bins, skewed", 1 << 20, Kind::Skewed},
      {"2^18 keys, 256 bins", 256, Kind::Uniform, 1 << 18},
      {"2^18 keys, 4096 bins", 4096, Kind::Uniform, 1 << 18},
      {"2^18 keys, 2^20 bins", 1 << 20, Kind::Uniform, 1 << 18},
      {"2^14 keys, 16 bins", 16, Kind::Uniform, 1 << 14},
      {"2^14 keys, 2^20 bins", 1 << 20, Kind::Uniform, 1 << 14},
  };
  timing::printHead("sextant", "by hand");
  for (const Input &input : inputs)
    bench.compareAll(input);
  std::printf("\n%s\n", bench.same ? "results agree" : "RESULTS DIFFER");
  return bench.same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-bins", argc, argv, run); }
