// snippet: loader-api.md c 4
#include <sextant/sextant.h>

int main(void) {
  enum { n = 2, steps = 3 };
  const float factors[steps] = {1, 10, 100};
  float values[n] = {1, 2}, sums[n] = {0, 0};
  sxt_status status;
  sxt_stream *stream = NULL;
  sxt_module *module = NULL;
  sxt_device *device = NULL;
  sxt_program *program = NULL;
  sxt_kernel *saxpy = NULL;
  sxt_buffer *x = NULL, *y = NULL;
  if (sxt_module_open_file("kernels.sxt", &module) || sxt_device_open("cpu", &device) ||
      sxt_program_create(module, device, NULL, &program) || sxt_program_kernel(program, "saxpy", &saxpy) ||
      sxt_buffer_create(device, sizeof values, &x) || sxt_buffer_create(device, sizeof values, &y) ||
      sxt_buffer_write(x, 0, values, sizeof values, NULL) || sxt_buffer_write(y, 0, sums, sizeof sums, NULL))
    return 1;
  sxt_argument arguments[] = {sxt_make_i32(n), sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, n),
                              sxt_make_array1(y, SXT_DTYPE_F32, n)};
  SNIPPET
  if (status || sxt_buffer_read(y, 0, sums, sizeof sums, NULL))
    return 2;
  return sums[0] == 111 && sums[1] == 222 ? 0 : 3;
}
