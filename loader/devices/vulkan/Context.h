// The state of an open Vulkan device that its streams, images and buffers share: functions, queues,
// memory, and the threads that wait.
#pragma once

#include "loader/devices/Device.h"
#include "loader/devices/common/Patience.h"
#include "loader/devices/common/Presence.h"
#include "loader/devices/vulkan/Facts.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace sextant::loader::vulkan {

class Context;
class VulkanStream;

/// A queue. One thread uses it at a time.
struct Queue {
  VkQueue handle = nullptr;
  std::mutex mutex;
  // Set if the application submits to the queue too.
  void (*lock)(void *user) = nullptr;
  void (*unlock)(void *user) = nullptr;
  void *user = nullptr;

  /// \returns vkQueueSubmit's result
  VkResult submit(const Functions &vk, const VkSubmitInfo &info, VkFence fence);

  /// Empty submissions, which ask the driver if the device is still there.
  std::mutex askMutex;
  VkSemaphore asked = nullptr; ///< a timeline; null: never asked
  uint64_t askedCount = 0;
};

/// A buffer that small allocations of one size share. A driver gives out only some thousands of
/// pieces of memory.
struct Slab {
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  std::byte *host = nullptr; ///< if the host reaches it
  uint64_t slotBytes = 0;
  std::vector<uint32_t> free; ///< slots
};

/// Memory of the device with a range of addresses of its own.
struct Allocation {
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr; ///< null: a slab's, or the application's buffer
  Slab *slab = nullptr;
  uint64_t offset = 0; ///< in the buffer
  uint64_t address = 0, bytes = 0;
};

/// The place of an address.
struct Place {
  VkBuffer buffer = nullptr;
  uint64_t offset = 0, rest = 0; ///< bytes from there to the buffer's end
};

/// The usual size of a staging block.
inline constexpr uint64_t leastStaging = uint64_t(1) << 18;

/// Host memory that copies go through. It is mapped as long as it lives.
struct Staging {
  explicit Staging(Context &context) : context(context) {}
  ~Staging();
  Context &context;
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  std::byte *host = nullptr;
  uint64_t bytes = 0;
};

/// Bytes of a staging block that are copied to host memory once the device has written them.
struct ReadBack {
  uint64_t number = 0; ///< the submission's
  std::shared_ptr<Staging> staging;
  uint64_t offset = 0;
  void *destination = nullptr;
  uint64_t bytes = 0;

  bool into(const void *memory, size_t size) const {
    const auto *begin = static_cast<const std::byte *>(memory);
    const auto *to = static_cast<const std::byte *>(destination);
    return to < begin + size && begin < to + bytes;
  }
};

/// The progress of a stream's submissions: a timeline semaphore, or without these a fence for each
/// submission. Events share it with their stream.
class Timeline {
public:
  Timeline(Context &context, Queue &queue) : queue(queue), context(context) {}
  ~Timeline();
  sxt_status start();

  /// Submits `commands`, which becomes submission number submitted(). Callers take turns.
  /// \param waits other timelines, each with the number to wait for
  sxt_status submit(VkCommandBuffer commands,
                    std::span<const std::pair<std::shared_ptr<Timeline>, uint64_t>> waits,
                    std::vector<ReadBack> &readBacks);
  uint64_t submitted() const { return last.load(std::memory_order_acquire); }
  /// Sets `done` if submission `number` is done. The data that it reads back is then in place.
  sxt_status poll(uint64_t number, bool &done);
  /// Blocks until submission `number` is done.
  sxt_status wait(uint64_t number);
  /// Returns true if reads into this range are still to come.
  bool readsInto(const void *memory, size_t bytes);
  /// Drops the reads into this range.
  void forget(const void *memory, size_t bytes);

  Queue &queue;

private:
  struct Fenced {
    uint64_t number = 0;
    std::shared_ptr<VkFence> fence;
  };
  std::shared_ptr<VkFence> makeFence(VkResult &result);
  VkResult waitFor(uint64_t number, Patience::Clock::duration slice);
  void reach(uint64_t number);

  Context &context;
  VkSemaphore semaphore = nullptr;
  std::atomic<uint64_t> last{0}, done{0};
  std::mutex mutex; ///< guards what follows
  std::vector<Fenced> fences;
  std::vector<ReadBack> readBacks;
};

/// The place of a timestamp, which is returned when the object is destroyed.
struct Stamp {
  explicit Stamp(Context &context) : context(context) {}
  Context &context;
  VkQueryPool pool = nullptr;
  uint32_t index = 0;
  ~Stamp();
};

class Context {
public:
  Context() = default;
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Creates a device from the `abilities` that survey() found.
  sxt_status create(const Instance &instance);
  /// Takes the application's device in the same way.
  sxt_status adopt(const Instance &instance, VkDevice given, VkQueue queue, void (*lock)(void *),
                   void (*unlock)(void *), void *user);

