// Streams and events: command queues and the command buffers that run on them.
#pragma once

#include "loader/devices/Device.h"
#include "loader/devices/metal/Core.h"

#include <mutex>
#include <vector>

namespace sextant::loader::metal {

class MetalEvent : public DeviceEvent {
public:
  MetalEvent(Core &core, Ref<EventRef> event) : core(core), event(std::move(event)) {}
  sxt_status query() override;
  sxt_status synchronize() override;
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override;

private:
  friend class MetalStream;
  /// The commands that signal the event last; null before it is recorded.
  Ref<CommandsRef> current();

  Core &core;
  Ref<EventRef> event;
  std::mutex mutex;
  uint64_t value = 0; ///< that the last record signals
  Ref<CommandsRef> recorded;
};

class MetalStream : public DeviceStream {
public:
  MetalStream(Core &core, Ref<QueueRef> queue) : core(core), queue(std::move(queue)) {}
  ~MetalStream() override {
    (void)guarded([&] { return synchronize(); });
  }
  sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                    size_t blockBytes) override;
  sxt_status write(uint64_t destination, const void *source, size_t bytes) override;
  sxt_status read(void *destination, uint64_t source, size_t bytes) override;
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override;
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override;
  sxt_status record(DeviceEvent &event) override;
  sxt_status wait(DeviceEvent &event) override;
  sxt_status synchronize() override;
  void *native() override { return queue.get(); }

private:
  /// Refers to a function object of the caller's, for the time of a call.
  struct Encode {
    template <class Record>
    Encode(const Record &record)
        : object(&record), call([](const void *object, CommandsRef commands) {
            return (*static_cast<const Record *>(object))(commands);
          }) {}
    const void *object;
    sxt_status (*call)(const void *object, CommandsRef commands);
  };
  /// Runs what `encode` records, after all that was submitted before.
  sxt_status submit(const Encode &encode);
  sxt_status submitLocked(const Encode &encode);
  /// Releases commands that are done, from the oldest on. Keeps the first failure.
  void collect();
  /// Waits for all commands, then reports a failure. The caller holds `mutex`.
  sxt_status drain();
  sxt_status tellFailure();
  sxt_status locate(uint64_t address, uint64_t bytes, Binding &binding) const;

  Core &core;
  Ref<QueueRef> queue;
  std::mutex mutex;
  std::vector<Ref<CommandsRef>> running; ///< oldest first
  std::string failure;                   ///< of commands that ran, not yet reported
};

} // namespace sextant::loader::metal
