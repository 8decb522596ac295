// Calls that do not fit: each gives its status and a message that says what is wrong.
#include "TestModule.h"

#include <cstring>

using namespace sextant::test;

namespace {

sxt_status launchSaxpy(Loaded &on, std::vector<sxt_argument> arguments) {
  return sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments.data(), arguments.size());
}

} // namespace

TEST_CASE("arguments of the wrong count, kind, type, dimensions or element") {
  Loaded on;
  sxt_buffer *b = on.buffer(4000);
  sxt_argument a = sxt_make_f32(1), x = sxt_make_array1(b, SXT_DTYPE_F32, 10);

  CHECK(launchSaxpy(on, {a, x}) == SXT_ERROR_SIGNATURE);
  CHECK(message() == "kernel 'saxpy' takes 3 arguments (a, x, y), given 2");
  CHECK(sxt_kernel_launch(on.kernel("saxpy"), nullptr, nullptr, 3) == SXT_ERROR_INVALID_ARGUMENT);

  CHECK(launchSaxpy(on, {sxt_make_f64(1), x, x}) == SXT_ERROR_SIGNATURE);
  CHECK(message() == "kernel 'saxpy', argument 0 'a': expected a scalar f32, given a scalar f64");

  CHECK(launchSaxpy(on, {a, sxt_make_array1(b, SXT_DTYPE_I32, 10), x}) == SXT_ERROR_SIGNATURE);
  CHECK(message() == "kernel 'saxpy', argument 1 'x': expected a 1-dimensional array of f32, "
                     "given a 1-dimensional array of i32");

  int64_t shape[] = {2, 5};
  CHECK(launchSaxpy(on, {a, x, sxt_make_array(b, SXT_DTYPE_F32, 2, shape)}) == SXT_ERROR_SIGNATURE);
  CHECK(message() == "kernel 'saxpy', argument 2 'y': expected a 1-dimensional array of f32, "
                     "given a 2-dimensional array of f32");

  CHECK(launchSaxpy(on, {x, x, x}) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "expected a scalar f32, given a 1-dimensional array of f32"));

  sxt_argument vector = x;
  vector.rows = 3;
  CHECK(launchSaxpy(on, {a, vector, x}) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "given a 1-dimensional array of vector of 3 f32"));

  sxt_argument odd = x;
  odd.kind = 77;
  odd.dtype = UINT32_MAX;
  CHECK(launchSaxpy(on, {a, odd, x}) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "given an argument of unknown kind 77"));
}

