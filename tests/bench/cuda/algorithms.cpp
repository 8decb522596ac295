// Device-wide algorithms beside CUB's, from 2^10 elements up: medians, in turn on one stream. Then
// algorithms on more than 2^31 elements, whose results the host checks.
//
//   bench-cuda-algorithms ALGORITHMS.sxt [TEXT [MOST]]
//
// TEXT: only rows whose name has it, "sort u32". MOST: the most elements, 2^28 by default; with 30,
// the GPU needs 56 GiB, and counts of 64 bits are tried. That wants a module built with
// --large-arrays. Sorts are timed one by one, between events, each on a fresh copy of the keys.
#include "algorithms.h"
#include "timing.h"

#include <cstdlib>
#include <cstring>

using namespace sextant;

namespace {

constexpr int least = 10;

struct Row {
  const char *name, *kernel;
  Peer peer;
  size_t bytes; ///< size of an element
};
const Row rows[] = {{"reduce u32", "reduce_u32", Peer::ReduceU32, 4},
                    {"reduce u64", "reduce_u64", Peer::ReduceU64, 8},
                    {"reduce f32", "reduce_f32", Peer::ReduceF32, 4},
                    {"exclusive scan u32", "scan_u32", Peer::ScanU32, 4},
                    {"exclusive scan u64", "scan_u64", Peer::ScanU64, 8},
                    {"exclusive scan f32", "scan_f32", Peer::ScanF32, 4},
                    {"select u32, half", "select_u32", Peer::SelectU32, 4},
                    {"sort u32", "sort_u32", Peer::SortU32, 4},
                    {"sort f32", "sort_f32", Peer::SortF32, 4},
                    {"sort u64", "sort_u64", Peer::SortU64, 8},
                    {"sort u32 with u32", "sort_pairs", Peer::SortPairs, 4},
                    {"histogram f32, 256 bins", "histogram_f32", Peer::HistogramF32, 4},
                    {"histogram f32, one bin", "histogram_f32", Peer::HistogramF32, 4}};

/// A buffer as an array of n elements of the kernel's type.
sxt_argument array(const Buffer &buffer, sxt_dtype type, int64_t n) {
  return sxt_make_array1(buffer.get(), type, n);
}

class Bench {
public:
  Bench(const char *path, int most)
      : most(most), device(Device::open("cuda")), stream(device.createStream()),
        program(Module::open(path), device) {
    std::printf("%s, variant %s\n\n", device.info().description,
                program.kernel("reduce_u32").variant().c_str());
    const size_t bytes = size_t(8) << most;
    for (Buffer *each : {&source, &in, &out, &peerOut})
      *each = Buffer(device, bytes);
    for (Buffer *each : {&more, &moreOut})
      *each = Buffer(device, size_t(4) << most);
    scratch = Buffer(device, size_t(8) << most);
    count = Buffer(device, 16);
    peerCount = Buffer(device, 16);
    std::vector<uint32_t> random(bytes / 4);
    uint64_t state = 88172645463325252u;
    for (uint32_t &word : random) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      word = uint32_t(state >> 16);
    }
    check(sxt_buffer_write(source.get(), 0, random.data(), bytes, nullptr));
    for (size_t i = 0; i < (size_t(1) << most); ++i)
      flags.push_back(int32_t(random[i] >> 7 & 1));
  }

  bool run(std::string_view wanted) {
    timing::printHead("sextant", "CUB");
    bool same = true;
    for (const Row &row : rows) {
      if (std::string_view(row.name).find(wanted) == std::string_view::npos)
        continue;
      for (int exponent = least; exponent <= most; exponent += exponent < 20 ? 5 : 2)
        same &= one(row, 1 << exponent, exponent);
    }
    if (most >= 30)
      same &= wide(wanted);
    std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
    return same;
  }

private:
  int most; ///< 2^most elements at most
  Device device;
  Stream stream;
  Program program;
  Buffer source{}, in{}, out{}, peerOut{}, more{}, moreOut{}, scratch{}, count{}, peerCount{};
  std::vector<int32_t> flags;

  void *at(const Buffer &buffer) { return reinterpret_cast<void *>(buffer.address()); }

