// Sextant's loader in C++20: owning handles, typed arrays and launches, and
// exceptions, over the C API of sextant.h (header-only).
//
//   sextant::Device device = sextant::Device::open();
//   sextant::Program program(sextant::Module::open("kernels.sxt"), device);
//   sextant::Array<float> x(device, n), y(device, n);
//   x.write(values);
//   program.kernel("saxpy")(device.defaultStream(), 2.0f, x, y);
//   std::vector<float> result = y.read();
//
// Errors are thrown as sextant::Error, which holds the status and the message.
// Code that must not throw uses the C API: every class gives its handle by get().
// Classes that own are move-only; Kernel and views are small values to copy.
// Thread-safety is the C API's: any thread, any call, but destruction.
#pragma once

#include "sextant/sextant.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sextant {

//===--- Errors ------------------------------------------------------------===//

/// A call of the loader that failed: what() is the loader's message.
class Error : public std::runtime_error {
public:
  Error(sxt_status status, const std::string &message)
      : std::runtime_error(message), code(status) {}
  sxt_status status() const noexcept { return code; }

private:
  sxt_status code;
};

/// Throws the thread's last error unless `status` is SXT_OK.
inline void check(sxt_status status) {
  if (status != SXT_OK)
    throw Error(status, sxt_last_error_message());
}

//===--- Element types -----------------------------------------------------===//

/// A 16-bit float as its bits.
struct Half {
  uint16_t bits = 0;
  bool operator==(const Half &) const = default;
};

/// A vector or (row-major) matrix: an element of arrays, or an argument by value.
template <class T, unsigned Rows, unsigned Cols = 1> struct Matrix {
  T data[Rows * Cols];
  T &operator()(unsigned row, unsigned col = 0) { return data[row * Cols + col]; }
  const T &operator()(unsigned row, unsigned col = 0) const { return data[row * Cols + col]; }
  T &operator[](unsigned i) { return data[i]; }
  const T &operator[](unsigned i) const { return data[i]; }
  bool operator==(const Matrix &) const = default;
};
template <class T, unsigned N> using Vector = Matrix<T, N, 1>;

/// What the kernel language calls a C++ type.
template <class T> struct Element; // undefined: not a type that kernels know
template <sxt_dtype D> struct ScalarElement {
  static constexpr sxt_dtype dtype = D;
  static constexpr uint32_t rows = 1, cols = 1;
  static constexpr bool scalar = true;
};
template <class T>
  requires std::integral<T>
struct Element<T>
    : ScalarElement<std::is_same_v<T, bool> ? SXT_DTYPE_BOOL
                    : sizeof(T) == 1        ? (std::is_signed_v<T> ? SXT_DTYPE_I8 : SXT_DTYPE_U8)
                    : sizeof(T) == 2        ? (std::is_signed_v<T> ? SXT_DTYPE_I16 : SXT_DTYPE_U16)
                    : sizeof(T) == 4        ? (std::is_signed_v<T> ? SXT_DTYPE_I32 : SXT_DTYPE_U32)
                                     : (std::is_signed_v<T> ? SXT_DTYPE_I64 : SXT_DTYPE_U64)> {};
template <> struct Element<Half> : ScalarElement<SXT_DTYPE_F16> {};
template <> struct Element<float> : ScalarElement<SXT_DTYPE_F32> {};
template <> struct Element<double> : ScalarElement<SXT_DTYPE_F64> {};
template <class T, unsigned Rows, unsigned Cols> struct Element<Matrix<T, Rows, Cols>> {
  static constexpr sxt_dtype dtype = Element<T>::dtype;
  static constexpr uint32_t rows = Rows, cols = Cols;
  static constexpr bool scalar = false;
};

//===--- Devices, streams, events ------------------------------------------===//

namespace detail {
/// A unique_ptr of a C handle.
template <class T, void (*Release)(T *)> struct Deleter {
  void operator()(T *handle) const noexcept { Release(handle); }
};
template <class T, void (*Release)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Release>>;
} // namespace detail

