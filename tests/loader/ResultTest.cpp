// The C++ API without exceptions: results that hold a value or the error.
#include "TestModule.h"
#include "sextant/sextant.hpp"

#include <array>

using namespace sextant::test;
using sextant::Array;
using sextant::Result;

TEST_CASE("a launch whose errors are values") {
  const std::vector<std::byte> bytes = makeModule();
  const Result<sextant::Device> device = sextant::Device::open("cpu");
  REQUIRE(device);
  const auto module = sextant::Module::fromMemory(bytes.data(), bytes.size());
  REQUIRE(module);
  const auto program = sextant::Program::create(*module, *device);
  REQUIRE(program);
  const auto x = Array<float>::create(*device, std::vector<float>(100, 1));
  const auto y = Array<float>::create(*device, 100);
  const auto stream = device->createStream();
  REQUIRE((x && y && stream && y->clear(stream->get())));
  const auto saxpy = program->kernel("saxpy");
  REQUIRE(saxpy);
  CHECK((*saxpy)(*stream, 2.0f, *x, *y));
  CHECK(y->read(stream->get()).value() == std::vector<float>(100, 2));

  // A call that fails says why, and changes nothing.
  const Result<void> refused = (*saxpy)(*stream, 2.0, *x, *y);
  REQUIRE(!refused);
  CHECK(refused.status() == SXT_ERROR_SIGNATURE);
  CHECK(contains(refused.error().message(), "argument 0 'a': expected a scalar f32"));
  CHECK_THROWS_AS(refused.value(), sextant::Error);
  CHECK(y->read().value() == std::vector<float>(100, 2));
  const auto nothing = program->kernel("nothing");
  CHECK(nothing.status() == SXT_ERROR_NOT_FOUND);
  CHECK_THROWS_AS(nothing.value(), sextant::Error);
  CHECK(program->global<float>("calls").status() == SXT_ERROR_SIGNATURE);
  CHECK(Array<float>::create(*device, -1).status() == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(Array<float, 2>::create(*device, {int64_t(1) << 40, int64_t(1) << 40}).status() ==
        SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sextant::Module::open("nowhere.sxt").status() == SXT_ERROR_IO);
}

namespace {
/// Derived as a generated header does.
struct Typed : sextant::TypedKernel {
  using TypedKernel::callAll;
  using TypedKernel::launch;
  using TypedKernel::TypedKernel;
};
} // namespace

TEST_CASE("kernels by number are looked up once, and wrong names each time") {
  const std::vector<std::byte> bytes = makeModule();
  const auto device = sextant::Device::open("cpu");
  const auto module = sextant::Module::fromMemory(bytes.data(), bytes.size());
  auto program = sextant::Program::create(*module, *device);
  const auto src = Array<int32_t>::create(*device, {1, 2, 3});
  REQUIRE((program && src));
  const auto shared = std::make_shared<const sextant::LazyProgram>(*std::move(program), 2);
  const Typed total(shared, 0, "total"), nothing(shared, 1, "nothing");
  using Both = std::tuple<int64_t, sextant::Vector<float, 2>>;
  for (int round = 0; round < 2; ++round) {
    const Result<Both> both = total.callAll<Both>(device->defaultStream(), *src);
    REQUIRE(both);
    CHECK(std::get<0>(*both) == 6);
    CHECK(std::get<1>(*both)[1] == -6);
    CHECK(nothing.launch(device->defaultStream()).status() == SXT_ERROR_NOT_FOUND);
    CHECK(nothing.kernel().status() == SXT_ERROR_NOT_FOUND);
  }
  std::array<int32_t, 1> calls{};
  CHECK(shared->program.read("calls", calls));
  CHECK(calls[0] == 2);
  // A moved-from object has nothing left: an error, not a crash.
  Typed gone(shared, 0, "total");
  const Typed kept(std::move(gone));
  CHECK(kept.kernel());
  CHECK(gone.kernel().status() == SXT_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("results are passed on, changed, replaced") {
  const Result<int> five(5), bad(sextant::Error(SXT_ERROR_IO, "no file"));
  CHECK(Result<int>(five).transform([](int v) { return v + 0.5; }).value() == 5.5);
  CHECK(Result<int>(bad).transform([](int v) { return v + 0.5; }).status() == SXT_ERROR_IO);
  auto half = [](int v) {
    return v % 2 ? Result<int>(sextant::Error(SXT_ERROR_OUT_OF_RANGE, "odd")) : Result<int>(v / 2);
  };
  CHECK(Result<int>(5).and_then(half).status() == SXT_ERROR_OUT_OF_RANGE);
  CHECK(*Result<int>(6).and_then(half) == 3);
  CHECK(std::string(Result<int>(bad).and_then(half).error().what()) == "no file");
  CHECK(five.value_or(7) == 5);
  CHECK(bad.value_or(7) == 7);
  CHECK(five.status() == SXT_OK);
  CHECK(Result<void>().and_then([] { return Result<int>(1); }).value() == 1);
  CHECK(!Result<void>(bad.error()).and_then([] { return Result<int>(1); }));
  // An object that holds nothing is an error, not a crash.
  CHECK(sextant::Program().kernel("x").status() == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sextant::Kernel()(sextant::Stream()).status() == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sextant::Device().name().empty());
}

TEST_CASE("spans are made of what has elements") {
  const std::vector<int> list{1, 2, 3};
  int plain[2] = {4, 5};
  const std::array<int, 4> fixed{6, 7, 8, 9};
  auto sum = [](sextant::Span<const int> span) {
    int total = 0;
    for (int value : span)
      total += value;
    return total;
  };
  CHECK(sum(list) == 6);
  CHECK(sum(plain) == 9);
  CHECK(sum(fixed) == 30);
  CHECK(sum({1, 1, 1, 1}) == 4);
  CHECK(sum(std::span<const int>(list).subspan(1)) == 5);
  CHECK(sum({}) == 0);
  sextant::Span<int> written(plain);
  written[1] = 40;
  CHECK(plain[1] == 40);
  CHECK(written.sizeBytes() == 2 * sizeof(int));
  static_assert(!std::is_constructible_v<sextant::Span<int>, const std::vector<int> &>);
  static_assert(!std::is_constructible_v<sextant::Span<const float>, const std::vector<int> &>);
}
