// Fills in Driver.h's table by messages to the objects of Apple's Metal framework. Every object
// leaves as a retained pointer. **Not run on Apple's machines so far**: tests send the messages to
// stand-ins that check them. Everything that can be portable is in the files beside it.
#include "loader/devices/metal/AppleDriver.h"
#include "loader/devices/metal/ObjC.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace sextant::loader::metal {
namespace {

using namespace objc;

// Apple's names for numbers of its headers.
constexpr Integer familyApple7 = 1007, familyApple8 = 1008, familyApple9 = 1009;
constexpr UInteger argumentBuffersTier2 = 1;
constexpr UInteger storageModeShared = 0;
constexpr UInteger usageRead = 1, usageWrite = 2;
constexpr UInteger statusCompleted = 4, statusError = 5;
constexpr UInteger encodingUtf8 = 4;

/// Everything that is found once and kept for good.
struct Apple {
  Runtime runtime;
  Id string = nullptr, compileOptions = nullptr; ///< classes
  std::vector<Id> devices;                       ///< usable ones
  uint32_t languageMajor = 0, languageMinor = 0; ///< the newest of this system
  bool hasAddresses = false;                     ///< the system tells buffers' addresses
};
Apple *apple;

const Messages &send() { return apple->runtime.messages; }

thread_local std::string lastErrorText;

Result because(const char *what) {
  lastErrorText = what;
  return Failed;
}

/// Takes the text of an NSError, which may be null. The caller has a pool.
Result because(Id error) {
  const Id text = error ? send().localizedDescription(error) : nullptr;
  const char *utf8 = text ? send().utf8(text) : nullptr;
  return because(utf8 ? utf8 : "Metal gave no reason");
}

template <class Tag> Id of(Tag *object) { return reinterpret_cast<Id>(object); }

/// Hands out an object that we own. Null is a failure.
template <class Tag> Result give(Id object, Tag *&out, const char *why) {
  if (!object)
    return because(why);
  out = reinterpret_cast<Tag *>(object);
  return Success;
}

//===--- Devices -----------------------------------------------------------===//

const char *lastError() { return lastErrorText.c_str(); }
void retain(void *object) { apple->runtime.retain(static_cast<Id>(object)); }
void release(void *object) { apple->runtime.release(static_cast<Id>(object)); }

uint32_t deviceCount() { return static_cast<uint32_t>(apple->devices.size()); }

Result openDevice(uint32_t ordinal, DeviceRef *device) {
  if (ordinal >= apple->devices.size())
    return because("there is no such device");
  return give(apple->runtime.retain(apple->devices[ordinal]), *device, "");
}

Result describeDevice(DeviceRef ref, DeviceInfo *info) {
  const AutoreleasePool pool(apple->runtime);
  const Id device = of(ref);
  std::memset(info, 0, sizeof *info);
  std::strncpy(info->name, send().utf8(send().name(device)), sizeof info->name - 1);
  const auto place = std::find(apple->devices.begin(), apple->devices.end(), device);
  info->ordinal =
      place == apple->devices.end() ? ~0u : static_cast<uint32_t>(place - apple->devices.begin());
  info->languageMajor = apple->languageMajor;
  info->languageMinor = apple->languageMinor;
  info->addresses =
      apple->hasAddresses && send().argumentBuffersSupport(device) == argumentBuffersTier2;
  info->memoryBytes = send().recommendedMaxWorkingSetSize(device);
  info->threadgroupBytes = static_cast<uint32_t>(send().maxThreadgroupMemoryLength(device));
  info->maxThreads = 1024; // the limit of Apple's family 4 and newer; pipelines tell theirs
  info->simdWidth = 32;    // the width of every Apple GPU; pipelines tell theirs
  info->cores = 0;         // Metal does not say
  info->family = send().supportsFamily(device, familyApple9)   ? 9
                 : send().supportsFamily(device, familyApple8) ? 8
                 : send().supportsFamily(device, familyApple7)
                     ? 7
                     : 0; // a device that an application adopts
  return Success;
}

//===--- Memory and code ---------------------------------------------------===//

Result newBuffer(DeviceRef device, uint64_t bytes, BufferRef *buffer, void **contents) {
  const AutoreleasePool pool(apple->runtime);
  if (bytes > send().maxBufferLength(of(device)))
    return OutOfMemory;
  const Id made = send().newBuffer(of(device), bytes, storageModeShared);
  if (!made)
    return OutOfMemory;
  *contents = send().contents(made);
  return give(made, *buffer, "");
}

UInteger languageOf(uint32_t major, uint32_t minor) {
  return (UInteger(major) << 16) + minor; // as the constants of MTLLanguageVersion are made
}

Result newLibrary(DeviceRef device, const char *text, size_t bytes, uint32_t languageMajor,
                  uint32_t languageMinor, LibraryRef *library) {
  const AutoreleasePool pool(apple->runtime);
  // If it fails, init gives back what alloc made.
  const Owned source(apple->runtime,
                     send().initWithBytes(send().alloc(apple->string), text, bytes, encodingUtf8));
  if (!source)
    return because("the text is not UTF-8");
  const Owned options(apple->runtime, send().makeNew(apple->compileOptions));
  send().setLanguageVersion(options.get(), languageOf(languageMajor, languageMinor));
  send().setFastMathEnabled(options.get(), false);
  Id error = nullptr;
  const Id made = send().newLibrary(of(device), source.get(), options.get(), &error);
  return made ? give(made, *library, "") : because(error);
}

Result newPipeline(DeviceRef device, LibraryRef library, const char *kernel, PipelineRef *pipeline,
                   uint32_t *maxThreads, uint32_t *simdWidth) {
  const AutoreleasePool pool(apple->runtime);
  const Owned function(apple->runtime, send().newFunction(of(library), send().stringWithUtf8(
                                                                           apple->string, kernel)));
  if (!function)
    return because("the library has no such function");
  Id error = nullptr;
  const Id made = send().newPipeline(of(device), function.get(), &error);
  if (!made)
    return because(error);
  *maxThreads = static_cast<uint32_t>(send().maxTotalThreads(made));
  *simdWidth = static_cast<uint32_t>(send().executionWidth(made));
  return give(made, *pipeline, "");
}

Result newQueue(DeviceRef device, QueueRef *queue) {
  const AutoreleasePool pool(apple->runtime);
  return give(send().newQueue(of(device), mostCommands), *queue, "Metal makes no command queue");
}

Result newEvent(DeviceRef device, EventRef *event) {
  const AutoreleasePool pool(apple->runtime);
  return give(send().newSharedEvent(of(device)), *event, "Metal makes no event");
}

//===--- Commands ----------------------------------------------------------===//
// Each command has one encoder: between encoders, Metal orders commands that touch the same
// buffers.

Result newCommands(QueueRef queue, CommandsRef *commands) {
  const AutoreleasePool pool(apple->runtime);
  return give(apple->runtime.retain(send().commandBuffer(of(queue))), *commands,
              "Metal makes no command buffer");
}

/// An encoder of a command buffer; it has to end before anything else is encoded there.
class Encoder {
public:
  explicit Encoder(Id encoder) : encoder(encoder) {}
  ~Encoder() {
    if (encoder)
      send().endEncoding(encoder);
  }
  Encoder(const Encoder &) = delete;
  Encoder &operator=(const Encoder &) = delete;
  Id get() const { return encoder; }

private:
  Id encoder;
};

constexpr char noEncoder[] = "Metal makes no encoder";
constexpr size_t inlineLimit = 4096; // bytes that setBytes takes

/// Binds bytes that are copied.
Result bind(Id encoder, const void *bytes, size_t count, UInteger index) {
  if (count <= inlineLimit) {
    send().setBytes(encoder, bytes, count, index);
    return Success;
  }
  const Owned copied(apple->runtime, send().newBufferWithBytes(send().device(encoder), bytes, count,
                                                               storageModeShared));
  if (!copied)
    return OutOfMemory;
  send().setBuffer(encoder, copied.get(), 0, index); // which retains it
  return Success;
}

/// Writes the addresses of a dispatch's buffers. Metal must be told of buffers that code reaches by
/// address.
void writeTable(Id encoder, const Dispatch &what, uint64_t *addresses) {
  for (uint32_t i = 0; i < what.bufferCount; ++i) {
    const Id buffer = of(what.buffers[i].buffer);
    send().useResource(encoder, buffer, usageRead | usageWrite);
    addresses[i] = send().gpuAddress(buffer) + what.buffers[i].offset;
  }
}

/// Binds a table of the buffers' addresses at index 0.
Result bindTable(Id encoder, const Dispatch &what) {
  if (!apple->hasAddresses)
    return because("Metal gives no addresses before macOS 13");
  const size_t bytes = what.bufferCount * sizeof(uint64_t);
  if (bytes <= inlineLimit) {
    uint64_t addresses[inlineLimit / sizeof(uint64_t)];
    writeTable(encoder, what, addresses);
    send().setBytes(encoder, addresses, bytes, 0);
    return Success;
  }
  const Owned table(apple->runtime,
                    send().newBuffer(send().device(encoder), bytes, storageModeShared));
  if (!table)
    return OutOfMemory;
  writeTable(encoder, what, static_cast<uint64_t *>(send().contents(table.get())));
  send().setBuffer(encoder, table.get(), 0, 0);
  return Success;
}

Result bindBuffers(Id encoder, const Dispatch &what) {
  if (what.hasTable)
    return bindTable(encoder, what);
  for (uint32_t i = 0; i < what.bufferCount; ++i)
    send().setBuffer(encoder, of(what.buffers[i].buffer), what.buffers[i].offset, i);
  return Success;
}

Result dispatch(CommandsRef commands, const Dispatch *what) {
  const AutoreleasePool pool(apple->runtime);
  const Encoder encoder(send().computeEncoder(of(commands)));
  if (!encoder.get())
    return because(noEncoder);
  send().setPipeline(encoder.get(), of(what->pipeline));
  Result bound = bindBuffers(encoder.get(), *what);
  if (bound == Success && what->valueBytes)
    bound =
        bind(encoder.get(), what->values, what->valueBytes, what->hasTable ? 1 : what->bufferCount);
  if (bound == Success)
    send().dispatch(encoder.get(), {what->grid, 1, 1}, {what->block, 1, 1});
  return bound;
}

Result copy(CommandsRef commands, BufferRef to, uint64_t toOffset, BufferRef from,
            uint64_t fromOffset, uint64_t bytes) {
  const AutoreleasePool pool(apple->runtime);
  const Encoder encoder(send().blitEncoder(of(commands)));
  if (!encoder.get())
    return because(noEncoder);
  send().copy(encoder.get(), of(from), fromOffset, of(to), toOffset, bytes);
  return Success;
}

Result fill(CommandsRef commands, BufferRef buffer, uint64_t offset, uint64_t bytes,
            uint8_t value) {
  const AutoreleasePool pool(apple->runtime);
  const Encoder encoder(send().blitEncoder(of(commands)));
  if (!encoder.get())
    return because(noEncoder);
  send().fill(encoder.get(), of(buffer), {offset, bytes}, value);
  return Success;
}

//===--- Events ------------------------------------------------------------===//

/// Is called when a command buffer is done, and signals an event that it failed to signal.
struct SignalAfterFailure {
  Block block;
  Id event;
  uint64_t value;

