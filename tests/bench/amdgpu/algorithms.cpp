// Device-wide algorithms on AMD beside rocPRIM's: both run on the same data, and the host checks
// their results. There is no clock here: before each turn one line on stderr says whose it is, and
// amdsim's trace follows, which algorithms.awk counts.
//
//   bench-amdgpu-algorithms ALGORITHMS.sxt ROCPRIM.so EXPONENT [TEXT]
//
// Runs on 2^EXPONENT elements. TEXT: only rows whose name has it, "sort". ROCPRIM.so is what
// rocprim.sh makes.
#define SEXTANT_THROWS
#include "algorithms.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace sextant;

namespace {

struct Row {
  const char *kernel, *peer; ///< the peer's name says where it is not the kernel's
};
const Row rows[] = {{"reduce_u32", nullptr}, {"reduce_u64", nullptr},
                    {"reduce_f32", nullptr}, {"scan_u32", nullptr},
                    {"scan_u64", nullptr},   {"scan_f32", nullptr},
                    {"select_u32", nullptr}, {"histogram_f32", nullptr},
                    {"sort_u32", nullptr},   {"sort_u32", "sort_u32 radix"},
                    {"sort_u64", nullptr},   {"sort_u64", "sort_u64 radix"},
                    {"sort_pairs", nullptr}, {"sort_pairs", "sort_pairs radix"}};

template <class T> constexpr sxt_dtype dtype = SXT_DTYPE_U32;
template <> constexpr sxt_dtype dtype<uint64_t> = SXT_DTYPE_U64;
template <> constexpr sxt_dtype dtype<float> = SXT_DTYPE_F32;
template <> constexpr sxt_dtype dtype<int32_t> = SXT_DTYPE_I32;

class Bench {
public:
  Bench(const char *module, const char *peers, int exponent)
      : n(size_t(1) << exponent), device(Device::open("hip")), stream(device.createStream()),
        program(Module::open(module), device) {
    // The peers call HIP's runtime, which they do not name.
    if (!dlopen("libamdhip64.so", RTLD_NOW | RTLD_GLOBAL))
      throw std::runtime_error(dlerror());
    void *library = dlopen(peers, RTLD_NOW);
    if (!library)
      throw std::runtime_error(dlerror());
    peer = reinterpret_cast<PeerRun *>(dlsym(library, "rocprim_run"));
    for (Buffer *each : {&in, &out, &more, &moreOut})
      *each = Buffer(device, n * 8 + 4096);
    scratch = Buffer(device, n * 16 + (1 << 20));
    count = Buffer(device, 16);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < n; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      random.push_back(state);
    }
  }

  bool run(std::string_view wanted) {
    bool right = true;
    for (const Row &row : rows) {
      const std::string_view kernel = row.kernel;
      if (std::string_view(row.peer ? row.peer : row.kernel).find(wanted) == std::string_view::npos)
        continue;
      const bool isPairs = kernel == "sort_pairs", isSort = kernel.starts_with("sort");
      if (kernel.ends_with("u64"))
        right &= isSort ? sort<uint64_t>(row, false) : fold<uint64_t>(row);
      else if (isSort)
        right &= sort<uint32_t>(row, isPairs);
      else if (kernel.starts_with("select"))
        right &= select(row);
      else if (kernel.starts_with("histogram"))
        right &= histogram(row);
      else
        right &= kernel.ends_with("f32") ? fold<float>(row) : fold<uint32_t>(row);
    }
    return right;
  }

private:
  size_t n;
  Device device;
  Stream stream;
  Program program;
  PeerRun *peer = nullptr;
  Buffer in{}, out{}, more{}, moreOut{}, scratch{}, count{};
  std::vector<uint64_t> random;

  void *at(const Buffer &buffer) { return reinterpret_cast<void *>(buffer.address()); }

  template <class T> sxt_argument array(const Buffer &buffer, size_t size) {
    return sxt_make_array1(buffer.get(), dtype<T>, int64_t(size));
  }
  sxt_argument room() { return array<uint32_t>(scratch, n * 2 + 4096); }

  template <class T> void write(const Buffer &buffer, const std::vector<T> &values) {
    check(sxt_buffer_write(buffer.get(), 0, values.data(), values.size() * sizeof(T), nullptr));
  }
  template <class T> std::vector<T> read(const Buffer &buffer, size_t size) {
    std::vector<T> values(size);
    check(sxt_buffer_read(buffer.get(), 0, values.data(), size * sizeof(T), nullptr));
    return values;
  }

