/* sextant/algorithms.h in C: a sort in memory that the caller gives, and as a step of a graph. */
#include "sextant/algorithms.h"

#include <stddef.h>
#include <stdint.h>

/* Returns 0, or the line that failed. */
int sort_in_c(sxt_algorithms *algorithms, sxt_device *device) {
  enum { n = 5000 };
  static uint32_t keys[n];
  sxt_buffer *buffer = NULL, *temporary = NULL;
  sxt_graph *graph = NULL;
  const uint64_t bytes = sxt_algorithms_temporary_bytes(n, 4, 0);
  if (sxt_buffer_create(device, sizeof keys, &buffer) ||
      sxt_buffer_create(device, bytes, &temporary))
    return __LINE__;
  sxt_argument array = sxt_make_array1(buffer, SXT_DTYPE_U32, n);
  sxt_algorithms_place place = {sizeof place, NULL, NULL, temporary};
  const sxt_argument tooLong = sxt_make_array1(buffer, SXT_DTYPE_U32, (int64_t)1 << 31);
  if (sxt_algorithms_sort(algorithms, &place, &tooLong, NULL, 0) != SXT_ERROR_INVALID_ARGUMENT ||
      sxt_algorithms_reduce(algorithms, &place, SXT_ALGORITHMS_ADD, &tooLong, &array) !=
          SXT_ERROR_INVALID_ARGUMENT)
    return __LINE__;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < n; ++i)
      keys[i] = i * 2654435761u;
    if (sxt_buffer_write(buffer, 0, keys, sizeof keys, NULL))
      return __LINE__;
    if (round == 0 && sxt_algorithms_sort(algorithms, &place, &array, NULL, 0))
      return __LINE__;
    if (round == 1) {
      if (sxt_graph_create(device, &graph))
        return __LINE__;
      place.graph = graph;
      place.temporary = NULL;
      if (sxt_algorithms_sort(algorithms, &place, &array, NULL, 0) ||
          sxt_graph_enqueue(graph, NULL))
        return __LINE__;
    }
    if (sxt_buffer_read(buffer, 0, keys, sizeof keys, NULL))
      return __LINE__;
    for (uint32_t i = 1; i < n; ++i)
      if (keys[i] < keys[i - 1])
        return __LINE__;
  }
  sxt_graph_release(graph);
  sxt_buffer_release(temporary);
  sxt_buffer_release(buffer);
  return 0;
}
