// Devices that were opened before a fork, in its child: the CPU works, others are errors, and
// nothing hangs. SEXTANT_TEST_DEVICE names the device of the case about drivers.
#include "Fork.h"

#include <atomic>
#include <csignal>
#include <numeric>
#include <thread>

using namespace sextant::test;

namespace {

constexpr int64_t n = 100000; // many blocks, for many threads

/// Launches saxpy on the handles, and checks the result.
void saxpy(Notes &notes, Loaded &on, sxt_kernel *kernel, sxt_stream *stream, sxt_buffer *x,
           sxt_buffer *y) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  const float one = 1;
  notes.expect(sxt_buffer_write(x, 0, values.data(), n * 4, stream) == SXT_OK, "write");
  notes.expect(sxt_buffer_fill(y, 0, n * 4, &one, 4, stream) == SXT_OK, "fill");
  const sxt_argument arguments[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, n),
                                    sxt_make_array1(y, SXT_DTYPE_F32, n)};
  notes.expect(sxt_kernel_launch(kernel, stream, arguments, 3) == SXT_OK, "launch");
  notes.expect(sxt_buffer_read(y, 0, values.data(), n * 4, stream) == SXT_OK, "read");
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i)
    wrong += values[i] != 2 * static_cast<float>(i) + 1;
  notes.expect(wrong == 0, std::to_string(wrong) + " wrong values");
  notes.expect(sxt_device_synchronize(on.device) == SXT_OK, "synchronize the device");
}

bool says(sxt_status status, sxt_status wanted, const std::string &part) {
  return status == wanted && contains(message(), part);
}

} // namespace

TEST_CASE("fork: the CPU works in the child, the parent and the child's child", "[cpu]") {
  Loaded on;
  sxt_kernel *kernel = on.kernel("saxpy"), *scratch = on.kernel("scratch"),
             *total = on.kernel("total");
  sxt_buffer *x = on.buffer(n * 4), *y = on.buffer(n * 4), *out = on.buffer(64 * 8);
  sxt_stream *stream = nullptr;
  sxt_event *event = nullptr;
  need(sxt_stream_create(on.device, &stream));
  need(sxt_event_create(on.device, &event));
  need(sxt_event_record(event, stream));
  need(sxt_event_synchronize(event));
  Notes parent;
  saxpy(parent, on, kernel, stream, x, y);
  auto work = [&](Notes &notes) {
    for (sxt_stream *where : {stream, static_cast<sxt_stream *>(nullptr)})
      saxpy(notes, on, kernel, where, x, y);
    const sxt_argument array = sxt_make_array1(out, SXT_DTYPE_U64, 64);
    std::vector<uint64_t> rows(64);
    notes.expect(sxt_kernel_launch(scratch, stream, &array, 1) == SXT_OK, "launch scratch");
    notes.expect(sxt_buffer_read(out, 0, rows.data(), 64 * 8, stream) == SXT_OK, "read scratch");
    notes.expect(rows == std::vector<uint64_t>(64, 1200), "shared memory");
    const std::vector<int32_t> ones(1000, 1);
    notes.expect(sxt_buffer_write(x, 0, ones.data(), 4000, stream) == SXT_OK, "write ones");
    const sxt_argument source = sxt_make_array1(x, SXT_DTYPE_I32, 1000);
    int64_t sum = 0;
    float both[2] = {};
    sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                            {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, both}};
    notes.expect(sxt_kernel_call(total, stream, &source, 1, results, 2) == SXT_OK && sum == 1000,
                 "total");
    notes.expect(sxt_event_record(event, stream) == SXT_OK &&
                     sxt_event_synchronize(event) == SXT_OK && sxt_event_query(event) == SXT_OK,
                 "event");
    sxt_stream *more = nullptr;
    notes.expect(sxt_stream_create(on.device, &more) == SXT_OK, "a new stream");
    saxpy(notes, on, kernel, more, x, y);
    sxt_stream_release(more);
  };
  CHECK(inChild([&](Notes &notes) {
          work(notes);
          const std::string further = inChild(work);
          notes.expect(further.empty(), "in its child: " + further);
        }) == "");
  CHECK(inChild([&](Notes &) {}) == ""); // which does not use the device
  work(parent);
  CHECK(parent.problems == "");
  sxt_event_release(event);
  sxt_stream_release(stream);
}

