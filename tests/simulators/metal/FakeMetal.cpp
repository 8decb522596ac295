// Two devices: language 3.2, and 2.3. A queue is a thread that takes committed command
// buffers in order; a command buffer is a list of functions. Texts that hold "broken" do not
// compile; without mslsim, every library has every kernel but "absent_t0".
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/Bridge.h"

#include "loader/devices/metal/Driver.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace sextant::loader::metal;

extern "C" {
__attribute__((weak)) void sextantTestEnterDriver(void);
__attribute__((weak)) void sextantTestLeaveDriver(void);
}

namespace {

/// Within the driver: its allocations do not concern tests that have allocations fail.
struct Inside {
  Inside() {
    if (sextantTestEnterDriver)
      sextantTestEnterDriver();
  }
  ~Inside() {
    if (sextantTestLeaveDriver)
      sextantTestLeaveDriver();
  }
};

struct State {
  std::mutex mutex; ///< guards calls, failures, last
  std::map<std::string, int> calls;
  std::map<std::string, std::pair<int, int>> failures; ///< function: result, after
  int lost = 0, untilLost = 0;                         ///< result of every call, after so many more
  FakeMetalDispatch last{};
  int language = 0;
  std::atomic<int> alive{0}, misuses{0};
  std::atomic<uint32_t> maxThreads{0}, simdWidth{0};
  // Guards what runs: one condition for everything that somebody may wait for.
  std::mutex running;
  std::condition_variable changed;
  bool hold = false;
};
State &state() {
  static State *s = new State;
  return *s;
}

thread_local std::string errorText;

Result because(std::string text, Result result = Failed) {
  errorText = std::move(text);
  return result;
}
void misuse() { ++state().misuses; }

thread_local int sure = 0; ///< above 0: calls of this thread do not fail

/// Counts the call; not success: what it shall return.
Result enter(const char *function) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  ++s.calls[function];
  if (sure > 0)
    return Success;
  auto failure = s.failures.find(function);
  int result = s.lost && s.untilLost-- <= 0 ? s.lost : 0;
  if (failure != s.failures.end() && failure->second.second-- == 0) {
    result = failure->second.first;
    s.failures.erase(failure);
  }
  if (!result)
    return Success;
  return because(std::string("a failure in ") + function, static_cast<Result>(result));
}

//===--- mslsim ------------------------------------------------------------===//

struct Bridge {
  decltype(&sextantMslsimCompile) compile = nullptr;
  decltype(&sextantMslsimHas) has = nullptr;
  decltype(&sextantMslsimRun) run = nullptr;
  decltype(&sextantMslsimDestroy) destroy = nullptr;
};
const Bridge &bridge() {
  static const Bridge found = [] {
    Bridge b;
    const char *path = std::getenv("SEXTANT_MSLSIM_BRIDGE");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (path && !library) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    if (library) {
      b.compile = reinterpret_cast<decltype(b.compile)>(dlsym(library, "sextantMslsimCompile"));
      b.has = reinterpret_cast<decltype(b.has)>(dlsym(library, "sextantMslsimHas"));
      b.run = reinterpret_cast<decltype(b.run)>(dlsym(library, "sextantMslsimRun"));
      b.destroy = reinterpret_cast<decltype(b.destroy)>(dlsym(library, "sextantMslsimDestroy"));
    }
    return b;
  }();
  return found;
}

//===--- Objects -----------------------------------------------------------===//

struct Object {
  std::atomic<int> references{1};
  Object() { ++state().alive; }
  virtual ~Object() { --state().alive; }
};
void drop(Object *object) {
  if (--object->references == 0)
    delete object;
}
/// Holds an object as a command buffer does.
template <class T> std::shared_ptr<T> hold(T *object) {
  ++object->references;
  return {object, [](T *held) { drop(held); }};
}

