// The C++ API: ownership, typed launches, exceptions.
#define SEXTANT_THROWS
#include "TestModule.h"
#include "sextant/sextant.hpp"

using namespace sextant::test;
using sextant::Array;
using sextant::ArrayView;

TEST_CASE("a launch in C++") {
  std::vector<std::byte> bytes = makeModule();
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Module module = sextant::Module::fromMemory(bytes.data(), bytes.size());
  sextant::Program program(module, device);
  CHECK(module.kernels().size() == kernelSpecs().size());

  std::vector<float> ones(100, 1);
  Array<float> x(device, ones), y(device, 100);
  y.clear();
  device.defaultStream().synchronize(); // streams do not wait for each other
  sextant::Stream stream = device.createStream();
  y.clear(stream.get());
  sextant::Kernel saxpy = program.kernel("saxpy");
  saxpy(stream, 2.0f, x, y);
  saxpy(stream, 0.5f, ArrayView<float>(x), y.view());
  stream.synchronize();
  CHECK(y.read() == std::vector<float>(100, 2.5f));
  CHECK(saxpy.variant() == "cpu:" + device.arch() + "/wave32");
  CHECK(program.explain("saxpy").substr(0, 2) == "> ");

  Array<int32_t> src(device, std::vector<int32_t>{1, 2, 3});
  int64_t sum = 0;
  sextant::Vector<float, 2> pair{};
  program.kernel("total").callInto(stream, std::tie(sum, pair), src);
  CHECK(sum == 6);
  CHECK(pair[1] == -6);
  std::vector<int32_t> calls(1);
  program.read("calls", std::span<int32_t>(calls));
  CHECK(calls[0] == 1);
  CHECK(program.global<int32_t>("calls").size() == 1);
  CHECK_THROWS_AS(program.global<float>("calls"), sextant::Error);

  sextant::Matrix<float, 2, 3> m{{1, 2, 3, 4, 5, 6}};
  Array<double> out(device, 12);
  program.kernel("everything")(stream, true, int8_t(-1), int16_t(-2), int64_t(3), uint16_t(4), 0.5,
                               m, out);
  CHECK(out.read(stream.get()) == std::vector<double>{1, -1, -2, 3, 4, 0.5, 1, 2, 3, 4, 5, 6});

  Array<sextant::Vector<float, 3>, 2> vectors(device, {4, 5});
  CHECK(vectors.buffer().sizeBytes() == 4 * 5 * 12);
  program.kernel("vectors")(stream, vectors);
}

TEST_CASE("errors are exceptions with status and message") {
  std::vector<std::byte> bytes = makeModule();
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Program program(sextant::Module::fromMemory(bytes.data(), bytes.size()), device);
  Array<float> x(device, 3);
  try {
    program.kernel("saxpy")(device.defaultStream(), 2.0, x, x);
    FAIL("a double went for a float");
  } catch (const sextant::Error &error) {
    CHECK(error.status() == SXT_ERROR_SIGNATURE);
    CHECK(contains(error.what(), "argument 0 'a': expected a scalar f32, given a scalar f64"));
  }
  CHECK_THROWS_AS(sextant::Module::open("nowhere.sxt"), sextant::Error);
  CHECK_THROWS_AS(sextant::Device::open("abacus"), sextant::Error);
  CHECK_THROWS_AS(program.kernel("nothing"), sextant::Error);
  CHECK_THROWS_AS(Array<float>(device, -1), sextant::Error);
}

TEST_CASE("events and devices in C++") {
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Stream stream = device.defaultStream(), other = device.createStream();
  sextant::Event begin(device), end(device);
  begin.record(stream);
  end.record(stream);
  other.wait(end);
  end.synchronize();
  CHECK(end.ready());
  CHECK(end.since(begin) >= 0);
  other = device.createStream();
  std::vector<sextant::Device::Info> all = sextant::Device::all();
  CHECK(std::count_if(all.begin(), all.end(), [](const sextant::Device::Info &info) {
          return info.name == std::string("cpu");
        }) == 1);
  CHECK(device.name() == "cpu");
  device.synchronize();
}

