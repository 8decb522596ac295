// Modules of every version of the format are loaded and run, not only read: the files in
// tests/module/golden, whose code is for any x86-64 of the last fifteen years, and aarch64.
#include "TestModule.h"
#include "sextant/sextant.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace sextant::test;

namespace {

/// Whose the signed ones are: RFC 8032, section 7.1, test 1.
const sxt_public_key signer = {{0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
                                0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
                                0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a}};

std::string pathOf(const char *file) { return std::string(SEXTANT_GOLDEN_DIR) + "/" + file; }

/// A golden module on the CPU.
struct Golden {
  explicit Golden(const char *file, const sxt_module_options *options = nullptr) {
    need(sxt_module_open_file_with(pathOf(file).c_str(), options, &module));
    need(sxt_device_open("cpu", &device));
    need(sxt_program_create(module, device, nullptr, &program));
  }
  ~Golden() {
    for (sxt_buffer *buffer : buffers)
      sxt_buffer_release(buffer);
    sxt_program_release(program);
    sxt_device_release(device);
    sxt_module_release(module);
  }
  sxt_kernel *kernel(const char *name) {
    sxt_kernel *found = nullptr;
    need(sxt_program_kernel(program, name, &found));
    return found;
  }
  template <class T> sxt_buffer *bufferOf(const std::vector<T> &values) {
    sxt_buffer *made = nullptr;
    need(sxt_buffer_create(device, values.size() * sizeof(T), &made));
    buffers.push_back(made);
    need(sxt_buffer_write(made, 0, values.data(), values.size() * sizeof(T), nullptr));
    return made;
  }
  /// Launches `name(a, x, y)`, and returns what it makes of y.
  std::vector<float> launched(const char *name, float a, const std::vector<float> &x,
                              std::vector<float> y) {
    sxt_buffer *out = bufferOf(y);
    const auto size = static_cast<int64_t>(y.size());
    const sxt_argument arguments[] = {sxt_make_f32(a),
                                      sxt_make_array1(bufferOf(x), SXT_DTYPE_F32, size),
                                      sxt_make_array1(out, SXT_DTYPE_F32, size)};
    need(sxt_kernel_launch(kernel(name), nullptr, arguments, 3));
    need(sxt_buffer_read(out, 0, y.data(), y.size() * sizeof(float), nullptr));
    return y;
  }
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  std::vector<sxt_buffer *> buffers;
};

/// kernels.py beside the files says what they hold.
void runAll(Golden &golden) {
  constexpr size_t n = 1000; // several blocks, and not a whole number of them
  std::vector<float> x(n), y(n), expected(n);
  std::vector<int32_t> numbers(n);
  int32_t multiplesOfFour = 0;
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = static_cast<float>(3 * i + 1);
    expected[i] = static_cast<float>(2 * i + 3 * i + 1);
    numbers[i] = static_cast<int32_t>(i * i);
    multiplesOfFour += (i * i) % 4 == 0;
  }
  CHECK(golden.launched("saxpy", 2, x, y) == expected);

  const sxt_argument count[] = {
      sxt_make_array1(golden.bufferOf(numbers), SXT_DTYPE_I32, static_cast<int64_t>(n))};
  int32_t returned = 0;
  const sxt_result result{sizeof(sxt_result), SXT_DTYPE_I32, 1, 1, &returned};
  for (int32_t round = 1; round <= 2; ++round) { // the field keeps what it counted
    need(sxt_kernel_call(golden.kernel("count"), nullptr, count, 1, &result, 1));
    CHECK(returned == round * multiplesOfFour);
  }
}

} // namespace

TEST_CASE("modules of every version run") {
  for (const char *file : {"v1.0-run.sxt", "v1.1-run.sxt", "v1.2-run.sxt", "v1.3-run.sxt",
                           "v1.3-split-run.sxt", "v1.4-run.sxt", "v1.5-run.sxt", "v1.6-run.sxt"}) {
    INFO(file);
    Golden golden(file);
    runAll(golden);
  }
}