struct FakeDevice : Object {
  uint32_t ordinal = 0;
};
struct FakeBuffer : Object {
  char *data = nullptr;
  uint64_t bytes = 0;
  ~FakeBuffer() override { std::free(data); }
};
struct FakeLibrary : Object {
  void *program = nullptr;
  ~FakeLibrary() override {
    if (program)
      bridge().destroy(program);
  }
};
struct FakePipeline : Object {
  std::shared_ptr<FakeLibrary> library;
  std::string kernel;
};
struct FakeEvent : Object {
  uint64_t value = 0; ///< under State::running
};
struct FakeQueue;
struct FakeCommands : Object {
  std::shared_ptr<FakeQueue> queue;
  struct Step {
    std::function<std::string()> run; ///< "" or how it failed; waits happen in here
    bool always = false;              ///< also after a failure
  };
  std::vector<Step> steps;
  bool committed = false, done = false; ///< under State::running
  bool told = false;                    ///< whoever wanted to know has been called
  std::function<void()> whenDone;
  std::string error;
  double end = 0;
};
struct FakeQueue : Object {
  struct Work {
    std::deque<std::shared_ptr<FakeCommands>> waiting; ///< under State::running
    bool closed = false;
  };
  std::shared_ptr<Work> work = std::make_shared<Work>();
  FakeQueue() {
    // Lives as long as there is work: a command buffer holds its queue until it is done.
    std::thread([work = work] { serve(*work); }).detach();
  }
  ~FakeQueue() override {
    std::lock_guard lock(state().running);
    work->closed = true;
    state().changed.notify_all();
  }

  static void serve(Work &work) {
    State &s = state();
    std::unique_lock lock(s.running);
    while (true) {
      s.changed.wait(lock, [&] { return work.closed || (!work.waiting.empty() && !s.hold); });
      if (work.waiting.empty())
        return;
      std::shared_ptr<FakeCommands> commands = std::move(work.waiting.front());
      work.waiting.pop_front();
      lock.unlock();
      std::string error = enter("run") == Success ? "" : errorText;
      for (const auto &step : commands->steps)
        if (error.empty())
          error = step.run();
        else if (step.always)
          (void)step.run();
      commands->steps.clear(); // and what they hold
      lock.lock();
      commands->error = error;
      commands->done = true;
      commands->end =
          std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
              .count();
      if (commands->whenDone) {
        lock.unlock();
        std::exchange(commands->whenDone, nullptr)();
        lock.lock();
      }
      commands->told = true;
      s.changed.notify_all();
      lock.unlock();
      commands->queue.reset();
      commands.reset(); // may end the queue, which asks for the lock
      lock.lock();
    }
  }
};

template <class T, class Ref> T *of(Ref ref) {
  return static_cast<T *>(reinterpret_cast<Object *>(ref));
}
template <class Ref, class T> Ref give(T *object) {
  return reinterpret_cast<Ref>(static_cast<Object *>(object));
}

//===--- The table ---------------------------------------------------------===//

const char *lastError() { return errorText.c_str(); }
void retain(void *object) { ++static_cast<Object *>(object)->references; }
void release(void *object) { drop(static_cast<Object *>(object)); }

FakeDevice *theDevice(uint32_t ordinal) {
  static FakeDevice *devices = [] {
    auto *made = new FakeDevice[2];
    made[1].ordinal = 1;
    state().alive -= 2; // these stay for good
    return made;
  }();
  return &devices[ordinal];
}

uint32_t deviceCount() { return 2; }

Result openDevice(uint32_t ordinal, DeviceRef *device) {
  Inside inside;
  if (Result result = enter("openDevice"))
    return result;
  if (ordinal > 1)
    return because("there is no such device");
  FakeDevice *found = theDevice(ordinal);
  ++found->references;
  *device = give<DeviceRef>(found);
  return Success;
}

Result describeDevice(DeviceRef device, DeviceInfo *info) {
  Inside inside;
  if (Result result = enter("describeDevice"))
    return result;
  std::memset(info, 0, sizeof *info);
  info->ordinal = of<FakeDevice>(device)->ordinal;
  std::strcpy(info->name, info->ordinal == 0 ? "Fake M3" : "Fake M1");
  info->languageMajor = info->ordinal == 0 ? 3 : 2;
  info->languageMinor = info->ordinal == 0 ? 2 : 3;
  info->memoryBytes = uint64_t(8) << 30;
  info->threadgroupBytes = 32768;
  info->maxThreads = 1024;
  info->simdWidth = 32;
  info->cores = info->ordinal == 0 ? 10 : 0;
  info->family = info->ordinal == 0 ? 9 : 7;
  info->addresses = info->ordinal == 0;
  return Success;
}

