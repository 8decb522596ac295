// The CPU device: facts, memory, streams and events over the pool.
#include "loader/abi/Stack.h"
#include "loader/devices/Device.h"
#include "loader/devices/cpu/CpuFeatures.h"
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Pool.h"
#include "loader/devices/cpu/Spin.h"
#include "loader/system/Environment.h"
#include "loader/system/Memory.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

namespace sextant::loader {
namespace {

constexpr uint64_t cpuSharedBytes = uint64_t(1) << 20; // the compiler's limit may grow to this

template <class T> T *pointer(uint64_t address) { return reinterpret_cast<T *>(address); }

/// Returns a number from a variable, or `otherwise` if it is unset or wrong.
unsigned numberFrom(const char *variable, unsigned least, unsigned most, unsigned otherwise) {
  const char *text = system::environment(variable);
  if (!text)
    return otherwise;
  char *end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (errno == 0 && *end == '\0' && value >= long(least) && value <= long(most))
    return static_cast<unsigned>(value);
  log(SXT_LOG_WARNING, "%s=%s is ignored: expected a number from %u to %u", variable, text, least,
      most);
  return otherwise;
}

constexpr unsigned mostThreads = 1024;

/// The number of processors that this process may use.
unsigned usableProcessors() { return std::min(system::processors(), mostThreads); }

unsigned workerThreads() {
  return numberFrom("SEXTANT_CPU_THREADS", 1, mostThreads, usableProcessors());
}

/// The longest time that a worker of so many spins. Where threads share processors, one that spins
/// keeps others from work.
std::chrono::microseconds workerSpin(unsigned threads) {
  const std::chrono::microseconds given(numberFrom("SEXTANT_CPU_SPIN", 0, 1000000, 1000));
  return threads > usableProcessors() ? std::min(given, shortestSpin) : given;
}

DeviceDescription describeCpu() {
  DeviceDescription d;
  d.name = "cpu";
  d.description = cpuModelName();
  d.facts.backend = module::cpuFamily.name;
  d.facts.arch = cpuArch();
  d.facts.waves = {32, 16, 8, 64, 4, 1};
  d.memoryBytes = system::physicalMemory();
  d.sharedBytes = cpuSharedBytes;
  d.multiprocessors = workerThreads();
  d.maxThreadsPerBlock = 1024;
  d.rank = Rank::Processor;
  return d;
}

class CpuEvent : public DeviceEvent {
public:
  explicit CpuEvent(Pool &pool) : pool(pool) {}
  sxt_status query() override {
    return state->reached.load(std::memory_order_acquire) >= recorded() ? SXT_OK
                                                                        : SXT_ERROR_NOT_READY;
  }
  sxt_status synchronize() override {
    pool.finish(*state, recorded());
    return SXT_OK;
  }
  bool isRecorded() override { return recorded() != 0; }
  sxt_status elapsedSince(DeviceEvent &other, double &milliseconds) override {
    auto &begin = static_cast<CpuEvent &>(other);
    std::unique_lock lock = pool.acquire();
    milliseconds =
        std::chrono::duration<double, std::milli>(state->time - begin.state->time).count();
    return SXT_OK;
  }
  uint64_t recorded() {
    std::unique_lock lock = pool.acquire();
    return state->recorded;
  }

  Pool &pool;
  std::shared_ptr<CpuEventState> state = std::make_shared<CpuEventState>();
};

class CpuStream : public DeviceStream {
public:
  explicit CpuStream(Pool &pool) : pool(pool) { pool.join(queue); }
  ~CpuStream() override {
    pool.finish(queue);
    pool.leave(queue);
  }

  sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                    size_t blockBytes) override {
    pool.submit(queue, [&](Command &c) {
      c.kind = Command::Launch;
      c.task = reinterpret_cast<CpuTask>(task.function);
      c.grid = grid;
      c.partition = pool.partition(c.task, grid, task);
      c.setArguments(block, blockBytes);
    });
    return SXT_OK;
  }

