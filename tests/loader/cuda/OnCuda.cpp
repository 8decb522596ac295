// The contract on CUDA, and a CUDA context of the application's.
#include "tests/loader/contract/Contract.h"

#include <dlfcn.h>

using namespace sextant;
using namespace sextant::test;

const Subject sextant::test::onCuda = {
    .backend = "cuda", .hasGraphs = [] { return true; }, .hasNativeStreams = true};

TEST_CASE("an adopted CUDA context", "[runs]") {
  Fixture f;
  if (std::string(f.device.info().backend) != "cuda") {
    WARN("skipped: the device is not CUDA");
    return;
  }
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  REQUIRE(driver);
  auto retain = reinterpret_cast<int (*)(void **, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  auto setCurrent = reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuCtxSetCurrent"));
  void *context = nullptr;
  REQUIRE(retain(&context, 0) == 0);
  REQUIRE(setCurrent(context) == 0);
  Stream mine = f.device.createStream();
  Device adopted = Device::adopt("cuda", nullptr, mine.native());
  CHECK(adopted.defaultStream().native() == mine.native());
  Program program(f.module, adopted);
  std::vector<int> values = iota(1000);
  Array<int> x(adopted, std::span<const int>(values));
  program.kernel("bump")(adopted.defaultStream(), x);
  CHECK(x.read()[999] == 1000);
  REQUIRE(setCurrent(nullptr) == 0);
}
