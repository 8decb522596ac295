// Prepared launches: a block that is built once and changed in place.
#include "loader/Launch.h"

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
  std::memcpy(spare.block, packed.block, bytes); // values and grids lie behind
  SXT_TRY(packArgument(*kernel, index, argument, spare));
  SXT_TRY(computeGrids(*kernel, spare));
  std::swap(packed, spare);
  return SXT_OK;
}

sxt_status sxt_launch_create(sxt_kernel *kernel, const sxt_argument *arguments, size_t count,
                             sxt_launch **launch) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(launch);
  return guarded([&] {
    if (kernel->kept)
      return failOutcome(*kernel);
    auto created = std::make_unique<sxt_launch>(*kernel);
    SXT_TRY(packLaunch(*kernel, arguments, count, created->packed));
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
