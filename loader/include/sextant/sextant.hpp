// The Sextant loader in C++17: owning handles, typed arrays and launches over the C API of
// sextant.h. The library is header-only.
//
//   auto device = sextant::Device::open();
//   if (!device)
//     return report(device.error().message());
//   auto x = sextant::Array<float>::create(*device, values);
//   …
//   if (auto launched = saxpy(device->defaultStream(), 2.0f, *x, *y); !launched)
//     return report(launched.error().message());
//
// With SEXTANT_THROWS defined before the first include, the same calls return plain values and
// throw sextant::Error, and classes have constructors besides create():
//
//   sextant::Device device = sextant::Device::open();
//   sextant::Array<float> x(device, values), y(device, n);
//   program.kernel("saxpy")(device.defaultStream(), 2.0f, x, y);
//
// These rules hold for everything here:
// - A class that owns a handle is move-only and releases the handle in its destructor. Kernel,
//   views and info structs are small values; they refer to the object that they came from.
// - A default-constructed or moved-from object holds null. Calls with it return
//   SXT_ERROR_INVALID_ARGUMENT.
// - Thread-safety is that of the C API: any thread may make any call, except that destruction and
//   assignment must not run beside another call on the same object.
// - If a comment names a C function, the errors are those of that function, whose comment says
//   more.
// - The header needs neither exceptions nor type information (-fno-exceptions, -fno-rtti).
#pragma once