class Event;

/// Work in order. Either owned, or a device's default stream.
class Stream {
public:
  /// The C handle, which stays the Stream's; null is every device's default stream.
  sxt_stream *get() const noexcept { return handle; }
  void synchronize() { check(sxt_stream_synchronize(handle)); }
  /// Later work here runs after what `event` recorded.
  inline void wait(const Event &event);
  /// What was launched here last: see sxt_stream_last_launch.
  sxt_launch_info lastLaunch() const {
    sxt_launch_info info;
    info.struct_size = sizeof info;
    check(sxt_stream_last_launch(handle, &info));
    return info;
  }
  /// CUstream, hipStream_t, …; null on the CPU.
  void *native() const {
    void *native = nullptr;
    check(sxt_stream_native(handle, &native));
    return native;
  }

private:
  friend class Device;
  explicit Stream(sxt_stream *borrowed) : handle(borrowed) {}
  struct Owned {};
  Stream(sxt_stream *stream, Owned) : handle(stream), owner(stream) {}
  sxt_stream *handle = nullptr;
  detail::Handle<sxt_stream, sxt_stream_release> owner;
};

/// A device of the machine. `info()` holds pointers that live as long as the device.
class Device {
public:
  using Info = sxt_device_info;

  /// Facts about every device, best first, without opening any.
  static std::vector<Info> all() {
    size_t count = 0;
    check(sxt_device_count(&count));
    std::vector<Info> infos(count);
    for (size_t i = 0; i < count; ++i) {
      infos[i].struct_size = sizeof(Info);
      check(sxt_device_get_info(i, &infos[i]));
    }
    return infos;
  }
  /// By name ("cpu", "cuda:0"); without one, SEXTANT_DEVICE's or the best there is.
  static Device open(const std::string &name = {}) {
    sxt_device *device = nullptr;
    check(sxt_device_open(name.c_str(), &device));
    return Device(device);
  }
  /// The best device that runs the whole module: see sxt_device_open_for.
  static inline Device openFor(const class Module &module);
  /// A context (CUcontext, hipCtx_t) and stream (CUstream, hipStream_t) that stay the
  /// application's.
  static Device adopt(const std::string &backend, void *context, void *stream = nullptr) {
    sxt_adopt_info info{sizeof(sxt_adopt_info), backend.c_str(), context, stream};
    sxt_device *device = nullptr;
    check(sxt_device_adopt(&info, &device));
    return Device(device);
  }

  sxt_device *get() const noexcept { return handle.get(); }
  Info info() const {
    Info info;
    info.struct_size = sizeof info;
    check(sxt_device_describe(handle.get(), &info));
    return info;
  }
  std::string name() const { return info().name; }
  std::string arch() const { return info().arch; }
  void synchronize() { check(sxt_device_synchronize(handle.get())); }
  Stream defaultStream() const {
    sxt_stream *stream = nullptr;
    check(sxt_device_default_stream(handle.get(), &stream));
    return Stream(stream);
  }
  Stream createStream() const {
    sxt_stream *stream = nullptr;
    check(sxt_stream_create(handle.get(), &stream));
    return Stream(stream, Stream::Owned{});
  }

private:
  explicit Device(sxt_device *device) : handle(device) {}
  detail::Handle<sxt_device, sxt_device_release> handle;
};

/// A point in a stream.
class Event {
public:
  explicit Event(const Device &device) {
    sxt_event *event = nullptr;
    check(sxt_event_create(device.get(), &event));
    handle.reset(event);
  }
  sxt_event *get() const noexcept { return handle.get(); }
  void record(const Stream &stream) { check(sxt_event_record(handle.get(), stream.get())); }
  void synchronize() { check(sxt_event_synchronize(handle.get())); }
  /// Whether the recorded point is reached.
  bool ready() const {
    sxt_status status = sxt_event_query(handle.get());
    if (status != SXT_ERROR_NOT_READY)
      check(status);
    return status == SXT_OK;
  }
  /// Milliseconds from `begin` to this one; both must be reached.
  double since(const Event &begin) const {
    double milliseconds = 0;
    check(sxt_event_elapsed(begin.get(), handle.get(), &milliseconds));
    return milliseconds;
  }

private:
  detail::Handle<sxt_event, sxt_event_release> handle;
};

