/* A module embedded in a C program; of the generated header, C sees the bytes. */
#include "blob.h"

#include <sextant/sextant.h>
#include <stdio.h>

int main(void) {
  sxt_device *device;
  sxt_module *module;
  sxt_program *program;
  sxt_kernel *kernel;
  sxt_buffer *buffer;
  int64_t data[3] = {2, -3, 3000000000};
  sxt_argument argument;
  if (sxt_device_open("cpu", &device) ||
      sxt_module_open_memory(blob_sxt, (size_t)(blob_sxt_end - blob_sxt), &module) ||
      sxt_program_create(module, device, NULL, &program) ||
      sxt_program_kernel(program, "square", &kernel) ||
      sxt_buffer_create(device, sizeof data, &buffer) ||
      sxt_buffer_write(buffer, 0, data, sizeof data, NULL)) {
    puts(sxt_last_error_message());
    return 1;
  }
  argument = sxt_make_array1(buffer, SXT_DTYPE_I64, 3);
  if (sxt_kernel_launch(kernel, NULL, &argument, 1) ||
      sxt_buffer_read(buffer, 0, data, sizeof data, NULL)) {
    puts(sxt_last_error_message());
    return 1;
  }
  if (data[0] != 4 || data[1] != 9 || data[2] != 9000000000000000000)
    return 1;
  sxt_buffer_release(buffer);
  sxt_program_release(program);
  sxt_module_release(module);
  sxt_device_release(device);
  puts("embedded-c: good");
  return 0;
}
