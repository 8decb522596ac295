// Fields in memory of the application: sxt_program_global_bind. The kernel `total` counts its
// launches in the field `calls`.
#include "TestModule.h"
#include "sextant/sextant.hpp"

#include <array>

using namespace sextant;
using namespace sextant::test;

namespace {

/// Counts 500 elements, and with that one launch.
struct Total : Loaded {
  sxt_buffer *source = bufferOf(std::vector<int32_t>(500, 3));
  sxt_argument argument = sxt_make_array1(source, SXT_DTYPE_I32, 500);

  void launch(unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i)
      need(sxt_kernel_launch(kernel("total"), nullptr, &argument, 1));
    need(sxt_device_synchronize(device));
  }
  int32_t calls() {
    int32_t value = -1;
    need(sxt_program_global_read(program, "calls", 0, &value, sizeof value, nullptr));
    return value;
  }
};

/// Memory of the application, as a buffer.
template <size_t N> struct Wrapped {
  Wrapped(sxt_device *device, size_t bytes = sizeof(int32_t) * N) {
    need(sxt_buffer_wrap(device, reinterpret_cast<uint64_t>(values.data()), bytes, &buffer));
  }
  ~Wrapped() { sxt_buffer_release(buffer); }
  std::array<int32_t, N> values{};
  sxt_buffer *buffer = nullptr;
};

} // namespace

TEST_CASE("a field lives where it is bound, before and after its kernels are loaded") {
  Total on;
  Wrapped<4> first(on.device), second(on.device);
  first.values = {10, 20, 30, 40};
  need(sxt_program_global_bind(on.program, "calls", first.buffer, 8));
  CHECK(on.calls() == 30);
  on.launch(2);
  CHECK(first.values == std::array<int32_t, 4>{10, 20, 32, 40});
  CHECK(on.calls() == 32);

  need(sxt_program_global_bind(on.program, "kernels.c:calls", second.buffer, 0));
  on.launch();
  CHECK(first.values[2] == 32);
  CHECK(second.values[0] == 1);
  const int32_t value = 100;
  need(sxt_program_global_write(on.program, "calls", 0, &value, sizeof value, nullptr));
  CHECK(second.values[0] == 100);
  sxt_buffer *field = nullptr;
  uint64_t address = 0, size = 0;
  need(sxt_program_global_buffer(on.program, "calls", &field));
  need(sxt_buffer_address(field, &address));
  need(sxt_buffer_size(field, &size));
  CHECK(address == reinterpret_cast<uint64_t>(second.values.data()));
  CHECK(size == 4);
}

TEST_CASE("a field leaves the program's memory, and gets new memory that is zero") {
  Total on;
  on.launch(3);
  need(sxt_program_global_bind(on.program, "calls", nullptr, 0)); // nothing happens
  CHECK(on.calls() == 3);
  Wrapped<1> mine(on.device);
  mine.values[0] = 50;
  need(sxt_program_global_bind(on.program, "calls", mine.buffer, 0));
  on.launch();
  CHECK(mine.values[0] == 51);
  need(sxt_program_global_bind(on.program, "calls", nullptr, 0));
  CHECK(on.calls() == 0);
  on.launch(2);
  CHECK(on.calls() == 2);
  CHECK(mine.values[0] == 51);
  // And so does a program whose field was never used.
  sxt_program *other = nullptr;
  need(sxt_program_create(on.module, on.device, nullptr, &other));
  need(sxt_program_global_bind(other, "calls", nullptr, 0));
  sxt_program_release(other);
}

TEST_CASE("prepared launches and graphs find a field where it is bound") {
  Total on;
  sxt_launch *launch = nullptr;
  need(sxt_launch_create(on.kernel("total"), &on.argument, 1, &launch));
  sxt_graph *graph = nullptr;
  need(sxt_graph_create(on.device, &graph));
  need(sxt_graph_add_launch(graph, on.kernel("total"), &on.argument, 1, nullptr));
  need(sxt_launch_enqueue(launch, nullptr));
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(on.calls() == 2);
  Wrapped<1> mine(on.device);
  need(sxt_program_global_bind(on.program, "calls", mine.buffer, 0));
  need(sxt_launch_enqueue(launch, nullptr));
  need(sxt_graph_enqueue(graph, nullptr));
  need(sxt_device_synchronize(on.device));
  CHECK(mine.values[0] == 2);
  sxt_graph_release(graph);
  sxt_launch_release(launch);
}

TEST_CASE("a field shares a buffer of the loader with other data") {
  Total on;
  sxt_buffer *shared = on.bufferOf<int32_t>({7, 8, 9});
  need(sxt_program_global_bind(on.program, "calls", shared, 4));
  on.launch();
  CHECK(on.read<int32_t>(shared, 3) == std::vector<int32_t>{7, 9, 9});
  need(sxt_program_global_bind(on.program, "calls", nullptr, 0)); // before the buffer goes
}

TEST_CASE("a field that cannot be bound stays where it is") {
  Total on;
  Wrapped<4> mine(on.device);
  on.launch();
  const auto bind = [&](sxt_buffer *buffer, uint64_t offset, const char *name = "calls") {
    return sxt_program_global_bind(on.program, name, buffer, offset);
  };
  CHECK(bind(mine.buffer, 16) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(message() == "field 'calls' has 4 bytes: from 16 on, the buffer of 16 has not as many");
  CHECK(bind(mine.buffer, ~uint64_t(0)) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(bind(mine.buffer, 2) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "not a multiple of 4 bytes"));
  CHECK(bind(mine.buffer, 0, "bins") == SXT_ERROR_NOT_FOUND);
  CHECK(sxt_program_global_bind(nullptr, "calls", mine.buffer, 0) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_global_bind(on.program, nullptr, mine.buffer, 0) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_buffer *field = nullptr;
  void *mapped = nullptr;
  need(sxt_program_global_buffer(on.program, "calls", &field));
  need(sxt_buffer_map(field, &mapped));
  CHECK(bind(mine.buffer, 0) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "unmap"));
  need(sxt_buffer_unmap(field));
  on.launch();
  CHECK(on.calls() == 2);
  CHECK(mine.values == std::array<int32_t, 4>{});
}

TEST_CASE("the C++ wrapper binds fields") {
  const std::vector<std::byte> bytes = makeModule();
  auto module = Module::fromMemory(bytes.data(), bytes.size());
  REQUIRE(module);
  auto device = Device::open("cpu");
  REQUIRE(device);
  auto program = Program::create(*module, *device);
  REQUIRE(program);
  Wrapped<1> mine(device->get());
  mine.values[0] = 41;
  REQUIRE(program->bind("calls", mine.buffer));
  std::vector<int32_t> value(1);
  REQUIRE(program->read("calls", value));
  CHECK(value[0] == 41);
  CHECK(program->bind("bins", mine.buffer).error().status() == SXT_ERROR_NOT_FOUND);
  REQUIRE(program->bind("calls", nullptr));
  REQUIRE(program->read("calls", value));
  CHECK(value[0] == 0);
}
