// libFuzzer's entry to the module reader and all that reads through it.
#include "tests/module/Exercise.h"
#include "tests/module/fuzz/Mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sextant::test::exercise(bytesOf(data, size));
  return 0;
}
