// Devices, streams and events, as Python sees them.
#pragma once

#include "Common.h"
#include "Dlpack.h"

#include <deque>

namespace sextant::python {

struct Device;

/// A queue of work, and the Python objects that its work uses.
struct Stream : std::enable_shared_from_this<Stream> {
  Stream() = default;
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream();

  sxt_stream *handle = nullptr;
  Owned<sxt_stream, sxt_stream_release> owned; ///< empty: the device's default stream
  void *native = nullptr;                      ///< the driver's handle
  std::shared_ptr<Device> keep;                ///< empty: the device has the stream
  Device *device = nullptr;

  /// Keeps `object` alive until the work that is queued so far is done. A reference is given up
  /// when a later call, or a wait, finds the work done.
  void hold(nb::object object);
  void synchronize();
  /// True if the work is done that was queued so far, or is done in a few microseconds.
  bool isIdle();
  /// Hands out what the work printed, once it is done.
  void collect();
  /// How many objects the stream holds.
  size_t heldCount() const {
    size_t count = held.recent.size();
    for (const Batch &batch : held.batches)
      count += batch.objects.size();
    return count;
  }

  using Event = Owned<sxt_event, sxt_event_release>;
  /// Objects that can go when their event is reached.
  struct Batch {
    Event event;
    std::vector<nb::object> objects;
  };
  struct Held {
    Held() = default;
    Held(Held &&) noexcept = default;
    Held &operator=(Held &&) noexcept = default;
    std::vector<nb::object> recent; ///< without an event yet
    std::deque<Batch> batches;
  };
  /// Returns what the stream holds, for a caller that waits for the stream.
  Held takeHeld() { return std::exchange(held, Held{}); }

private:
  Held held;
  Event probe; ///< for isIdle()
  void giveUp(bool wait);
};

/// An opened device. The binding has one for each handle.
struct Device : std::enable_shared_from_this<Device> {
  explicit Device(sxt_device *opened);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  static std::shared_ptr<Device> open(const char *name);

  Owned<sxt_device, sxt_device_release> handle;
  std::string name; ///< "cuda:0"
  enum Family { Cpu, Cuda, Hip, Other } family = Other;
  int32_t ordinal = 0;
  Stream defaultStream;

  /// True if the device runs on this memory. Pinned host memory counts for the CPU.
  bool reaches(dlpack::Device memory) const;
  /// The device in DLPack's terms.
  dlpack::Device inDlpack() const;
  /// Returns the stream of a driver's handle, which is wrapped once.
  Stream &streamOf(void *native);
  std::shared_ptr<Stream> defaultOne();
  /// Orders work that names no stream: what goes to `stream` next comes after what went to the
  /// stream of the call before.
  void follow(Stream &stream);
  void synchronize();

private:
  std::vector<Stream::Held> takeHeld();
  std::vector<std::unique_ptr<Stream>> wrapped; ///< streams of applications, latest first
  Stream *followed = nullptr;
};

/// A point in a stream.
struct Event {
  explicit Event(std::shared_ptr<Device> device);
  std::shared_ptr<Device> device;
  Owned<sxt_event, sxt_event_release> handle;
};

/// Waits for all devices, and lets go of what their streams hold. An object that a stream holds may
/// refer to the stream's device, so that neither would go at the end of the process.
void finishDevices();

/// Later work of `after` waits for what `before` was given so far.
void order(Device &device, Stream &before, Stream &after);

/// Returns the stream that `stream=` names on a device: null for None, else a Stream, a driver's
/// handle as an integer, or a stream of another library.
Stream *streamFrom(Device &device, nb::handle given);

} // namespace sextant::python
