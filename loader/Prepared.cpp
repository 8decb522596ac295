// Prepared launches: a block that is built once and changed in place.
#include "loader/Schedule.h"

#include <utility>

using namespace sextant;
using namespace sextant::loader;

sxt_launch::sxt_launch(sxt_kernel &kernel) : kernel(&kernel), bytes(packedBytes(kernel)) {
  memory = std::make_unique<std::byte[]>(2 * bytes);
  packed = packedAt(kernel, memory.get());
  spare = packedAt(kernel, memory.get() + bytes);
}

sxt_status sxt_launch::set(size_t index, const sxt_argument &argument) {
  if (index >= kernel->arguments.size())
    return fail(SXT_ERROR_OUT_OF_RANGE, "argument %zu of kernel '%s', which takes %zu", index,
                kernel->record->instance.c_str(), kernel->arguments.size());
  SXT_TRY(checkStructSize(argument));
  std::memcpy(spare.block, packed.block, bytes); // values and grids follow
  sxt_status status = packArgument(*kernel, index, argument, spare);
  if (status == SXT_OK)
    status = computeGrids(*kernel, spare);
  if (status != SXT_OK) [[unlikely]] {
    sxt_kernel *large = nullptr;
    SXT_TRY(kernel->program->large(*kernel, status, large));
    sxt_launch wide(*large);
    wide.take(*this);
    SXT_TRY(wide.set(index, argument));
    *this = std::move(wide);
    return SXT_OK;
  }
  std::swap(packed, spare);
  return SXT_OK;
}

/// Takes over the arguments of a launch of the same kernel, whose extents are narrower.
void sxt_launch::take(const sxt_launch &other) {
  const std::vector<module::Param> &from = other.kernel->params, &to = kernel->params;
  // Only those of arguments: hidden values differ, and are computed again.
  const size_t hidden = other.kernel->record->plans[other.kernel->variant->plan].hidden.size();
  for (size_t i = 0; i < from.size() - hidden; ++i) {
    std::memcpy(packed.block + to[i].offset, other.packed.block + from[i].offset, from[i].size);
    packed.values[i] = other.packed.values[i];
  }
}

sxt_status sxt_launch_create(sxt_kernel *kernel, const sxt_argument *arguments, size_t count,
                             sxt_launch **launch) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(launch);
  return guarded([&] {
    if (kernel->kept)
      return failOutcome(*kernel);
    auto created = std::make_unique<sxt_launch>(*kernel);
    if (const sxt_status status = packLaunch(*kernel, arguments, count, created->packed)) {
      sxt_kernel *large = nullptr;
      SXT_TRY(kernel->program->large(*kernel, status, large));
      return sxt_launch_create(large, arguments, count, launch);
    }
    *launch = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_launch_set_argument(sxt_launch *launch, size_t index, const sxt_argument *argument) {
  SXT_REQUIRE(launch);
  SXT_REQUIRE(argument);
  return guardedInline([&] { return launch->set(index, *argument); });
}

void sxt_launch_release(sxt_launch *launch) { delete launch; }
