// libFuzzer's entry to the module reader. Not part of any default build:
//   cmake --preset sanitize && ninja -C build-sanitize sextant-module-fuzz
//   build-sanitize/tests/module/sextant-module-fuzz corpus/ tests/module/golden/
// An even first byte hashes the module anew before it is read.
#include "tests/module/Exercise.h"
#include "tests/module/Patient.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const auto *first = reinterpret_cast<const std::byte *>(data);
  sextant::test::Patient patient{{first + 1, first + size}};
  if (data[0] % 2 == 0)
    patient.hashAgain();
  sextant::test::exercise(patient.bytes);
  return 0;
}