inline void Stream::wait(const Event &event) { check(sxt_stream_wait_event(handle, event.get())); }

//===--- Memory ------------------------------------------------------------===//

/// Untyped device memory, owned, or wrapped around the caller's.
class Buffer {
public:
  Buffer() = default;
  Buffer(const Device &device, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    check(sxt_buffer_create(device.get(), sizeBytes, &buffer));
    handle.reset(buffer);
  }
  /// Memory that the caller keeps alive: a device pointer, or on the CPU a host address.
  static Buffer wrap(const Device &device, uint64_t address, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    check(sxt_buffer_wrap(device.get(), address, sizeBytes, &buffer));
    Buffer result;
    result.handle.reset(buffer);
    return result;
  }
  /// An object that the caller keeps alive: on an adopted Vulkan device, a VkBuffer.
  static Buffer wrapNative(const Device &device, void *native, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    check(sxt_buffer_wrap_native(device.get(), native, sizeBytes, &buffer));
    Buffer result;
    result.handle.reset(buffer);
    return result;
  }
  sxt_buffer *get() const noexcept { return handle.get(); }
  uint64_t sizeBytes() const {
    uint64_t size = 0;
    check(sxt_buffer_size(handle.get(), &size));
    return size;
  }
  uint64_t address() const {
    uint64_t address = 0;
    check(sxt_buffer_address(handle.get(), &address));
    return address;
  }

private:
  detail::Handle<sxt_buffer, sxt_buffer_release> handle;
};

