/** Device-wide algorithms for applications: sorts, reductions, scans and selections of arrays that
 * lie on a device. The kernels are those of the module sextant-algorithms.sxt; docs/algorithms.md
 * of Sextant says what each computes. The library sextant_algorithms has the functions; link it and
 * the loader.
 *
 *  Arrays are sxt_argument, as for launches: sxt_make_array1(buffer, SXT_DTYPE_U32, n). An
 * algorithm works on as many elements as its first array has, at most 2^31 - 1; other arrays have
 * to hold as many. Element types are i32, u32, f32, i64, u64 and f64 where not said otherwise. Work
 * is queued in order, like a launch, and the functions return at once.
 *
 *  Functions return what the loader's functions return, and sxt_last_error_message() has the
 * message:
 *   - SXT_ERROR_INVALID_ARGUMENT: there are more elements, and the message is an older one.
 *   - SXT_ERROR_NOT_FOUND: the module has no kernel for the element type.
 *   - SXT_ERROR_NO_VARIANT: it has none for the device.
 *   - SXT_ERROR_SIGNATURE, SXT_ERROR_OUT_OF_RANGE: an array has another type than it has to, or
 * does not lie within its buffer, or the temporary memory is too small.
 *   - SXT_ERROR_OUT_OF_MEMORY: there is no temporary memory.
 *
 *  Any thread may call any function; two threads must not use one stream's temporary memory at
 * once, which they do if both queue algorithms in it. */
#ifndef SEXTANT_ALGORITHMS_H
#define SEXTANT_ALGORITHMS_H

#include "sextant/sextant.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The algorithms on a device. It keeps temporary memory for each stream. */
typedef struct sxt_algorithms sxt_algorithms;

/** Makes the algorithms of a module on a device. It keeps both alive. */
sxt_status sxt_algorithms_create(sxt_module *module, sxt_device *device,
                                 sxt_algorithms **algorithms);
/** Releases it with its temporary memory, once queued work is done. Null does nothing. */
void sxt_algorithms_release(sxt_algorithms *algorithms);

/** Where an algorithm goes. All members may be null. */
typedef struct sxt_algorithms_place {
  size_t struct_size;
  sxt_stream *stream;    /**< null: the device's default stream */
  sxt_graph *graph;      /**< not null: a step is added to this graph, and nothing is queued */
  sxt_buffer *temporary; /**< memory to use, which must stay until the work is done; null: memory of
                              the stream, which is kept and grows, so that nothing is allocated once
                              it is large enough. A graph's step has memory of its own, which is
                              kept until the algorithms are released. */
} sxt_algorithms_place;

/** Returns how many bytes of temporary memory are enough for each function on so many elements.
 *  `element_bytes` are a key's, `value_bytes` a value's; 0 if there are none. */
uint64_t sxt_algorithms_temporary_bytes(int64_t count, size_t element_bytes, size_t value_bytes);

/** Sorts `keys` in place, stably; `values`, unless null, move with them: elements of u32 or u64,
 * which may stand for any of 4 or 8 bytes. */
sxt_status sxt_algorithms_sort(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                               const sxt_argument *keys, const sxt_argument *values,
                               int descending);

typedef enum sxt_algorithms_operator {
  SXT_ALGORITHMS_ADD,
  SXT_ALGORITHMS_MIN,
  SXT_ALGORITHMS_MAX
} sxt_algorithms_operator;

/** Stores the fold of `input` to the first element of `output`. */
sxt_status sxt_algorithms_reduce(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                 sxt_algorithms_operator op, const sxt_argument *input,
                                 const sxt_argument *output);

/** Stores the sum of the elements before each, or with `inclusive` up to each, to `output`, which
 * must not overlap `input`. */
sxt_status sxt_algorithms_sum_scan(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                   const sxt_argument *input, const sxt_argument *output,
                                   int inclusive);

/** Stores the elements of `input`, u32 or u64, whose flag is not 0 to the front of `output`, in
 * order, and their number to the first element of `count`. Flags and count are i32. `output` holds
 * as many elements as `input` and does not overlap it. */
sxt_status sxt_algorithms_select(sxt_algorithms *algorithms, const sxt_algorithms_place *place,
                                 const sxt_argument *input, const sxt_argument *flags,
                                 const sxt_argument *output, const sxt_argument *count);

#ifdef __cplusplus
}
#endif

#endif
