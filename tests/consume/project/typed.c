/* The C part of the generated header, with the embedded module. */
#include "kernels.hpp"

#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                                                \
  if ((call) != SXT_OK) {                                                                          \
    printf("%s: %s\n", #call, sxt_last_error_message());                                           \
    return 1;                                                                                      \
  }

int main(void) {
  const float xs[4] = {1, 2, 3, 4}, ys[4] = {10, 20, 30, 40}, v[3] = {1, 2, 3};
  float y1[4], y2[4], y3[4], all[4];
  const int32_t grid[4] = {7, -2, 3, 4};
  int32_t first = 0, sum = 0;
  double rest[2] = {0, 0};
  sxt_device *device;
  sxt_buffer *x, *y, *g, *s;
  sxt_launch *launch;
  sxt_graph *graph;
  sxt_array_f32_1 ax, ay;
  sxt_array_i32_2 ag;
  sxt_array_f32x3_2 am;
  size_t step;
  kernels program;
  int i;

  CHECK(sxt_device_open("cpu", &device));
  CHECK(kernels_open(device, &program));
  CHECK(sxt_buffer_create(device, sizeof xs, &x));
  CHECK(sxt_buffer_create(device, sizeof ys, &y));
  CHECK(sxt_buffer_create(device, sizeof grid, &g));
  CHECK(sxt_buffer_write(x, 0, xs, sizeof xs, NULL));
  CHECK(sxt_buffer_write(g, 0, grid, sizeof grid, NULL));
  ax = (sxt_array_f32_1){x, {4}, 0};
  ay = (sxt_array_f32_1){y, {4}, 0};
  ag = (sxt_array_i32_2){g, {2, 2}, 0};

  /* The same launch three ways: at once, prepared with another `a`, and in a graph. */
  CHECK(sxt_buffer_write(y, 0, ys, sizeof ys, NULL));
  CHECK(kernels_axpy(&program, NULL, 2.0f, ax, ay));
  CHECK(sxt_buffer_read(y, 0, y1, sizeof y1, NULL));
  CHECK(sxt_buffer_write(y, 0, ys, sizeof ys, NULL));
  CHECK(kernels_axpy_prepare(&program, 1.0f, ax, ay, &launch));
  CHECK(kernels_axpy_set_a(launch, 3.0f));
  CHECK(sxt_launch_enqueue(launch, NULL));
  CHECK(sxt_buffer_read(y, 0, y2, sizeof y2, NULL));
  CHECK(sxt_buffer_write(y, 0, ys, sizeof ys, NULL));
  CHECK(sxt_graph_create(device, &graph));
  CHECK(kernels_axpy_add(&program, graph, 1.0f, ax, ay, &step));
  CHECK(kernels_axpy_update_a(graph, step, 4.0f));
  CHECK(sxt_graph_enqueue(graph, NULL));
  CHECK(sxt_buffer_read(y, 0, y3, sizeof y3, NULL));
  for (i = 0; i < 4; ++i)
    if (y2[i] - y1[i] != xs[i] || y3[i] - y1[i] != 2 * xs[i] || y1[i] < 2 * xs[i] + 3 * ys[i]) {
      printf("wrong: axpy of %d: %g %g %g\n", i, (double)y1[i], (double)y2[i], (double)y3[i]);
      return 1;
    }

  /* A struct of arrays, member by member. */
  {
    const float speed[2] = {1.0f, 2.0f};
    CHECK(sxt_buffer_write(y, 0, ys, sizeof ys, NULL));
    CHECK(kernels_move(&program, NULL, ay, speed, 0.5f, 4));
    CHECK(sxt_buffer_read(y, 0, y1, sizeof y1, NULL));
    for (i = 0; i < 4; ++i)
      if (y1[i] != ys[i] + 2.0f * speed[i % 2]) {
        printf("wrong: move of %d: %g\n", i, (double)y1[i]);
        return 1;
      }
  }

  /* Results, vectors by value, arrays of vectors after an offset, a parameter called `stream`. */
  CHECK(kernels_total(&program, NULL, ag, &sum));
  CHECK(kernels_minmax(&program, NULL, ag, &first, rest));
  if (sum != 12 || first != 7 || rest[0] != -2 || rest[1] != 0.5) {
    printf("wrong: results %d %d %g %g\n", sum, first, rest[0], rest[1]);
    return 1;
  }
  am = (sxt_array_f32x3_2){x, {1, 1}, 4};
  CHECK(kernels_shift(&program, NULL, v, true, am, 10, 5));
  CHECK(kernels_shift(&program, NULL, v, false, am, 10, 5));
  CHECK(sxt_buffer_read(x, 0, all, sizeof all, NULL));
  if (all[0] != 1 || all[1] != 18 || all[2] != 20 || all[3] != 22) {
    printf("wrong: shift %g %g %g %g\n", (double)all[0], (double)all[1], (double)all[2],
           (double)all[3]);
    return 1;
  }
  /* An array of structs, and a matrix of others, of which one is used. */
  {
    kernels_Grain grain, grown;
    kernels_Point point = {{1, 2, 3}, 7};
    memset(&grain, 0, sizeof grain);
    grain.kind = 3;
    grain.short_ = 20;
    CHECK(sxt_buffer_create(device, sizeof grain, &s));
    CHECK(sxt_buffer_write(s, 0, &grain, sizeof grain, NULL));
    CHECK(sxt_buffer_write(x, 0, &point, sizeof point, NULL));
    CHECK(kernels_grow(&program, NULL, (sxt_array_u8x72_1){s, {1}, 0},
                       (sxt_array_f32x4_2){x, {1, 1}, 0}));
    CHECK(sxt_buffer_read(s, 0, &grown, sizeof grown, NULL));
    CHECK(sxt_buffer_read(x, 0, &point, sizeof point, NULL));
    sxt_buffer_release(s);
    if (grown.kind != 4 || grown.spot.at[1] != 20.5f || grown.turn[1][2] != 7 ||
        point.place[2] != 4 || point.mass != 7) {
      printf("wrong: grow %d %g %g %g\n", grown.kind, (double)grown.spot.at[1], grown.turn[1][2],
             (double)point.place[2]);
      return 1;
    }
  }
  /* Errors are statuses. */
  ag.shape[0] = 1000;
  if (kernels_total(&program, NULL, ag, &sum) == SXT_OK || !strlen(sxt_last_error_message())) {
    puts("wrong: an array past its buffer was taken");
    return 1;
  }
  sxt_graph_release(graph);
  sxt_launch_release(launch);
  kernels_release(&program);
  sxt_buffer_release(x);
  sxt_buffer_release(y);
  sxt_buffer_release(g);
  sxt_device_release(device);
  puts("typed, in C: good");
  return 0;
}
