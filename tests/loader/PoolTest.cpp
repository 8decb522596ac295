// The CPU device's pool, at the level of threads: who enters a job, that each block runs once, that
// nobody sleeps through work. The build with ThreadSanitizer looks for races besides.
#include "loader/devices/cpu/Pool.h"

#include "tests/support/Catch.h"

#include <array>
#include <chrono>
#include <numeric>
#include <random>
#include <set>
#include <thread>

using namespace sextant::loader;
using namespace std::chrono_literals;

namespace {

/// A pool with a queue or more.
struct Team {
  explicit Team(unsigned threads, std::chrono::microseconds spin = 1000us, size_t count = 1)
      : queues(count) {
    pool.start(threads, spin, threads);
    for (Queue &queue : queues)
      pool.join(queue);
  }
  ~Team() {
    for (Queue &queue : queues) {
      pool.finish(queue);
      pool.leave(queue);
    }
  }
  template <class Arguments>
  void launch(CpuTask task, const Arguments &arguments, uint32_t grid, size_t queue = 0,
              bool waits = false, unsigned blockDim = 64) {
    pool.submit(queues[queue], [&](Command &command) {
      command.kind = Command::Launch;
      command.task = task;
      command.grid = grid;
      command.partition = pool.partition(task, grid, {.blockDim = blockDim, .waits = waits});
      command.setArguments(&arguments, sizeof arguments);
    });
  }
  Pool pool;
  std::vector<Queue> queues;
};

struct Counts {
  int *of;  ///< each block's own
  int work; ///< steps a block
};

SEXTANT_TASK_ABI void count(const void *args, void * /*shared*/, uint32_t begin, uint32_t end,
                            uint32_t /*grid*/) {
  const auto &counts = *static_cast<const Counts *>(args);
  for (uint32_t block = begin; block < end; ++block) {
    for (volatile int step = 0; step < counts.work;)
      step = step + 1;
    ++counts.of[block]; // no atomic: launches of a queue follow each other
  }
}

struct Chain {
  std::atomic<uint32_t> *done;
};

/// Each block waits for the one before it.
SEXTANT_TASK_ABI void chain(const void *args, void * /*shared*/, uint32_t begin, uint32_t end,
                            uint32_t /*grid*/) {
  for (uint32_t block = begin; block < end; ++block) {
    auto &done = *static_cast<const Chain *>(args)->done;
    while (done.load(std::memory_order_acquire) != block)
      std::this_thread::yield();
    done.store(block + 1, std::memory_order_release);
  }
}

struct Meeting {
  std::atomic<int> *there;
  int all;
};

/// Returns when so many are there.
SEXTANT_TASK_ABI void meet(const void *args, void * /*shared*/, uint32_t, uint32_t, uint32_t) {
  const auto &meeting = *static_cast<const Meeting *>(args);
  ++*meeting.there;
  while (*meeting.there < meeting.all)
    std::this_thread::yield();
}

Partition partitionOf(uint32_t hands, uint32_t slices, uint32_t chunk, uint32_t most) {
  Partition partition;
  partition.hands = hands;
  partition.slices = slices;
  partition.chunk = partition.fine = chunk;
  partition.most = most;
  return partition;
}

} // namespace

TEST_CASE("a job has as many seats as it says, and is closed by the last thread that leaves") {
  std::array<ThreadPlace, 3> places; // the last one is a waiting thread's
  Job job(0, places);
  Queue queue;
  Command command;
  CHECK(!job.join(0));
  command.grid = 10;
  job.open(queue, command, partitionOf(2, 2, 1, 1));
  CHECK(job.isUnclaimed());
  CHECK(job.join(0));
  CHECK(job.admits(0));
  CHECK(!job.isUnclaimed());
  CHECK(job.isAlone(0));
  CHECK(job.join(1));
  CHECK(!job.isAlone(0));
  CHECK(!job.join(2));
  job.admit(3);
  CHECK(job.hands() == 3);
  CHECK(job.join(2));
  CHECK(!job.leave(2));
  CHECK(!job.leave(0));
  CHECK(!job.join(0)); // no blocks are left
  CHECK(job.leave(1));
  CHECK(!job.isUnclaimed());

  job.open(queue, command, partitionOf(2, 2, 1, 1));
  CHECK(job.join(2));
  CHECK(job.join(1));
  CHECK(!job.leave(1)); // to the one who waits
  job.shut(2);
  CHECK(job.isAlone(2));
  CHECK(job.leave(2));
}