#include "sextant/result.hpp"
#include "sextant/sextant.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sextant {
#ifdef SEXTANT_THROWS
inline namespace throwing {
#else
inline namespace results {
#endif

/// Turns a status of the C API into a Result: the thread's last error, unless `status` is SXT_OK.
/// For programs that mix C calls with these.
inline Result<void> check(sxt_status status) {
  if (status != SXT_OK)
    return detail::failed(status);
  return {};
}

//===--- Element types -----------------------------------------------------===//

/// An `f16` (IEEE 754 binary16) as its bits.
struct Half {
  uint16_t bits = 0;
  friend bool operator==(const Half &a, const Half &b) { return a.bits == b.bits; }
  friend bool operator!=(const Half &a, const Half &b) { return a.bits != b.bits; }
};

/// A `bf16` as its bits: the upper half of a float's.
struct Bfloat16 {
  uint16_t bits = 0;
  friend bool operator==(const Bfloat16 &a, const Bfloat16 &b) { return a.bits == b.bits; }
  friend bool operator!=(const Bfloat16 &a, const Bfloat16 &b) { return a.bits != b.bits; }
};

/// An `f8e4m3` as its bits: OCP's E4M3, with one NaN and no infinities.
struct Float8E4M3 {
  uint8_t bits = 0;
  friend bool operator==(const Float8E4M3 &a, const Float8E4M3 &b) { return a.bits == b.bits; }
  friend bool operator!=(const Float8E4M3 &a, const Float8E4M3 &b) { return a.bits != b.bits; }
};

/// An `f8e5m2` as its bits: OCP's E5M2, the upper half of an f16's.
struct Float8E5M2 {
  uint8_t bits = 0;
  friend bool operator==(const Float8E5M2 &a, const Float8E5M2 &b) { return a.bits == b.bits; }
  friend bool operator!=(const Float8E5M2 &a, const Float8E5M2 &b) { return a.bits != b.bits; }
};

/// A vector or a row-major matrix. It is an element of arrays, or an argument by value.
template <class T, unsigned Rows, unsigned Cols = 1> struct Matrix {
  T data[Rows * Cols];
  T &operator()(unsigned row, unsigned col = 0) { return data[row * Cols + col]; }
  const T &operator()(unsigned row, unsigned col = 0) const { return data[row * Cols + col]; }
  T &operator[](unsigned i) { return data[i]; }
  const T &operator[](unsigned i) const { return data[i]; }
  friend bool operator==(const Matrix &a, const Matrix &b) {
    for (unsigned i = 0; i < Rows * Cols; ++i)
      if (!(a.data[i] == b.data[i]))
        return false;
    return true;
  }
  friend bool operator!=(const Matrix &a, const Matrix &b) { return !(a == b); }
};
/// A column of N scalars.
template <class T, unsigned N> using Vector = Matrix<T, N, 1>;

/// Maps a C++ type to the kernel language's type. Undefined for types that kernels do not know.
template <class T, class = void> struct Element;
/// The members of Element that all scalars share.
template <sxt_dtype D> struct ScalarElement {
  static constexpr sxt_dtype dtype = D;
  static constexpr uint32_t rows = 1, cols = 1;
  static constexpr bool scalar = true;
};
template <class T>
struct Element<T, std::enable_if_t<std::is_integral_v<T>>>
    : ScalarElement<std::is_same_v<T, bool> ? SXT_DTYPE_BOOL
                    : sizeof(T) == 1        ? (std::is_signed_v<T> ? SXT_DTYPE_I8 : SXT_DTYPE_U8)
                    : sizeof(T) == 2        ? (std::is_signed_v<T> ? SXT_DTYPE_I16 : SXT_DTYPE_U16)
                    : sizeof(T) == 4        ? (std::is_signed_v<T> ? SXT_DTYPE_I32 : SXT_DTYPE_U32)
                                     : (std::is_signed_v<T> ? SXT_DTYPE_I64 : SXT_DTYPE_U64)> {};
template <> struct Element<Half> : ScalarElement<SXT_DTYPE_F16> {};
template <> struct Element<Bfloat16> : ScalarElement<SXT_DTYPE_BF16> {};
template <> struct Element<Float8E4M3> : ScalarElement<SXT_DTYPE_F8E4M3> {};
template <> struct Element<Float8E5M2> : ScalarElement<SXT_DTYPE_F8E5M2> {};
template <> struct Element<float> : ScalarElement<SXT_DTYPE_F32> {};
template <> struct Element<double> : ScalarElement<SXT_DTYPE_F64> {};
template <class T, unsigned Rows, unsigned Cols> struct Element<Matrix<T, Rows, Cols>> {
  static constexpr sxt_dtype dtype = Element<T>::dtype;
  static constexpr uint32_t rows = Rows, cols = Cols;
  static constexpr bool scalar = false;
};

/// A struct that lies in arrays as kernels have it (`layout=qd.Layout.AOS`). It names the scalar
/// whose runs its elements are for the loader: `using SextantUnit = uint8_t;`. Generated headers
/// make such structs.
template <class T> struct Element<T, std::void_t<typename T::SextantUnit>> {
  using Unit = typename T::SextantUnit;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(Unit) == 0);
  static constexpr sxt_dtype dtype = Element<Unit>::dtype;
  static constexpr uint32_t rows = sizeof(T) / sizeof(Unit), cols = 1;
  static constexpr bool scalar = false;
};

//===--- Devices, streams, events ------------------------------------------===//

namespace detail {
/// A unique_ptr that releases a C handle.
template <class T, void (*Release)(T *)> struct Deleter {
  void operator()(T *handle) const noexcept { Release(handle); }
};
template <class T, void (*Release)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Release>>;
} // namespace detail

class Event;
class Module;

/// A queue of work that runs in order. It is either owned, or a device's default stream.
class Stream {
public:
  /// Makes a stand-in for the default stream of any device that it is used with.
  Stream() = default;
  /// The C handle, which stays the Stream's. Null stands for every device's default stream.
  sxt_stream *get() const noexcept { return handle; }
  /// Blocks until all work of the stream is done: sxt_stream_synchronize.
  Result<void> synchronize() const { return check(sxt_stream_synchronize(handle)); }
  /// Makes later work of this stream wait for the point that `event` recorded:
  /// sxt_stream_wait_event.
  inline Result<void> wait(const Event &event) const;
  /// Describes the last launch in this stream: sxt_stream_last_launch. The strings live as long as
  /// the device.
  Result<sxt_launch_info> lastLaunch() const {
    sxt_launch_info info;
    info.struct_size = sizeof info;
    if (sxt_status status = sxt_stream_last_launch(handle, &info))
      return detail::failed(status);
    return info;
  }
  /// The driver's handle (CUstream, hipStream_t, …), which stays the stream's; null on the CPU:
  /// sxt_stream_native.
  Result<void *> native() const {
    void *native = nullptr;
    if (sxt_status status = sxt_stream_native(handle, &native))
      return detail::failed(status);
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

/// An opened device.
class Device {
public:
  /// Facts about a device. The pointers live as long as the device; those from all() live as long
  /// as the process.
  using Info = sxt_device_info;

  Device() = default;
  /// Returns facts about every device, best first, without opening any: sxt_device_get_info.
  static Result<std::vector<Info>> all() {
    size_t count = 0;
    if (sxt_status status = sxt_device_count(&count))
      return detail::failed(status);
    std::vector<Info> infos(count);
    for (size_t i = 0; i < count; ++i) {
      infos[i].struct_size = sizeof(Info);
      if (sxt_status status = sxt_device_get_info(i, &infos[i]))
        return detail::failed(status);
    }
    return infos;
  }
  /// Opens a device by name ("cpu", "cuda:0"). Without a name, opens the one that SEXTANT_DEVICE
  /// names, or else the best one: sxt_device_open.
  static Result<Device> open(const std::string &name = {}) {
    sxt_device *device = nullptr;
    if (sxt_status status = sxt_device_open(name.c_str(), &device))
      return detail::failed(status);
    return Device(device);
  }
  /// Opens the best device that runs the whole module: sxt_device_open_for.
  static inline Result<Device> openFor(const Module &module);
  /// Makes a device of a context (CUcontext, hipCtx_t) and a stream (CUstream, hipStream_t). Both
  /// stay the application's: sxt_device_adopt.
  static Result<Device> adopt(const std::string &backend, void *context, void *stream = nullptr) {
    const sxt_adopt_info info{sizeof(sxt_adopt_info), backend.c_str(), context, stream};
    sxt_device *device = nullptr;
    if (sxt_status status = sxt_device_adopt(&info, &device))
      return detail::failed(status);
    return Device(device);
  }

  /// The C handle, which stays the Device's.
  sxt_device *get() const noexcept { return handle.get(); }
  /// Returns facts about the device: sxt_device_describe.
  Result<Info> info() const {
    Info info;
    info.struct_size = sizeof info;
    if (sxt_status status = sxt_device_describe(handle.get(), &info))
      return detail::failed(status);
    return info;
  }
  /// The device's name, "cuda:0"; "" if there is no device.
  std::string name() const { return text(&Info::name); }
  /// The device's architecture, "sm_90"; "" if there is no device.
  std::string arch() const { return text(&Info::arch); }
  /// Blocks until the work of all streams is done: sxt_device_synchronize.
  Result<void> synchronize() const { return check(sxt_device_synchronize(handle.get())); }
  /// Returns the device's own stream: sxt_device_default_stream. The device owns it.
  Stream defaultStream() const {
    sxt_stream *stream = nullptr;
    return Stream(sxt_device_default_stream(handle.get(), &stream) == SXT_OK ? stream : nullptr);
  }
  /// Creates a stream, which the caller owns: sxt_stream_create.
  Result<Stream> createStream() const {
    sxt_stream *stream = nullptr;
    if (sxt_status status = sxt_stream_create(handle.get(), &stream))
      return detail::failed(status);
    return Stream(stream, Stream::Owned{});
  }
  /// Makes a stream of one that the application owns (CUstream, hipStream_t) and keeps alive:
  /// sxt_stream_wrap.
  Result<Stream> wrapStream(void *native) const {
    sxt_stream *stream = nullptr;
    if (sxt_status status = sxt_stream_wrap(handle.get(), native, &stream))
      return detail::failed(status);
    return Stream(stream, Stream::Owned{});
  }

private:
  explicit Device(sxt_device *device) : handle(device) {}
  std::string text(const char *Info::*field) const {
    Info info;
    info.struct_size = sizeof info;
    return sxt_device_describe(handle.get(), &info) == SXT_OK ? info.*field : "";
  }
  detail::Handle<sxt_device, sxt_device_release> handle;
};

/// A point in a stream.
class Event {
public:
  Event() = default;
  /// Creates an event that has recorded nothing: sxt_event_create.
  static Result<Event> create(const Device &device) {
    Event result;
    sxt_event *event = nullptr;
    if (sxt_status status = sxt_event_create(device.get(), &event))
      return detail::failed(status);
    result.handle.reset(event);
    return result;
  }
#ifdef SEXTANT_THROWS
  explicit Event(const Device &device) : Event(create(device)) {}
#endif
  /// The C handle, which stays the Event's.
  sxt_event *get() const noexcept { return handle.get(); }
  /// Records the end of the work that `stream` has been given so far: sxt_event_record.
  Result<void> record(const Stream &stream) const {
    return check(sxt_event_record(handle.get(), stream.get()));
  }
  /// Blocks until the stream has reached the recorded point: sxt_event_synchronize.
  Result<void> synchronize() const { return check(sxt_event_synchronize(handle.get())); }
  /// Returns true if the stream has reached the recorded point: sxt_event_query.
  Result<bool> ready() const {
    const sxt_status status = sxt_event_query(handle.get());
    if (status != SXT_OK && status != SXT_ERROR_NOT_READY)
      return detail::failed(status);
    return status == SXT_OK;
  }
  /// Returns the milliseconds from `begin` to this event. Both points must be reached:
  /// sxt_event_elapsed.
  Result<double> since(const Event &begin) const {
    double milliseconds = 0;
    if (sxt_status status = sxt_event_elapsed(begin.get(), handle.get(), &milliseconds))
      return detail::failed(status);
    return milliseconds;
  }

private:
  detail::Handle<sxt_event, sxt_event_release> handle;
};

inline Result<void> Stream::wait(const Event &event) const {
  return check(sxt_stream_wait_event(handle, event.get()));
}

//===--- Memory ------------------------------------------------------------===//

/// Untyped device memory. The Buffer owns it, or wraps memory of the caller.
class Buffer {
public:
  Buffer() = default;
  /// Allocates device memory: sxt_buffer_create.
  static Result<Buffer> create(const Device &device, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    if (sxt_status status = sxt_buffer_create(device.get(), sizeBytes, &buffer))
      return detail::failed(status);
    return Buffer(buffer);
  }
#ifdef SEXTANT_THROWS
  Buffer(const Device &device, uint64_t sizeBytes) : Buffer(create(device, sizeBytes)) {}
#endif
  /// Wraps memory that the caller keeps alive, at a device pointer, or on the CPU at a host
  /// address: sxt_buffer_wrap.
  static Result<Buffer> wrap(const Device &device, uint64_t address, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    if (sxt_status status = sxt_buffer_wrap(device.get(), address, sizeBytes, &buffer))
      return detail::failed(status);
    return Buffer(buffer);
  }
  /// Wraps an object that the caller keeps alive, a VkBuffer on an adopted Vulkan device:
  /// sxt_buffer_wrap_native.
  static Result<Buffer> wrapNative(const Device &device, void *native, uint64_t sizeBytes) {
    sxt_buffer *buffer = nullptr;
    if (sxt_status status = sxt_buffer_wrap_native(device.get(), native, sizeBytes, &buffer))
      return detail::failed(status);
    return Buffer(buffer);
  }
  /// The C handle, which stays the Buffer's.
  sxt_buffer *get() const noexcept { return handle.get(); }
  /// The size in bytes; 0 if there is no buffer.
  uint64_t sizeBytes() const noexcept {
    uint64_t size = 0;
    return sxt_buffer_size(handle.get(), &size) == SXT_OK ? size : 0;
  }
  /// The device address: sxt_buffer_address.
  Result<uint64_t> address() const {
    uint64_t address = 0;
    if (sxt_status status = sxt_buffer_address(handle.get(), &address))
      return detail::failed(status);
    return address;
  }

private:
  explicit Buffer(sxt_buffer *buffer) : handle(buffer) {}
  detail::Handle<sxt_buffer, sxt_buffer_release> handle;
};

/// An N-dimensional array somewhere in a buffer, as an argument of launches. It does not own the
/// memory.
template <class T, unsigned N = 1> struct ArrayView {
  static_assert(N <= SXT_MAX_DIMS, "arrays have at most SXT_MAX_DIMS dimensions");
  sxt_buffer *buffer = nullptr;
  std::array<int64_t, N> shape{}; ///< the extents, in elements
  uint64_t offsetBytes = 0;       ///< the first element's offset in the buffer

  /// The number of elements.
  int64_t size() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// An N-dimensional array of T in device memory, in C order. It owns the memory. An array of no
/// dimensions is a single element, the kernel's `x[None]`.
template <class T, unsigned N = 1> class Array {
  template <unsigned M> using OfNoDimension = std::enable_if_t<M == 0, int>;
  template <unsigned M> using OfOneDimension = std::enable_if_t<M == 1, int>;

public:
  /// The extents, in elements.
  using Shape = std::array<int64_t, N>;
  /// The type of an element in host memory. A bool is one byte there.
  using Value = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

  /// Makes an array without memory, as one that was moved from is. It has no elements, and calls
  /// with it are errors.
  Array() = default;
  /// Allocates an array with unspecified content. A negative extent, or a size past 64 bits, is
  /// SXT_ERROR_INVALID_ARGUMENT; other errors are those of sxt_buffer_create.
  static Result<Array> create(const Device &device, const Shape &shape) {
    uint64_t bytes = sizeof(T);
    for (int64_t extent : shape) {
      if (extent < 0 || (extent > 0 && bytes > UINT64_MAX / static_cast<uint64_t>(extent)))
        return detail::failed(SXT_ERROR_INVALID_ARGUMENT,
                              "array extents are negative or too large");
      bytes *= static_cast<uint64_t>(extent);
    }
    return then(Buffer::create(device, bytes),
                [&shape](Buffer memory) { return Result<Array>(Array(std::move(memory), shape)); });
  }
  template <unsigned M = N, OfOneDimension<M> = 0>
  static Result<Array> create(const Device &device, int64_t count) {
    return create(device, Shape{count});
  }
  /// Allocates an array and copies `values` to it. Blocks.
  template <unsigned M = N, OfOneDimension<M> = 0>
  static Result<Array> create(const Device &device, Span<const T> values) {
    return then(create(device, Shape{static_cast<int64_t>(values.size())}), [values](Array made) {
      return then(made.write(values), [&made](auto...) { return Result<Array>(std::move(made)); });
    });
  }
  template <unsigned M = N, OfNoDimension<M> = 0>
  static Result<Array> create(const Device &device, const T &value) {
    return then(create(device, Shape{}), [&value](Array made) {
      return then(made.write({&value, 1}),
                  [&made](auto...) { return Result<Array>(std::move(made)); });
    });
  }
#ifdef SEXTANT_THROWS
  Array(const Device &device, Shape shape) : Array(create(device, shape)) {}
  template <unsigned M = N, OfNoDimension<M> = 0>
  Array(const Device &device, const T &value) : Array(create(device, value)) {}
  template <unsigned M = N, OfOneDimension<M> = 0>
  Array(const Device &device, int64_t count) : Array(create(device, count)) {}
  template <unsigned M = N, OfOneDimension<M> = 0>
  Array(const Device &device, Span<const T> values) : Array(create(device, values)) {}
#endif

  /// The extents, in elements.
  const Shape &shape() const noexcept { return extents; }
  /// The number of elements.
  int64_t size() const noexcept { return memory.get() ? view().size() : 0; }
  /// The array's memory, which stays the array's.
  Buffer &buffer() noexcept { return memory; }
  const Buffer &buffer() const noexcept { return memory; }
  /// A view of the whole array, valid as long as the array.
  ArrayView<T, N> view() const noexcept {
    ArrayView<T, N> whole{memory.get(), extents, 0};
    if (!whole.buffer) // launches refuse elements without memory, and take arrays without elements
      whole.shape.fill(1);
    return whole;
  }
  operator ArrayView<T, N>() const noexcept { return view(); }

  /// Copies host values to the array's start, and blocks until that is done: sxt_buffer_write. A
  /// null stream is the default one.
  Result<void> write(Span<const T> values, sxt_stream *stream = nullptr) const {
    return check(sxt_buffer_write(memory.get(), 0, values.data(), values.sizeBytes(), stream));
  }
  /// Copies the array's start to `values`, and blocks until that is done: sxt_buffer_read.
  Result<void> read(Span<T> values, sxt_stream *stream = nullptr) const {
    return check(sxt_buffer_read(memory.get(), 0, values.data(), values.sizeBytes(), stream));
  }
  /// Returns the whole array's content. Blocks.
  Result<std::vector<Value>> read(sxt_stream *stream = nullptr) const {
    std::vector<Value> values(static_cast<size_t>(size()));
    if (sxt_status status =
            sxt_buffer_read(memory.get(), 0, values.data(), values.size() * sizeof(T), stream))
      return detail::failed(status);
    return values;
  }
  /// Queues a fill of the whole array with zero bytes: sxt_buffer_fill.
  Result<void> clear(sxt_stream *stream = nullptr) const {
    const uint8_t zero = 0;
    return check(sxt_buffer_fill(memory.get(), 0, static_cast<uint64_t>(size()) * sizeof(T), &zero,
                                 1, stream));
  }

private:
  Array(Buffer buffer, const Shape &shape) : memory(std::move(buffer)), extents(shape) {}
  Buffer memory;
  Shape extents{};
};

//===--- Launches ----------------------------------------------------------===//

/// Turns a C++ value into an argument. The kernel's signature decides if it fits. Scalars are not
/// converted: pass `2.0f` to an f32 and `uint32_t(1)` to a u32.
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
template <class T, std::enable_if_t<Element<T>::scalar, int> = 0>
sxt_argument toArgument(const T &value) {
  return sxt_make_scalar(Element<T>::dtype, &value, sizeof value);
}
inline sxt_argument toArgument(const sxt_argument &argument) { return argument; }

/// How a launch of a kernel with checkpoints ended: sxt_graph_status.
struct GraphStatus {
  bool yielded = false;   ///< a checkpoint ended it, and it can be resumed
  int64_t checkpoint = 0; ///< the label of that checkpoint
};

/// A kernel of a program. A small value, valid as long as the program.
class Kernel {
public:
  Kernel() = default;
  explicit Kernel(sxt_kernel *kernel) : handle(kernel) {}
  /// The C handle, which stays the program's.
  sxt_kernel *get() const noexcept { return handle; }

  /// Queues a launch: sxt_kernel_launch. Arguments are arrays, views, scalars, vectors and
  /// matrices.
  template <class... Args>
  Result<void> operator()(const Stream &stream, const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    return check(sxt_kernel_launch(handle, stream.get(), list.data(), list.size()));
  }
  /// Launches the kernel, waits for it, and returns its one return value: sxt_kernel_call.
  template <class R, class... Args>
  Result<R> call(const Stream &stream, const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    R value{};
    const sxt_result result = resultFor(value);
    if (sxt_status status =
            sxt_kernel_call(handle, stream.get(), list.data(), list.size(), &result, 1))
      return detail::failed(status);
    return value;
  }
  /// The same for several return values: callInto(stream, std::tie(a, b), args...).
  template <class... Rs, class... Args>
  Result<void> callInto(const Stream &stream, std::tuple<Rs &...> values,
                        const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    return std::apply(
        [&](Rs &...value) {
          const std::array<sxt_result, sizeof...(Rs)> all{resultFor(value)...};
          return check(sxt_kernel_call(handle, stream.get(), list.data(), list.size(), all.data(),
                                       all.size()));
        },
        values);
  }
  /// Launches a kernel with checkpoints from its begin, and waits for it: sxt_kernel_resume.
  template <class... Args>
  Result<GraphStatus> start(const Stream &stream, const Args &...args) const {
    return run(stream, nullptr, args...);
  }
  /// Launches it from the checkpoint of that label on: sxt_kernel_resume.
  template <class... Args>
  Result<GraphStatus> resume(const Stream &stream, int64_t checkpoint, const Args &...args) const {
    return run(stream, &checkpoint, args...);
  }
  /// Returns the target of the variant that runs, "cuda:sm_90/wave32": sxt_kernel_variant.
  Result<std::string> variant() const {
    sxt_variant_info info;
    info.struct_size = sizeof info;
    if (sxt_status status = sxt_kernel_variant(handle, &info))
      return detail::failed(status);
    return std::string(info.target);
  }

private:
  template <class... Args>
  Result<GraphStatus> run(const Stream &stream, const int64_t *checkpoint,
                          const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    sxt_graph_status status{};
    status.struct_size = sizeof status;
    if (sxt_status failed =
            sxt_kernel_resume(handle, stream.get(), list.data(), list.size(), checkpoint, &status))
      return detail::failed(failed);
    return GraphStatus{status.yielded != 0, status.checkpoint};
  }
  template <class R> static sxt_result resultFor(R &value) {
    return {sizeof(sxt_result), Element<R>::dtype, Element<R>::rows, Element<R>::cols, &value};
  }
  sxt_kernel *handle = nullptr;
};

/// A launch whose arguments are checked and laid out once. One thread uses it at a time. Its
/// program and the buffers of its arguments must exist when it is enqueued.
class PreparedLaunch {
public:
  PreparedLaunch() = default;
  /// Checks and packs the arguments: sxt_launch_create.
  template <class... Args>
  static Result<PreparedLaunch> create(const Kernel &kernel, const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    PreparedLaunch result;
    sxt_launch *launch = nullptr;
    if (sxt_status status = sxt_launch_create(kernel.get(), list.data(), list.size(), &launch))
      return detail::failed(status);
    result.handle.reset(launch);
    return result;
  }
#ifdef SEXTANT_THROWS
  template <class... Args>
  explicit PreparedLaunch(const Kernel &kernel, const Args &...args)
      : PreparedLaunch(create(kernel, args...)) {}
#endif
  /// The C handle, which stays the PreparedLaunch's.
  sxt_launch *get() const noexcept { return handle.get(); }
  /// Replaces argument `index`, counted from 0: sxt_launch_set_argument.
  template <class T> Result<void> set(size_t index, const T &value) {
    const sxt_argument argument = toArgument(value);
    return check(sxt_launch_set_argument(handle.get(), index, &argument));
  }
  /// Queues the launch, any number of times: sxt_launch_enqueue.
  Result<void> enqueue(const Stream &stream) {
    return check(sxt_launch_enqueue(handle.get(), stream.get()));
  }

private:
  detail::Handle<sxt_launch, sxt_launch_release> handle;
};

/// Launches, copies and fills that are recorded once and queued as a whole. One thread uses a graph
/// at a time. What its steps use must exist while the graph runs.
class Graph {
public:
  Graph() = default;
  /// Creates a graph without steps: sxt_graph_create.
  static Result<Graph> create(const Device &device) {
    Graph result;
    sxt_graph *graph = nullptr;
    if (sxt_status status = sxt_graph_create(device.get(), &graph))
      return detail::failed(status);
    result.handle.reset(graph);
    return result;
  }
#ifdef SEXTANT_THROWS
  explicit Graph(const Device &device) : Graph(create(device)) {}
#endif
  /// The C handle, which stays the Graph's.
  sxt_graph *get() const noexcept { return handle.get(); }
  /// Appends a launch and returns its step number, which set() takes: sxt_graph_add_launch.
  template <class... Args> Result<size_t> launch(const Kernel &kernel, const Args &...args) {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    size_t step = 0;
    if (sxt_status status =
            sxt_graph_add_launch(handle.get(), kernel.get(), list.data(), list.size(), &step))
      return detail::failed(status);
    return step;
  }
  /// Appends a launch of a kernel of a generated header. Returns that kernel's Step, whose set_…
  /// members replace arguments by name.
  template <class Typed, class... Args> auto add(const Typed &kernel, const Args &...args) {
    return kernel.addTo(*this, args...);
  }
  /// Appends a copy of the whole of `source` to the start of `destination`: sxt_graph_add_copy.
  template <class T, unsigned N>
  Result<void> copy(const ArrayView<T, N> &destination, const ArrayView<T, N> &source) {
    return check(sxt_graph_add_copy(handle.get(), destination.buffer, destination.offsetBytes,
                                    source.buffer, source.offsetBytes,
                                    static_cast<uint64_t>(source.size()) * sizeof(T)));
  }
  /// Appends a fill with zero bytes: sxt_graph_add_fill.
  template <class T, unsigned N> Result<void> clear(const ArrayView<T, N> &view) {
    const uint8_t zero = 0;
    return check(sxt_graph_add_fill(handle.get(), view.buffer, view.offsetBytes,
                                    static_cast<uint64_t>(view.size()) * sizeof(T), &zero, 1));
  }
  /// Replaces an argument of one of the graph's launches: sxt_graph_set_argument.
  template <class T> Result<void> set(size_t step, size_t index, const T &value) {
    const sxt_argument argument = toArgument(value);
    return check(sxt_graph_set_argument(handle.get(), step, index, &argument));
  }
  /// Queues all steps: sxt_graph_enqueue.
  Result<void> enqueue(const Stream &stream) {
    return check(sxt_graph_enqueue(handle.get(), stream.get()));
  }

private:
  detail::Handle<sxt_graph, sxt_graph_release> handle;
};

/// An opened module.
class Module {
public:
  Module() = default;
  /// Opens a file, which must not change while it is open: sxt_module_open_file.
  static Result<Module> open(const std::string &path) {
    sxt_module *module = nullptr;
    if (sxt_status status = sxt_module_open_file(path.c_str(), &module))
      return detail::failed(status);
    return Module(module);
  }
  /// Opens a module in memory. The bytes are not copied and must outlive the module and its
  /// programs: sxt_module_open_memory.
  static Result<Module> fromMemory(const void *data, size_t sizeBytes) {
    sxt_module *module = nullptr;
    if (sxt_status status = sxt_module_open_memory(data, sizeBytes, &module))
      return detail::failed(status);
    return Module(module);
  }
  /// Opens a module that one of `keys` must have signed: sxt_module_open_file_with. Other modules
  /// are SXT_ERROR_UNTRUSTED. Empty `keys` are SXT_ERROR_INVALID_ARGUMENT.
  static Result<Module> open(const std::string &path, Span<const sxt_public_key> keys) {
    const sxt_module_options options = optionsFor(keys);
    sxt_module *module = nullptr;
    if (sxt_status status = sxt_module_open_file_with(path.c_str(), &options, &module))
      return detail::failed(status);
    return Module(module);
  }
  static Result<Module> fromMemory(const void *data, size_t sizeBytes,
                                   Span<const sxt_public_key> keys) {
    const sxt_module_options options = optionsFor(keys);
    sxt_module *module = nullptr;
    if (sxt_status status = sxt_module_open_memory_with(data, sizeBytes, &options, &module))
      return detail::failed(status);
    return Module(module);
  }
  /// The C handle, which stays the Module's.
  sxt_module *get() const noexcept { return handle.get(); }
  /// Returns the names of the module's kernels, in the module's order: sxt_module_kernel.
  Result<std::vector<std::string>> kernels() const {
    size_t count = 0;
    if (sxt_status status = sxt_module_kernel_count(handle.get(), &count))
      return detail::failed(status);
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      sxt_kernel_info info;
      info.struct_size = sizeof info;
      if (sxt_status status = sxt_module_kernel(handle.get(), i, &info))
        return detail::failed(status);
      names.emplace_back(info.name);
    }
    return names;
  }
  /// Returns a text or bytes that the module carries. They live as long as the module:
  /// sxt_module_attachment.
  Result<Span<const unsigned char>> attachment(const std::string &name) const {
    const void *data = nullptr;
    size_t size = 0;
    if (sxt_status status = sxt_module_attachment(handle.get(), name.c_str(), &data, &size))
      return detail::failed(status);
    return Span<const unsigned char>(static_cast<const unsigned char *>(data), size);
  }

private:
  explicit Module(sxt_module *module) : handle(module) {}
  /// Empty `keys` must be an error, and must not accept every module. So the pointer is never null,
  /// which it may be in an empty span.
  static sxt_module_options optionsFor(Span<const sxt_public_key> keys) {
    static const sxt_public_key none = {};
    return {sizeof(sxt_module_options), keys.size() ? keys.data() : &none, keys.size()};
  }
  detail::Handle<sxt_module, sxt_module_release> handle;
};

inline Result<Device> Device::openFor(const Module &module) {
  sxt_device *device = nullptr;
  if (sxt_status status = sxt_device_open_for(module.get(), &device))
    return detail::failed(status);
  return Device(device);
}

/// A module on a device.
class Program {
public:
  Program() = default;
  /// Makes a program: sxt_program_create. `variant` limits it to matching targets ("cpu:x86-64-v2",
  /// "sm_90", "/wave8"), `wave` to one wave size (0: all). The program keeps what it needs of the
  /// module and the device.
  static Result<Program> create(const Module &module, const Device &device,
                                const std::string &variant = {}, uint32_t wave = 0) {
    const sxt_program_options options{sizeof(sxt_program_options),
                                      variant.empty() ? nullptr : variant.c_str(), nullptr, wave,
                                      nullptr};
    Program result;
    sxt_program *program = nullptr;
    if (sxt_status status = sxt_program_create(module.get(), device.get(), &options, &program))
      return detail::failed(status);
    result.handle.reset(program);
    return result;
  }
#ifdef SEXTANT_THROWS
  Program(const Module &module, const Device &device, const std::string &variant = {},
          uint32_t wave = 0)
      : Program(create(module, device, variant, wave)) {}
#endif
  /// The C handle, which stays the Program's.
  sxt_program *get() const noexcept { return handle.get(); }
  /// Returns a kernel. The first call chooses and loads its variant: sxt_program_kernel.
  Result<Kernel> kernel(const std::string &name) const {
    sxt_kernel *kernel = nullptr;
    if (sxt_status status = sxt_program_kernel(handle.get(), name.c_str(), &kernel))
      return detail::failed(status);
    return Kernel(kernel);
  }
  /// Lists every variant of the kernel, and why it runs or does not run: sxt_program_explain.
  Result<std::string> explain(const std::string &kernel) const {
    const char *text = nullptr;
    if (sxt_status status = sxt_program_explain(handle.get(), kernel.c_str(), &text))
      return detail::failed(status);
    return std::string(text);
  }
  /// Runs the kernel's variants of the best match on these arguments, many times, and uses the
  /// fastest from now on: sxt_program_measure. Blocks. The results are in the order of selection.
  template <class... Args>
  Result<std::vector<sxt_measurement>> measure(const std::string &kernel, const Stream &stream,
                                               const Args &...args) const {
    const std::array<sxt_argument, sizeof...(Args)> list{toArgument(args)...};
    size_t count = 0;
    if (sxt_status status = sxt_program_measure(handle.get(), kernel.c_str(), stream.get(),
                                                list.data(), list.size(), nullptr, &count))
      return detail::failed(status);
    std::vector<sxt_measurement> measurements(count);
    for (size_t i = 0; i < count; ++i) {
      measurements[i].struct_size = sizeof(sxt_measurement);
      if (sxt_status status =
              sxt_program_measurement(handle.get(), kernel.c_str(), i, &measurements[i]))
        return detail::failed(status);
    }
    return measurements;
  }
  /// Returns a field of the kernel file as an array, valid as long as the program:
  /// sxt_program_global_buffer. SXT_ERROR_SIGNATURE: the field has another type or another number
  /// of dimensions.
  template <class T, unsigned N = 1> Result<ArrayView<T, N>> global(const std::string &name) const {
    sxt_global_info info;
    info.struct_size = sizeof info;
    if (sxt_status status = sxt_program_global(handle.get(), name.c_str(), &info))
      return detail::failed(status);
    if (info.dtype != Element<T>::dtype || info.rows != Element<T>::rows ||
        info.cols != Element<T>::cols || info.ndim != N)
      return detail::failed(SXT_ERROR_SIGNATURE,
                            "field '" + name + "' is " + std::to_string(info.ndim) +
                                "-dimensional of " + sxt_dtype_name(info.dtype) + " (" +
                                std::to_string(info.rows) + "x" + std::to_string(info.cols) +
                                " elements)");
    ArrayView<T, N> view;
    if (sxt_status status = sxt_program_global_buffer(handle.get(), name.c_str(), &view.buffer))
      return detail::failed(status);
    for (unsigned i = 0; i < N; ++i)
      view.shape[i] = info.shape[i];
    return view;
  }
  /// Gives a field memory of the application, which starts at a byte of `buffer`:
  /// sxt_program_global_bind. A null buffer gives it its own again.
  Result<void> bind(const std::string &name, sxt_buffer *buffer, uint64_t offsetBytes = 0) const {
    return check(sxt_program_global_bind(handle.get(), name.c_str(), buffer, offsetBytes));
  }
  /// Copies a field's start to host memory, such as a vector. Blocks: sxt_program_global_read.
  template <class Range> Result<void> read(const std::string &name, Range &&values) const {
    return check(sxt_program_global_read(handle.get(), name.c_str(), 0, std::data(values),
                                         std::size(values) * sizeof(*std::data(values)), nullptr));
  }
  /// Sets what `qd.random` draws from, and begins to count launches again. Blocks:
  /// sxt_program_seed.
  Result<void> seed(uint32_t seed) const {
    return check(sxt_program_seed(handle.get(), seed, nullptr));
  }
  /// Copies host memory to a field's start. Blocks: sxt_program_global_write.
  template <class Range> Result<void> write(const std::string &name, const Range &values) const {
    return check(sxt_program_global_write(handle.get(), name.c_str(), 0, std::data(values),
                                          std::size(values) * sizeof(*std::data(values)), nullptr));
  }

private:
  detail::Handle<sxt_program, sxt_program_release> handle;
};

//===--- Generated headers -------------------------------------------------===//

/// A program and its kernels by number. It looks each kernel up when it is first used. The kernel
/// objects of a generated header share one LazyProgram.
class LazyProgram {
public:
  LazyProgram(Program owned, size_t count)
      : program(std::move(owned)), kernels(new std::atomic<sxt_kernel *>[count ? count : 1]) {
    for (size_t i = 0; i < count; ++i)
      kernels[i].store(nullptr, std::memory_order_relaxed);
  }
  /// Finds kernel number `index`, whose name is `name`.
  sxt_status find(size_t index, const char *name, sxt_kernel *&kernel) const {
    kernel = kernels[index].load(std::memory_order_acquire);
    if (kernel)
      return SXT_OK;
    if (sxt_status status = sxt_program_kernel(program.get(), name, &kernel))
      return status;
    kernels[index].store(kernel, std::memory_order_release);
    return SXT_OK;
  }

  const Program program;

private:
  std::unique_ptr<std::atomic<sxt_kernel *>[]> kernels;
};

/// The base class of every kernel in a generated header. The classes that `sextant compile
/// --emit-header` writes add the types of the arguments. A small value; it keeps the program alive.
class TypedKernel {
public:
  TypedKernel(std::shared_ptr<const LazyProgram> shared, size_t number, const char *instance)
      : sextantShared(std::move(shared)), sextantNumber(number), sextantName(instance) {}
  /// Returns the kernel itself. The first use chooses and loads its variant: sxt_program_kernel.
  Result<Kernel> kernel() const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return kernel;
  }

protected:
  template <class... Args> Result<void> launch(const Stream &stream, const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return kernel(stream, args...);
  }
  template <class... Args>
  Result<GraphStatus> start(const Stream &stream, const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return kernel.start(stream, args...);
  }
  template <class... Args>
  Result<GraphStatus> resumeAt(const Stream &stream, int64_t checkpoint,
                               const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return kernel.resume(stream, checkpoint, args...);
  }
  template <class R, class... Args>
  Result<R> call(const Stream &stream, const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return kernel.call<R>(stream, args...);
  }
  template <class Tuple, class... Args>
  Result<Tuple> callAll(const Stream &stream, const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    Tuple values;
    return then(
        std::apply(
            [&](auto &...each) { return kernel.callInto(stream, std::tie(each...), args...); },
            values),
        [&values](auto...) { return Result<Tuple>(std::move(values)); });
  }
  template <class Prepared, class... Args> Result<Prepared> prepareAs(const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return then(PreparedLaunch::create(kernel, args...),
                [](PreparedLaunch made) { return Result<Prepared>(Prepared(std::move(made))); });
  }
  template <class Step, class... Args> Result<Step> addAs(Graph &graph, const Args &...args) const {
    Kernel kernel;
    if (sxt_status status = find(kernel))
      return detail::failed(status);
    return then(graph.launch(kernel, args...),
                [&graph](size_t number) { return Result<Step>(Step(graph, number)); });
  }

private:
  sxt_status find(Kernel &kernel) const {
    sxt_kernel *found = nullptr;
    // In a moved-from object the pointer is null: the C call then reports that there is no program.
    sxt_status status = sextantShared ? sextantShared->find(sextantNumber, sextantName, found)
                                      : sxt_program_kernel(nullptr, sextantName, &found);
    kernel = Kernel(found);
    return status;
  }
  // The prefix keeps these apart from the names of kernels' parameters.
  std::shared_ptr<const LazyProgram> sextantShared;
  size_t sextantNumber;
  const char *sextantName;
};

/// A launch in a graph, which Graph::add() returns. The classes of generated headers add a set_…
/// member for each argument. Valid as long as the graph; one thread uses it at a time, like the
/// graph.
class GraphStep {
public:
  GraphStep() = default;
  GraphStep(const Graph &home, size_t step) : sextantGraph(home.get()), sextantStep(step) {}
  /// The step number, which Graph::set() takes.
  size_t number() const noexcept { return sextantStep; }

protected:
  template <class T> Result<void> set(size_t index, const T &value) const {
    const sxt_argument argument = toArgument(value);
    return check(sxt_graph_set_argument(sextantGraph, sextantStep, index, &argument));
  }

private:
  sxt_graph *sextantGraph = nullptr;
  size_t sextantStep = 0;
};

} // inline namespace results, or throwing
} // namespace sextant
