// The list of devices that the contract knows: a new one is an On<Device>.cpp and a row here.
#include "tests/loader/contract/Contract.h"

#include <cstdlib>

namespace sextant::test {

const Subject &Fixture::subject() const {
  const std::string backend = device.info().backend;
  for (const Subject *known : {&onCpu, &onCuda, &onHip, &onVulkan, &onMetal, &onNull})
    if (known->backend == backend)
      return *known;
  FAIL("no Subject for devices of '" << backend << "': add tests/loader/<device>/On<Device>.cpp");
  std::abort(); // FAIL does not return
}

std::string Fixture::modulePath() {
  const char *path = std::getenv("SEXTANT_TEST_MODULE");
  return path ? path : SEXTANT_CONTRACT_MODULE;
}

} // namespace sextant::test
