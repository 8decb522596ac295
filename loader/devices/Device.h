// The interface of a device. Each folder here is one implementation; Devices.cpp lists them.
// Addresses are integers: a CUdeviceptr, or a host address on the CPU.
//
// Everything is thread-safe except destruction. An implementation reports errors with fail().
// Callers have checked the arguments: sizes fit, and handles belong to this device.
#pragma once

#include "loader/Error.h"
#include "loader/abi/Schedule.h"
#include "loader/format/Select.h"
#include "loader/format/families/Family.h"
#include "sextant/backends.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sextant::loader {

/// Reserves room for more elements before a step after which adding them must not fail.
template <class T> void makeRoom(std::vector<T> &list, size_t more = 1) {
  if (list.capacity() - list.size() < more)
    list.reserve(2 * list.size() + more);
}

/// The order in which devices are preferred, whatever their backend.
enum class Rank : uint8_t {
  Discrete,
  Integrated, ///< a GPU in the processor, with the processor's memory
  Processor,
  Software, ///< a driver that runs on the processor
};
inline constexpr Rank ranks[] = {Rank::Discrete, Rank::Integrated, Rank::Processor, Rank::Software};

/// The facts that sxt_device_info reports and selection uses.
struct DeviceDescription {
  std::string name;        ///< "cuda:0"
  std::string description; ///< the maker's name
  module::DeviceFacts facts;
  uint64_t memoryBytes = 0;
  uint64_t sharedBytes = 0; ///< a block may use
  uint32_t multiprocessors = 1;
  uint32_t maxThreadsPerBlock = 1;
  uint32_t maxBlocks = UINT32_MAX; ///< limit for a launch
  uint32_t rowBlocks = UINT32_MAX; ///< the same, of a task that asks for their number
  Rank rank = Rank::Discrete;
};

/// A hardware kernel, ready to launch. Valid as long as its image.
struct LoadedTask {
  void *function = nullptr; ///< the device's own
  uint32_t blockDim = 1;
  uint32_t sharedBytes = 0;
  uint32_t wave = 0;     ///< lanes of the variant's waves: findTask is told
  bool waits = false;    ///< module::Task::waits
  bool collects = false; ///< CPU: a call keeps a table of updates, which it writes back
};

/// Code on the device.
class LoadedImage {
public:
  virtual ~LoadedImage() = default;
  /// \param layout the argument block of the task's launches
  virtual sxt_status findTask(const module::Task &task, const module::BlockLayout &layout,
                              const module::Resources &resources, LoadedTask &loaded) = 0;
};

class DeviceEvent {
public:
  virtual ~DeviceEvent() = default;
  /// Returns SXT_ERROR_NOT_READY, without a message, until the recorded point is reached.
  virtual sxt_status query() = 0;
  virtual sxt_status synchronize() = 0;
  virtual bool isRecorded() = 0;
  /// Both events are recorded and reached.
  virtual sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) = 0;
};

class DeviceStream {
public:
  virtual ~DeviceStream() = default;
  /// Queues a launch. `block` is the argument block, which is copied before the call returns.
  /// `grid` > 0.
  virtual sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                            size_t blockBytes) = 0;
  virtual sxt_status write(uint64_t destination, const void *source, size_t bytes) = 0;
  virtual sxt_status read(void *destination, uint64_t source, size_t bytes) = 0;
  virtual sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) = 0;
  /// The pattern has 1, 2 or 4 bytes, low ones first.
  virtual sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                          uint64_t bytes) = 0;
  virtual sxt_status record(DeviceEvent &event) = 0;
  virtual sxt_status wait(DeviceEvent &event) = 0;
  virtual sxt_status synchronize() = 0;
  /// Called after a failure: reads into that memory which have not happened yet must never happen.
  virtual void forget(const void * /*memory*/, size_t /*bytes*/) {}
  virtual void *native() { return nullptr; }
};

/// One step of a graph. A launch's block stays in place, unchanged, until the graph is told of a
/// change or is released.
struct GraphStep {
  enum Kind : uint8_t { Launch, Copy, Fill } kind = Launch;
  // Launch
  LoadedTask task;
  uint32_t grid = 0;
  const void *block = nullptr;
  size_t blockBytes = 0;
  // Copy, Fill
  uint64_t destination = 0, source = 0, bytes = 0;
  uint32_t pattern = 0;
  unsigned patternBytes = 1;

  /// Queues the step in a stream.
  sxt_status queue(DeviceStream &stream) const {
    switch (kind) {
    case Launch:
      return stream.launch(task, grid, block, blockBytes);
    case Copy:
      return stream.copy(destination, source, bytes);
    case Fill:
      break;
    }
    return stream.fill(destination, pattern, patternBytes, bytes);
  }
};

