// The structs that the opaque handles of sextant.h point to. A handle shares the ownership of the
// state that it needs, so handles may be released in any order.
#pragma once

#include "loader/ModuleState.h"
#include "loader/devices/Device.h"
#include "loader/system/Fork.h"

#include <atomic>
#include <cstring>
#include <mutex>

namespace sextant::loader {

struct DeviceState;

/// A launch, for later questions about it. The device keeps the record for good, so streams may
/// point to it.
struct LaunchRecord {
  std::string kernel, target, format; ///< "sum_f32", "cuda:sm_90/wave32", "cubin"
  uint32_t wave = 0;
  std::vector<uint32_t> blockDims; ///< one for each task
  std::string label;               ///< for profilers
  auto operator<=>(const LaunchRecord &) const = default;
};

/// The strings and lists of a description, which sxt_device_info points to.
struct DeviceInfoText {
  explicit DeviceInfoText(const DeviceDescription &description);
  sxt_device_info info{};

private:
  DeviceDescription copy;
  std::vector<const char *> features;
};

/// Copies `value` to a caller whose struct may be of an older or newer version.
template <class Info> sxt_status giveInfo(Info *to, const Info &value) {
  size_t size = to->struct_size;
  if (size < 2 * sizeof(size_t) || size > 4096)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "struct_size is %zu: set it to the size of the struct before the call", size);
  std::memcpy(to, &value, size < sizeof(Info) ? size : sizeof(Info));
  if (size > sizeof(Info)) // a newer caller sees zeros
    std::memset(reinterpret_cast<char *>(to) + sizeof(Info), 0, size - sizeof(Info));
  to->struct_size = size;
  return SXT_OK;
}

/// Reads a struct that a caller filled in. Fields that it does not have are zero.
template <class Options> sxt_status takeOptions(const Options *from, Options &options) {
  options = Options{};
  if (from->struct_size < 2 * sizeof(size_t) || from->struct_size > 4096)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "struct_size is %zu: set it to the size of the struct before the call",
                from->struct_size);
  std::memcpy(&options, from,
              from->struct_size < sizeof options ? from->struct_size : sizeof options);
  return SXT_OK;
}

} // namespace sextant::loader

struct sxt_stream final : sextant::system::ForkWatcher {
  std::shared_ptr<sextant::loader::DeviceState> keep; ///< null: the device owns the stream
  sextant::loader::DeviceState *device = nullptr;
  std::unique_ptr<sextant::loader::DeviceStream> impl;

  /// Held while a launch of several steps is queued, so that no other launch gets between.
  std::mutex order;
  /// Memory for return values and carried locals. Launches of a stream follow each other, so all
  /// use the same memory. Guarded by `order`.
  uint64_t temporary = 0, temporaryBytes = 0;
  /// The records that kernels of this stream have printed since the last hand-out, and the texts of
  /// these kernels by number. Guarded by `order`.
  uint64_t prints = 0;
  std::vector<std::shared_ptr<const std::string>> printTexts;
  std::atomic<bool> hasPrints{false}; ///< a kernel that prints was queued since then
  /// The last launch: its record, and in `lastTask` its largest task (high half) with the number of
  /// blocks.
  std::atomic<const sextant::loader::LaunchRecord *> lastLaunch{nullptr};
  std::atomic<uint64_t> lastTask{0};

  sxt_stream() { sextant::system::watchForks(*this); }
  ~sxt_stream();
  void afterFork(bool isChild) override;
  sxt_status reserveTemporary(uint64_t bytes);
  /// Reads device memory and waits for it. After a failure, nothing is written to `to` any more.
  sxt_status readNow(void *to, uint64_t address, size_t bytes);
  /// Waits for the stream and hands out what its kernels printed.
  sxt_status finish();
};

struct sxt_event {
  std::shared_ptr<sextant::loader::DeviceState> keep;
  std::unique_ptr<sextant::loader::DeviceEvent> impl;
};

struct sxt_buffer {
  std::shared_ptr<sextant::loader::DeviceState> keep; ///< null: a program's global
  sextant::loader::DeviceState *device = nullptr;
  uint64_t address = 0, bytes = 0;
  bool owned = false;
  std::mutex mapMutex;
  void *mapped = nullptr;

  ~sxt_buffer();
  bool holds(uint64_t offset, uint64_t size) const {
    return offset <= bytes && size <= bytes - offset;
  }
};

namespace sextant::loader {

struct DeviceState {
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceInfoText> text;
  std::mutex launchesMutex;
  std::vector<std::unique_ptr<LaunchRecord>> launches; ///< sorted
  std::atomic<uint64_t> bindings{0};                   ///< how often a field of a program moved
  std::atomic<bool> interrupted{
      false};               ///< set by a fork, while a thread of the parent used a stream
  sxt_stream defaultStream; ///< goes before the device

  const std::string &name() const { return device->description().name; }
  /// Null, or in the child of a fork why the device is of use in the parent only.
  const char *whyOfParent() const;
  /// Fails in the child of a fork if the device is of use in the parent only. Each call that needs
  /// the device begins with it, because the device's locks may be held for good.
  sxt_status present() const;
  /// Frees memory of the device. In the child of a fork, what is the parent's stays: memory and
  /// streams go by locks that another thread of the parent may have held.
  void release(uint64_t address);
  /// Stores `stream`, or the default stream if it is null. Fails if it is another device's stream.
  sxt_status choose(sxt_stream *stream, sxt_stream *&chosen);
  /// Returns the device's own copy of the record. Equal records share one copy.
  const LaunchRecord *remember(LaunchRecord record);
};

/// Checks the arguments of a copy or fill and fills in the step. An empty copy queues nothing.
sxt_status planCopy(const sxt_buffer &destination, uint64_t destinationOffset,
                    const sxt_buffer &source, uint64_t sourceOffset, uint64_t size,
                    GraphStep &step);
sxt_status planFill(const sxt_buffer &buffer, uint64_t offset, uint64_t size, const void *pattern,
                    size_t patternBytes, GraphStep &step);

} // namespace sextant::loader

struct sxt_device {
  std::shared_ptr<sextant::loader::DeviceState> state;
};

struct sxt_module {
  std::shared_ptr<sextant::loader::ModuleState> state;
};