/// An N-dimensional array somewhere in a buffer: what typed launches take. Does not own.
template <class T, unsigned N = 1> struct ArrayView {
  static_assert(N <= SXT_MAX_DIMS);
  sxt_buffer *buffer = nullptr;
  std::array<int64_t, N> shape{};
  uint64_t offsetBytes = 0;

  int64_t size() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// An N-dimensional array of T in device memory, C order, owned.
template <class T, unsigned N = 1> class Array {
public:
  Array() = default;
  /// Allocates; the content is unspecified.
  Array(const Device &device, std::array<int64_t, N> shape)
      : memory(device, bytesOf(shape)), extents(shape) {}
  Array(const Device &device, int64_t count)
    requires(N == 1)
      : Array(device, std::array<int64_t, 1>{count}) {}
  /// Allocates and copies `values` there.
  Array(const Device &device, std::span<const T> values)
    requires(N == 1)
      : Array(device, static_cast<int64_t>(values.size())) {
    write(values);
  }

  const std::array<int64_t, N> &shape() const noexcept { return extents; }
  int64_t size() const noexcept { return view().size(); }
  Buffer &buffer() noexcept { return memory; }
  const Buffer &buffer() const noexcept { return memory; }
  ArrayView<T, N> view() const noexcept { return {memory.get(), extents, 0}; }
  operator ArrayView<T, N>() const noexcept { return view(); }

  /// Copies host values to the array's start; blocks. Null stream: the default one.
  void write(std::span<const T> values, sxt_stream *stream = nullptr) {
    check(sxt_buffer_write(memory.get(), 0, values.data(), values.size_bytes(), stream));
  }
  /// Copies the array's start to `values`; blocks.
  void read(std::span<T> values, sxt_stream *stream = nullptr) const {
    check(sxt_buffer_read(memory.get(), 0, values.data(), values.size_bytes(), stream));
  }
  /// The whole array (bools come as one byte each).
  auto read(sxt_stream *stream = nullptr) const {
    using Value = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    std::vector<Value> values(static_cast<size_t>(size()));
    check(sxt_buffer_read(memory.get(), 0, values.data(), values.size() * sizeof(T), stream));
    return values;
  }
  /// Sets every byte to zero, in the stream's order.
  void clear(sxt_stream *stream = nullptr) {
    const uint8_t zero = 0;
    check(sxt_buffer_fill(memory.get(), 0, static_cast<uint64_t>(size()) * sizeof(T), &zero, 1,
                          stream));
  }

private:
  static uint64_t bytesOf(const std::array<int64_t, N> &shape) {
    uint64_t bytes = sizeof(T);
    for (int64_t extent : shape)
      if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
        throw Error(SXT_ERROR_INVALID_ARGUMENT, "array extents are negative or too large");
    return bytes;
  }
  Buffer memory;
  std::array<int64_t, N> extents{};
};

//===--- Launches ----------------------------------------------------------===//

/// How a C++ value becomes an argument. The kernel's signature decides whether it fits:
/// scalars are not converted, so pass `2.0f` to an f32 and `uint32_t(1)` to a u32.
template <class T, unsigned N> sxt_argument toArgument(const ArrayView<T, N> &view) {
  sxt_argument a = sxt_make_array(view.buffer, Element<T>::dtype, N, view.shape.data());
  a.rows = Element<T>::rows;
  a.cols = Element<T>::cols;
  a.offset_bytes = view.offsetBytes;
  return a;
}
template <class T, unsigned N> sxt_argument toArgument(const Array<T, N> &array) {
  return toArgument(array.view());
}
template <class T, unsigned Rows, unsigned Cols>
sxt_argument toArgument(const Matrix<T, Rows, Cols> &value) {
  return sxt_make_matrix(value.data, Element<T>::dtype, Rows, Cols);
}
template <class T>
  requires(Element<T>::scalar)
sxt_argument toArgument(const T &value) {
  return sxt_make_scalar(Element<T>::dtype, &value, sizeof value);
}
inline sxt_argument toArgument(const sxt_argument &argument) { return argument; }

/// A kernel of a program. Valid as long as the program.
class Kernel {
public:
  Kernel() = default;
  explicit Kernel(sxt_kernel *kernel) : handle(kernel) {}
  sxt_kernel *get() const noexcept { return handle; }

  /// Queues a launch: arrays, views, scalars, vectors, matrices.
  template <class... Args> void operator()(const Stream &stream, const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    check(sxt_kernel_launch(handle, stream.get(), list.data(), list.size()));
  }
  /// Launches, waits, and gives the kernel's one return value.
  template <class R, class... Args> R call(const Stream &stream, const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    R value{};
    sxt_result result = resultFor(value);
    check(sxt_kernel_call(handle, stream.get(), list.data(), list.size(), &result, 1));
    return value;
  }
  /// The same for several: callInto(stream, std::tie(a, b), args...).
  template <class... Rs, class... Args>
  void callInto(const Stream &stream, std::tuple<Rs &...> values, const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    std::apply(
        [&](Rs &...value) {
          const std::array<sxt_result, sizeof...(Rs)> results{resultFor(value)...};
          check(sxt_kernel_call(handle, stream.get(), list.data(), list.size(), results.data(),
                                results.size()));
        },
        values);
  }
  /// The target of the variant that runs: "cuda:sm_90/wave32".
  std::string variant() const {
    sxt_variant_info info;
    info.struct_size = sizeof info;
    check(sxt_kernel_variant(handle, &info));
    return info.target;
  }

private:
  template <class R> static sxt_result resultFor(R &value) {
    return {sizeof(sxt_result), Element<R>::dtype, Element<R>::rows, Element<R>::cols, &value};
  }
  sxt_kernel *handle = nullptr;
};

/// A launch whose arguments are checked and laid out once: see sxt_launch_create. Used by one
/// thread at a time, and while its program and the buffers of its arguments are there.
class PreparedLaunch {
public:
  template <class... Args> explicit PreparedLaunch(const Kernel &kernel, const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    sxt_launch *launch = nullptr;
    check(sxt_launch_create(kernel.get(), list.data(), list.size(), &launch));
    handle.reset(launch);
  }
  sxt_launch *get() const noexcept { return handle.get(); }
  /// Replaces argument `index`, from 0.
  template <class T> void set(size_t index, const T &value) {
    const sxt_argument argument = toArgument(value);
    check(sxt_launch_set_argument(handle.get(), index, &argument));
  }
  void enqueue(const Stream &stream) { check(sxt_launch_enqueue(handle.get(), stream.get())); }

private:
  detail::Handle<sxt_launch, sxt_launch_release> handle;
};

/// Launches, copies and fills that are recorded once and queued as a whole: see
/// sxt_graph_create. Used by one thread at a time, likewise.
class Graph {
public:
  explicit Graph(const Device &device) {
    sxt_graph *graph = nullptr;
    check(sxt_graph_create(device.get(), &graph));
    handle.reset(graph);
  }
  sxt_graph *get() const noexcept { return handle.get(); }
  /// Appends a launch; its number is what set() takes.
  template <class... Args> size_t launch(const Kernel &kernel, const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    size_t step = 0;
    check(sxt_graph_add_launch(handle.get(), kernel.get(), list.data(), list.size(), &step));
    return step;
  }
  /// Appends a copy of the whole of `source` to the start of `destination`.
  template <class T, unsigned N>
  void copy(const ArrayView<T, N> &destination, const ArrayView<T, N> &source) {
    check(sxt_graph_add_copy(handle.get(), destination.buffer, destination.offsetBytes,
                             source.buffer, source.offsetBytes,
                             static_cast<uint64_t>(source.size()) * sizeof(T)));
  }
  /// Appends a fill with zero bytes.
  template <class T, unsigned N> void clear(const ArrayView<T, N> &view) {
    const uint8_t zero = 0;
    check(sxt_graph_add_fill(handle.get(), view.buffer, view.offsetBytes,
                             static_cast<uint64_t>(view.size()) * sizeof(T), &zero, 1));
  }
  /// Replaces an argument of a launch.
  template <class T> void set(size_t step, size_t index, const T &value) {
    const sxt_argument argument = toArgument(value);
    check(sxt_graph_set_argument(handle.get(), step, index, &argument));
  }
  void enqueue(const Stream &stream) { check(sxt_graph_enqueue(handle.get(), stream.get())); }

private:
  detail::Handle<sxt_graph, sxt_graph_release> handle;
};

/// An opened module.
class Module {
public:
  static Module open(const std::string &path) {
    sxt_module *module = nullptr;
    check(sxt_module_open_file(path.c_str(), &module));
    return Module(module);
  }
  /// The bytes are not copied and must outlive the module and its programs.
  static Module fromMemory(const void *data, size_t size) {
    sxt_module *module = nullptr;
    check(sxt_module_open_memory(data, size, &module));
    return Module(module);
  }
  /// The same for modules that one of `keys`, at least one, must have signed: others are
  /// SXT_ERROR_UNTRUSTED. See sxt_module_options.
  static Module open(const std::string &path, const std::vector<sxt_public_key> &keys) {
    const sxt_module_options options = optionsFor(keys);
    sxt_module *module = nullptr;
    check(sxt_module_open_file_with(path.c_str(), &options, &module));
    return Module(module);
  }
  static Module fromMemory(const void *data, size_t size,
                           const std::vector<sxt_public_key> &keys) {
    const sxt_module_options options = optionsFor(keys);
    sxt_module *module = nullptr;
    check(sxt_module_open_memory_with(data, size, &options, &module));
    return Module(module);
  }
  sxt_module *get() const noexcept { return handle.get(); }
  std::vector<std::string> kernels() const {
    size_t count = 0;
    check(sxt_module_kernel_count(handle.get(), &count));
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      sxt_kernel_info info;
      info.struct_size = sizeof info;
      check(sxt_module_kernel(handle.get(), i, &info));
      names.emplace_back(info.name);
    }
    return names;
  }

private:
  explicit Module(sxt_module *module) : handle(module) {}
  /// Without keys no module would do; a vector without any may have no address either.
  static sxt_module_options optionsFor(const std::vector<sxt_public_key> &keys) {
    static const sxt_public_key none = {};
    return {sizeof(sxt_module_options), keys.empty() ? &none : keys.data(), keys.size()};
  }
  detail::Handle<sxt_module, sxt_module_release> handle;
};