/// A graph of the device's own. One thread uses it at a time. Its runs follow each other, in
/// whichever streams they are.
class DeviceGraph {
public:
  virtual ~DeviceGraph() = default; ///< its runs go on, or are waited for
  /// Replaces a launch of the same task. Runs that are queued keep the former launch.
  virtual sxt_status change(size_t index, const GraphStep &step) = 0;
  virtual sxt_status run(DeviceStream &stream) = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceDescription &description() const = 0;
  /// Null, or in the child of a fork why the device is of use in the parent only. Then no other
  /// function is called; destructors wait for nothing.
  virtual const char *whyOfParent() const { return nullptr; }
  /// Allocates memory that kernels may read up to the next multiple of 16 bytes, which the
  /// compilers of GPUs make use of. Every allocation for a kernel comes from here: buffers, fields,
  /// carried locals and return values, prints, records of faults.
  virtual sxt_status allocate(uint64_t bytes, uint64_t &address) = 0;
  /// Frees memory after the work that is queued on any stream.
  virtual void release(uint64_t address) = 0;
  /// Fails if memory at that address is not for this device's kernels. What the driver does not
  /// know is left to the caller.
  virtual sxt_status checkAddress(uint64_t /*address*/) { return SXT_OK; }
  /// Gives an address to an object of the caller's, until the address is released.
  virtual sxt_status wrapNative(void * /*object*/, uint64_t /*bytes*/, uint64_t & /*address*/) {
    return failNative();
  }
  /// Finds the object that holds an address.
  virtual sxt_status native(uint64_t /*address*/, void *& /*object*/, uint64_t & /*offset*/) {
    return failNative();
  }
  /// Allocates host memory that copies fast to and from the device, for mappings.
  virtual sxt_status allocateHost(uint64_t bytes, void *&pointer) = 0;
  virtual void releaseHost(void *pointer) = 0;
  /// True if device addresses are host addresses.
  virtual bool hostVisible() const { return false; }
  virtual sxt_status createStream(std::unique_ptr<DeviceStream> &stream) = 0;
  /// Makes a stream of one that the application owns, by the driver's handle.
  virtual sxt_status wrapStream(void * /*native*/, std::unique_ptr<DeviceStream> & /*stream*/) {
    return fail(SXT_ERROR_UNSUPPORTED, "streams of %s cannot be wrapped: make one of its own",
                description().name.c_str());
  }
  /// Makes the stream that becomes the device's default one. Called once.
  virtual sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) = 0;
  virtual sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) = 0;
  virtual sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                               std::unique_ptr<LoadedImage> &image) = 0;
  /// Makes a graph. Leaves `graph` null if the device or its driver has no graphs.
  virtual sxt_status makeGraph(std::span<const GraphStep> /*steps*/,
                               std::unique_ptr<DeviceGraph> & /*graph*/) {
    return SXT_OK;
  }
  /// Makes a graph of a kernel's tasks, one launch each, with loops and branches of the graph's
  /// own. Launches with an empty grid are left out.
  /// \param handles what the kernel's code calls its loops by
  virtual sxt_status makeSchedule(std::span<const GraphStep> /*tasks*/,
                                  std::span<const abi::Span> /*spans*/,
                                  std::vector<uint64_t> & /*handles*/,
                                  std::unique_ptr<DeviceGraph> & /*graph*/) {
    return SXT_OK;
  }
  virtual sxt_status synchronize() = 0;
  /// The number of blocks that fill the device, for tasks that stride over a bound which only the
  /// device knows.
  virtual uint32_t gridThatFills(const LoadedTask &task) const = 0;

private:
  sxt_status failNative() const {
    return fail(SXT_ERROR_UNSUPPORTED, "memory of %s is only known by its address",
                description().name.c_str());
  }
};

} // namespace sextant::loader

/// A family of devices (sextant/backends.h).
struct sxt_backend {
  const sextant::module::Family &family;
  /// Appends this machine's devices. Finding no device is not an error: `why` then gives the
  /// reason.
  void (*enumerate)(std::vector<sextant::loader::DeviceDescription> &devices, std::string &why);
  /// Opens the device that `enumerate` listed at `ordinal`.
  sxt_status (*open)(unsigned ordinal, std::unique_ptr<sextant::loader::Device> &device);
  /// Opens a context of the application's. Null if the backend has nothing to adopt.
  sxt_status (*adopt)(void *context, void *stream,
                      std::unique_ptr<sextant::loader::Device> &device);

  const char *name() const { return family.device; } ///< "hip"
  const char *target() const { return family.name; } ///< the family of its code: "amdgpu"
};
