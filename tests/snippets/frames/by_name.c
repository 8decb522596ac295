// snippet: loader-api.md c 2
// put: sxt_buffer_create(device, n * sizeof(float), &y) != SXT_OK
// put: return 1;
#include <sextant/sextant.h>
#include <stdio.h>

int main(void) {
  enum { n = 3 };
  sxt_status status;
  float values[n] = {1, 2, 3};
  SNIPPET
  if (status || sxt_buffer_write(x, 0, values, sizeof values, NULL) ||
      sxt_buffer_write(y, 0, values, sizeof values, NULL) || sxt_kernel_launch(saxpy, NULL, arguments, 4) ||
      sxt_buffer_read(y, 0, values, sizeof values, NULL))
    return 2;
  return values[0] == 3 && values[2] == 9 ? 0 : 3;
}
