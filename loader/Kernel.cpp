// Launches: arguments are checked against the signature and laid out as the
// argument block, grids computed, tasks queued. Nothing here allocates for kernels
// of ordinary size.
#include "loader/LaunchErrors.h"

#include <algorithm>
#include <climits>

using namespace sextant;
using namespace sextant::loader;

namespace {

/// `Count` values on the stack, more of them on the heap.
template <class T, size_t Count> class Scratch {
public:
  explicit Scratch(size_t size) {
    if (size > Count)
      large = std::make_unique<T[]>(size);
  }
  T *data() { return large ? large.get() : reinterpret_cast<T *>(small); }

private:
  alignas(16) std::byte small[Count * sizeof(T)]; // left as it is: launches should be quick
  std::unique_ptr<T[]> large;
};

//===--- Arguments ---------------------------------------------------------===//

/// An integer's value by its type; anything for floats, which no grid depends on.
int64_t integerOf(module::DType dtype, uint64_t bits) {
  switch (dtype) {
  case module::DType::I8:
    return static_cast<int8_t>(bits);
  case module::DType::I16:
    return static_cast<int16_t>(bits);
  case module::DType::I32:
    return static_cast<int32_t>(bits);
  case module::DType::Bool:
  case module::DType::U8:
    return static_cast<uint8_t>(bits);
  case module::DType::U16:
    return static_cast<uint16_t>(bits);
  case module::DType::U32:
    return static_cast<uint32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

sxt_status packArray(const sxt_kernel &kernel, size_t index, const sxt_argument &given,
                     std::byte *block, int64_t *values) {
  const ArgumentPlan &plan = kernel.arguments[index];
  uint64_t scalars = plan.elementScalars;
  for (uint32_t dim = 0; dim < given.ndim; ++dim) {
    int64_t extent = given.shape[dim];
    if (extent < 0 || extent > INT32_MAX)
      return failArgument(kernel, index, SXT_ERROR_LAUNCH_REFUSED,
                          "extent %u is %lld: it must lie between 0 and %d", dim,
                          static_cast<long long>(extent), INT32_MAX);
    // Kernels compute positions in an array as i32. What is too large stays too large.
    scalars = std::min<uint64_t>(scalars * static_cast<uint64_t>(extent), uint64_t(1) << 32);
    auto narrow = static_cast<int32_t>(extent);
    std::memcpy(block + kernel.params[plan.firstParam + 1 + dim].offset, &narrow, sizeof narrow);
    values[plan.firstParam + 1 + dim] = extent;
  }
  if (scalars > INT32_MAX)
    return failArgument(kernel, index, SXT_ERROR_UNSUPPORTED,
                        "arrays of more than %d scalars are not yet supported", INT32_MAX);
  uint64_t bytes = scalars * plan.elementBytes;
  uint64_t address = given.offset_bytes;
  if (const sxt_buffer *buffer = given.value.buffer) {
    if (buffer->device != kernel.program->device.get())
      return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                          "its buffer belongs to device %s, the kernel to %s",
                          buffer->device->name().c_str(), kernel.program->device->name().c_str());
    if (!buffer->holds(given.offset_bytes, bytes))
      return failArgument(kernel, index, SXT_ERROR_OUT_OF_RANGE,
                          "the shape needs %llu bytes from offset %llu, the buffer has %llu",
                          static_cast<unsigned long long>(bytes),
                          static_cast<unsigned long long>(given.offset_bytes),
                          static_cast<unsigned long long>(buffer->bytes));
    address += buffer->address;
  } else if (address == 0 && bytes != 0) {
    return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                        "it has neither a buffer nor an address");
  }
  if (address % plan.elementBytes != 0)
    return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                        "its address is not a multiple of its %u-byte type", plan.elementBytes);
  std::memcpy(block + plan.offset, &address, sizeof address);
  values[plan.firstParam] = 0;
  return SXT_OK;
}

sxt_status packMatrix(const sxt_kernel &kernel, size_t index, const sxt_argument &given,
                      std::byte *block, int64_t *values) {
  const ArgumentPlan &plan = kernel.arguments[index];
  if (!given.value.data)
    return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT, "its data is null");
  const auto *scalars = static_cast<const std::byte *>(given.value.data);
  for (uint32_t i = 0; i < plan.elementScalars; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, scalars + size_t(i) * plan.elementBytes, plan.elementBytes);
    if (plan.argument->dtype == module::DType::Bool)
      bits = (bits & 0xff) != 0;
    const module::Param &param = kernel.params[plan.firstParam + i];
    std::memcpy(block + param.offset, &bits, plan.elementBytes);
    values[plan.firstParam + i] = integerOf(plan.argument->dtype, bits);
  }
  return SXT_OK;
}