inline Device Device::openFor(const Module &module) {
  sxt_device *device = nullptr;
  check(sxt_device_open_for(module.get(), &device));
  return Device(device);
}

/// A module on a device.
class Program {
public:
  /// `variant`: only targets that it names ("cpu:x86-64-v2", "sm_90", "/wave8"); `wave`: only
  /// that size.
  Program(const Module &module, const Device &device, const std::string &variant = {},
          uint32_t wave = 0) {
    sxt_program_options options{sizeof(sxt_program_options),
                                variant.empty() ? nullptr : variant.c_str(), nullptr, wave,
                                nullptr};
    sxt_program *program = nullptr;
    check(sxt_program_create(module.get(), device.get(), &options, &program));
    handle.reset(program);
  }
  sxt_program *get() const noexcept { return handle.get(); }
  /// Chooses and loads the kernel's variant at the first call.
  Kernel kernel(const std::string &name) const {
    sxt_kernel *kernel = nullptr;
    check(sxt_program_kernel(handle.get(), name.c_str(), &kernel));
    return Kernel(kernel);
  }
  /// Every variant of the kernel, and why it runs or does not.
  std::string explain(const std::string &kernel) const {
    const char *text = nullptr;
    check(sxt_program_explain(handle.get(), kernel.c_str(), &text));
    return text;
  }
  /// Runs the kernel's variants of the best match on these arguments, many times, and uses
  /// the fastest from now on: see sxt_program_measure. In the order of selection.
  template <class... Args>
  std::vector<sxt_measurement> measure(const std::string &kernel, const Stream &stream,
                                       const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    size_t count = 0;
    check(sxt_program_measure(handle.get(), kernel.c_str(), stream.get(), list.data(), list.size(),
                              nullptr, &count));
    std::vector<sxt_measurement> measurements(count);
    for (size_t i = 0; i < count; ++i) {
      measurements[i].struct_size = sizeof(sxt_measurement);
      check(sxt_program_measurement(handle.get(), kernel.c_str(), i, &measurements[i]));
    }
    return measurements;
  }
  /// A field of the kernel file as an array; valid as long as the program.
  template <class T, unsigned N = 1> ArrayView<T, N> global(const std::string &name) const {
    sxt_global_info info;
    info.struct_size = sizeof info;
    check(sxt_program_global(handle.get(), name.c_str(), &info));
    if (info.dtype != Element<T>::dtype || info.rows != Element<T>::rows ||
        info.cols != Element<T>::cols || info.ndim != N)
      throw Error(SXT_ERROR_SIGNATURE, "field '" + name + "' is " + std::to_string(info.ndim) +
                                           "-dimensional of " + sxt_dtype_name(info.dtype) + " (" +
                                           std::to_string(info.rows) + "x" +
                                           std::to_string(info.cols) + " elements)");
    ArrayView<T, N> view;
    check(sxt_program_global_buffer(handle.get(), name.c_str(), &view.buffer));
    for (unsigned i = 0; i < N; ++i)
      view.shape[i] = info.shape[i];
    return view;
  }
  /// Copies a field to or from host memory, from its start; blocks.
  template <class T> void read(const std::string &name, std::span<T> values) const {
    check(sxt_program_global_read(handle.get(), name.c_str(), 0, values.data(), values.size_bytes(),
                                  nullptr));
  }
  template <class T> void write(const std::string &name, std::span<const T> values) {
    check(sxt_program_global_write(handle.get(), name.c_str(), 0, values.data(),
                                   values.size_bytes(), nullptr));
  }

private:
  detail::Handle<sxt_program, sxt_program_release> handle;
};

} // namespace sextant
