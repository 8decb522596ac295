// Shared by the stand-ins: their objects and the record of calls.
#pragma once

#include "FakeDriver.h"

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace fake {

struct Object {
  std::string kind;
  int device = 0;
  std::string text; ///< text of images and functions
};

struct State {
  std::recursive_mutex mutex;
  std::map<std::string, int> calls;
  std::map<std::string, std::pair<int, int>> failures; ///< function: result, after
  int lost = 0, untilLost = 0;                         ///< result of every call, after so many more
  std::set<Object *> alive;
  struct Memory {
    int device = 0;
    size_t bytes = 0;
    bool isHost = false;
  };
  std::map<uint64_t, Memory> memory; ///< sorted by address
  int retained[2] = {};
  int misuses = 0;
  bool silent = false;
  FakeLaunch last{};
  int launchesRun = 0;
  std::map<void *, std::pair<FakeLaunch, int>> lastOf; ///< each stream's last launch, and how many
  std::string lastImage, lastGraph;
};
State &state();

/// Within the driver: one caller at a time, and its allocations do not concern tests that
/// have allocations fail.
struct Inside {
  Inside();
  ~Inside();
};

/// Counts the call. Not 0: what it shall return.
int enter(const char *function);

Object *make(const char *kind, int device);
int destroy(void *object, const char *kind);
/// A kernel of any name exists, but "absent_t0" (null).
Object *functionNamed(const char *name);
/// Describes a launch. Not 0: it is not one that the loader may make.
int describe(FakeLaunch &launch, void *function, const unsigned (&dimensions)[6],
             unsigned sharedBytes, void *stream, void **parameters, void **extra, void *endKey);
/// Does it, or records it.
int launch(void *function, const unsigned (&dimensions)[6], unsigned sharedBytes, void *stream,
           void **parameters, void **extra, void *endKey);
/// 1 if FAKE_INTEGRATED names the device, by its number.
int isIntegrated(int device);
/// Host memory; 0 where it is more than a device has.
uint64_t allocate(size_t bytes, int device, bool isHost = false);
/// The memory that holds an address, or null.
const State::Memory *memoryAt(uint64_t address);
int release(uint64_t address);

} // namespace fake

#define ENTER                                                                                      \
  fake::Inside inside;                                                                             \
  if (int result = fake::enter(__func__))                                                          \
    return result;
/// Gives something back, whatever the call returns.
#define ENTER_RELEASE(release)                                                                     \
  fake::Inside inside;                                                                             \
  int outcome = fake::enter(__func__), released = (release);                                       \
  return outcome ? outcome : released;
