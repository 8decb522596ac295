// The smallest device that keeps the contract: memory is the host's, streams work at once, events
// are ready when they are recorded, kernels do nothing. A new device may start as a copy of this
// file: what each function has to do is said in Device.h, and tests/loader/contract asks for it.
#include "NullDevice.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace sextant::loader {
namespace {

template <class T> T *pointer(uint64_t address) { return reinterpret_cast<T *>(address); }

class NullImage : public LoadedImage {
public:
  sxt_status findTask(const module::Task &task, const module::BlockLayout &,
                      const module::Resources &, LoadedTask &loaded) override {
    loaded.blockDim = task.blockDim;
    return SXT_OK;
  }
};

class NullEvent : public DeviceEvent {
public:
  using Clock = std::chrono::steady_clock;

  sxt_status query() override { return SXT_OK; }
  sxt_status synchronize() override { return SXT_OK; }
  bool isRecorded() override { return at != Clock::time_point(); }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override {
    const NullEvent &from = static_cast<NullEvent &>(begin);
    milliseconds = std::chrono::duration<double, std::milli>(at - from.at).count();
    return SXT_OK;
  }
  void record() { at = Clock::now(); }

private:
  Clock::time_point at;
};

class NullStream : public DeviceStream {
public:
  sxt_status launch(const LoadedTask &, uint32_t, const void *, size_t) override { return SXT_OK; }
  sxt_status write(uint64_t destination, const void *source, size_t bytes) override {
    std::memcpy(pointer<void>(destination), source, bytes);
    return SXT_OK;
  }
  sxt_status read(void *destination, uint64_t source, size_t bytes) override {
    std::memcpy(destination, pointer<void>(source), bytes);
    return SXT_OK;
  }
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override {
    std::memcpy(pointer<void>(destination), pointer<void>(source), bytes);
    return SXT_OK;
  }
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override {
    for (uint64_t i = 0; i < bytes; ++i)
      pointer<unsigned char>(destination)[i] =
          static_cast<unsigned char>(pattern >> (i % patternBytes * 8));
    return SXT_OK;
  }
  sxt_status record(DeviceEvent &event) override {
    static_cast<NullEvent &>(event).record();
    return SXT_OK;
  }
  sxt_status wait(DeviceEvent &) override { return SXT_OK; }
  sxt_status synchronize() override { return SXT_OK; }
};

DeviceDescription describeNull() {
  DeviceDescription d;
  d.name = "null";
  d.description = "takes all work and computes nothing";
  d.facts = {.backend = module::nullFamily.name, .arch = "none", .waves = {32}};
  d.memoryBytes = uint64_t(1) << 30;
  d.sharedBytes = 48 << 10;
  d.maxThreadsPerBlock = 1024;
  return d;
}

class NullDevice : public Device {
public:
  const DeviceDescription &description() const override { return facts; }

  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    constexpr uint64_t alignment = 256;
    void *memory = bytes <= facts.memoryBytes
                       ? std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment)
                       : nullptr;
    if (!memory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
                  static_cast<unsigned long long>(bytes));
    address = reinterpret_cast<uint64_t>(memory);
    return SXT_OK;
  }
  void release(uint64_t address) override { std::free(pointer<void>(address)); }
  sxt_status allocateHost(uint64_t bytes, void *&result) override {
    uint64_t address = 0;
    SXT_TRY(allocate(bytes, address));
    result = pointer<void>(address);
    return SXT_OK;
  }
  void releaseHost(void *memory) override { std::free(memory); }
  bool hostVisible() const override { return true; }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    stream = std::make_unique<NullStream>();
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    return createStream(stream);
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    event = std::make_unique<NullEvent>();
    return SXT_OK;
  }
  sxt_status loadImage(const std::string &format, std::span<const std::byte>,
                       std::unique_ptr<LoadedImage> &image) override {
    if (format != module::nullFamily.formats[0].name)
      return fail(SXT_ERROR_BAD_MODULE, "the null device takes no images of format '%s'",
                  format.c_str());
    image = std::make_unique<NullImage>();
    return SXT_OK;
  }
  sxt_status synchronize() override { return SXT_OK; }
  uint32_t gridThatFills(const LoadedTask &) const override { return 1; }

private:
  const DeviceDescription facts = describeNull();
};

void enumerateNull(std::vector<DeviceDescription> &devices, std::string &) {
  devices.push_back(describeNull());
}

sxt_status openNull(unsigned, std::unique_ptr<Device> &device) {
  device = std::make_unique<NullDevice>();
  return SXT_OK;
}

} // namespace

} // namespace sextant::loader

const sxt_backend nullBackend = {sextant::module::nullFamily, sextant::loader::enumerateNull,
                                 sextant::loader::openNull, nullptr};
