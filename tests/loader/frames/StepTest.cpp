// The caller of a task is found at each of its instructions, in every way.
#include "tests/loader/frames/Callers.h"
#include "tests/loader/frames/Images.h"

using namespace sextant;
using namespace sextant::test;

TEST_CASE("the caller of a task is found at each of its instructions") {
  FramesImage image(SEXTANT_TEST_TASKS);
  const FrameTables tables(image.sections(), image.base("leaf"));
  REQUIRE(tables.frames.size() == 11);
  uint64_t shared[16] = {};
  int32_t result = 0;
  int32_t *const pointer = &result;
  for (const Way &way : waysToCallers())
    for (const char *name : {"leaf", "pushes", "small", "pages", "loop", "aligned", "alignedLoop",
                             "far", "calls", "writes"}) {
      INFO(way.name << ", " << name);
      const loader::CpuTask task = image.task(name);
      Comparison comparison(tables, way, task);
      stepThrough([&] { task(&pointer, shared, 0, 0, 0); }, comparison);
      INFO("first wrong at " << std::hex << comparison.firstWrong);
      CHECK(comparison.steps > 1);
      CHECK(comparison.wrong == 0);
    }
  CHECK(result == 42);
}
