// Launches allocate nothing once they are warm: plain, prepared and in graphs, of small and
// of large argument blocks, with returns, copies and fills between, on every device.
#include "Allocations.h"
#include "TestModule.h"
#include "vulkan/VulkanModule.h"

#include <cstdlib>
#include <string>

using namespace sextant;
using namespace sextant::test;

namespace {

std::string metalText() {
  std::string text;
  for (const KernelSpec &spec : kernelSpecs())
    for (const module::Task &task : spec.plan.tasks)
      text += "// Sextant: Metal 2.3, kernel " + task.symbol + "\nkernel void " + task.symbol +
              "() {}\n";
  return text;
}

ModuleOptions optionsFor(const std::string &device) {
  ModuleOptions options;
  if (device == "cuda")
    options.targets = {{"cuda", "sm_90", {}, 32}};
  else if (device == "hip")
    options.targets = {{"amdgpu", "gfx1100", {}, 32}};
  else if (device == "vulkan")
    return vulkanOptions();
  else if (device == "metal")
    options.targets = {{"metal", "2.3", {}, 32}};
  if (device == "hip") // the runtime goes by this, then by nothing
    options.gpuImage = std::string("\177ELF") + std::string(60, ' ') + "hsaco of kernels";
  if (device == "metal")
    options.images[str(options.targets[0])] = [] {
      const std::string text = metalText();
      const auto *first = reinterpret_cast<const std::byte *>(text.data());
      return std::vector<std::byte>(first, first + text.size());
    }();
  return options;
}

/// Everything that the steps below use.
struct Work {
  explicit Work(const char *device) : on(device, optionsFor(device)) {
    need(sxt_stream_create(on.device, &stream));
    x = on.buffer(1 << 12);
    y = on.buffer(1 << 12);
    saxpy = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 1000),
             sxt_make_array1(y, SXT_DTYPE_F32, 1000)};
    for (int64_t i = 0; i < 100; ++i)
      many.push_back(sxt_make_i64(i));
    many.push_back(sxt_make_array1(x, SXT_DTYPE_I64, 1));
    total = {sxt_make_array1(x, SXT_DTYPE_I32, 100)};
  }
  ~Work() { sxt_stream_release(stream); }
  Loaded on;
  sxt_stream *stream = nullptr;
  sxt_buffer *x = nullptr, *y = nullptr;
  std::vector<sxt_argument> saxpy, many, total;
};

/// Runs `step` until it is warm (a queue of the CPU's has 256 entries), then counts.
template <class Step> size_t steady(Work &work, Step step) {
  for (int i = 0; i < 600; ++i) {
    REQUIRE(step(i) == SXT_OK);
    if (i % 50 == 49)
      need(sxt_stream_synchronize(work.stream));
  }
  sxt_status status = SXT_OK;
  countAllocations();
  for (int i = 0; i < 100 && status == SXT_OK; ++i)
    status = step(i);
  if (status == SXT_OK)
    status = sxt_stream_synchronize(work.stream);
  const size_t count = allocationsCounted();
  need(status);
  return count;
}

const char *device() {
  const char *name = std::getenv("SEXTANT_TEST_DEVICE");
  return name ? name : "cpu";
}

} // namespace

TEST_CASE("the count sees what the loader allocates") {
  Loaded on;
  countAllocations();
  sxt_buffer *made = nullptr;
  const sxt_status status = sxt_buffer_create(on.device, 100, &made);
  const size_t count = allocationsCounted();
  need(status);
  CHECK(count >= 2); // the handle, the memory
  countAllocations();
  sxt_buffer_release(made);
  CHECK(allocationsCounted() == 0);
}

TEST_CASE("launches allocate nothing") {
  Work work(device());
  for (const auto &[name, arguments] :
       {std::pair{"saxpy", &work.saxpy}, {"many", &work.many}, {"total", &work.total}}) {
    INFO(name);
    sxt_kernel *kernel = work.on.kernel(name);
    CHECK(steady(work, [&, given = arguments](int) {
            return sxt_kernel_launch(kernel, work.stream, given->data(), given->size());
          }) == 0);
  }
}

TEST_CASE("calls that wait for returned values allocate nothing") {
  Work work(device());
  sxt_kernel *total = work.on.kernel("total");
  int64_t sum = 0;
  float pair[2];
  const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  CHECK(steady(work, [&](int) {
          return sxt_kernel_call(total, work.stream, work.total.data(), 1, results, 2);
        }) == 0);
}

TEST_CASE("prepared launches allocate nothing, changed or not") {
  Work work(device());
  for (const auto &[name, arguments] :
       {std::pair{"saxpy", &work.saxpy}, {"many", &work.many}, {"total", &work.total}}) {
    INFO(name);
    sxt_launch *launch = nullptr;
    need(sxt_launch_create(work.on.kernel(name), arguments->data(), arguments->size(), &launch));
    CHECK(steady(work, [&, given = arguments](int) {
            sxt_status status = sxt_launch_set_argument(launch, 0, given->data());
            return status == SXT_OK ? sxt_launch_enqueue(launch, work.stream) : status;
          }) == 0);
    sxt_launch_release(launch);
  }
}

TEST_CASE("graphs allocate nothing") {
  Work work(device());
  sxt_graph *graph = nullptr;
  need(sxt_graph_create(work.on.device, &graph));
  const uint32_t zero = 0;
  need(sxt_graph_add_fill(graph, work.x, 0, 4096, &zero, 4));
  need(sxt_graph_add_launch(graph, work.on.kernel("saxpy"), work.saxpy.data(), 3, nullptr));
  need(sxt_graph_add_launch(graph, work.on.kernel("many"), work.many.data(), 101, nullptr));
  need(sxt_graph_add_launch(graph, work.on.kernel("total"), work.total.data(), 1, nullptr));
  need(sxt_graph_add_copy(graph, work.x, 0, work.y, 0, 4096));
  CHECK(steady(work, [&](int) { return sxt_graph_enqueue(graph, work.stream); }) == 0);
  sxt_graph_release(graph);
}
