// snippet: loader-api.md cpp 6
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>

int main() {
  const sxt_public_key keys[] = {{{0xd7, 0x5a}}};
  try {
    SNIPPET
  } catch (const sextant::Error &) {
    return 0; // nobody signed it
  }
  return 1;
}