TEST_CASE("images of before call functions of the system's libraries", "[libm]") {
  Golden golden("v1.5-libmvec-run.sxt"); // y = sin(x) 2^a, by libmvec and libm
  constexpr size_t n = 100;
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i)
    x[i] = 0.25F * static_cast<float>(i) - 12;
  const std::vector<float> y = golden.launched("waves", 3, x, std::vector<float>(n));
  for (size_t i = 0; i < n; ++i)
    CHECK(std::fabs(y[i] - 8 * std::sin(x[i])) < 4e-6);
}

TEST_CASE("a module of version 1.2 reports a fault") {
  Golden golden("v1.2-run.sxt");
  const sxt_argument saxpy[] = {
      sxt_make_f32(2), sxt_make_array1(golden.bufferOf(std::vector<float>(8)), SXT_DTYPE_F32, 8),
      sxt_make_array1(golden.bufferOf(std::vector<float>(7)), SXT_DTYPE_F32, 7)};
  CHECK(sxt_kernel_launch(golden.kernel("saxpy"), nullptr, saxpy, 3) == SXT_ERROR_KERNEL_FAULT);
  CHECK(contains(message(), "kernels.py:9:"));
  CHECK(contains(message(), "index 7 is out of bounds: axis 0 of 'y' has size 7"));
}

TEST_CASE("a module of version 1.6 tells which arrays may not share memory") {
  Golden golden("v1.6-run.sxt");
  const auto array = [&](sxt_buffer *buffer) { return sxt_make_array1(buffer, SXT_DTYPE_F32, 3); };
  const auto data = [&] { return golden.bufferOf(std::vector<float>{1, 2, 3}); };
  const sxt_argument x = array(data()), y = array(data());
  const sxt_argument ofX = array(data()), ofY = array(data());
  const sxt_argument right[] = {sxt_make_f32(2), x, y, ofX, ofY};
  const sxt_argument wrong[] = {sxt_make_f32(2), x, y, ofX, ofX};
  sxt_kernel *gradient = golden.kernel("saxpy.grad");
  CHECK(sxt_kernel_launch(gradient, nullptr, wrong, 5) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(message() ==
        "kernel 'saxpy_grad', argument 4 'y.grad': it shares memory with 'x.grad': pass a copy");
  need(sxt_kernel_launch(gradient, nullptr, right, 5));
  float values[3] = {};
  need(sxt_buffer_read(ofX.value.buffer, 0, values, sizeof values, nullptr));
  CHECK(std::vector<float>(values, values + 3) == std::vector<float>{1 + 2, 2 + 4, 3 + 6});
}

TEST_CASE("a signed module of version 1.3 runs where its key is given") {
  const sxt_module_options options{sizeof(sxt_module_options), &signer, 1};
  Golden golden("v1.3-run.sxt", &options);
  runAll(golden);
  sxt_module *module = nullptr;
  for (const char *file : {"v1.0-run.sxt", "v1.1-run.sxt", "v1.2-run.sxt"}) {
    const std::string path = pathOf(file);
    CHECK(sxt_module_open_file_with(path.c_str(), &options, &module) == SXT_ERROR_UNTRUSTED);
    CHECK(message() ==
          "'" + path + "': untrusted module: it is not signed; sign it with `sextant sign`");
  }
}

TEST_CASE("a signed module is opened in C++ where its key is given") {
  using sextant::Module;
  const std::string path = pathOf("v1.3-signed.sxt");
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto status = [&](const std::vector<sxt_public_key> &keys) {
    const sxt_status opened = Module::open(path, keys).status();
    CHECK(Module::fromMemory(bytes.data(), bytes.size(), keys).status() == opened);
    return opened;
  };
  CHECK(status({signer}) == SXT_OK);
  CHECK(status({{}, signer}) == SXT_OK);
  CHECK(status({{}}) == SXT_ERROR_UNTRUSTED);
  CHECK(status({}) == SXT_ERROR_INVALID_ARGUMENT); // no keys at all: nothing would do
  const std::vector<sxt_public_key> keys{signer};
  CHECK(Module::open(pathOf("v1.2.sxt"), keys).error().message() ==
        "'" + pathOf("v1.2.sxt") +
            "': untrusted module: it is not signed; sign it with `sextant sign`");
}