  static SignalAfterFailure &in(Block *block) {
    return *reinterpret_cast<SignalAfterFailure *>(block);
  }
  static void call(Block *block, Id commands) {
    const SignalAfterFailure &self = in(block);
    if (send().status(commands) == statusError && send().signaledValue(self.event) < self.value)
      send().setSignaledValue(self.event, self.value);
  }
  // A copy outlives the function that made the block, and so has to hold the event.
  static void copy(Block *to, const Block *) { apple->runtime.retain(in(to).event); }
  static void dispose(Block *block) { apple->runtime.release(in(block).event); }
};
constexpr Block::Descriptor signalDescriptor = {
    0, sizeof(SignalAfterFailure), SignalAfterFailure::copy, SignalAfterFailure::dispose};

Result signal(CommandsRef commands, EventRef event, uint64_t value) {
  const AutoreleasePool pool(apple->runtime);
  SignalAfterFailure handler{{apple->runtime.stackBlock(), Block::hasCopyAndDispose, 0,
                              SignalAfterFailure::call, &signalDescriptor},
                             of(event),
                             value};
  send().addCompletedHandler(of(commands), &handler.block);
  send().signalEvent(of(commands), of(event), value);
  return Success;
}

Result wait(CommandsRef commands, EventRef event, uint64_t value) {
  const AutoreleasePool pool(apple->runtime);
  send().waitForEvent(of(commands), of(event), value);
  return Success;
}

//===--- Running -----------------------------------------------------------===//

void commit(CommandsRef commands) {
  const AutoreleasePool pool(apple->runtime);
  send().commit(of(commands));
}

Result status(CommandsRef commands) {
  const UInteger now = send().status(of(commands));
  if (now == statusCompleted)
    return Success;
  if (now != statusError)
    return NotReady;
  const AutoreleasePool pool(apple->runtime);
  return because(send().error(of(commands)));
}

Result finish(CommandsRef commands) {
  const AutoreleasePool pool(apple->runtime);
  send().waitUntilCompleted(of(commands));
  return status(commands);
}

double endTime(CommandsRef commands) { return send().gpuEndTime(of(commands)); }

//===--- Opening -----------------------------------------------------------===//

/// The versions of Metal's language, each with the first macOS that has it.
struct Language {
  uint32_t major, minor;
  Integer system;
};
constexpr Language languages[] = {{2, 3, 11}, {2, 4, 12}, {3, 0, 13}, {3, 1, 14}, {3, 2, 15}};
constexpr Integer systemWithAddresses = 13;

void askSystem(Apple &found) {
  const Messages &messages = found.runtime.messages;
  const Id process = messages.processInfo(found.runtime.classNamed("NSProcessInfo"));
  for (const Language &language : languages)
    if (messages.isSystemAtLeast(process, {language.system, 0, 0})) {
      found.languageMajor = language.major;
      found.languageMinor = language.minor;
      found.hasAddresses = language.system >= systemWithAddresses;
    }
}

/// Finds the GPUs that run Sextant's code. Apple's family 7 is the first whose SIMD-groups have all
/// shuffles and reductions.
void findDevices(Apple &found, Id (*copyAllDevices)()) {
  const Messages &messages = found.runtime.messages;
  const Owned all(found.runtime, copyAllDevices());
  const UInteger count = all ? messages.count(all.get()) : 0;
  for (UInteger i = 0; i < count; ++i) {
    const Id device = messages.objectAt(all.get(), i);
    if (messages.supportsFamily(device, familyApple7))
      found.devices.push_back(found.runtime.retain(device));
  }
}

std::string open(Apple &found, const AppleLibraries &libraries) {
  std::string why;
  void *objc = system::openLibrary(libraries.objc, why);
  void *foundation = objc ? system::openLibrary(libraries.foundation, why) : nullptr;
  void *metal = foundation ? system::openLibrary(libraries.metal, why) : nullptr;
  if (!metal)
    return why;
  if (why = found.runtime.open(objc); !why.empty())
    return why;
  auto copyAllDevices = system::findFunction<Id (*)()>(metal, "MTLCopyAllDevices");
  if (!copyAllDevices)
    return "the Metal framework has no MTLCopyAllDevices";
  found.string = found.runtime.classNamed("NSString");
  found.compileOptions = found.runtime.classNamed("MTLCompileOptions");
  if (!found.string || !found.compileOptions || !found.runtime.classNamed("NSProcessInfo"))
    return "the Metal framework lacks classes of macOS 11";
  const AutoreleasePool pool(found.runtime);
  askSystem(found);
  if (!found.languageMajor)
    return "Metal devices need macOS 11 or newer";
  findDevices(found, copyAllDevices);
  return "";
}

} // namespace

const Functions *openApple(const AppleLibraries &libraries, std::string &why) {
  static constexpr Functions functions = {
      tableVersion,   lastError, retain,     release,     deviceCount, openDevice,
      describeDevice, newBuffer, newLibrary, newPipeline, newQueue,    newEvent,
      newCommands,    dispatch,  copy,       fill,        signal,      wait,
      commit,         status,    finish,     endTime,
  };
  auto found = std::make_unique<Apple>();
  why = open(*found, libraries);
  if (!why.empty())
    return nullptr;
  apple = found.release(); // used until the very end
  return &functions;
}

} // namespace sextant::loader::metal
