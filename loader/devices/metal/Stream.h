// Streams and events: command queues and the command buffers that run on them.
#pragma once

#include "loader/devices/Device.h"
#include "loader/devices/common/KeptFailure.h"
#include "loader/devices/metal/Core.h"

#include <mutex>
#include <vector>

namespace sextant::loader::metal {

/// A point of a stream's timeline.
class MetalEvent : public DeviceEvent {
public:
  explicit MetalEvent(Core &core) : core(core) {}
  sxt_status query() override;
  sxt_status synchronize() override;
  bool isRecorded() override { return static_cast<bool>(current()); }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override;

private:
  friend class MetalStream;
  /// The commands that signal the event last; null before it is recorded.
  Ref<CommandsRef> current();

  Core &core;
  std::mutex mutex;
  Ref<EventRef> timeline; ///< timeline of the stream that recorded it last
  uint64_t value = 0;     ///< that the stream signals there
  Ref<CommandsRef> recorded;
};

class MetalStream : public DeviceStream {
public:
  MetalStream(Core &core, Ref<QueueRef> queue, Ref<EventRef> timeline)
      : core(core), queue(std::move(queue)), timeline(std::move(timeline)) {
    running.reserve(mostCommands); // so that no launch allocates when the device falls behind
  }
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
  /// The values of a Metal event must grow. Each stream signals its own, so they do even if
  /// different streams record one event of the loader's.
  Ref<EventRef> timeline;
  uint64_t signalled = 0;                ///< the greatest value of the timeline that is queued
  std::vector<Ref<CommandsRef>> running; ///< oldest first
  KeptFailure failure;                   ///< why commands that ran failed, not yet reported
};

} // namespace sextant::loader::metal
