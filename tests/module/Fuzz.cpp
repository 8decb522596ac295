// libFuzzer's entry to the module reader. Not part of any default build:
//   cmake --preset sanitize && ninja -C build-sanitize sextant-module-fuzz
//   build-sanitize/tests/module/sextant-module-fuzz corpus/ tests/module/golden/
// Each input is read as it is, and again hashed anew, to get past the hashes.
#include "tests/module/Exercise.h"
#include "tests/module/Patient.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto *first = reinterpret_cast<const std::byte *>(data);
  sextant::test::Patient patient{{first, first + size}};
  sextant::test::exercise(patient.bytes);
  patient.hashAgain();
  sextant::test::exercise(patient.bytes);
  return 0;
}
