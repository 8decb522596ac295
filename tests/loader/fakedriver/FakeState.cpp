// The stand-ins' objects and record.
#include "FakeGraph.h"

#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
__attribute__((weak)) void sextantTestEnterDriver(void);
__attribute__((weak)) void sextantTestLeaveDriver(void);
}

namespace fake {

Inside::Inside() {
  if (sextantTestEnterDriver)
    sextantTestEnterDriver();
  state().mutex.lock();
}
Inside::~Inside() {
  state().mutex.unlock();
  if (sextantTestLeaveDriver)
    sextantTestLeaveDriver();
}

State &state() {
  static State *s = new State;
  return *s;
}

int enter(const char *function) {
  State &s = state();
  ++s.calls[function];
  if (s.silent) {
    constexpr int notReady = 600;
    if (std::strstr(function, "EventQuery"))
      return notReady;
    for (const char *waits : {"Synchronize", "Free", "StreamDestroy", "Unload", "Release"})
      s.misuses += std::strstr(function, waits) != nullptr;
  }
  auto failure = s.failures.find(function);
  if (failure != s.failures.end() && failure->second.second-- == 0) {
    int result = failure->second.first;
    s.failures.erase(failure);
    return result;
  }
  return s.lost && s.untilLost-- <= 0 ? s.lost : 0;
}

Object *make(const char *kind, int device) {
  auto *object = new Object{kind, device, ""};
  state().alive.insert(object);
  return object;
}

int destroy(void *given, const char *kind) {
  auto *object = static_cast<Object *>(given);
  if (!state().alive.count(object) || object->kind != kind)
    return 400; // invalid handle
  state().alive.erase(object);
  state().lastOf.erase(object);
  delete object;
  return 0;
}

Object *functionNamed(const char *name) {
  static auto &functions = *new std::map<std::string, Object *>;
  if (std::strcmp(name, "absent_t0") == 0)
    return nullptr;
  Object *&found = functions[name];
  if (!found)
    found = new Object{"function", 0, name};
  return found;
}

int describe(FakeLaunch &last, void *function, const unsigned (&dimensions)[6],
             unsigned sharedBytes, void *stream, void **parameters, void **extra, void *endKey) {
  if (dimensions[0] == 0 || dimensions[1] != 1 || dimensions[2] != 1 || dimensions[4] != 1 ||
      dimensions[5] != 1 || parameters)
    return 1;
  last = FakeLaunch{};
  std::strncpy(last.name, static_cast<Object *>(function)->text.c_str(), sizeof last.name - 1);
  last.grid = dimensions[0];
  last.block = dimensions[3];
  last.sharedBytes = sharedBytes;
  last.stream = stream;
  if (extra && (extra[0] != reinterpret_cast<void *>(1) ||
                extra[2] != reinterpret_cast<void *>(2) || extra[4] != endKey))
    return 1;
  if (extra) {
    last.argumentBytes = *static_cast<size_t *>(extra[3]);
    std::memcpy(last.arguments, extra[1], std::min(last.argumentBytes, sizeof last.arguments));
  }
  return 0;
}

int launch(void *function, const unsigned (&dimensions)[6], unsigned sharedBytes, void *stream,
           void **parameters, void **extra, void *endKey) {
  FakeLaunch given{};
  if (int result =
          describe(given, function, dimensions, sharedBytes, stream, parameters, extra, endKey))
    return result;
  return workLaunch(stream, given);
}

int isIntegrated(int device) {
  const char *number = std::getenv("FAKE_INTEGRATED");
  return number && std::atoi(number) == device ? 1 : 0;
}

const State::Memory *memoryAt(uint64_t address) {
  auto after = state().memory.upper_bound(address);
  if (after == state().memory.begin())
    return nullptr;
  const auto &[begin, memory] = *std::prev(after);
  return address - begin < memory.bytes ? &memory : nullptr;
}

uint64_t allocate(size_t bytes, int device, bool isHost) {
  if (bytes > size_t(16) << 30)
    return 0;
  auto address =
      reinterpret_cast<uint64_t>(::operator new(bytes, std::align_val_t(256), std::nothrow));
  state().memory[address] = {device, bytes, isHost};
  return address;
}

int release(uint64_t address) {
  if (!state().memory.erase(address))
    return 1;
  ::operator delete(reinterpret_cast<void *>(address), std::align_val_t(256));
  return 0;
}

} // namespace fake

using fake::state;

extern "C" {
void fakeSilence(int silent) {
  std::lock_guard lock(state().mutex);
  state().silent = silent != 0;
}
void fakeFail(const char *function, int result, int after) {
  std::lock_guard lock(state().mutex);
  state().failures[function] = {result, after};
}
void fakeLose(int result, int after) {
  std::lock_guard lock(state().mutex);
  state().lost = result;
  state().untilLost = after;
}
void fakeReset(void) {
  std::lock_guard lock(state().mutex);
  state().calls.clear();
  state().failures.clear();
  state().lost = 0;
  state().misuses = 0;
  state().launchesRun = 0;
  state().lastOf.clear();
}
int fakeCalls(const char *function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}
const char *fakeCalled(int index) {
  std::lock_guard lock(state().mutex);
  for (const auto &[name, count] : state().calls)
    if (count && index-- == 0)
      return name.c_str();
  return nullptr;
}
int fakeAlive(void) {
  std::lock_guard lock(state().mutex);
  return static_cast<int>(state().alive.size() + state().memory.size()) + state().retained[0] +
         state().retained[1];
}
int fakeMisuses(void) { return state().misuses; }
int fakeLaunchesRun(void) { return state().launchesRun; }
const FakeLaunch *fakeLastLaunch(void) { return &state().last; }
int fakeLastLaunchOf(void *stream, FakeLaunch *launch) {
  std::lock_guard lock(state().mutex);
  auto found = state().lastOf.find(stream);
  if (found == state().lastOf.end())
    return 0;
  *launch = found->second.first;
  return found->second.second;
}
const char *fakeLastImage(void) { return state().lastImage.c_str(); }
const char *fakeLastGraph(void) { return state().lastGraph.c_str(); }
}
