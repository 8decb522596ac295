// sextant/algorithms.h over the loader's C API: names of kernels, temporary memory, arguments.
#include "sextant/algorithms.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr uint64_t alignment = 256;
constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Words of scratch that are enough for each algorithm on so many elements: those of a sort's
/// tables (frontend/library/algorithms/sort.py), which are the most.
uint64_t scratchWords(int64_t count) {
  return 2048 * 2 + 1028 + 512 * ((uint64_t(std::max<int64_t>(count, 0)) + 2047) / 2048);
}

/// Where the parts of a sort's temporary memory begin: keys, values, scratch; and its size.
struct Layout {
  uint64_t values, scratch, bytes;
};
Layout layoutOf(int64_t count, size_t keyBytes, size_t valueBytes) {
  const auto n = uint64_t(std::max<int64_t>(count, 1));
  const uint64_t values = aligned(n * keyBytes), scratch = values + aligned(n * valueBytes);
  return {values, scratch, scratch + scratchWords(count) * 4};
}

struct Memory {
  sxt_buffer *buffer = nullptr;
  uint64_t bytes = 0;
};

/// Kernels count in i32.
bool isTooLong(int64_t count) { return count > std::numeric_limits<int32_t>::max(); }

/// A part of temporary memory as an array.
sxt_argument part(sxt_buffer *buffer, uint64_t offset, uint32_t dtype, int64_t count) {
  sxt_argument array = sxt_make_array1(buffer, sxt_dtype(dtype), count);
  array.offset_bytes = offset;
  return array;
}

/// An array of the caller's with `count` elements, whatever it says.
sxt_argument sized(const sxt_argument &array, int64_t count) {
  sxt_argument result = array;
  result.shape[0] = count;
  return result;
}

} // namespace

struct sxt_algorithms {
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  std::mutex mutex; ///< guards the fields below
  std::map<std::string, sxt_kernel *, std::less<>> kernels;
  std::map<sxt_stream *, Memory> ofStreams;
  std::vector<sxt_buffer *> ofGraphs;
};

namespace {

using Place = sxt_algorithms_place;

/// The memory for an algorithm at a place: given, a graph's own, or the stream's, which grows.
sxt_status temporaryAt(sxt_algorithms &all, const Place &place, uint64_t bytes,
                       sxt_buffer *&buffer) {
  buffer = place.temporary;
  if (buffer)
    return SXT_OK;
  const std::lock_guard lock(all.mutex);
  if (place.graph) {
    all.ofGraphs.reserve(all.ofGraphs.size() + 1);
    if (sxt_status status = sxt_buffer_create(all.device, bytes, &buffer))
      return status;
    all.ofGraphs.push_back(buffer);
    return SXT_OK;
  }
  Memory &memory = all.ofStreams[place.stream];
  if (memory.bytes < bytes) {
    sxt_buffer *larger = nullptr;
    if (sxt_status status = sxt_buffer_create(all.device, bytes, &larger))
      return status;
    sxt_buffer_release(memory.buffer); // freed after the work that uses it
    memory = {larger, bytes};
  }
  buffer = memory.buffer;
  return SXT_OK;
}

/// The kernel of a name. Asking the program for it allocates, so it is asked once.
sxt_status kernelOf(sxt_algorithms &all, const char *name, sxt_kernel *&kernel) {
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.kernels.find(name); known != all.kernels.end()) {
    kernel = known->second;
    return SXT_OK;
  }
  if (sxt_status status = sxt_program_kernel(all.program, name, &kernel))
    return status;
  all.kernels.emplace(name, kernel);
  return SXT_OK;
}

template <size_t N>
sxt_status run(sxt_algorithms &all, const Place &place, const char *name,
               const std::array<sxt_argument, N> &arguments) {
  sxt_kernel *kernel = nullptr;
  if (sxt_status status = kernelOf(all, name, kernel))
    return status;
  return place.graph ? sxt_graph_add_launch(place.graph, kernel, arguments.data(), N, nullptr)
                     : sxt_kernel_launch(kernel, place.stream, arguments.data(), N);
}

/// "sort_u32", "sort_pairs_u32_u64"; of a type that has no kernels, a name that is not found.
struct Name {
  char text[64];
  Name(const char *kernel, uint32_t dtype, const char *values = "") {
    std::snprintf(text, sizeof text, "%s_%s%s", kernel, sxt_dtype_name(sxt_dtype(dtype)), values);
  }
};

/// Calls `body`, whose only exception is one of memory.
template <class Body> sxt_status guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return SXT_ERROR_OUT_OF_MEMORY;
  }
}

Place placeOf(const Place *place) {
  return place ? *place : Place{sizeof(Place), nullptr, nullptr, nullptr};
}