/// Fills in the block's arguments, and for launch expressions each parameter's value.
sxt_status packArguments(const sxt_kernel &kernel, const sxt_argument *arguments, size_t count,
                         std::byte *block, int64_t *values) {
  if (count != kernel.arguments.size())
    return failCount(kernel, count);
  if (count == 0)
    return SXT_OK;
  SXT_REQUIRE(arguments);
  const size_t stride = arguments->struct_size;
  if (stride < sizeof(sxt_argument) || stride > 4096)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "sxt_argument.struct_size is %zu: make arguments with the sxt_make_ functions",
                stride);
  const auto *at = reinterpret_cast<const char *>(arguments);
  for (size_t i = 0; i < count; ++i, at += stride) {
    const auto &given = *reinterpret_cast<const sxt_argument *>(at);
    const ArgumentPlan &plan = kernel.arguments[i];
    const module::Argument &expected = *plan.argument;
    if (given.struct_size != stride)
      return fail(SXT_ERROR_INVALID_ARGUMENT,
                  "the arguments of a launch must all have one struct_size");
    if (given.kind != expected.kind || given.dtype != static_cast<unsigned>(expected.dtype) ||
        given.ndim != expected.ndim || given.rows != expected.rows || given.cols != expected.cols)
        [[unlikely]]
      return failSignature(kernel, i, given);
    switch (expected.kind) {
    case module::Argument::Array:
      SXT_TRY(packArray(kernel, i, given, block, values));
      break;
    case module::Argument::Scalar: {
      uint64_t bits = given.value.bits;
      if (expected.dtype == module::DType::Bool)
        bits = (bits & 0xff) != 0;
      std::memcpy(block + plan.offset, &bits, plan.elementBytes);
      values[plan.firstParam] = integerOf(expected.dtype, bits);
      break;
    }
    case module::Argument::Matrix:
      SXT_TRY(packMatrix(kernel, i, given, block, values));
      break;
    }
  }
  return SXT_OK;
}

//===--- Grids -------------------------------------------------------------===//

sxt_status gridOf(const sxt_kernel &kernel, const TaskPlan &plan, std::span<const int64_t> values,
                  uint32_t &grid) {
  const module::Task &task = *plan.task;
  if (!task.iterations) {
    grid = task.serial ? 1 : kernel.program->device->device->gridThatFills(plan.loaded);
    return SXT_OK;
  }
  std::optional<int64_t> iterations = module::evaluate(*task.iterations, values);
  if (!iterations)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s': the step of a parallel loop, or a divisor in its bounds, is 0",
                kernel.record->instance.c_str());
  if (*iterations <= 0) {
    grid = 0;
    return SXT_OK;
  }
  if (*iterations > INT32_MAX)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %lld iterations: at most %d are possible",
                kernel.record->instance.c_str(), static_cast<long long>(*iterations), INT32_MAX);
  if (task.fullBlocks && *iterations % task.blockDim != 0)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %lld iterations: it synchronizes whole blocks, so the "
                "number must be a multiple of its block size, %u",
                kernel.record->instance.c_str(), static_cast<long long>(*iterations),
                task.blockDim);
  grid = static_cast<uint32_t>((*iterations + task.blockDim - 1) / task.blockDim);
  const DeviceDescription &on = kernel.program->device->device->description();
  if (grid > on.maxBlocks)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %u blocks of %u threads: %s runs at most %u blocks a launch",
                kernel.record->instance.c_str(), grid, task.blockDim, on.name.c_str(),
                on.maxBlocks);
  return SXT_OK;
}

//===--- Launching ---------------------------------------------------------===//

/// Queues the tasks; `readBack`, if not null, gets the results' bytes in the end.
sxt_status queueTasks(const sxt_kernel &kernel, sxt_stream &stream, std::byte *block,
                      const uint32_t *grids, std::byte *readBack) {
  std::unique_lock<std::mutex> order;
  if (kernel.tasks.size() > 1 || kernel.temporaryBytes) {
    order = std::unique_lock(stream.order);
    SXT_TRY(stream.reserveTemporary(kernel.temporaryBytes));
  }
  for (const HiddenPlan &hidden : kernel.hidden) {
    uint64_t address = hidden.address + (hidden.temporary ? stream.temporary : 0);
    std::memcpy(block + hidden.offset, &address, sizeof address);
  }
  if (kernel.faults) [[unlikely]]
    SXT_TRY(clearFaults(kernel, stream));
  for (size_t i = 0; i < kernel.tasks.size(); ++i)
    if (grids[i])
      SXT_TRY(stream.impl->launch(kernel.tasks[i].loaded, grids[i], block, kernel.blockBytes));
  if (kernel.faults) [[unlikely]]
    SXT_TRY(reportFaults(kernel, stream));
  return readBack ? stream.impl->read(readBack, stream.temporary, kernel.resultBytes) : SXT_OK;
}