TEST_CASE("slices are handed out whole, in order, and anew in each use") {
  std::array<ThreadPlace, 1> places;
  Job job(0, places);
  Queue queue;
  Command command;
  for (uint32_t grid : {1u, 7u, 64u, 1000u, 4294967295u})
    for (uint32_t slices : {1u, 3u, 64u}) {
      const uint32_t chunk = grid > 1000 ? 100000000 : 3;
      command.grid = grid;
      job.open(queue, command, partitionOf(1, slices, chunk, 4 * chunk));
      uint32_t next = 0;
      bool isOwn = true;
      for (uint32_t slice = 0; slice < slices; ++slice)
        for (Chunk part; job.take(slice, job.most, isOwn, part);) {
          REQUIRE(part.begin == next);
          REQUIRE(part.end > part.begin);
          REQUIRE(part.end - part.begin <= 4 * chunk);
          next = part.end;
          REQUIRE(next <= job.endOf(slice));
        }
      CHECK(next == grid);
    }
}

TEST_CASE("a partition for fewer threads has as large chunks in larger slices") {
  Partition partition = partitionOf(8, 8, 3, 6);
  partition.shareAmong(2);
  CHECK(partition.hands == 2);
  CHECK(partition.slices == 2);
  CHECK(partition.chunk == 3);
  CHECK(partition.most == 24);
  partition.shareAmong(5);
  CHECK(partition.hands == 2);
}

TEST_CASE("who begins a slice ends it") {
  std::array<ThreadPlace, 1> places;
  Job job(0, places);
  Queue queue;
  Command command;
  command.grid = 12;
  job.open(queue, command, partitionOf(2, 1, 4, 4));
  bool isOwn = false, isOthers = false;
  Chunk part;
  CHECK(job.take(0, 4, isOwn, part));
  CHECK(isOwn);
  CHECK(job.take(0, 4, isOthers, part)); // 8 are left: some for others
  CHECK(part.begin == 4);
  CHECK(!isOthers);
  CHECK(!job.take(0, 4, isOthers, part)); // too few
  CHECK(job.take(0, 4, isOwn, part));
  CHECK(part.end == 12);
  CHECK(!job.take(0, 4, isOwn, part));
}

TEST_CASE("who is held up keeps a chunk and the end of its slice") {
  constexpr uint32_t threads = 4, grid = 1600;
  std::array<ThreadPlace, threads> places;
  Job job(0, places);
  Queue queue;
  Command command;
  command.grid = grid;
  Partition partition = partitionOf(threads, threads, 50, 100);
  partition.fine = 5;
  job.open(queue, command, partition);
  SliceWalk held(job, 0);
  Chunk part;
  REQUIRE(held.next(part));
  CHECK(part.end == 100);
  uint32_t others = 0;
  for (uint32_t home = 1; home < threads; ++home)
    for (SliceWalk walk(job, home); walk.next(part);)
      others += part.end - part.begin;
  CHECK(others > grid - 100 - 2 * partition.fine);
  REQUIRE(held.next(part));
  CHECK(part.end - part.begin == grid - 100 - others);
  CHECK(part.end == job.endOf(0));
  CHECK(!held.next(part));
}

TEST_CASE("threads end together where costly blocks lie together") {
  // Walks take their turns by a clock of their own, so the machine's speed does not matter.
  constexpr uint32_t threads = 16, grid = 4096;
  std::vector<double> cost(grid, 1e3); // ns
  double work = 0;
  for (uint32_t block = 0; block < grid; ++block) {
    if (block >= grid * 3 / 8 && block < grid * 5 / 8)
      cost[block] = 25e3;
    work += cost[block];
  }
  std::array<ThreadPlace, threads> places;
  Job job(0, places);
  Queue queue;
  Command command;
  command.grid = grid;
  // The pool shares blocks of 7 us so.
  Partition partition = partitionOf(threads, threads, 5, 14);
  partition.fine = 1;
  job.open(queue, command, partition);
  std::vector<SliceWalk> walks;
  std::set<std::pair<double, uint32_t>> turns;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    walks.emplace_back(job, thread);
    turns.emplace(0, thread);
  }
  double last = 0;
  while (!turns.empty()) {
    const auto [begin, thread] = *turns.begin();
    turns.erase(turns.begin());
    last = begin;
    Chunk part;
    if (!walks[thread].next(part))
      continue;
    const double took = std::accumulate(cost.begin() + part.begin, cost.begin() + part.end, 0.0);
    walks[thread].took(took);
    turns.emplace(begin + took, thread);
  }
  CHECK(last < work / threads * 1.05);
}