/// An algorithm whose only temporary memory is scratch.
template <size_t N>
sxt_status runWithScratch(sxt_algorithms *all, const Place *at, const char *name, int64_t count,
                          const std::array<sxt_argument, N> &arrays) {
  if (isTooLong(count))
    return SXT_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    const Place place = placeOf(at);
    sxt_buffer *temporary = nullptr;
    const uint64_t words = scratchWords(count);
    if (sxt_status status = temporaryAt(*all, place, words * 4, temporary))
      return status;
    std::array<sxt_argument, N + 2> arguments;
    std::copy(arrays.begin(), arrays.end(), arguments.begin());
    arguments[N] = part(temporary, 0, SXT_DTYPE_U32, int64_t(words));
    arguments[N + 1] = sxt_make_i32(int32_t(count));
    return run(*all, place, name, arguments);
  });
}

} // namespace

sxt_status sxt_algorithms_create(sxt_module *module, sxt_device *device,
                                 sxt_algorithms **algorithms) {
  auto *made = new (std::nothrow) sxt_algorithms;
  if (!made)
    return SXT_ERROR_OUT_OF_MEMORY;
  if (sxt_status status = sxt_program_create(module, device, nullptr, &made->program)) {
    delete made;
    return status;
  }
  made->device = device; // the program keeps it alive
  *algorithms = made;
  return SXT_OK;
}

void sxt_algorithms_release(sxt_algorithms *algorithms) {
  if (!algorithms)
    return;
  for (auto &[stream, memory] : algorithms->ofStreams)
    sxt_buffer_release(memory.buffer);
  for (sxt_buffer *buffer : algorithms->ofGraphs)
    sxt_buffer_release(buffer);
  sxt_program_release(algorithms->program);
  delete algorithms;
}

uint64_t sxt_algorithms_temporary_bytes(int64_t count, size_t elementBytes, size_t valueBytes) {
  return layoutOf(count, elementBytes, valueBytes).bytes;
}

sxt_status sxt_algorithms_sort(sxt_algorithms *algorithms, const sxt_algorithms_place *at,
                               const sxt_argument *keys, const sxt_argument *values,
                               int descending) {
  if (isTooLong(keys->shape[0]))
    return SXT_ERROR_INVALID_ARGUMENT;
  return guarded([&] {
    const Place place = placeOf(at);
    const int64_t n = keys->shape[0];
    const size_t keyBytes = sxt_dtype_size(sxt_dtype(keys->dtype));
    const size_t valueBytes = values ? sxt_dtype_size(sxt_dtype(values->dtype)) : 0;
    const Layout layout = layoutOf(n, keyBytes, valueBytes);
    sxt_buffer *temporary = nullptr;
    if (sxt_status status = temporaryAt(*algorithms, place, layout.bytes, temporary))
      return status;
    const sxt_argument tmp = part(temporary, 0, keys->dtype, n),
                       scratch =
                           part(temporary, layout.scratch, SXT_DTYPE_U32, int64_t(scratchWords(n))),
                       count = sxt_make_i32(int32_t(n));
    if (!values)
      return run(*algorithms, place, Name(descending ? "sort_down" : "sort", keys->dtype).text,
                 std::array{*keys, tmp, scratch, count});
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, "_%s", sxt_dtype_name(sxt_dtype(values->dtype)));
    return run(*algorithms, place,
               Name(descending ? "sort_pairs_down" : "sort_pairs", keys->dtype, suffix).text,
               std::array{*keys, tmp, sized(*values, n),
                          part(temporary, layout.values, values->dtype, n), scratch, count});
  });
}

sxt_status sxt_algorithms_reduce(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                 sxt_algorithms_operator op, const sxt_argument *input,
                                 const sxt_argument *output) {
  const char *kernel = op == SXT_ALGORITHMS_ADD   ? "reduce_add"
                       : op == SXT_ALGORITHMS_MIN ? "reduce_min"
                                                  : "reduce_max";
  return runWithScratch(algorithms, place, Name(kernel, input->dtype).text, input->shape[0],
                        std::array{*input, sized(*output, 1)});
}

sxt_status sxt_algorithms_sum_scan(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                   const sxt_argument *input, const sxt_argument *output,
                                   int inclusive) {
  const char *kernel = inclusive ? "inclusive_sum" : "exclusive_sum";
  return runWithScratch(algorithms, place, Name(kernel, input->dtype).text, input->shape[0],
                        std::array{*input, sized(*output, input->shape[0])});
}

sxt_status sxt_algorithms_select(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                 const sxt_argument *input, const sxt_argument *flags,
                                 const sxt_argument *output, const sxt_argument *count) {
  const int64_t n = input->shape[0];
  return runWithScratch(algorithms, place, Name("select", input->dtype).text, n,
                        std::array{*input, sized(*flags, n), sized(*output, n), sized(*count, 1)});
}
