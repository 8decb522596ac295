/* The C interface from C: plain-c FILE.sxt */
#include <sextant/sextant.h>

#include <stdio.h>

#define CHECK(call)                                                                                \
  if ((call) != SXT_OK) {                                                                          \
    printf("%s: %s\n", #call, sxt_last_error_message());                                           \
    return 1;                                                                                      \
  }

int main(int count, char **values) {
  sxt_device *device;
  sxt_module *module;
  sxt_program *program;
  sxt_kernel *kernel;
  sxt_buffer *buffer;
  int32_t data[6] = {1, 2, 3, 4, 5, 6}, sum = 0;
  int64_t shape[2] = {2, 3};
  sxt_argument argument;
  sxt_result result = {sizeof(sxt_result), SXT_DTYPE_I32, 1, 1, NULL};
  (void)count;
  result.data = &sum;
  CHECK(sxt_device_open("cpu", &device));
  CHECK(sxt_module_open_file(values[1], &module));
  CHECK(sxt_program_create(module, device, NULL, &program));
  CHECK(sxt_program_kernel(program, "total", &kernel));
  CHECK(sxt_buffer_create(device, sizeof data, &buffer));
  CHECK(sxt_buffer_write(buffer, 0, data, sizeof data, NULL));
  argument = sxt_make_array(buffer, SXT_DTYPE_I32, 2, shape);
  CHECK(sxt_kernel_call(kernel, NULL, &argument, 1, &result, 1));
  if (sum != 21) {
    printf("the sum is %d\n", (int)sum);
    return 1;
  }
  if (sxt_kernel_launch(kernel, NULL, &argument, 0) != SXT_ERROR_SIGNATURE)
    return 1;
  sxt_buffer_release(buffer);
  sxt_program_release(program);
  sxt_module_release(module);
  sxt_device_release(device);
  puts("plain-c: good");
  return 0;
}