  /// Runs ours, then the peer, each on what `prepare` leaves, and asks `isRight` after each.
  template <class Prepare, class IsRight>
  bool compare(const Row &row, const std::vector<sxt_argument> &arguments, const Prepare &prepare,
               const IsRight &isRight) {
    const Kernel kernel = program.kernel(row.kernel);
    const char *name = row.peer ? row.peer : row.kernel;
    prepare();
    std::fprintf(stderr, "turn %zu sextant %s\n", n, name);
    check(sxt_kernel_launch(kernel.get(), stream.get(), arguments.data(), arguments.size()));
    stream.synchronize();
    bool right = true;
    auto judge = [&](const char *whose, bool isInOut) {
      if (isRight(isInOut))
        return;
      right = false;
      std::printf("%s of 2^%d elements: %s is wrong\n", name, int(std::bit_width(n)) - 1, whose);
    };
    judge("sextant", std::string_view(row.kernel).starts_with("sort") ? false : true);

    prepare();
    const PeerArrays arrays{at(in), at(out), at(more), at(moreOut), at(count)};
    size_t bytes = 0;
    bool isInOut = true;
    if (!peer(name, nullptr, &bytes, &arrays, n, stream.native(), &isInOut))
      throw std::runtime_error(std::string("no peer ") + name);
    const Buffer temporary(device, bytes + 16);
    std::fprintf(stderr, "turn %zu rocPRIM %s\n", n, name);
    if (!peer(name, at(temporary), &bytes, &arrays, n, stream.native(), &isInOut))
      throw std::runtime_error(std::string(name) + ": the peer does not run");
    stream.synchronize();
    judge("rocPRIM", isInOut);
    return right;
  }

  /// Numbers whose sums are exact, in reals too.
  template <class T> std::vector<T> numbers() {
    std::vector<T> values;
    for (uint64_t each : random)
      values.push_back(std::is_integral_v<T> ? T(each) : T(each % 64 == 3));
    return values;
  }

  /// Reductions and exclusive scans.
  template <class T> bool fold(const Row &row) {
    const std::vector<T> values = numbers<T>();
    std::vector<T> expected(n);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), T(0));
    if (std::string_view(row.kernel).starts_with("reduce"))
      expected = {T(expected.back() + values.back())};
    write(in, values);
    return compare(
        row, {array<T>(in, n), array<T>(out, n), room(), sxt_make_i32(int(n))},
        [&] { write(out, std::vector<T>(n)); },
        [&](bool) { return read<T>(out, expected.size()) == expected; });
  }

  bool select(const Row &row) {
    const std::vector<uint32_t> values = numbers<uint32_t>();
    std::vector<int32_t> flags;
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < n; ++i) {
      flags.push_back(int32_t(random[i] >> 40 & 1));
      if (flags[i])
        expected.push_back(values[i]);
    }
    write(in, values);
    write(more, flags);
    return compare(
        row,
        {array<uint32_t>(in, n), array<int32_t>(more, n), array<uint32_t>(out, n),
         array<int32_t>(count, 1), room(), sxt_make_i32(int(n))},
        [&] {
          write(out, std::vector<uint32_t>(n));
          write(count, std::vector<int32_t>{-1});
        },
        [&](bool) {
          return read<int32_t>(count, 1)[0] == int32_t(expected.size()) &&
                 read<uint32_t>(out, expected.size()) == expected;
        });
  }

  /// 256 bins, about as many elements in each, in no order.
  bool histogram(const Row &row) {
    std::vector<float> values;
    std::vector<int32_t> expected(256);
    for (uint64_t each : random) {
      values.push_back((float(each >> 32 & 255) + 0.5f) / 256);
      ++expected[each >> 32 & 255];
    }
    write(in, values);
    return compare(
        row,
        {array<float>(in, n), array<int32_t>(out, 256), room(), sxt_make_i32(int(n)),
         sxt_make_f32(0), sxt_make_f32(1)},
        [&] { write(out, std::vector<int32_t>(256, -1)); },
        [&](bool) { return read<int32_t>(out, 256) == expected; });
  }

  /// Sorts by all bits. With pairs, the values are the places that keys came from.
  template <class T> bool sort(const Row &row, bool isPairs) {
    const std::vector<T> values = numbers<T>();
    std::vector<uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    std::vector<uint32_t> expectedPlaces = places;
    std::sort(expectedPlaces.begin(), expectedPlaces.end(), [&](uint32_t a, uint32_t b) {
      return values[a] < values[b] || (values[a] == values[b] && a < b);
    });
    std::vector<T> expected;
    for (uint32_t place : expectedPlaces)
      expected.push_back(values[place]);
    std::vector<sxt_argument> arguments{array<T>(in, n), array<T>(out, n)};
    if (isPairs)
      for (const Buffer *each : {&more, &moreOut})
        arguments.push_back(array<uint32_t>(*each, n));
    arguments.push_back(room());
    arguments.push_back(sxt_make_i32(int(n)));
    return compare(
        row, arguments,
        [&] {
          write(in, values);
          write(more, places);
        },
        [&](bool isInOut) {
          return read<T>(isInOut ? out : in, n) == expected &&
                 (!isPairs || read<uint32_t>(isInOut ? moreOut : more, n) == expectedPlaces);
        });
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr,
                 "usage: bench-amdgpu-algorithms ALGORITHMS.sxt ROCPRIM.so EXPONENT [TEXT]\n");
    return 2;
  }
  try {
    const int exponent = std::clamp(std::atoi(argv[3]), 1, 24);
    return Bench(argv[1], argv[2], exponent).run(argc == 5 ? argv[4] : "") ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-amdgpu-algorithms: %s\n", error.what());
    return 1;
  }
}