TEST_CASE("each block runs once: launches of all sizes, waited for or not") {
  for (unsigned threads : {1u, 2u, 5u, 16u}) {
    Team team(threads, threads == 5 ? 0us : 1000us);
    std::vector<int> counts(3000), expected(counts.size());
    std::minstd_rand random(threads);
    for (int round = 0; round < 1000; ++round) {
      const uint32_t grid = 1 + random() % (round % 10 == 0 ? 3000 : 50);
      for (uint32_t block = 0; block < grid; ++block)
        ++expected[block];
      team.launch(count, Counts{counts.data(), int(random() % 3 ? 0 : 20)}, grid, 0, false,
                  random() % 2 ? 64 : 8192);
      if (random() % 2)
        team.pool.finish(team.queues[0]);
      if (random() % 100 == 0)
        std::this_thread::sleep_for(random() % 2 ? 200us : 2000us);
    }
    team.pool.finish(team.queues[0]);
    CHECK(counts == expected);
  }
}

TEST_CASE("calls that write a table back get several times as much work at least") {
  Team team(2);
  std::vector<int> counts(1 << 16);
  for (int i = 0; i < 8; ++i) { // so the pool knows what a block takes
    team.launch(count, Counts{counts.data(), 0}, 1 << 16);
    team.pool.finish(team.queues[0]);
  }
  const auto fineOf = [&](bool collects) {
    const LoadedTask task{.blockDim = 64, .collects = collects};
    return team.pool.partition(count, 1U << 30, task).fine;
  };
  CHECK(fineOf(false) >= 2);
  CHECK(fineOf(true) >= 4 * fineOf(false)); // 50 us / 3 beside 4 us
}

TEST_CASE("threads launch on queues of their own, more than there are jobs") {
  constexpr size_t users = 9;
  for (unsigned threads : {1u, 3u, 8u}) {
    Team team(threads, 50us, users);
    std::vector<std::vector<int>> counts(users, std::vector<int>(200));
    std::vector<std::thread> owners;
    for (size_t owner = 0; owner < users; ++owner)
      owners.emplace_back([&, owner] {
        for (int round = 0; round < 300; ++round) {
          // Some turn out to be long, so that threads are called to them while others are opened.
          team.launch(count, Counts{counts[owner].data(), round % 50 == 49 ? 2000 : 3}, 200, owner);
          if (round % 7 == int(owner % 7))
            team.pool.finish(team.queues[owner]);
        }
        team.pool.finish(team.queues[owner]);
      });
    for (std::thread &owner : owners)
      owner.join();
    CHECK(counts == std::vector<std::vector<int>>(users, std::vector<int>(200, 300)));
  }
}

TEST_CASE("blocks that wait for those before them") {
  for (unsigned threads : {1u, 2u, 7u}) {
    Team team(threads);
    for (uint32_t grid : {1u, 2u, 300u})
      for (int round = 0; round < 20; ++round) {
        std::atomic<uint32_t> done{0};
        team.launch(chain, Chain{&done}, grid, 0, true);
        team.pool.finish(team.queues[0]);
        REQUIRE(done == grid);
      }
  }
}

TEST_CASE("as many queues as workers run at a time, whoever slept") {
  constexpr unsigned threads = 6;
  Team team(threads, 20us, threads);
  std::vector<int> counts(1);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> there{0};
    if (round % 3 == 0)
      std::this_thread::sleep_for(500us); // all sleep
    if (round % 3 == 1)                   // some do
      team.launch(count, Counts{counts.data(), 0}, 1, 0);
    for (unsigned queue = 0; queue < threads; ++queue)
      team.launch(meet, Meeting{&there, threads}, 1, queue);
    for (Queue &queue : team.queues)
      team.pool.finish(queue);
    REQUIRE(there == threads);
  }
}

TEST_CASE("a launch that turns out to be long gets more threads") {
  Team team(4);
  std::vector<int> counts(4000);
  for (int round = 0; round < 50; ++round) { // the pool learns that it is short
    team.launch(count, Counts{counts.data(), 0}, 4000);
    team.pool.finish(team.queues[0]);
  }
  for (int work : {100, 1000}) {
    team.launch(count, Counts{counts.data(), work}, 4000);
    team.pool.finish(team.queues[0]);
  }
  CHECK(counts == std::vector<int>(4000, 52));
}