  bool one(const Row &row, int n, int exponent) {
    const std::string kernelName = row.kernel;
    const bool isSort = kernelName.starts_with("sort"), isPairs = row.peer == Peer::SortPairs,
               isSelect = row.peer == Peer::SelectU32, isReal = kernelName.ends_with("f32"),
               isHistogram = row.peer == Peer::HistogramF32;
    const sxt_dtype type = isReal ? SXT_DTYPE_F32 : row.bytes == 8 ? SXT_DTYPE_U64 : SXT_DTYPE_U32;
    const size_t bytes = size_t(n) * row.bytes;
    if (isReal && !isSort) { // small numbers, whose sums are exact
      std::vector<float> values(size_t(n) + 0);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = !isHistogram                                      ? float(i % 64 == 3)
                    : std::string_view(row.name).ends_with("one bin") ? 0.3f
                                                                      : bin(i);
      check(sxt_buffer_write(in.get(), 0, values.data(), bytes, nullptr));
    } else {
      peerCopy(at(in), at(source), bytes, stream.native());
    }
    if (isSelect)
      check(sxt_buffer_write(more.get(), 0, flags.data(), size_t(n) * 4, nullptr));
    const Kernel kernel = program.kernel(row.kernel);
    std::vector<sxt_argument> arguments = {array(in, type, n), array(out, type, n)};
    if (isSelect)
      arguments.insert(arguments.begin() + 1, array(more, SXT_DTYPE_I32, n));
    if (isSelect)
      arguments.push_back(array(count, SXT_DTYPE_I32, 1));
    if (isPairs) {
      arguments.push_back(array(more, SXT_DTYPE_U32, n));
      arguments.push_back(array(moreOut, SXT_DTYPE_U32, n));
    }
    // More would be a launch with large arrays.
    arguments.push_back(
        array(scratch, SXT_DTYPE_U32, std::min(int64_t(2) << most, int64_t(1) << 30)));
    arguments.push_back(sxt_make_i32(n));
    if (isHistogram) {
      arguments[1] = array(out, SXT_DTYPE_I32, 256);
      arguments.push_back(sxt_make_f32(0));
      arguments.push_back(sxt_make_f32(1));
    }
    auto ours = [&] {
      check(sxt_kernel_launch(kernel.get(), stream.get(), arguments.data(), arguments.size()));
    };
    size_t temporary = peerRun(row.peer, nullptr, 0, at(in), at(peerOut), at(more), at(moreOut),
                               at(peerCount), n, stream.native());
    Buffer memory(device, temporary + 16);
    auto theirs = [&] {
      peerRun(row.peer, at(memory), temporary, at(in), at(peerOut), at(more), at(moreOut),
              at(peerCount), n, stream.native());
    };
    auto restore = [&] {
      peerCopy(at(in), at(source), bytes, stream.native());
      if (isPairs)
        peerCopy(at(more), at(source), bytes, stream.native());
    };
    bool same = true;
    if (isSort) {
      restore();
      ours();
      stream.synchronize();
      same = isSorted(row, n);
    } else {
      ours();
      theirs();
      stream.synchronize();
      same = agree(row, n);
    }
    char name[64];
    std::snprintf(name, sizeof name, "%s, 2^%d", row.name, exponent);
    if (!same)
      std::printf("%s: results differ\n", name);
    if (!isSort) {
      timing::printRow(name, device, stream, n > (1 << 22) ? 5 : 20, ours, theirs);
      return same;
    }
    const auto sorting = [&] {
      restore();
      return timing::timeOne(device, stream, 1, ours);
    };
    if (comparison::takes(name, [&] { return sorting() * 1e3; }))
      return same;
    std::vector<double> our, their;
    for (int round = 0; round < 11; ++round) {
      our.push_back(sorting());
      restore();
      their.push_back(timing::timeOne(device, stream, 1, theirs));
    }
    const double mine = timing::median(our), other = timing::median(their);
    std::printf("| %-44s | %9.4f ms | %9.4f ms | %5.2f |\n", name, mine, other, other / mine);
    return same;
  }

  /// A number whose bin of 256 is the same for all ways to compute it.
  static float bin(size_t i) { return (float(i * 2654435761u >> 7 & 255) + 0.5f) / 256; }

  /// Milliseconds of one launch.
  double launch(const char *kernel, const std::vector<sxt_argument> &arguments) {
    const Kernel found = program.kernel(kernel);
    return timing::timeOne(device, stream, 1, [&] {
      check(sxt_kernel_launch(found.get(), stream.get(), arguments.data(), arguments.size()));
    });
  }

