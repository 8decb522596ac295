// Devices, memory and code.
#include "tests/simulators/metal/objc/Metal.h"
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/objc/FakeObjC.h"
#include "tests/simulators/metal/objc/Foundation.h"

#include <atomic>
#include <cstring>

namespace sextant::test::objc {

const table::Functions &functions() {
  return *static_cast<const table::Functions *>(fakeMetalTable());
}

Sure::Sure() { fakeMetalSure(1); }
Sure::~Sure() { fakeMetalSure(-1); }

namespace {

std::atomic<bool> lastFastMath{false};

/// Fails as methods with an NSError do.
Id failed(Id *error) {
  if (error)
    *error = autoreleased(new Error(functions().lastError()));
  return nullptr;
}

} // namespace

//===--- MTLDevice ---------------------------------------------------------===//

Device::Device(uint32_t ordinal) : ordinal(ordinal) {
  const Sure sure;
  (void)functions().openDevice(ordinal, &ref); // stays
  stay();
}

table::DeviceInfo Device::info() {
  const Sure sure;
  table::DeviceInfo info;
  (void)functions().describeDevice(ref, &info);
  return info;
}

Id Device::name() { return autoreleased(new String(info().name)); }
bool Device::supportsFamily(Integer family) {
  constexpr Integer apple1 = 1001;
  return family >= apple1 && family < apple1 + static_cast<Integer>(info().family);
}
UInteger Device::argumentBuffersSupport() { return info().addresses; } // tier 2 is 1
uint64_t Device::workingSetSize() { return info().memoryBytes; }
UInteger Device::threadgroupMemory() { return info().threadgroupBytes; }
UInteger Device::maxBufferLength() { return info().memoryBytes; }

Id Device::newBuffer(UInteger length, UInteger options) {
  if (length == 0 || length > maxBufferLength())
    misuse("newBufferWithLength: a length of 0, or above maxBufferLength");
  if (options != 0)
    misuse("newBufferWithLength: memory that is not shared has no contents");
  table::BufferRef made = nullptr;
  void *contents = nullptr;
  if (functions().newBuffer(ref, length, &made, &contents) != table::Success)
    return nullptr;
  return (new Buffer(made, contents, length, false))->id();
}

Id Device::newBufferWithBytes(const void *bytes, UInteger length, UInteger options) {
  if (!bytes || length == 0 || options != 0)
    misuse("newBufferWithBytes: no bytes, or memory that is not shared");
  table::BufferRef made = nullptr;
  void *contents = nullptr;
  if (functions().newBuffer(ref, length, &made, &contents) != table::Success)
    return nullptr;
  std::memcpy(contents, bytes, length);
  return (new Buffer(made, contents, length, true))->id();
}

Id Device::newLibrary(Id source, Id options, Id *error) {
  auto *text = as<String>(source, "the source of newLibraryWithSource:");
  auto *how = as<CompileOptions>(options, "the options of newLibraryWithSource:");
  if (!text || !how)
    return nullptr;
  lastFastMath = how->fastMath;
  table::LibraryRef made = nullptr;
  if (functions().newLibrary(ref, text->text.data(), text->text.size(), how->major, how->minor,
                             &made) != table::Success)
    return failed(error);
  return (new Library(made))->id();
}

Id Device::newPipeline(Id function, Id *error) {
  auto *of = as<Function>(function, "the function of newComputePipelineStateWithFunction:");
  if (!of)
    return nullptr;
  table::PipelineRef made = nullptr;
  uint32_t most = 0, width = 0;
  if (functions().newPipeline(ref, of->library.ref, of->name.c_str(), &made, &most, &width) !=
      table::Success)
    return failed(error);
  return (new Pipeline(made, most, width))->id();
}

Id Device::newQueue(UInteger most) {
  if (most == 0)
    misuse("newCommandQueueWithMaxCommandBufferCount: no command buffers");
  table::QueueRef made = nullptr;
  return functions().newQueue(ref, &made) == table::Success ? (new Queue(made, *this))->id()
                                                            : nullptr;
}

Id Device::newSharedEvent() {
  table::EventRef made = nullptr;
  return functions().newEvent(ref, &made) == table::Success ? (new Event(made))->id() : nullptr;
}

const Methods &Device::list() {
  static const Methods all = {
      Bound<&Device::name>::as("name"),
      Bound<&Device::supportsFamily>::as("supportsFamily:"),
      Bound<&Device::argumentBuffersSupport>::as("argumentBuffersSupport"),
      Bound<&Device::workingSetSize>::as("recommendedMaxWorkingSetSize"),
      Bound<&Device::threadgroupMemory>::as("maxThreadgroupMemoryLength"),
      Bound<&Device::maxBufferLength>::as("maxBufferLength"),
      Bound<&Device::newBuffer>::as("newBufferWithLength:options:"),
      Bound<&Device::newBufferWithBytes>::as("newBufferWithBytes:length:options:"),
      Bound<&Device::newLibrary>::as("newLibraryWithSource:options:error:"),
      Bound<&Device::newPipeline>::as("newComputePipelineStateWithFunction:error:"),
      Bound<&Device::newQueue>::as("newCommandQueueWithMaxCommandBufferCount:"),
      Bound<&Device::newSharedEvent>::as("newSharedEvent"),
  };
  return all;
}

static Device &theDevice(uint32_t ordinal) {
  static Device *devices[] = {new Device(0), new Device(1)};
  return *devices[ordinal];
}

//===--- Code --------------------------------------------------------------===//

void CompileOptions::setLanguageVersion(UInteger version) {
  major = static_cast<uint32_t>(version >> 16);
  minor = static_cast<uint32_t>(version & 0xFFFF);
  if (!((major == 2 && minor <= 4) || (major == 3 && minor <= 2)))
    misuse("setLanguageVersion: there is no version " + std::to_string(major) + "." +
           std::to_string(minor));
}

const Methods &CompileOptions::list() {
  static const Methods all = {Bound<&CompileOptions::setLanguageVersion>::as("setLanguageVersion:"),
                              Bound<&CompileOptions::setFastMath>::as("setFastMathEnabled:")};
  return all;
}

namespace {
struct CompileOptionsClass : ClassObject {
  CompileOptionsClass()
      : ClassObject("MTLCompileOptions", {Bound<&CompileOptionsClass::makeNew>::as("new")}) {}
  Id makeNew() { return (new CompileOptions)->id(); }
};
} // namespace

ClassObject *compileOptionsClass() {
  static auto *made = new CompileOptionsClass;
  return made;
}

Id Library::newFunction(Id name) {
  auto *text = as<String>(name, "the name of newFunctionWithName:");
  if (!text || !fakeMetalHasKernel(ref, text->text.c_str()))
    return nullptr;
  return (new Function(*this, text->text))->id();
}

const Methods &Library::list() {
  static const Methods all = {Bound<&Library::newFunction>::as("newFunctionWithName:")};
  return all;
}

const Methods &Function::list() {
  static const Methods none;
  return none;
}

const Methods &Pipeline::list() {
  static const Methods all = {
      Bound<&Pipeline::maxTotalThreads>::as("maxTotalThreadsPerThreadgroup"),
      Bound<&Pipeline::executionWidth>::as("threadExecutionWidth")};
  return all;
}

//===--- Memory and events -------------------------------------------------===//

uint64_t Buffer::gpuAddress() {
  constexpr uint64_t elsewhere = uint64_t(1) << 52; // so that nobody takes one for the host's
  return elsewhere + reinterpret_cast<uintptr_t>(memory);
}

const Methods &Buffer::list() {
  static const Methods all = {Bound<&Buffer::contents>::as("contents"),
                              Bound<&Buffer::gpuAddress>::as("gpuAddress")};
  return all;
}

uint64_t Event::signaledValue() { return fakeMetalEventValue(ref); }
void Event::setSignaledValue(uint64_t value) { fakeMetalSetEvent(ref, value); }

const Methods &Event::list() {
  static const Methods all = {Bound<&Event::signaledValue>::as("signaledValue"),
                              Bound<&Event::setSignaledValue>::as("setSignaledValue:")};
  return all;
}

//===--- All of it ---------------------------------------------------------===//

const std::vector<ClassObject *> &classes() {
  static const std::vector<ClassObject *> all = {stringClass(), processInfoClass(),
                                                 compileOptionsClass()};
  return all;
}

std::vector<ClassMethods> allMethods() {
  std::vector<ClassMethods> all;
  for (ClassObject *known : classes())
    all.push_back({known->className(), &known->methods()});
  for (const ClassMethods &of :
       {ClassMethods{"NSString", &String::list()}, ClassMethods{"NSArray", &Array::list()},
        ClassMethods{"NSError", &Error::list()},
        ClassMethods{"NSProcessInfo", &ProcessInfo::list()},
        ClassMethods{"MTLDevice", &Device::list()},
        ClassMethods{"MTLCompileOptions", &CompileOptions::list()},
        ClassMethods{"MTLLibrary", &Library::list()},
        ClassMethods{"MTLComputePipelineState", &Pipeline::list()},
        ClassMethods{"MTLBuffer", &Buffer::list()}, ClassMethods{"MTLSharedEvent", &Event::list()},
        ClassMethods{"MTLCommandQueue", &Queue::list()},
        ClassMethods{"MTLCommandBuffer", &CommandBuffer::list()},
        ClassMethods{"MTLComputeCommandEncoder", &ComputeEncoder::list()},
        ClassMethods{"MTLBlitCommandEncoder", &BlitEncoder::list()}})
    all.push_back(of);
  return all;
}

} // namespace sextant::test::objc

using namespace sextant::test::objc;

extern "C" {
Id MTLCopyAllDevices() {
  const Inside inside;
  return (new Array({&theDevice(0), &theDevice(1)}))->id();
}

void *fakeObjcDevice(unsigned ordinal) {
  take(theDevice(ordinal));
  return theDevice(ordinal).id();
}

void *fakeObjcQueue(unsigned ordinal) { return theDevice(ordinal).newQueue(1); }

int fakeObjcFastMath() { return lastFastMath; }
}
