// The messages of the driver for Apple's frameworks: their types beside Apple's documentation; what
// its objects forbid, which the stand-ins have to notice; systems that lack something.
#include "loader/devices/metal/AppleDriver.h"
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/objc/Encoding.h"
#include "tests/simulators/metal/objc/FakeObjC.h"
#include "tests/support/Catch.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace sextant::loader;
using namespace sextant::test;
using namespace sextant::test::objc;

namespace {

constexpr const char *standIn[] = {"libsextant-fakeobjc.so"};

/// The driver over the stand-ins: the one that a process has.
const metal::Functions &driver() {
  static const metal::Functions *found = [] {
    std::string why;
    const metal::Functions *functions = metal::openApple({standIn, standIn, standIn}, why);
    REQUIRE(why == "");
    return functions;
  }();
  return *found;
}

/// A runtime to send messages with that the driver would not send.
const Runtime &runtime() {
  static const Runtime *found = [] {
    auto *made = new Runtime;
    std::string why;
    void *library = sextant::system::openLibrary(standIn, why);
    REQUIRE(library != nullptr);
    REQUIRE(made->open(library) == "");
    return made;
  }();
  return *found;
}

/// Runs something wrong and returns what was noticed, a line each.
std::string caught(const std::function<void()> &wrong) {
  (void)fakeObjcCaught();
  fakeObjcCatch(1);
  wrong();
  fakeObjcCatch(0);
  return fakeObjcCaught();
}

/// The tests below begin with these. Gives everything back in the end, and looks for leaks.
struct Objects {
  const Messages &send = runtime().messages;
  const int alive = fakeMetalAlive();
  Id device = static_cast<Id>(fakeObjcDevice(0));
  Id queue = send.newQueue(device, 4);
  Id buffer = send.newBuffer(device, 64, 0);
  Id pipeline = nullptr;
  Objects() {
    const AutoreleasePool pool(runtime());
    const Owned options(runtime(), send.makeNew(runtime().classNamed("MTLCompileOptions")));
    send.setLanguageVersion(options.get(), 3 << 16);
    const Id text = send.stringWithUtf8(runtime().classNamed("NSString"), "kernel");
    const Owned library(runtime(), send.newLibrary(device, text, options.get(), nullptr));
    const Owned function(runtime(), send.newFunction(library.get(), text));
    pipeline = send.newPipeline(device, function.get(), nullptr);
  }
  ~Objects() {
    for (Id object : {pipeline, buffer, queue, device})
      runtime().release(object);
    for (int wait = 0; wait < 2000 && fakeMetalAlive() != alive; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(fakeMetalAlive() == alive);
  }
};

} // namespace

//===--- Types -------------------------------------------------------------===//

/// Selectors and types as Apple's documentation of each method has them, in the letters of @encode
/// for arm64: every argument with its place after the object (0) and the selector (8).
static const std::map<std::string, std::string> documented = {
    {"alloc", "@16@0:8"},
    {"new", "@16@0:8"},
    {"count", "Q16@0:8"},
    {"objectAtIndex:", "@24@0:8Q16"},
    {"stringWithUTF8String:", "@24@0:8r*16"},
    {"initWithBytes:length:encoding:", "@40@0:8r^v16Q24Q32"},
    {"UTF8String", "r*16@0:8"},
    {"localizedDescription", "@16@0:8"},
    {"processInfo", "@16@0:8"},
    {"isOperatingSystemAtLeastVersion:", "B40@0:8{?=qqq}16"},
    {"name", "@16@0:8"},
    {"supportsFamily:", "B24@0:8q16"},
    {"argumentBuffersSupport", "Q16@0:8"},
    {"recommendedMaxWorkingSetSize", "Q16@0:8"},
    {"maxThreadgroupMemoryLength", "Q16@0:8"},
    {"maxBufferLength", "Q16@0:8"},
    {"newBufferWithLength:options:", "@32@0:8Q16Q24"},
    {"newBufferWithBytes:length:options:", "@40@0:8r^v16Q24Q32"},
    {"newLibraryWithSource:options:error:", "@40@0:8@16@24^@32"},
    {"newComputePipelineStateWithFunction:error:", "@32@0:8@16^@24"},
    {"newCommandQueueWithMaxCommandBufferCount:", "@24@0:8Q16"},
    {"newSharedEvent", "@16@0:8"},
    {"setLanguageVersion:", "v24@0:8Q16"},
    {"setFastMathEnabled:", "v20@0:8B16"},
    {"newFunctionWithName:", "@24@0:8@16"},
    {"maxTotalThreadsPerThreadgroup", "Q16@0:8"},
    {"threadExecutionWidth", "Q16@0:8"},
    {"contents", "^v16@0:8"},
    {"gpuAddress", "Q16@0:8"},
    {"signaledValue", "Q16@0:8"},
    {"setSignaledValue:", "v24@0:8Q16"},
    {"commandBuffer", "@16@0:8"},
    {"computeCommandEncoder", "@16@0:8"},
    {"blitCommandEncoder", "@16@0:8"},
    {"encodeSignalEvent:value:", "v32@0:8@16Q24"},
    {"encodeWaitForEvent:value:", "v32@0:8@16Q24"},
    {"addCompletedHandler:", "v24@0:8@?16"},
    {"commit", "v16@0:8"},
    {"waitUntilCompleted", "v16@0:8"},
    {"status", "Q16@0:8"},
    {"error", "@16@0:8"},
    {"GPUEndTime", "d16@0:8"},
    {"device", "@16@0:8"},
    {"setComputePipelineState:", "v24@0:8@16"},
    {"setBuffer:offset:atIndex:", "v40@0:8@16Q24Q32"},
    {"setBytes:length:atIndex:", "v40@0:8r^v16Q24Q32"},
    {"useResource:usage:", "v32@0:8@16Q24"},
    {"dispatchThreadgroups:threadsPerThreadgroup:", "v64@0:8{?=QQQ}16{?=QQQ}40"},
    {"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", "v56@0:8@16Q24@32Q40Q48"},
    {"fillBuffer:range:value:", "v44@0:8@16{_NSRange=QQ}24C40"},
    {"endEncoding", "v16@0:8"},
};

TEST_CASE("every message has the type that Apple documents") {
  std::map<std::string, std::string> sent;
#define MESSAGE(name, selector, ...) sent[selector] = Encoding<__VA_ARGS__>::text();
#include "loader/devices/metal/Messages.def"
  CHECK(sent == documented);
}

TEST_CASE("every method that gets them has it too") {
  std::set<std::string> received;
  const char *of = nullptr, *encoding = nullptr;
  for (int i = 0; const char *selector = fakeObjcMethod(i, &of, &encoding); ++i) {
    INFO(of << " " << selector);
    REQUIRE(documented.contains(selector));
    CHECK(documented.at(selector) == encoding);
    received.insert(selector);
  }
  CHECK(received.size() == documented.size());
}

//===--- Wrong use ---------------------------------------------------------===//

TEST_CASE("a message to what has no such method, or is gone, is noticed") {
  Objects on;
  CHECK(caught([&] { on.send.commit(on.queue); }) == "MTLCommandQueue has no method commit\n");
  Id gone = on.send.newBuffer(on.device, 16, 0);
  runtime().release(gone);
  CHECK(caught([&] { (void)on.send.contents(gone); }) ==
        "what gets contents is not an object, or one that is gone\n");
  CHECK(caught([&] { runtime().release(gone); }) ==
        "what is released is not an object, or one that is gone\n");
  CHECK(on.send.contents(nullptr) == nullptr); // nil takes every message
  CHECK(on.send.gpuEndTime(nullptr) == 0);
}

TEST_CASE("references and pools are checked") {
  Objects on;
  Id commands = nullptr;
  CHECK(caught([&] { commands = on.send.commandBuffer(on.queue); }) ==
        "a MTLCommandBuffer is autoreleased without a pool\n");
  runtime().release(commands);
  void *outer = runtime().pushPool(), *inner = runtime().pushPool();
  CHECK(caught([&] { runtime().popPool(outer); }) == "a pool ends that is not the innermost\n");
  runtime().popPool(inner);
  runtime().popPool(outer);
  const int before = fakeMetalAlive();
  Id kept = on.send.newBuffer(on.device, 16, 0);
  CHECK(fakeMetalAlive() > before); // which is how a leak is seen
  runtime().release(kept);
  CHECK(fakeMetalAlive() == before);
}

TEST_CASE("what encoders forbid is noticed") {
  Objects on;
  const AutoreleasePool pool(runtime());
  const Id commands = on.send.commandBuffer(on.queue);
  const Id encoder = on.send.computeEncoder(commands);
  char bytes[8192] = {};
  CHECK(caught([&] { on.send.dispatch(encoder, {1, 1, 1}, {1, 1, 1}); }) ==
        "dispatchThreadgroups: no pipeline, nothing to do, or threadgroups that are too large\n");
  on.send.setPipeline(encoder, on.pipeline);
  CHECK(caught([&] { on.send.dispatch(encoder, {1, 1, 1}, {1025, 1, 1}); }) != "");
  CHECK(caught([&] { on.send.dispatch(encoder, {0, 1, 1}, {64, 1, 1}); }) != "");
  CHECK(caught([&] { on.send.setPipeline(encoder, on.buffer); }) ==
        "the state of setComputePipelineState: is a MTLBuffer\n");
  CHECK(caught([&] { on.send.setBytes(encoder, bytes, 4097, 0); }) ==
        "setBytes: no bytes, or more than 4096\n");
  CHECK(caught([&] { on.send.setBytes(encoder, bytes, 0, 0); }) != "");
  CHECK(caught([&] { on.send.setBytes(encoder, bytes, 4, 31); }) ==
        "setBytes: an index above 30\n");
  CHECK(caught([&] { on.send.setBuffer(encoder, on.buffer, 64, 0); }) ==
        "setBuffer: an offset beyond the buffer\n");
  CHECK(caught([&] { on.send.setBuffer(encoder, on.buffer, 0, 31); }) ==
        "setBuffer: an index above 30\n");
  CHECK(caught([&] { on.send.commit(commands); }) ==
        "commit before the last encoder got endEncoding\n");
  CHECK(caught([&] { (void)on.send.blitEncoder(commands); }) != "");
  // Addresses in a table are of buffers that got useResource:.
  const uint64_t address = on.send.gpuAddress(on.buffer), stray = address + 64;
  on.send.useResource(encoder, on.buffer, 3);
  on.send.setBytes(encoder, &address, 8, 0);
  CHECK(caught([&] { on.send.dispatch(encoder, {1, 1, 1}, {64, 1, 1}); }) == "");
  on.send.setBytes(encoder, &stray, 8, 0);
  CHECK(caught([&] { on.send.dispatch(encoder, {1, 1, 1}, {64, 1, 1}); }) ==
        "an address in a table of no buffer that got useResource:\n");
  on.send.endEncoding(encoder);
  CHECK(caught([&] { on.send.endEncoding(encoder); }) == "endEncoding after endEncoding\n");
  const Id blit = on.send.blitEncoder(commands);
  CHECK(caught([&] { on.send.copy(blit, on.buffer, 0, on.buffer, 60, 8); }) != "");
  CHECK(caught([&] { on.send.copy(blit, on.buffer, 2, on.buffer, 32, 8); }) != "");
  CHECK(caught([&] { on.send.fill(blit, on.buffer, {0, 66}, 0); }) != "");
  CHECK(caught([&] { on.send.fill(blit, on.buffer, {0, 64}, 0); }) == "");
  on.send.endEncoding(blit);
  CHECK(caught([&] { on.send.waitUntilCompleted(commands); }) ==
        "waitUntilCompleted of a command buffer that gets no commit\n");
  on.send.commit(commands);
  CHECK(caught([&] { on.send.commit(commands); }) == "commit after commit\n");
  on.send.waitUntilCompleted(commands);
  CHECK(on.send.status(commands) == 4);
}

TEST_CASE("an encoder that is left open is noticed") {
  Objects on;
  CHECK(caught([&] {
          const AutoreleasePool pool(runtime());
          (void)on.send.computeEncoder(on.send.commandBuffer(on.queue));
        }) == "an encoder is gone without endEncoding\n");
}

TEST_CASE("memory, code and handlers get what they may") {
  Objects on;
  const AutoreleasePool pool(runtime());
  CHECK(caught([&] { runtime().release(on.send.newBuffer(on.device, 0, 0)); }) != "");
  CHECK(caught([&] { runtime().release(on.send.newBuffer(on.device, 16, 2 << 4)); }) ==
        "newBufferWithLength: memory that is not shared has no contents\n");
  const Owned options(runtime(), on.send.makeNew(runtime().classNamed("MTLCompileOptions")));
  CHECK(caught([&] { on.send.setLanguageVersion(options.get(), 9 << 16); }) ==
        "setLanguageVersion: there is no version 9.0\n");
  CHECK(caught([&] {
          (void)on.send.newLibrary(on.device, options.get(), options.get(), nullptr);
        }) == "the source of newLibraryWithSource: is a MTLCompileOptions\n");
  const Id commands = on.send.commandBuffer(on.queue);
  Block none{};
  CHECK(caught([&] { on.send.addCompletedHandler(commands, &none); }) ==
        "addCompletedHandler: gets no block\n");
}

//===--- The driver --------------------------------------------------------===//

TEST_CASE("systems that lack something have no Metal device, and say what") {
  static constexpr const char *nowhere[] = {"/absent/libobjc.dylib"};
  static constexpr const char *foreign[] = {"libc.so.6"};
  std::string why;
  CHECK(metal::openApple({nowhere, standIn, standIn}, why) == nullptr);
  CHECK(why.find("/absent/libobjc.dylib") != why.npos);
  CHECK(metal::openApple({standIn, nowhere, standIn}, why) == nullptr);
  CHECK(why.find("/absent/libobjc.dylib") != why.npos);
  CHECK(metal::openApple({foreign, standIn, standIn}, why) == nullptr);
  CHECK(why == "libobjc has no objc_msgSend");
  CHECK(metal::openApple({standIn, standIn, foreign}, why) == nullptr);
  CHECK(why == "the Metal framework has no MTLCopyAllDevices");
  fakeObjcSystem(10);
  CHECK(metal::openApple({standIn, standIn, standIn}, why) == nullptr);
  CHECK(why == "Metal devices need macOS 11 or newer");
  fakeObjcSystem(15);
}

TEST_CASE("a device's memory is not asked for more than it has") {
  metal::DeviceRef device = nullptr;
  REQUIRE(driver().openDevice(0, &device) == metal::Success);
  metal::BufferRef buffer = nullptr;
  void *contents = nullptr;
  CHECK(driver().newBuffer(device, (uint64_t(8) << 30) + 1, &buffer, &contents) ==
        metal::OutOfMemory);
  metal::DeviceRef other = nullptr;
  CHECK(driver().openDevice(2, &other) == metal::Failed);
  CHECK(std::string(driver().lastError()) == "there is no such device");
  driver().release(device);
}

TEST_CASE("code is compiled with IEEE arithmetic, and has to be UTF-8") {
  metal::DeviceRef device = nullptr;
  metal::LibraryRef library = nullptr;
  metal::PipelineRef pipeline = nullptr;
  uint32_t threads = 0, width = 0;
  REQUIRE(driver().openDevice(0, &device) == metal::Success);
  REQUIRE(driver().newLibrary(device, "text", 4, 3, 1, &library) == metal::Success);
  CHECK(fakeObjcFastMath() == 0);
  CHECK(fakeMetalLanguage() == 301);
  CHECK(driver().newPipeline(device, library, "absent_t0", &pipeline, &threads, &width) ==
        metal::Failed);
  CHECK(std::string(driver().lastError()) == "the library has no such function");
  driver().release(library);
  CHECK(driver().newLibrary(device, "te\xFFt", 4, 3, 1, &library) == metal::Failed);
  CHECK(std::string(driver().lastError()) == "the text is not UTF-8");
  driver().release(device);
}

TEST_CASE("an event is signalled also by commands that fail") {
  const int alive = fakeMetalAlive();
  metal::DeviceRef device = nullptr;
  metal::QueueRef queue = nullptr, second = nullptr;
  metal::EventRef event = nullptr;
  metal::CommandsRef failing = nullptr, waiting = nullptr;
  REQUIRE(driver().openDevice(0, &device) == metal::Success);
  REQUIRE(driver().newQueue(device, &queue) == metal::Success);
  REQUIRE(driver().newQueue(device, &second) == metal::Success);
  REQUIRE(driver().newEvent(device, &event) == metal::Success);
  REQUIRE(driver().newCommands(queue, &failing) == metal::Success);
  REQUIRE(driver().newCommands(second, &waiting) == metal::Success);
  REQUIRE(driver().signal(failing, event, 7) == metal::Success);
  REQUIRE(driver().wait(waiting, event, 7) == metal::Success);
  fakeMetalReset();
  fakeMetalFail("run", 1, 0);
  driver().commit(failing);
  CHECK(driver().finish(failing) == metal::Failed);
  CHECK(std::string(driver().lastError()) == "a failure in run");
  driver().commit(waiting);
  CHECK(driver().finish(waiting) == metal::Success); // or it would wait for good
  CHECK(runtime().messages.signaledValue(reinterpret_cast<Id>(event)) == 7);
  for (void *object : std::initializer_list<void *>{failing, waiting, event, second, queue, device})
    driver().release(object);
  for (int wait = 0; wait < 2000 && fakeMetalAlive() != alive; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(fakeMetalAlive() == alive); // the handler has let go of the event
}

TEST_CASE("values and tables that are too large for setBytes: come in buffers") {
  const int alive = fakeMetalAlive();
  metal::DeviceRef device = nullptr;
  metal::QueueRef queue = nullptr;
  metal::CommandsRef commands = nullptr;
  metal::LibraryRef library = nullptr;
  metal::PipelineRef pipeline = nullptr;
  metal::BufferRef buffer = nullptr;
  void *contents = nullptr;
  uint32_t threads = 0, width = 0;
  REQUIRE(driver().openDevice(0, &device) == metal::Success);
  REQUIRE(driver().newQueue(device, &queue) == metal::Success);
  REQUIRE(driver().newCommands(queue, &commands) == metal::Success);
  REQUIRE(driver().newLibrary(device, "text", 4, 3, 0, &library) == metal::Success);
  REQUIRE(driver().newPipeline(device, library, "kernel", &pipeline, &threads, &width) ==
          metal::Success);
  REQUIRE(driver().newBuffer(device, 4096, &buffer, &contents) == metal::Success);
  std::vector<metal::Binding> bindings(600);
  for (uint64_t i = 0; i < bindings.size(); ++i)
    bindings[i] = {buffer, 4 * i};
  std::string values(8192, 'v');
  metal::Dispatch what{pipeline, 3, 64, bindings.data(), 600, true, 8192, values.data()};
  REQUIRE(driver().dispatch(commands, &what) == metal::Success);
  const FakeMetalDispatch *last = fakeMetalLastDispatch();
  CHECK(last->hasTable);
  CHECK(last->bufferCount == 600);
  CHECK(last->addresses[399] == static_cast<char *>(contents) + 4 * 399);
  CHECK(last->valueBytes == 8192);
  CHECK(last->values[255] == 'v');
  CHECK(last->grid == 3);
  CHECK(last->block == 64);
  // A failure to make either ends the encoder all the same: the stand-in would notice.
  for (int which : {0, 1}) {
    fakeMetalReset();
    fakeMetalFail("newBuffer", 2, which);
    CHECK(driver().dispatch(commands, &what) == metal::OutOfMemory);
  }
  for (void *object :
       std::initializer_list<void *>{commands, buffer, pipeline, library, queue, device})
    driver().release(object);
  CHECK(fakeMetalAlive() == alive);
}