  /// Sorts bytes, counts runs of the result and scans words: more than 2^31 elements each.
  bool wide(std::string_view wanted) {
    if (std::string_view("wide").find(wanted) == std::string_view::npos)
      return true;
    const int64_t n = (int64_t(1) << 32) - (1 << 17), words = int64_t(1) << 31;
    const sxt_argument room = array(scratch, SXT_DTYPE_U32, int64_t(2) << most);
    peerCopy(at(in), at(source), size_t(n), stream.native());
    std::vector<uint32_t> expected(256);
    for (uint8_t byte : read(source, size_t(n)))
      ++expected[byte];
    const sxt_argument keys = array(in, SXT_DTYPE_U8, n), other = array(out, SXT_DTYPE_U8, n);
    const double sorting = launch("sort_u8_wide", {keys, other, room, sxt_make_i64(n)});
    std::vector<uint32_t> got(256);
    bool same = true;
    uint8_t last = 0;
    for (uint8_t byte : read(in, size_t(n))) {
      ++got[byte];
      same &= last <= byte;
      last = byte;
    }
    same &= got == expected;
    std::printf("| sort u8, 2^32 - 2^17 | %9.4f ms | %s |\n", sorting, same ? "right" : "WRONG");
    const double counting =
        launch("runs_u8_wide", {keys, other, array(moreOut, SXT_DTYPE_U32, 256),
                                array(count, SXT_DTYPE_U32, 1), room, sxt_make_i64(n)});
    uint32_t runs = 0;
    std::memcpy(&runs, read(count, 4).data(), 4);
    std::memcpy(got.data(), read(moreOut, 1024).data(), 1024);
    const bool areRight = runs == 256 && got == expected;
    std::printf("| lengths of 256 runs of u8, 2^32 - 2^17 | %9.4f ms | %s |\n", counting,
                areRight ? "right" : "WRONG");
    const double scanning =
        launch("scan_u32_wide", {array(source, SXT_DTYPE_U32, words),
                                 array(out, SXT_DTYPE_U32, words), room, sxt_make_i64(words)});
    const std::vector<uint8_t> from = read(source, size_t(words) * 4),
                               to = read(out, size_t(words) * 4);
    uint32_t sum = 0;
    bool areSums = true;
    for (size_t i = 0; i < size_t(words); ++i) {
      uint32_t value, scanned;
      std::memcpy(&value, &from[4 * i], 4);
      std::memcpy(&scanned, &to[4 * i], 4);
      sum += value;
      areSums &= scanned == sum;
    }
    std::printf("| inclusive scan u32, 2^31 | %9.4f ms | %s |\n", scanning,
                areSums ? "right" : "WRONG");
    return same && areRight && areSums;
  }

  std::vector<uint8_t> read(const Buffer &buffer, size_t bytes) {
    std::vector<uint8_t> data(bytes);
    check(sxt_buffer_read(buffer.get(), 0, data.data(), bytes, nullptr));
    return data;
  }

  bool agree(const Row &row, int n) {
    size_t bytes = size_t(n) * row.bytes;
    if (std::string_view(row.kernel).starts_with("reduce"))
      bytes = row.bytes;
    if (row.peer == Peer::HistogramF32)
      bytes = 256 * 4;
    if (row.peer == Peer::SelectU32) {
      int32_t a = 0, b = 0;
      std::memcpy(&a, read(count, 4).data(), 4);
      std::memcpy(&b, read(peerCount, 4).data(), 4);
      if (a != b)
        return false;
      bytes = size_t(a) * 4;
    }
    return read(out, bytes) == read(peerOut, bytes);
  }

  template <class T> bool isAscending(int n) {
    std::vector<T> keys{};
    keys.resize(size_t(n));
    std::memcpy(keys.data(), read(in, sizeof(T) * size_t(n)).data(), sizeof(T) * size_t(n));
    for (size_t i = 1; i < keys.size(); ++i)
      if (keys[i] < keys[i - 1])
        return false;
    return true;
  }
  bool isSorted(const Row &row, int n) {
    if (row.peer == Peer::SortF32)
      return isAscending<float>(n);
    return row.bytes == 8 ? isAscending<uint64_t>(n) : isAscending<uint32_t>(n);
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: %s MODULE [TEXT [MOST]]\n", argv[0]);
    return 2;
  }
  try {
    const int most = argc == 4 ? std::clamp(std::atoi(argv[3]), 10, 30) : 28;
    return Bench(argv[1], most).run(argc >= 3 ? argv[2] : "") ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