  sxt_status write(uint64_t destination, const void *source, size_t bytes) override {
    return copyHost(pointer<void>(destination), source, bytes);
  }
  sxt_status read(void *destination, uint64_t source, size_t bytes) override {
    return copyHost(destination, pointer<const void>(source), bytes);
  }
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override {
    return copyHost(pointer<void>(destination), pointer<const void>(source), bytes);
  }
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override {
    pool.submit(queue, [&](Command &c) {
      c.kind = Command::Fill;
      c.destination = pointer<void>(destination);
      c.pattern = pattern;
      c.patternBytes = static_cast<uint8_t>(patternBytes);
      c.bytes = bytes;
    });
    return SXT_OK;
  }
  sxt_status record(DeviceEvent &event) override {
    pool.submit(queue, [&](Command &c) {
      c.kind = Command::Record;
      c.event = static_cast<CpuEvent &>(event).state;
    });
    return SXT_OK;
  }
  sxt_status wait(DeviceEvent &event) override {
    pool.submit(queue, [&](Command &c) {
      c.kind = Command::Wait;
      c.event = static_cast<CpuEvent &>(event).state;
      c.generation = c.event->recorded;
    });
    return SXT_OK;
  }
  sxt_status synchronize() override {
    pool.finish(queue);
    return SXT_OK;
  }

private:
  sxt_status copyHost(void *destination, const void *source, uint64_t bytes) {
    pool.submit(queue, [&](Command &c) {
      c.kind = Command::Copy;
      c.destination = destination;
      c.source = source;
      c.bytes = bytes;
    });
    return SXT_OK;
  }

  Pool &pool;
  Queue queue;
};

class CpuDevice : public Device {
public:
  CpuDevice() {
    pool.start(facts.multiprocessors, workerSpin(facts.multiprocessors), usableProcessors());
    facts.multiprocessors = pool.threadCount();
  }

  /// Without any worker, the calling thread runs the kernels.
  bool hasStack() const { return pool.hasWorkers() || system::hasStack(abi::taskStack); }

  const DeviceDescription &description() const override { return facts; }
  const char *whyOfParent() const override {
    return pool.isInterrupted()
               ? "it was working then: wait for its streams before a fork, or open "
                 "it again in the child"
               : nullptr;
  }

  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    // Large buffers lie on huge pages if the system has some.
    constexpr uint64_t hugePage = uint64_t(2) << 20;
    const uint64_t alignment = bytes >= 2 * hugePage ? hugePage : 64;
    void *memory = system::allocateAligned(alignment, bytes);
    if (!memory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a buffer of %" PRIu64 " bytes", bytes);
    if (alignment == hugePage)
      system::preferHugePages(memory, bytes);
    address = reinterpret_cast<uint64_t>(memory);
    return SXT_OK;
  }
  void release(uint64_t address) override {
    (void)synchronize();
    system::freeAligned(pointer<void>(address));
  }
  sxt_status allocateHost(uint64_t bytes, void *&result) override {
    uint64_t address = 0;
    SXT_TRY(allocate(bytes, address));
    result = pointer<void>(address);
    return SXT_OK;
  }
  void releaseHost(void *memory) override { system::freeAligned(memory); }
  bool hostVisible() const override { return true; }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    stream = std::make_unique<CpuStream>(pool);
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    return createStream(stream);
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    event = std::make_unique<CpuEvent>(pool);
    return SXT_OK;
  }
  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    if (format != "elf")
      return fail(SXT_ERROR_BAD_MODULE, "the CPU does not run images of format '%s'",
                  format.c_str());
    return loadElfImage(pool, bytes, image);
  }
  sxt_status synchronize() override {
    pool.finishAll();
    return SXT_OK;
  }
  uint32_t gridThatFills(const LoadedTask &) const override { return pool.threadCount() * 4; }

private:
  DeviceDescription facts = describeCpu();
  Pool pool;
};

void enumerateCpu(std::vector<DeviceDescription> &devices, std::string &) {
  devices.push_back(describeCpu());
}

sxt_status openCpu(unsigned, std::unique_ptr<Device> &device) {
  auto cpu = std::make_unique<CpuDevice>();
  if (!cpu->hasStack())
    return fail(SXT_ERROR_OUT_OF_MEMORY, "out of memory");
  device = std::move(cpu);
  return SXT_OK;
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_cpu = {sextant::module::cpuFamily, sextant::loader::enumerateCpu,
                                     sextant::loader::openCpu, nullptr};