TEST_CASE("fork: the CPU's work is the parent's, and the child opens the device again", "[cpu]") {
  Loaded on;
  sxt_kernel *slow = on.kernel("slow"), *kernel = on.kernel("saxpy");
  sxt_buffer *out = on.bufferOf(std::vector<int32_t>{0});
  sxt_event *event = nullptr;
  sxt_stream *stream = nullptr;
  need(sxt_event_create(on.device, &event));
  need(sxt_stream_create(on.device, &stream));
  const sxt_argument arguments[] = {sxt_make_i32(200), sxt_make_array1(out, SXT_DTYPE_I32, 1)};
  need(sxt_kernel_launch(slow, nullptr, arguments, 2));
  need(sxt_event_record(event, nullptr));
  need(sxt_stream_wait_event(stream, event));
  // Other threads wait, each in its own way.
  std::thread first([&] { need(sxt_device_synchronize(on.device)); });
  std::thread second([&] { need(sxt_event_synchronize(event)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(inChild([&](Notes &notes) {
          auto refused = [&](const char *name, sxt_status status) {
            notes.expect(says(status, SXT_ERROR_DEVICE, "it was working then"), name);
          };
          int32_t value = 0;
          sxt_buffer *buffer = nullptr;
          sxt_stream *another = nullptr;
          refused("launch", sxt_kernel_launch(kernel, nullptr, nullptr, 0));
          refused("read", sxt_buffer_read(out, 0, &value, 4, nullptr));
          refused("synchronize", sxt_device_synchronize(on.device));
          refused("stream", sxt_stream_synchronize(stream));
          refused("event", sxt_event_synchronize(event));
          refused("query", sxt_event_query(event));
          refused("buffer", sxt_buffer_create(on.device, 64, &buffer));
          refused("another stream", sxt_stream_create(on.device, &another));
          Loaded anew;
          saxpy(notes, anew, anew.kernel("saxpy"), nullptr, anew.buffer(n * 4), anew.buffer(n * 4));
          sxt_stream_release(stream);
          sxt_event_release(event);
        }) == "");
  first.join();
  second.join();
  CHECK(on.read<int32_t>(out, 1) == std::vector<int32_t>{1});
  sxt_stream_release(stream);
  sxt_event_release(event);
}

TEST_CASE("fork: while other threads use the CPU, the child's calls work or are errors", "[cpu]") {
  Loaded on;
  sxt_kernel *total = on.kernel("total");
  sxt_buffer *source = on.bufferOf(std::vector<int32_t>(64, 1));
  const sxt_argument argument = sxt_make_array1(source, SXT_DTYPE_I32, 64);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done)
      need(sxt_kernel_launch(total, nullptr, &argument, 1));
  });
  for (int round = 0; round < 40; ++round)
    CHECK(inChild([&](Notes &notes) {
            const sxt_status status = sxt_kernel_launch(total, nullptr, &argument, 1);
            notes.expect(status == SXT_OK || status == SXT_ERROR_DEVICE, "launch");
            notes.expect(sxt_device_synchronize(on.device) == status, "synchronize");
          }) == "");
  done = true;
  other.join();
}

TEST_CASE("fork: devices of drivers are errors in the child, which has others", "[driver]") {
  const char *name = std::getenv("SEXTANT_TEST_DEVICE");
  REQUIRE(name);
  Loaded on(name);
  sxt_buffer *buffer = on.bufferOf(std::vector<int32_t>(64, 7));
  sxt_stream *stream = nullptr;
  sxt_event *event = nullptr;
  need(sxt_stream_create(on.device, &stream));
  need(sxt_event_create(on.device, &event));
  need(sxt_event_record(event, stream));
  need(sxt_stream_synchronize(stream));
  CHECK(inChild(
            [&](Notes &notes) {
              const std::string why = "its driver does not work in the child of a fork";
              auto refused = [&](const char *call, sxt_status status) {
                notes.expect(says(status, SXT_ERROR_DEVICE, why), call);
              };
              int32_t value = 0;
              sxt_buffer *more = nullptr;
              sxt_stream *another = nullptr;
              sxt_event *later = nullptr;
              sxt_device *device = nullptr;
              void *mapped = nullptr;
              refused("read", sxt_buffer_read(buffer, 0, &value, 4, nullptr));
              refused("write", sxt_buffer_write(buffer, 0, &value, 4, stream));
              refused("fill", sxt_buffer_fill(buffer, 0, 4, &value, 4, stream));
              refused("map", sxt_buffer_map(buffer, &mapped));
              refused("device", sxt_device_synchronize(on.device));
              refused("stream", sxt_stream_synchronize(stream));
              refused("record", sxt_event_record(event, stream));
              refused("event", sxt_event_synchronize(event));
              refused("query", sxt_event_query(event));
              refused("wait", sxt_stream_wait_event(stream, event));
              refused("new buffer", sxt_buffer_create(on.device, 64, &more));
              refused("new stream", sxt_stream_create(on.device, &another));
              refused("new event", sxt_event_create(on.device, &later));
              notes.expect(says(sxt_device_open(name, &device), SXT_ERROR_NO_DEVICE, why), "open");
              sxt_device_info info;
              info.struct_size = sizeof info;
              notes.expect(sxt_device_open(nullptr, &device) == SXT_OK &&
                               sxt_device_describe(device, &info) == SXT_OK &&
                               std::string(info.backend) != name,
                           "the default device");
              sxt_stream_release(stream);
              sxt_event_release(event);
              // Mesa's drivers have exit() wait for the parent's threads.
            },
            _exit) == "");
  CHECK(on.read<int32_t>(buffer, 64) == std::vector<int32_t>(64, 7));
  sxt_stream_release(stream);
  sxt_event_release(event);
}
