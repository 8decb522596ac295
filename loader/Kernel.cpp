// Calls that return values, and queries about a kernel.
#include "loader/Launch.h"
#include "loader/LaunchErrors.h"

using namespace sextant;
using namespace sextant::loader;

sxt_status sxt_kernel_call(sxt_kernel *kernel, sxt_stream *stream, const sxt_argument *arguments,
                           size_t count, const sxt_result *results, size_t resultCount) {
  SXT_REQUIRE(kernel);
  return guarded([&] {
    SXT_TRY(checkResults(*kernel, results, resultCount));
    Scratch<1024> bytes(kernel->resultBytes, Keep::Results);
    sxt_stream *used = nullptr;
    sxt_status status = guarded([&] {
      SXT_TRY(launchKernel(*kernel, stream, arguments, count, resultCount ? bytes.data() : nullptr,
                           &used));
      return used->finish();
    });
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
