// snippet: loader-api.md c 3
// put: 0x00
#include <sextant/sextant.h>

int main(void) {
  sxt_status status;
  sxt_module *module = NULL;
  SNIPPET
  return status == SXT_OK ? 1 : 0; // nobody signed it
}
