/* A plain C program over the C API: compiled as C11 with -Wall -Wextra -pedantic
 * -Werror, run as a test. */
#include "sextant/sextant.h"

#include <stdio.h>
#include <string.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sxt_last_error_message());
  return 1;
}

int main(void) {
  sxt_device *device = NULL;
  sxt_buffer *buffer = NULL;
  sxt_module *module = NULL;
  sxt_device_info info;
  size_t count = 0;
  float values[3] = {1, 2, 3}, back[3] = {0, 0, 0};
  const int64_t shape[2] = {1, 3};
  sxt_argument array;

  if (sxt_device_count(&count) != SXT_OK || count == 0)
    return failed("no devices");
  if (sxt_device_open("cpu", &device) != SXT_OK)
    return failed("open");
  info.struct_size = sizeof info;
  if (sxt_device_describe(device, &info) != SXT_OK || strcmp(info.name, "cpu") != 0)
    return failed("describe");
  if (sxt_buffer_create(device, sizeof values, &buffer) != SXT_OK ||
      sxt_buffer_write(buffer, 0, values, sizeof values, NULL) != SXT_OK ||
      sxt_buffer_read(buffer, 0, back, sizeof back, NULL) != SXT_OK)
    return failed("copy");
  if (memcmp(values, back, sizeof values) != 0)
    return failed("compare");
  array = sxt_make_array(buffer, SXT_DTYPE_F32, 2, shape);
  if (array.ndim != 2 || array.shape[1] != 3 || sxt_make_u32(7).value.bits == 0)
    return failed("arguments");
  if (sxt_module_open_file("does-not-exist.sxt", &module) != SXT_ERROR_IO)
    return failed("open of nothing");
  sxt_buffer_release(buffer);
  sxt_device_release(device);
  printf("C consumer done, %u threads\n", info.multiprocessors);
  return 0;
}