Result newBuffer(DeviceRef, uint64_t bytes, BufferRef *buffer, void **contents) {
  Inside inside;
  if (Result result = enter("newBuffer"))
    return result;
  if (bytes > (uint64_t(8) << 30))
    return OutOfMemory;
  auto *made = new FakeBuffer;
  made->bytes = bytes;
  made->data = static_cast<char *>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  if (!made->data) {
    drop(made);
    return OutOfMemory;
  }
  std::memset(made->data, 0xA5, bytes);
  *contents = made->data;
  *buffer = give<BufferRef>(made);
  return Success;
}

Result newLibrary(DeviceRef, const char *text, size_t bytes, uint32_t languageMajor,
                  uint32_t languageMinor, LibraryRef *library) {
  Inside inside;
  if (Result result = enter("newLibrary"))
    return result;
  state().language = static_cast<int>(languageMajor * 100 + languageMinor);
  void *program = nullptr;
  if (std::string(text, bytes).find("broken") != std::string::npos)
    return because("program_source:2:1: error: unknown type name 'broken'");
  if (bridge().compile) {
    std::vector<char> error(65536);
    program = bridge().compile(text, bytes, static_cast<int>(languageMajor),
                               static_cast<int>(languageMinor), error.data(), error.size());
    if (!program)
      return because(error.data());
  }
  auto *made = new FakeLibrary;
  made->program = program;
  *library = give<LibraryRef>(made);
  return Success;
}

bool has(const FakeLibrary &library, const char *kernel) {
  return library.program ? bridge().has(library.program, kernel) != 0
                         : std::strcmp(kernel, "absent_t0") != 0;
}

Result newPipeline(DeviceRef, LibraryRef library, const char *kernel, PipelineRef *pipeline,
                   uint32_t *maxThreads, uint32_t *simdWidth) {
  Inside inside;
  if (Result result = enter("newPipeline"))
    return result;
  auto *from = of<FakeLibrary>(library);
  if (!has(*from, kernel))
    return because("the library has no such function");
  auto *made = new FakePipeline;
  made->library = hold(from);
  made->kernel = kernel;
  *maxThreads = state().maxThreads ? state().maxThreads.load() : 1024;
  *simdWidth = state().simdWidth ? state().simdWidth.load() : 32;
  *pipeline = give<PipelineRef>(made);
  return Success;
}

Result newQueue(DeviceRef, QueueRef *queue) {
  Inside inside;
  if (Result result = enter("newQueue"))
    return result;
  *queue = give<QueueRef>(new FakeQueue);
  return Success;
}

Result newEvent(DeviceRef, EventRef *event) {
  Inside inside;
  if (Result result = enter("newEvent"))
    return result;
  *event = give<EventRef>(new FakeEvent);
  return Success;
}

Result newCommands(QueueRef queue, CommandsRef *commands) {
  Inside inside;
  if (Result result = enter("newCommands"))
    return result;
  auto *made = new FakeCommands;
  made->queue = hold(of<FakeQueue>(queue));
  *commands = give<CommandsRef>(made);
  return Success;
}

void add(CommandsRef commands, std::function<std::string()> step, bool always = false) {
  auto *to = of<FakeCommands>(commands);
  if (to->committed)
    misuse();
  to->steps.push_back({std::move(step), always});
}

void checkRange(const FakeBuffer &buffer, uint64_t offset, uint64_t bytes) {
  if (offset > buffer.bytes || bytes > buffer.bytes - offset || (offset | bytes) % 4 != 0)
    misuse();
}