sxt_status launch(sxt_kernel &kernel, sxt_stream *stream, const sxt_argument *arguments,
                  size_t count, std::byte *readBack, sxt_stream **used) {
  SXT_TRY(kernel.program->device->choose(stream, stream));
  Scratch<std::byte, 2048> block(kernel.blockBytes);
  Scratch<int64_t, 128> values(kernel.params.size());
  Scratch<uint32_t, 32> grids(kernel.tasks.size());
  SXT_TRY(packArguments(kernel, arguments, count, block.data(), values.data()));
  // All grids first: a launch is refused as a whole.
  for (size_t i = 0; i < kernel.tasks.size(); ++i)
    SXT_TRY(
        gridOf(kernel, kernel.tasks[i], {values.data(), kernel.params.size()}, grids.data()[i]));
  if (logs(SXT_LOG_DEBUG))
    log(SXT_LOG_DEBUG, "launch %s: %s", kernel.record->instance.c_str(), kernel.target.c_str());
  if (used)
    *used = stream;
  return queueTasks(kernel, *stream, block.data(), grids.data(), readBack);
}

} // namespace

sxt_status sxt_kernel_launch(sxt_kernel *kernel, sxt_stream *stream, const sxt_argument *arguments,
                             size_t count) {
  SXT_REQUIRE(kernel);
  return guardedInline([&] { return launch(*kernel, stream, arguments, count, nullptr, nullptr); });
}

sxt_status sxt_kernel_call(sxt_kernel *kernel, sxt_stream *stream, const sxt_argument *arguments,
                           size_t count, const sxt_result *results, size_t resultCount) {
  SXT_REQUIRE(kernel);
  return guarded([&] {
    SXT_TRY(checkResults(*kernel, results, resultCount));
    Scratch<std::byte, 1024> bytes(kernel->resultBytes);
    sxt_stream *used = nullptr;
    sxt_status status =
        launch(*kernel, stream, arguments, count, resultCount ? bytes.data() : nullptr, &used);
    if (status == SXT_OK)
      status = used->impl->synchronize();
    if (status != SXT_OK && used)
      used->impl->forget(bytes.data(), kernel->resultBytes);
    SXT_TRY(status);
    for (size_t i = 0; i < resultCount; ++i)
      std::memcpy(results[i].data, bytes.data() + kernel->results[i].offset,
                  kernel->results[i].bytes);
    return SXT_OK;
  });
}

sxt_status sxt_kernel_variant(sxt_kernel *kernel, sxt_variant_info *info) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(info);
  sxt_variant_info filled{};
  filled.target = kernel->target.c_str();
  filled.backend = kernel->variant->target.backend.c_str();
  filled.arch = kernel->variant->target.arch.c_str();
  filled.wave = kernel->variant->target.wave;
  filled.task_count = kernel->tasks.size();
  return guarded([&] { return giveInfo(info, filled); });
}

sxt_status sxt_kernel_task(sxt_kernel *kernel, size_t index, sxt_task_info *info) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(info);
  return guarded([&] {
    if (index >= kernel->tasks.size())
      return fail(SXT_ERROR_OUT_OF_RANGE, "task %zu of kernel '%s', which has %zu", index,
                  kernel->record->instance.c_str(), kernel->tasks.size());
    const module::Task &task = *kernel->tasks[index].task;
    const module::Resources &resources = kernel->variant->resources[index];
    sxt_task_info filled{};
    filled.name = task.symbol.c_str();
    filled.block_dim = task.blockDim;
    filled.registers = resources.registers;
    filled.spill_bytes = resources.spillBytes;
    filled.stack_bytes = resources.stackBytes;
    filled.shared_bytes = resources.sharedBytes;
    filled.scalar_registers = resources.scalarRegisters;
    filled.occupancy = resources.occupancy;
    return giveInfo(info, filled);
  });
}

sxt_status sxt_kernel_index(sxt_kernel *kernel, size_t *index) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(index);
  *index = kernel->index;
  return SXT_OK;
}
