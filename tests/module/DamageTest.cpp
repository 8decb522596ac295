// Random damage under sound hashes: what a fuzzer does, in small and repeatable.
#include "tests/module/Exercise.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <random>

using namespace sextant;
using namespace sextant::test;

TEST_CASE("random damage under sound hashes is survived") {
  const Bytes sound = sampleModule();
  std::minstd_rand random(7);
  auto below = [&](size_t bound) { return random() % bound; };
  unsigned refused = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    Patient patient{sound};
    for (size_t edit = 0, edits = 1 + below(4); edit < edits; ++edit) {
      const size_t at = below(patient.bytes.size());
      switch (below(4)) {
      case 0: // a bit
        patient.bytes[at] ^= static_cast<std::byte>(1u << below(8));
        break;
      case 1: // a byte
        patient.bytes[at] = static_cast<std::byte>(below(256));
        break;
      case 2: // a number at the edge
        for (size_t i = at / 4 * 4; i < at / 4 * 4 + 4 && i < patient.bytes.size(); ++i)
          patient.bytes[i] = below(2) == 0 ? std::byte{0xff} : std::byte{0};
        break;
      case 3: // a run from elsewhere
        for (size_t i = 0, from = below(sound.size()); i < 24; ++i)
          if (at + i < patient.bytes.size() && from + i < sound.size())
            patient.bytes[at + i] = sound[from + i];
        break;
      }
    }
    patient.hashAgain();
    refused += !exercise(patient.bytes);
  }
  CHECK(refused > 2000);
}