TEST_CASE("arrays whose memory does not do") {
  Loaded on;
  sxt_buffer *b = on.buffer(40);
  sxt_argument a = sxt_make_f32(1), x = sxt_make_array1(b, SXT_DTYPE_F32, 10);

  sxt_argument longer = sxt_make_array1(b, SXT_DTYPE_F32, 11);
  CHECK(launchSaxpy(on, {a, x, longer}) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(message() == "kernel 'saxpy', argument 2 'y': the shape needs 44 bytes from offset 0, the "
                     "buffer has 40");
  sxt_argument moved = x;
  moved.offset_bytes = 4;
  CHECK(launchSaxpy(on, {a, moved, x}) == SXT_ERROR_OUT_OF_RANGE);
  moved.offset_bytes = UINT64_MAX - 3;
  CHECK(launchSaxpy(on, {a, moved, x}) == SXT_ERROR_OUT_OF_RANGE);
  moved = sxt_make_array1(b, SXT_DTYPE_F32, 9);
  moved.offset_bytes = 2;
  CHECK(launchSaxpy(on, {a, moved, x}) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "not a multiple of 4 bytes, its elements' alignment"));
  // Elements of 16 bytes are aligned to 16, those of 12 bytes to 4.
  sxt_argument quads = sxt_make_array1(b, SXT_DTYPE_F32, 1);
  quads.rows = 4;
  CHECK(sxt_kernel_launch(on.kernel("quads"), nullptr, &quads, 1) == SXT_OK);
  quads.offset_bytes = 16;
  CHECK(sxt_kernel_launch(on.kernel("quads"), nullptr, &quads, 1) == SXT_OK);
  quads.offset_bytes = 8;
  CHECK(sxt_kernel_launch(on.kernel("quads"), nullptr, &quads, 1) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "not a multiple of 16 bytes, its elements' alignment"));
  int64_t one[] = {1, 1};
  sxt_argument triples = sxt_make_array(b, SXT_DTYPE_F32, 2, one);
  triples.rows = 3;
  triples.offset_bytes = 4;
  CHECK(sxt_kernel_launch(on.kernel("vectors"), nullptr, &triples, 1) == SXT_OK);

  CHECK(launchSaxpy(on, {a, sxt_make_array1(b, SXT_DTYPE_F32, -1), x}) == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(contains(message(), "extent 0 is -1"));
  CHECK(launchSaxpy(on, {a, sxt_make_array1(b, SXT_DTYPE_F32, int64_t(1) << 31), x}) ==
        SXT_ERROR_UNSUPPORTED);
  CHECK(message() == "kernel 'saxpy', argument 1 'x': it has 2147483648 scalars: more than "
                     "2147483647, also along one axis, need code that is built with "
                     "--large-arrays");
  int64_t huge[] = {INT32_MAX, INT32_MAX};
  sxt_argument vectors = sxt_make_array(b, SXT_DTYPE_F32, 2, huge);
  vectors.rows = 3;
  CHECK(sxt_kernel_launch(on.kernel("vectors"), nullptr, &vectors, 1) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "it has 13835058042397261827 scalars"));
  int64_t empty[] = {0, int64_t(1) << 31};
  sxt_argument wide = sxt_make_array(b, SXT_DTYPE_F32, 2, empty);
  wide.rows = 3;
  CHECK(sxt_kernel_launch(on.kernel("vectors"), nullptr, &wide, 1) == SXT_ERROR_UNSUPPORTED);
  CHECK(contains(message(), "it has 0 scalars"));

  CHECK(launchSaxpy(on, {a, sxt_make_array1(nullptr, SXT_DTYPE_F32, 1), x}) ==
        SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "neither a buffer nor an address"));
  sxt_argument unsized = x;
  unsized.struct_size = 8;
  CHECK(launchSaxpy(on, {unsized, x, x}) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(launchSaxpy(on, {a, unsized, x}) == SXT_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a matrix without data, results of the wrong kind") {
  Loaded on;
  sxt_buffer *out = on.buffer(96);
  int8_t c = 0;
  int16_t s = 0;
  sxt_argument arguments[] = {sxt_make_bool(1),
                              sxt_make_scalar(SXT_DTYPE_I8, &c, 1),
                              sxt_make_scalar(SXT_DTYPE_I16, &s, 2),
                              sxt_make_i64(0),
                              sxt_make_scalar(SXT_DTYPE_U16, &s, 2),
                              sxt_make_f64(0),
                              sxt_make_matrix(nullptr, SXT_DTYPE_F32, 2, 3),
                              sxt_make_array1(out, SXT_DTYPE_F64, 12)};
  CHECK(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8) ==
        SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "argument 6 'm': its data is null"));
  float m[6] = {};
  arguments[6] = sxt_make_matrix(m, SXT_DTYPE_F32, 3, 2);
  CHECK(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "expected a matrix of 2x3 f32 by value, given a matrix of 3x2 f32"));

  sxt_argument src = sxt_make_array1(out, SXT_DTYPE_I32, 4);
  int64_t sum = 0;
  float pair[2] = {};
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  sxt_kernel *total = on.kernel("total");
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, results, 1) == SXT_ERROR_SIGNATURE);
  CHECK(message() == "kernel 'total' returns 2 values, asked for 1");
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, nullptr, 2) == SXT_ERROR_INVALID_ARGUMENT);
  results[1].rows = 1;
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, results, 2) == SXT_ERROR_SIGNATURE);
  CHECK(contains(message(), "result 1"));
  results[1].rows = 2;
  results[0].dtype = SXT_DTYPE_I32;
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, results, 2) == SXT_ERROR_SIGNATURE);
  results[0].dtype = SXT_DTYPE_I64;
  results[0].data = nullptr;
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, results, 2) == SXT_ERROR_INVALID_ARGUMENT);
  results[0].data = &sum;
  results[0].struct_size = 0;
  CHECK(sxt_kernel_call(total, nullptr, &src, 1, results, 2) == SXT_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("null handles and pointers") {
  Loaded on;
  sxt_kernel *kernel = on.kernel("saxpy");
  size_t n = 0;
  uint64_t u = 0;
  int64_t *none = nullptr;
  (void)none;
  CHECK(sxt_device_count(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "sxt_device_count: 'count' is null"));
  CHECK(sxt_device_get_info(0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_open("cpu", nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_open_index(0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_open_for(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_adopt(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_describe(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_synchronize(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_device_default_stream(on.device, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_open_file(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_open_memory(nullptr, 1, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_kernel_count(nullptr, &n) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_kernel(on.module, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_find_kernel(on.module, nullptr, &n) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_argument(on.module, 0, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_result(nullptr, 0, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_global_count(on.module, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_global(on.module, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_create(nullptr, on.device, nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_kernel(on.program, nullptr, &kernel) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_verdict_count(on.program, "saxpy", nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_verdict(on.program, "saxpy", 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_explain(on.program, "saxpy", nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_global(on.program, "calls", nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_global_buffer(nullptr, "calls", nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_program_global_read(on.program, "calls", 0, nullptr, 4, nullptr) ==
        SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_create(nullptr, 1, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_wrap(on.device, 1, 1, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_size(nullptr, &u) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_address(nullptr, &u) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_write(nullptr, 0, &u, 8, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_read(nullptr, 0, &u, 8, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_copy(nullptr, 0, nullptr, 0, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_fill(nullptr, 0, 0, nullptr, 1, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_map(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_buffer_unmap(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_stream_create(on.device, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_stream_synchronize(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_stream_wait_event(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_stream_native(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_create(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_record(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_synchronize(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_query(nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_event_elapsed(nullptr, nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_kernel_launch(nullptr, nullptr, nullptr, 0) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_kernel_call(nullptr, nullptr, nullptr, 0, nullptr, 0) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_kernel_variant(kernel, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_kernel_task(nullptr, 0, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_kernel_index(kernel, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_module_release(nullptr);
  sxt_device_release(nullptr);
  sxt_program_release(nullptr);
  sxt_buffer_release(nullptr);
  sxt_stream_release(nullptr);
  sxt_event_release(nullptr);
}

TEST_CASE("structs of other sizes") {
  Loaded on;
  sxt_kernel_info info;
  info.struct_size = 0;
  CHECK(sxt_module_kernel(on.module, 0, &info) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "struct_size is 0"));

  // An older caller's struct is not written past its end …
  std::memset(static_cast<void *>(&info), 0x55, sizeof info);
  info.struct_size = offsetof(sxt_kernel_info, argument_count);
  need(sxt_module_kernel(on.module, 0, &info));
  CHECK(info.name != nullptr);
  CHECK(info.argument_count == size_t(0x5555555555555555));
  // … and what a newer caller's has more is zero.
  struct {
    sxt_kernel_info info;
    uint64_t more;
  } newer;
  newer.info.struct_size = sizeof newer;
  newer.more = 77;
  need(sxt_module_kernel(on.module, 0, &newer.info));
  CHECK(newer.more == 0);
  CHECK(newer.info.struct_size == sizeof newer);
}

TEST_CASE("names and numbers") {
  CHECK(std::string(sxt_status_name(SXT_OK)) == "SXT_OK");
  CHECK(std::string(sxt_status_name(SXT_ERROR_INTERNAL)) == "SXT_ERROR_INTERNAL");
  CHECK(std::string(sxt_status_name(static_cast<sxt_status>(18))) == "SXT_ERROR_UNKNOWN");
  CHECK(std::string(sxt_status_name(static_cast<sxt_status>(1 << 30))) == "SXT_ERROR_UNKNOWN");
  CHECK(std::string(sxt_dtype_name(SXT_DTYPE_BOOL)) == "u1");
  CHECK(std::string(sxt_dtype_name(SXT_DTYPE_F64)) == "f64");
  CHECK(std::string(sxt_dtype_name(SXT_DTYPE_BF16)) == "bf16");
  CHECK(sxt_dtype_size(SXT_DTYPE_BF16) == 2);
  CHECK(std::string(sxt_dtype_name(static_cast<sxt_dtype>(0))) == "?");
  CHECK(sxt_dtype_size(SXT_DTYPE_F16) == 2);
  CHECK(sxt_dtype_size(SXT_DTYPE_BOOL) == 1);
  CHECK(std::string(sxt_dtype_name(SXT_DTYPE_F8E4M3)) == "f8e4m3");
  CHECK(sxt_dtype_size(SXT_DTYPE_F8E5M2) == 1);
  CHECK(sxt_dtype_size(static_cast<sxt_dtype>(16)) == 0);
  int major = -1, minor = -1;
  sxt_version(&major, &minor, nullptr);
  CHECK(major == SXT_VERSION_MAJOR);
  CHECK(minor == SXT_VERSION_MINOR);
}
