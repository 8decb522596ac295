// Streams and events of a Vulkan device.
//
// A stream gathers commands in a batch. It submits the batch when the device has little else to do
// for the stream, when the batch is full, at an event, and whenever a thread waits for the device.
// Submissions of a stream run one after another, and so do their commands: a barrier stands between
// any two.
#pragma once

#include "loader/devices/common/KeptFailure.h"
#include "loader/devices/vulkan/Context.h"

#include <optional>

namespace sextant::loader::vulkan {

class VulkanEvent : public DeviceEvent {
public:
  explicit VulkanEvent(Context &context) : context(context) {}
  sxt_status query() override;
  sxt_status synchronize() override;
  bool isRecorded() override { return recorded().timeline != nullptr; }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override;

  struct Recording {
    std::shared_ptr<Timeline> timeline; ///< null: never recorded
    uint64_t number = 0;
    std::shared_ptr<Stamp> stamp; ///< null: the queue has no clock
  };
  Recording recorded() {
    std::lock_guard lock(mutex);
    return recording;
  }
  void move(Recording to) {
    std::lock_guard lock(mutex);
    recording = std::move(to);
  }

private:
  sxt_status timeOf(const Recording &at, uint64_t &ticks);

  Context &context;
  std::mutex mutex;
  Recording recording;
};

/// Commands that are submitted together, or those of a graph, with what they use until they are
/// done.
struct Batch {
  /// It gathers no more while the device is busy with earlier ones.
  static constexpr unsigned mostCommands = 64;
  struct DescriptorPool {
    VkDescriptorPool handle = nullptr;
    uint32_t sets = 0, buffers = 0;         ///< in all
    uint32_t setsLeft = 0, buffersLeft = 0; ///< until the pool is reset
  };
  explicit Batch(Context &context) : context(context) {}
  ~Batch();
  Context &context;
  VkCommandPool pool = nullptr;
  VkCommandBuffer commands = nullptr;
  unsigned count = 0;
  uint64_t number = 0; ///< on the timeline
  std::vector<DescriptorPool> descriptors;
  std::vector<std::shared_ptr<Staging>> staging;
  uint64_t stagingUsed = 0; ///< bytes used of the last block
  std::vector<ReadBack> readBacks;
  std::vector<std::shared_ptr<Stamp>> stamps;
  std::vector<std::pair<std::shared_ptr<Timeline>, uint64_t>> waits;
  std::vector<std::shared_ptr<Batch>> graphs; ///< that it runs
};

/// A point in a stream.
struct Point {
  std::shared_ptr<Timeline> timeline; ///< null: nothing is recorded
  uint64_t number = 0;
};

class VulkanStream : public DeviceStream {
public:
  explicit VulkanStream(Context &context);
  ~VulkanStream() override;
  sxt_status start();

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
  void forget(const void *memory, size_t bytes) override;
  void *native() override { return queue.handle; }

  /// Records what the steps would queue. Any stream may run the recording.
  static sxt_status recordGraph(Context &context, std::span<const GraphStep> steps,
                                std::shared_ptr<Batch> &recorded);
  /// Runs the recording after `last`, which becomes its end.
  sxt_status runGraph(const std::shared_ptr<Batch> &recorded, Point &last);

  /// Submits the gathered commands, unless another thread uses the stream: that thread looks at
  /// Context::waiting when it is done.
  void flushIfFree();

private:
  struct Part {
    std::shared_ptr<Staging> staging;
    uint64_t offset = 0;
    std::byte *host() const { return staging->host + offset; }
  };

  /// Runs `body`, which records into the current batch. Submits the batch if it is time.
  template <class Body> sxt_status append(Body body) {
    return append([](void *b) { return (*static_cast<Body *>(b))(); }, &body);
  }
  sxt_status append(sxt_status (*body)(void *), void *argument);
  sxt_status open();
  sxt_status makeBatch(VkCommandBufferLevel level, std::unique_ptr<Batch> &made);
  sxt_status recycle(Batch &batch);
  sxt_status collect();
  sxt_status send();
  bool shouldSend();
  sxt_status waitFor(Point point);
  void barrier();
  void dispatch(uint32_t grid);
  sxt_status carve(uint64_t bytes, Part &part);
  sxt_status descriptorSet(const Context::Layout &layout, uint32_t buffers, VkDescriptorSet &set);
  sxt_status fillTable(VkDescriptorBufferInfo *infos, size_t &count);
  sxt_status fillOffsets(VkDescriptorBufferInfo *infos, size_t given, size_t &count);
  template <class Copy> sxt_status inChunks(uint64_t bytes, Copy copy);

  Context &context;
  const Functions &vk;
  Queue &queue;

public:
  std::shared_ptr<Timeline> timeline;

private:
  bool records = false;  ///< a graph: nothing is submitted
  std::mutex mutex;      ///< guards what follows
  bool isOthers = false; ///< a wait of another stream submits, which holds all streams: none waits
  std::unique_ptr<Batch> current;
  std::vector<std::unique_ptr<Batch>> running;
  std::vector<std::unique_ptr<Batch>> idle;
  std::vector<std::pair<std::shared_ptr<Timeline>, uint64_t>> waits; ///< the next submission's
  KeptFailure failure;                                               ///< a submission's, to be told
};

} // namespace sextant::loader::vulkan
