// Checks a launch's arguments against the signature, lays them out as the argument block, and
// computes the grids that follow from them. Nothing here allocates unless it fails.
#include "loader/Launch.h"
#include "loader/LaunchErrors.h"
#include "loader/abi/Division.h"

#include <algorithm>
#include <cinttypes>
#include <climits>

using namespace sextant;
using namespace sextant::loader;

namespace {

//===--- Arguments ---------------------------------------------------------===//

/// Reads an integer by its type. The result is arbitrary for reals, since no grid depends on them.
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
  uint64_t scalars = plan.elementScalars, longest = 0;
  for (uint32_t dim = 0; dim < given.ndim; ++dim) {
    const int64_t extent = given.shape[dim];
    if (extent < 0)
      return failArgument(kernel, index, SXT_ERROR_LAUNCH_REFUSED,
                          "extent %u is %" PRId64 ": it must not be negative", dim, extent);
    if (__builtin_mul_overflow(scalars, static_cast<uint64_t>(extent), &scalars))
      scalars = UINT64_MAX; // a product that is too large stays too large
    longest = std::max(longest, static_cast<uint64_t>(extent));
    std::byte *to = block + kernel.params[plan.firstParam + 1 + dim].offset;
    if (kernel.isLarge)
      std::memcpy(to, &extent, sizeof(int64_t));
    else
      std::memcpy(to, &extent, sizeof(int32_t)); // the low half
    values[plan.firstParam + 1 + dim] = extent;
  }
  if (std::max(scalars, longest) > abi::mostOrdinary && !kernel.isLarge) [[unlikely]] {
    if (kernel.largeVerdict)
      return needsLarge;
    return failArgument(kernel, index, SXT_ERROR_UNSUPPORTED,
                        "it has %" PRIu64
                        " scalars: more than %d, also along one axis, need code that is "
                        "built with --large-arrays",
                        scalars, INT32_MAX);
  }
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(scalars, uint64_t(plan.elementBytes), &bytes))
    bytes = UINT64_MAX;
  uint64_t address = given.offset_bytes;
  if (const sxt_buffer *buffer = given.value.buffer) {
    if (buffer->device != kernel.program->device.get())
      return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                          "its buffer belongs to device %s, the kernel to %s",
                          buffer->device->name().c_str(), kernel.program->device->name().c_str());
    if (!buffer->holds(given.offset_bytes, bytes))
      return failArgument(kernel, index, SXT_ERROR_OUT_OF_RANGE,
                          "the shape needs %" PRIu64 " bytes from offset %" PRIu64
                          ", the buffer has %" PRIu64,
                          bytes, given.offset_bytes, buffer->bytes);
    address = bytes ? address + buffer->address : 0; // an empty array may lie anywhere
  } else if (address == 0 && bytes != 0) {
    return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                        "it has neither a buffer nor an address");
  }
  if (address % plan.alignment != 0)
    return failArgument(kernel, index, SXT_ERROR_INVALID_ARGUMENT,
                        "its address is not a multiple of %u bytes, its elements' alignment",
                        plan.alignment);
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
  const bool isStrided =
      task.iterations->isConstant() ? *iterations > abi::mostOrdinary : kernel.isLarge;
  const int64_t most = isStrided ? INT64_MAX - 1 : abi::mostOrdinary;
  if (*iterations > most) [[unlikely]] {
    if (!isStrided && kernel.largeVerdict)
      return needsLarge;
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %s%" PRId64 " iterations: at most %" PRId64
                " are possible%s",
                kernel.record->instance.c_str(), *iterations == INT64_MAX ? "at least " : "",
                *iterations, most, isStrided ? "" : " without --large-arrays");
  }
  if (task.fullBlocks && *iterations % task.blockDim != 0)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %" PRId64
                " iterations: it synchronizes whole blocks, so the "
                "number must be a multiple of its block size, %u",
                kernel.record->instance.c_str(), *iterations, task.blockDim);
  // No device has a limit of fewer threads, so that strided loops run on all.
  grid = static_cast<uint32_t>((std::min(*iterations, abi::mostOrdinary) + task.blockDim - 1) /
                               task.blockDim);
  const DeviceDescription &on = kernel.program->device->device->description();
  if (isStrided)
    grid = std::min(grid, on.rowBlocks);
  if (grid > on.maxBlocks)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "kernel '%s' would run %u blocks of %u threads: %s runs at most %u blocks a launch",
                kernel.record->instance.c_str(), grid, task.blockDim, on.name.c_str(),
                on.maxBlocks);
  return SXT_OK;
}

} // namespace