TEST_CASE("prepared launches and graphs in C++") {
  std::vector<std::byte> bytes = makeModule();
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Module module = sextant::Module::fromMemory(bytes.data(), bytes.size());
  sextant::Program program(module, device);
  sextant::Stream stream = device.createStream();
  Array<float> x(device, std::vector<float>(100, 1)), y(device, 100), z(device, 100);
  y.clear(stream.get());
  sextant::Kernel saxpy = program.kernel("saxpy");
  sextant::PreparedLaunch launch(saxpy, 2.0f, x, y);
  launch.enqueue(stream);
  launch.set(0, 3.0f);
  launch.enqueue(stream);
  stream.synchronize();
  CHECK(y.read() == std::vector<float>(100, 5));
  CHECK_THROWS_AS(launch.set(0, 3), sextant::Error);
  CHECK(std::string(stream.lastLaunch().kernel) == "saxpy");

  sextant::Graph graph(device);
  graph.clear(y.view());
  const size_t step = graph.launch(saxpy, 4.0f, x, y);
  graph.copy(z.view(), y.view());
  graph.enqueue(stream);
  stream.synchronize();
  CHECK(z.read() == std::vector<float>(100, 4));
  graph.set(step, 0, 6.0f);
  graph.enqueue(stream);
  stream.synchronize();
  CHECK(z.read() == std::vector<float>(100, 6));
}

TEST_CASE("objects that were made without anything, or moved from, are errors in each call") {
  std::vector<std::byte> bytes = makeModule();
  sextant::Device device = sextant::Device::open("cpu");
  sextant::Module module = sextant::Module::fromMemory(bytes.data(), bytes.size());
  sextant::Program program(module, device);
  sextant::Kernel saxpy = program.kernel("saxpy"), total = program.kernel("total");
  Array<float> x(device, 100), none, moved(device, 100);
  const Array<float> taken = std::move(moved);
  std::vector<float> values(4, 1.0f);
  for (const Array<float> *empty : {&none, &moved}) {
    CHECK(empty->size() == 0);
    CHECK(empty->buffer().sizeBytes() == 0);
    CHECK_THROWS_AS(empty->read(), sextant::Error);
    CHECK_THROWS_AS(empty->write(values), sextant::Error);
    CHECK_THROWS_AS(empty->clear(), sextant::Error);
    CHECK_THROWS_AS(saxpy(device.defaultStream(), 2.0f, x, *empty), sextant::Error);
    CHECK_THROWS_AS(saxpy(device.defaultStream(), 2.0f, *empty, x), sextant::Error);
    CHECK_THROWS_AS(sextant::PreparedLaunch(saxpy, 2.0f, *empty, x), sextant::Error);
  }
  Array<int32_t, 0> single;
  CHECK(single.size() == 0);
  CHECK_THROWS_AS(single.read(), sextant::Error);
  Array<int32_t, 2> plane;
  CHECK(plane.size() == 0);
  CHECK_THROWS_AS(plane.read(), sextant::Error);
  saxpy(device.defaultStream(), 2.0f, Array<float>(device, 0), Array<float>(device, 0)); // may be

  sextant::Device noDevice;
  sextant::Module noModule;
  sextant::Program noProgram;
  sextant::Kernel noKernel;
  sextant::Event noEvent;
  sextant::Graph noGraph;
  sextant::Stream noStream;
  CHECK_THROWS_AS(noDevice.createStream(), sextant::Error);
  CHECK_THROWS_AS(noDevice.synchronize(), sextant::Error);
  CHECK_THROWS_AS(Array<float>(noDevice, 4), sextant::Error);
  CHECK_THROWS_AS(sextant::Program(noModule, device), sextant::Error);
  CHECK_THROWS_AS(sextant::Program(module, noDevice), sextant::Error);
  CHECK_THROWS_AS(sextant::Device::openFor(noModule), sextant::Error);
  CHECK_THROWS_AS(noProgram.kernel("saxpy"), sextant::Error);
  CHECK_THROWS_AS(noKernel(device.defaultStream(), 1.0f), sextant::Error);
  CHECK_THROWS_AS(sextant::PreparedLaunch(noKernel, 1.0f), sextant::Error);
  CHECK_THROWS_AS(noEvent.synchronize(), sextant::Error);
  CHECK_THROWS_AS(noEvent.record(device.defaultStream()), sextant::Error);
  CHECK_THROWS_AS(noStream.synchronize(), sextant::Error);
  CHECK_THROWS_AS(noStream.lastLaunch(), sextant::Error);
  CHECK_THROWS_AS(noGraph.enqueue(device.defaultStream()), sextant::Error);
  CHECK_THROWS_AS(noGraph.launch(total, Array<int32_t>(device, 4)), sextant::Error);
  (void)noDevice.defaultStream();
  CHECK(noDevice.name() == "");
  CHECK_THROWS_AS(noModule.kernels(), sextant::Error);
  CHECK_THROWS_AS(noKernel.variant(), sextant::Error);
}
