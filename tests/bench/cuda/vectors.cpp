// Vectors and matrices in memory: beside CUDA C++ on float4, in turn on one stream, and the same
// kernels through Vulkan where the GPU is there too; medians.
//
//   bench-cuda-vectors VECTORS.sxt
#include "vectors.h"
#include "timing.h"

#include <cmath>

using namespace sextant;

namespace {

constexpr int launchesPerRound = 10;
constexpr int matrices = 1 << 20, vectors = 1 << 24, particles = 1 << 22, cells = 1 << 16;

using Vec4 = Vector<float, 4>;
using Mat4 = Matrix<float, 4, 4>;

/// Small numbers of no order.
std::vector<float> numbers(size_t count, unsigned seed) {
  std::vector<float> all(count);
  for (size_t k = 0; k < count; ++k)
    all[k] = float((unsigned(k) * 2654435761u + seed) >> 20) / 4096.0f - 0.5f;
  return all;
}

std::vector<int32_t> places() {
  std::vector<int32_t> at(particles);
  for (unsigned k = 0; k < at.size(); ++k)
    at[k] = int32_t((k * 2654435761u) >> 16) & (cells - 1);
  return at;
}

template <class T> Array<T> arrayOf(const Device &device, const std::vector<float> &scalars) {
  Array<T> array(device, {int64_t(scalars.size() * sizeof(float) / sizeof(T))});
  check(sxt_buffer_write(array.buffer().get(), 0, scalars.data(), scalars.size() * sizeof(float),
                         nullptr));
  return array;
}

template <class T> float *pointer(Array<T> &array) {
  return reinterpret_cast<float *>(array.buffer().address());
}

/// True if all numbers are near, up to the order of additions.
template <class T> bool agree(const char *name, Array<T> &a, Array<T> &b, float tolerance) {
  const std::vector<T> x = a.read(), y = b.read();
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; k < sizeof(T) / sizeof(float); ++k)
      if (!(std::fabs(x[i][unsigned(k)] - y[i][unsigned(k)]) <= tolerance)) {
        std::printf("%s: element %zu differs: %g, by hand %g\n", name, i, double(x[i][unsigned(k)]),
                    double(y[i][unsigned(k)]));
        return false;
      }
  return true;
}

/// The arrays of all kernels on one device. \param peers with the results of the kernels by hand
struct Arrays {
  explicit Arrays(const Device &device, bool peers)
      : x(arrayOf<Mat4>(device, numbers(size_t(matrices) * 16, 1))),
        y(arrayOf<Mat4>(device, numbers(size_t(matrices) * 16, 2))), z(device, int64_t(matrices)),
        zPeer(device, int64_t(peers ? matrices : 1)),
        v(arrayOf<Vec4>(device, numbers(size_t(vectors) * 4, 3))),
        w(arrayOf<Vec4>(device, numbers(size_t(vectors) * 4, 4))),
        wPeer(arrayOf<Vec4>(device, numbers(size_t(peers ? vectors : 1) * 4, 4))),
        at(device, Span<const int32_t>(places())),
        sums(arrayOf<Vec4>(device, std::vector<float>(size_t(cells) * 4))),
        sumsPeer(arrayOf<Vec4>(device, std::vector<float>(size_t(cells) * 4))),
        most(device, int64_t(particles)), mostPeer(device, int64_t(peers ? particles : 1)) {}
  Array<Mat4> x, y, z, zPeer;
  Array<Vec4> v, w, wPeer;
  Array<int32_t> at;
  Array<Vec4> sums, sumsPeer;
  Array<int32_t> most, mostPeer;
};

/// A launch of a kernel of the module.
struct Row {
  const char *name;
  timing::Launch launch;
};

/// Those of all kernels, in the order of the tables. The stream and the arrays outlive them.
std::vector<Row> rowsOf(const Program &program, const Stream &stream, Arrays &a) {
  const Kernel products = program.kernel("products"), scale = program.kernel("scale"),
               scatter = program.kernel("scatter"), tally = program.kernel("tally");
  ArrayView<Vec4> input = a.v.view();
  input.shape[0] = particles;
  return {
      {"2^20 products of 4x4 matrices",
       [products, &stream, &a] { products(stream, a.x, a.y, a.z); }},
      {"2^24 vectors of 4: a x + y", [scale, &stream, &a] { scale(stream, a.v, a.w, 0.5f); }},
      {"2^22 vectors of 4 added to 2^16",
       [scatter, input, &stream, &a] { scatter(stream, a.at, input, a.sums); }},
      {"2^22 threads count in vectors of 16",
       [tally, &stream, &a] { tally(stream, a.at, a.most); }},
  };
}

void printDevice(const Device &device, const Program &program) {
  std::printf("%s, variant %s\n\n", device.info().description,
              program.kernel("scatter").variant().c_str());
}

bool besideCuda(const char *path) {
  Device device = Device::open("cuda");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  printDevice(device, program);
  Arrays a(device, true);
  void *native = stream.native();
  const auto *at = reinterpret_cast<const int *>(a.at.buffer().address());
  const std::vector<Row> ours = rowsOf(program, stream, a);
  const timing::Launch theirs[] = {
      [&] { peerProducts(pointer(a.x), pointer(a.y), pointer(a.zPeer), matrices, native); },
      [&] { peerScale(pointer(a.v), pointer(a.wPeer), 0.5f, vectors, native); },
      [&] { peerScatter(at, pointer(a.v), pointer(a.sumsPeer), particles, native); },
      [&] {
        peerTally(at, reinterpret_cast<int *>(a.mostPeer.buffer().address()), particles, native);
      },
  };
  for (size_t k = 0; k < ours.size(); ++k) {
    ours[k].launch();
    theirs[k]();
  }
  stream.synchronize();
  bool same = agree("products", a.z, a.zPeer, 1e-6f);
  same &= agree("scale", a.w, a.wPeer, 1e-6f);
  same &= agree("scatter", a.sums, a.sumsPeer, 1e-4f);
  same &= a.most.read() == a.mostPeer.read();
  timing::printHead("sextant", "float4");
  for (size_t k = 0; k < ours.size(); ++k)
    timing::printRow(ours[k].name, device, stream, launchesPerRound, ours[k].launch, theirs[k]);
  return same;
}

void throughVulkan(const char *path) {
  Device device = Device::open("vulkan");
  Stream stream = device.createStream();
  Program program(Module::open(path), device);
  std::printf("\n");
  printDevice(device, program);
  Arrays a(device, false);
  for (const Row &row : rowsOf(program, stream, a)) {
    std::vector<double> times;
    row.launch();
    stream.synchronize();
    for (int round = 0; round < 15; ++round)
      times.push_back(timing::timeOne(device, stream, launchesPerRound, row.launch));
    std::printf("| %-44s | %9.4f ms |\n", row.name, timing::median(times));
  }
}

int run(const char *path) {
  const bool same = besideCuda(path);
  try {
    throughVulkan(path);
  } catch (const Error &error) {
    std::printf("\nno Vulkan: %s\n", error.what());
  }
  std::printf("\n%s\n", same ? "results agree" : "RESULTS DIFFER");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return timing::mainOf("bench-cuda-vectors", argc, argv, run); }