sxt_status sextant::loader::packArgument(const sxt_kernel &kernel, size_t index,
                                         const sxt_argument &given, const Packed &packed) {
  const ArgumentPlan &plan = kernel.arguments[index];
  const module::Argument &expected = *plan.argument;
  if (given.kind != expected.kind || given.dtype != static_cast<unsigned>(expected.dtype) ||
      given.ndim != expected.ndim || given.rows != expected.rows || given.cols != expected.cols)
      [[unlikely]]
    return failSignature(kernel, index, given);
  switch (expected.kind) {
  case module::Argument::Array:
    return packArray(kernel, index, given, packed.block, packed.values);
  case module::Argument::Scalar: {
    uint64_t bits = given.value.bits;
    if (expected.dtype == module::DType::Bool)
      bits = (bits & 0xff) != 0;
    std::memcpy(packed.block + plan.offset, &bits, plan.elementBytes);
    packed.values[plan.firstParam] = integerOf(expected.dtype, bits);
    return SXT_OK;
  }
  case module::Argument::Matrix:
    return packMatrix(kernel, index, given, packed.block, packed.values);
  }
  return SXT_OK;
}

sxt_status sextant::loader::computeGrids(const sxt_kernel &kernel, const Packed &packed) {
  const std::span<const int64_t> values(packed.values, kernel.params.size());
  if (kernel.keepsApart) [[unlikely]]
    SXT_TRY(checkApart(kernel, packed.block, packed.values));
  for (size_t i = 0; i < kernel.tasks.size(); ++i)
    SXT_TRY(gridOf(kernel, kernel.tasks[i], values, packed.grids[i]));
  for (const DivisionPlan &plan : kernel.divisions) {
    const abi::Division division =
        abi::divisionBy(module::evaluate(plan.divisor, values).value_or(1));
    if (plan.multiplierOffset != DivisionPlan::noOffset)
      std::memcpy(packed.block + plan.multiplierOffset, &division.multiplier, sizeof(uint32_t));
    if (plan.shiftOffset != DivisionPlan::noOffset)
      std::memcpy(packed.block + plan.shiftOffset, &division.shift, sizeof(uint32_t));
  }
  return SXT_OK;
}

sxt_status sextant::loader::packLaunch(const sxt_kernel &kernel, const sxt_argument *arguments,
                                       size_t count, const Packed &packed) {
  if (count != kernel.arguments.size())
    return failCount(kernel, count);
  if (count) {
    SXT_REQUIRE(arguments);
    const size_t stride = arguments->struct_size;
    SXT_TRY(checkStructSize(*arguments));
    const auto *at = reinterpret_cast<const char *>(arguments);
    for (size_t i = 0; i < count; ++i, at += stride) {
      const auto &given = *reinterpret_cast<const sxt_argument *>(at);
      if (given.struct_size != stride)
        return fail(SXT_ERROR_INVALID_ARGUMENT,
                    "the arguments of a launch must all have one struct_size");
      SXT_TRY(packArgument(kernel, i, given, packed));
    }
  }
  return computeGrids(kernel, packed);
}

sxt_status sextant::loader::checkStructSize(const sxt_argument &given) {
  if (given.struct_size < sizeof(sxt_argument) || given.struct_size > 4096)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "sxt_argument.struct_size is %zu: make arguments with the sxt_make_ functions",
                given.struct_size);
  return SXT_OK;
}