Result dispatch(CommandsRef commands, const Dispatch *what) {
  Inside inside;
  if (Result result = enter("dispatch"))
    return result;
  auto pipeline = hold(of<FakePipeline>(what->pipeline));
  FakeMetalDispatch record{};
  std::strncpy(record.kernel, pipeline->kernel.c_str(), sizeof record.kernel - 1);
  record.grid = what->grid;
  record.block = what->block;
  record.bufferCount = what->bufferCount;
  record.hasTable = what->hasTable;
  record.valueBytes = what->valueBytes;
  std::vector<std::shared_ptr<FakeBuffer>> held;
  std::vector<BridgeBuffer> buffers;
  for (uint32_t i = 0; i < what->bufferCount; ++i) {
    auto *buffer = of<FakeBuffer>(what->buffers[i].buffer);
    uint64_t offset = what->buffers[i].offset;
    if (offset >= buffer->bytes)
      misuse();
    held.push_back(hold(buffer));
    buffers.push_back({buffer->data + offset, static_cast<size_t>(buffer->bytes - offset)});
    if (i < std::size(record.addresses))
      record.addresses[i] = buffers.back().data;
  }
  const auto *bytes = static_cast<const char *>(what->values);
  std::vector<char> values(bytes, bytes + what->valueBytes);
  std::memcpy(record.values, bytes, std::min<size_t>(values.size(), sizeof record.values));
  constexpr uint32_t most = 31; // Metal numbers a kernel's buffers from 0 to 30
  const uint32_t bound = what->hasTable ? 1 : what->bufferCount;
  if (bound + (what->valueBytes != 0) > most || what->valueBytes % 4 != 0)
    misuse();
  {
    std::lock_guard lock(state().mutex);
    state().last = record;
  }
  // A command buffer keeps what it uses alive, also when its owner lets go of it.
  add(commands,
      [=, held = std::move(held), grid = what->grid, block = what->block,
       inTable = what->hasTable ? size_t(what->bufferCount) : 0]() mutable -> std::string {
        if (!pipeline->library->program)
          return "";
        if (!values.empty())
          buffers.push_back({values.data(), values.size()});
        std::vector<char> error(65536);
        bool failed =
            bridge().run(pipeline->library->program, pipeline->kernel.c_str(), grid, block,
                         buffers.data(), buffers.size(), inTable, error.data(), error.size()) != 0;
        return failed ? error.data() : "";
      });
  return Success;
}

Result copy(CommandsRef commands, BufferRef to, uint64_t toOffset, BufferRef from,
            uint64_t fromOffset, uint64_t bytes) {
  Inside inside;
  if (Result result = enter("copy"))
    return result;
  auto target = hold(of<FakeBuffer>(to)), source = hold(of<FakeBuffer>(from));
  checkRange(*target, toOffset, bytes);
  checkRange(*source, fromOffset, bytes);
  add(commands, [=]() -> std::string {
    std::memcpy(target->data + toOffset, source->data + fromOffset, bytes);
    return "";
  });
  return Success;
}

Result fill(CommandsRef commands, BufferRef buffer, uint64_t offset, uint64_t bytes,
            uint8_t value) {
  Inside inside;
  if (Result result = enter("fill"))
    return result;
  auto target = hold(of<FakeBuffer>(buffer));
  checkRange(*target, offset, bytes);
  add(commands, [=]() -> std::string {
    std::memset(target->data + offset, value, bytes);
    return "";
  });
  return Success;
}

void addSignal(CommandsRef commands, EventRef event, uint64_t value, bool always) {
  add(
      commands,
      [target = hold(of<FakeEvent>(event)), value]() -> std::string {
        std::lock_guard lock(state().running);
        if (target->value >= value)
          misuse();
        target->value = value;
        state().changed.notify_all();
        return "";
      },
      always);
}

Result signal(CommandsRef commands, EventRef event, uint64_t value) {
  Inside inside;
  if (Result result = enter("signal"))
    return result;
  addSignal(commands, event, value, true);
  return Success;
}

Result wait(CommandsRef commands, EventRef event, uint64_t value) {
  Inside inside;
  if (Result result = enter("wait"))
    return result;
  add(commands, [target = hold(of<FakeEvent>(event)), value]() -> std::string {
    std::unique_lock lock(state().running);
    state().changed.wait(lock, [&] { return target->value >= value; });
    return "";
  });
  return Success;
}

void commit(CommandsRef commands) {
  Inside inside;
  (void)enter("commit");
  auto *which = of<FakeCommands>(commands);
  std::lock_guard lock(state().running);
  if (which->committed)
    misuse();
  which->committed = true;
  which->queue->work->waiting.push_back(hold(which));
  state().changed.notify_all();
}

Result outcome(const FakeCommands &commands) {
  if (!commands.done)
    return NotReady;
  return commands.error.empty() ? Success : because(commands.error);
}

