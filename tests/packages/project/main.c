/* use-c FILE.sxt: doubles three numbers on the processor. */
#include <sextant/sextant.h>
#include <stdio.h>

int main(int count, char **values) {
  sxt_device *device;
  sxt_module *module;
  sxt_program *program;
  sxt_kernel *kernel;
  sxt_buffer *buffer;
  int32_t data[3] = {1, -2, 1000};
  sxt_argument argument;
  if (count != 2)
    return 2;
  if (sxt_device_open("cpu", &device) || sxt_module_open_file(values[1], &module) ||
      sxt_program_create(module, device, NULL, &program) ||
      sxt_program_kernel(program, "double", &kernel) ||
      sxt_buffer_create(device, sizeof data, &buffer) ||
      sxt_buffer_write(buffer, 0, data, sizeof data, NULL)) {
    puts(sxt_last_error_message());
    return 1;
  }
  argument = sxt_make_array1(buffer, SXT_DTYPE_I32, 3);
  if (sxt_kernel_launch(kernel, NULL, &argument, 1) ||
      sxt_buffer_read(buffer, 0, data, sizeof data, NULL)) {
    puts(sxt_last_error_message());
    return 1;
  }
  sxt_buffer_release(buffer);
  sxt_program_release(program);
  sxt_module_release(module);
  sxt_device_release(device);
  printf("%d %d %d\n", (int)data[0], (int)data[1], (int)data[2]);
  return !(data[0] == 2 && data[1] == -4 && data[2] == 2000);
}
