// snippet: loader-api.md c 1
#include "app_kernels.hpp"

int main(void) {
  sxt_module *module = 0;
  sxt_device *device = 0;
  sxt_buffer *xBuffer = 0, *yBuffer = 0;
  sxt_stream *stream = 0;
  sxt_launch *launch = 0;
  sxt_graph *graph = 0;
  size_t step = 0;
  const int64_t n = 2;
  float values[2] = {1, 2}, zeros[2] = {0, 0};
  if (sxt_module_open_file("kernels.sxt", &module) || sxt_device_open("cpu", &device) ||
      sxt_buffer_create(device, sizeof values, &xBuffer) || sxt_buffer_create(device, sizeof values, &yBuffer) ||
      sxt_buffer_write(xBuffer, 0, values, sizeof values, 0) ||
      sxt_buffer_write(yBuffer, 0, zeros, sizeof zeros, 0) || sxt_graph_create(device, &graph))
    return 1;
  SNIPPET
  if (sxt_buffer_read(yBuffer, 0, zeros, sizeof zeros, 0))
    return 1;
  return zeros[0] == 2 && zeros[1] == 4 ? 0 : 2; // of the launch alone
}