Result status(CommandsRef commands) {
  Inside inside;
  (void)enter("status");
  std::lock_guard lock(state().running);
  return outcome(*of<FakeCommands>(commands));
}

Result finish(CommandsRef commands) {
  Inside inside;
  (void)enter("finish");
  auto *which = of<FakeCommands>(commands);
  std::unique_lock lock(state().running);
  if (!which->committed)
    misuse();
  state().changed.wait(lock, [&] { return which->told; });
  return outcome(*which);
}

double endTime(CommandsRef commands) {
  std::lock_guard lock(state().running);
  return of<FakeCommands>(commands)->end;
}

} // namespace

extern "C" {
const Functions *sextant_metal_driver() {
  static constexpr Functions functions = {
      tableVersion,   lastError, retain,     release,     deviceCount, openDevice,
      describeDevice, newBuffer, newLibrary, newPipeline, newQueue,    newEvent,
      newCommands,    dispatch,  copy,       fill,        signal,      wait,
      commit,         status,    finish,     endTime,
  };
  (void)theDevice(0);
  return &functions;
}

void fakeMetalFail(const char *function, int result, int after) {
  std::lock_guard lock(state().mutex);
  state().failures[function] = {result, after};
}
void fakeMetalLose(int result, int after) {
  std::lock_guard lock(state().mutex);
  state().lost = result;
  state().untilLost = after;
}
void fakeMetalReset() {
  std::lock_guard lock(state().mutex);
  state().lost = 0;
  state().calls.clear();
  state().failures.clear();
}
int fakeMetalCalls(const char *function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}
const char *fakeMetalCalled(int index) {
  std::lock_guard lock(state().mutex);
  for (const auto &[name, count] : state().calls)
    if (count && index-- == 0)
      return name.c_str();
  return nullptr;
}
int fakeMetalAlive() { return state().alive; }
int fakeMetalMisuses() { return state().misuses; }
void fakeMetalHold(int hold) {
  std::lock_guard lock(state().running);
  state().hold = hold != 0;
  state().changed.notify_all();
}
void fakeMetalPipelineLimits(uint32_t maxThreads, uint32_t simdWidth) {
  state().maxThreads = maxThreads;
  state().simdWidth = simdWidth;
}
void *fakeMetalDevice(uint32_t ordinal) {
  FakeDevice *found = theDevice(ordinal);
  ++found->references;
  return static_cast<Object *>(found);
}
void *fakeMetalQueue(uint32_t) { return static_cast<Object *>(new FakeQueue); }
void fakeMetalRelease(void *object) { release(object); }
const FakeMetalDispatch *fakeMetalLastDispatch() { return &state().last; }
int fakeMetalLanguage() { return state().language; }

const void *fakeMetalTable() { return sextant_metal_driver(); }
void fakeMetalCountAlive(int change) { state().alive += change; }
int fakeMetalFails(const char *function) {
  {
    State &s = state();
    std::lock_guard lock(s.mutex);
    auto failure = s.failures.find(function);
    const bool isNext = failure != s.failures.end() && failure->second.second == 0;
    if (!isNext && !(s.lost && s.untilLost <= 0))
      return 0;
  }
  return enter(function) != Success;
}
void fakeMetalSure(int change) { sure += change; }
int fakeMetalHasKernel(void *library, const char *kernel) {
  return has(*of<FakeLibrary>(library), kernel);
}
void fakeMetalWhenDone(void *commands, void (*call)(void *context), void *context) {
  of<FakeCommands>(commands)->whenDone = [=] { call(context); };
}
void fakeMetalSignal(void *commands, void *event, uint64_t value) {
  Inside inside;
  (void)enter("signal");
  addSignal(static_cast<CommandsRef>(commands), static_cast<EventRef>(event), value, false);
}
uint64_t fakeMetalEventValue(void *event) {
  std::lock_guard lock(state().running);
  return of<FakeEvent>(event)->value;
}
void fakeMetalSetEvent(void *event, uint64_t value) {
  std::lock_guard lock(state().running);
  if (of<FakeEvent>(event)->value >= value)
    misuse();
  of<FakeEvent>(event)->value = value;
  state().changed.notify_all();
}
}