  const std::string &name() const { return abilities.description.name; }
  /// Creates a timeline semaphore, if the device has them.
  VkResult createTimeline(VkSemaphore &semaphore);
  bool hasTimelines() const { return vk.WaitSemaphores != nullptr; }
  /// The queue of the next stream.
  Queue &nextQueue() { return queues[queueTurn++ % queueCount]; }

  sxt_status allocate(uint64_t bytes, uint64_t &address);
  void release(uint64_t address);
  /// Gives an address to the application's buffer.
  void wrap(VkBuffer buffer, uint64_t bytes, uint64_t &address);
  /// Fails if the bytes from the address on are not memory of this device.
  sxt_status find(uint64_t address, uint64_t bytes, Place &place);
  /// The buffer to bind for arrays without memory.
  Place nothing() const { return {filler.buffer, 0, filler.bytes}; }
  /// Returns staging memory of at least that size. It comes back when its last owner releases it.
  sxt_status stage(uint64_t bytes, std::shared_ptr<Staging> &staging);
  sxt_status stamp(std::shared_ptr<Stamp> &stamp);

  /// \param mapped gets the host's address; null if the host need not reach the memory
  sxt_status makeBuffer(uint64_t bytes, bool staging, VkBuffer &buffer, VkDeviceMemory &memory,
                        void **mapped);
  void freeBuffer(VkBuffer buffer, VkDeviceMemory memory);

  /// Returns the layout for `buffers` storage buffers and `pushBytes` of push constants. Layouts
  /// are kept.
  struct Layout {
    uint32_t buffers = 0, pushBytes = 0;
    VkDescriptorSetLayout set = nullptr;
    VkPipelineLayout pipeline = nullptr;
  };
  sxt_status layoutFor(uint32_t buffers, uint32_t pushBytes, Layout &layout);

  // While a thread waits for the device, no work may stay in an open batch: the work that the
  // thread waits for may depend on it. See Stream.cpp.
  std::atomic<int> waiting{0};
  void join(VulkanStream &stream);
  void leave(VulkanStream &stream);
  /// \param but a stream whose lock the caller holds; may be null
  void flushAll(const VulkanStream *but = nullptr);
  sxt_status synchronize();

  bool isGone() const { return presence.isGone(); }
  /// Fails if the device is gone.
  sxt_status present() const { return presence.check(name().c_str()); }
  /// Called after each slice of a wait for work of that queue. Fails if the driver says that the
  /// device is lost, or if the wait has reached its limit.
  sxt_status stillThere(Queue &queue, Patience &patience);

  Functions vk;
  VkDevice device = nullptr;
  Abilities abilities;
  VkPipelineCache cache = nullptr;
  std::atomic<unsigned> pipelinesMade{0};
  bool adopted = false;
  Presence presence;
  std::unique_ptr<Queue[]> queues;
  uint32_t queueCount = 0;

private:
  friend struct Stamp;
  friend struct Staging;
  sxt_status start();
  VkResult ask(Queue &queue);
  uint64_t enter(const Allocation &made);
  void discard(const Allocation &gone);
  sxt_status allocateSmall(Allocation &made);
  uint32_t memoryType(uint32_t allowed, VkMemoryPropertyFlags needed,
                      VkMemoryPropertyFlags liked) const;

  std::atomic<unsigned> queueTurn{0};
  Allocation filler;
  std::shared_mutex memoryMutex;
  std::map<uint64_t, Allocation> allocations; ///< sorted by address
  std::vector<std::unique_ptr<Slab>> slabs;

  std::mutex mutex; ///< guards what follows
  std::vector<std::unique_ptr<Staging>> freeStaging;
  uint64_t freeStagingBytes = 0;
  std::vector<Layout> layouts;
  std::vector<VkQueryPool> queryPools;
  std::vector<std::pair<VkQueryPool, uint32_t>> freeStamps;

  std::mutex streamsMutex;
  std::vector<VulkanStream *> streams; ///< null: a place that is free
};

/// Counts the calling thread as waiting, and submits what all streams have gathered.
class Waiting {
public:
  explicit Waiting(Context &context, const VulkanStream *but = nullptr) : context(context) {
    context.waiting.fetch_add(1);
    context.flushAll(but);
  }
  ~Waiting() { context.waiting.fetch_sub(1); }
  Waiting(const Waiting &) = delete;
  Waiting &operator=(const Waiting &) = delete;

private:
  Context &context;
};

// Cache.cpp: pipelines that the driver compiled, kept in SEXTANT_CACHE_DIR.
void openCache(Context &context);
void closeCache(Context &context);

} // namespace sextant::loader::vulkan
