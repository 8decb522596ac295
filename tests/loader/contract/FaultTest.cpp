// The refusals, and that the device works on afterwards.
#include "tests/loader/contract/Contract.h"

using namespace sextant;
using namespace sextant::test;

namespace {

/// Checks that memory and streams still work.
void stillWorks(Fixture &f) {
  const std::vector<int> values = iota(100);
  Array<int> a(f.device, std::span<const int>(values));
  Stream stream = f.device.createStream();
  CHECK(a.read(stream.get()) == values);
}

} // namespace

TEST_CASE("wrong launches are refused with names") {
  Fixture f;
  Array<float> x(f.device, 8);
  Array<int> ints(f.device, 8);
  Kernel saxpy = f.program.kernel("saxpy");
  auto wrongType = failureOf([&] { saxpy(f.stream, 2.0f, x, ints); });
  CHECK(wrongType.first == SXT_ERROR_SIGNATURE);
  CHECK(mentions(wrongType.second, "'y'"));
  CHECK(failureOf([&] { saxpy(f.stream, 2.0, x, x); }).first == SXT_ERROR_SIGNATURE);
  CHECK(failureOf([&] { saxpy(f.stream, 2.0f, x); }).first == SXT_ERROR_SIGNATURE);
  ArrayView<float> tooLong{x.buffer().get(), {9}, 0};
  CHECK(failureOf([&] { saxpy(f.stream, 2.0f, tooLong, x); }).first != SXT_OK);
  // The device still works.
  saxpy(f.stream, 2.0f, x, x);
  f.stream.synchronize();
}

TEST_CASE("copies that pass an end, and copies over themselves") {
  Fixture f;
  const std::vector<int> values = iota(16);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, 4);
  int more[32] = {};
  sxt_buffer *from = a.buffer().get();
  CHECK(sxt_buffer_write(from, 4, more, 64, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_read(from, 0, more, 65, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_read(from, UINT64_MAX, more, 4, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_copy(b.buffer().get(), 0, from, 0, 17, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_copy(from, 0, from, 4, 8, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  const uint32_t pattern = 0;
  CHECK(sxt_buffer_fill(from, 0, 65, &pattern, 1, nullptr) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_buffer_fill(from, 2, 4, &pattern, 4, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(from, 0, 6, &pattern, 3, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(a.read() == values);
  CHECK(std::vector<int>(more, more + 32) == std::vector<int>(32, 0));
}

TEST_CASE("more memory than there is") {
  Fixture f;
  sxt_buffer *huge = nullptr;
  for (uint64_t bytes : {uint64_t(1) << 60, UINT64_MAX}) {
    CHECK(sxt_buffer_create(f.device.get(), bytes, &huge) == SXT_ERROR_OUT_OF_MEMORY);
    CHECK(mentions(sxt_last_error_message(), std::to_string(bytes) + " bytes"));
  }
  CHECK(huge == nullptr);
  stillWorks(f);
}

TEST_CASE("a kernel that the module does not have, and one without code for the device") {
  Fixture f;
  CHECK(failureOf([&] { f.program.kernel("saxpie"); }).first == SXT_ERROR_NOT_FOUND);
  auto [status, message] =
      failureOf([&] { Program(f.module, f.device, "nothing:at-all").kernel("saxpy"); });
  CHECK(status == SXT_ERROR_NO_VARIANT);
  CHECK(mentions(message, "nothing:at-all"));
  stillWorks(f);
}
