// Fills in Driver.h's table with Apple's Metal framework. Objective-C++ with ARC; every object
// leaves as a retained pointer. It was written from Apple's documentation and has never been built
// or run on Apple hardware. Everything that can be portable is in the files beside it.
#include "loader/devices/metal/Driver.h"

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <cstring>
#include <string>
#include <vector>

namespace sextant::loader::metal {
namespace {

thread_local std::string lastErrorText;

Result because(const char *what) {
  lastErrorText = what;
  return Failed;
}

Result because(NSError *error) {
  return because(error ? error.localizedDescription.UTF8String : "Metal gave no reason");
}

/// Returns `object` as a retained pointer. Null is a failure.
template <class Tag> Result give(id object, Tag *&out, const char *why) {
  if (!object)
    return because(why);
  out = (Tag *)CFBridgingRetain(object);
  return Success;
}

template <class Type> Type of(void *object) { return (__bridge Type)object; }

//===--- Devices -----------------------------------------------------------===//

/// The GPUs that run Sextant's code. Apple's family 7 is the first whose SIMD-groups have all
/// shuffles and reductions. They are found once and kept for good.
NSArray<id<MTLDevice>> *usableDevices() {
  static NSArray<id<MTLDevice>> *const devices = [] {
    NSMutableArray<id<MTLDevice>> *found = [NSMutableArray array];
#if TARGET_OS_OSX
    NSArray<id<MTLDevice>> *all = MTLCopyAllDevices();
#else
    id<MTLDevice> only = MTLCreateSystemDefaultDevice();
    NSArray<id<MTLDevice>> *all = only ? @[ only ] : @[];
#endif
    for (id<MTLDevice> device in all)
      if ([device supportsFamily:MTLGPUFamilyApple7])
        [found addObject:device];
    return [found copy];
  }();
  return devices;
}

const char *lastError() { return lastErrorText.c_str(); }
void retain(void *object) { CFRetain(object); }
void release(void *object) { CFRelease(object); }

uint32_t deviceCount() {
  @autoreleasepool {
    return static_cast<uint32_t>(usableDevices().count);
  }
}

Result openDevice(uint32_t ordinal, DeviceRef *device) {
  @autoreleasepool {
    if (ordinal >= usableDevices().count)
      return because("there is no such device");
    return give(usableDevices()[ordinal], *device, "");
  }
}

Result describeDevice(DeviceRef ref, DeviceInfo *info) {
  @autoreleasepool {
    id<MTLDevice> device = of<id<MTLDevice>>(ref);
    std::memset(info, 0, sizeof *info);
    std::strncpy(info->name, device.name.UTF8String, sizeof info->name - 1);
    NSUInteger place = [usableDevices() indexOfObjectIdenticalTo:device];
    info->ordinal = place == NSNotFound ? ~0u : static_cast<uint32_t>(place);
    info->languageMajor = 2; // macOS 11
    info->languageMinor = 3;
    if (@available(macOS 12.0, iOS 15.0, *))
      info->languageMinor = 4;
    if (@available(macOS 13.0, iOS 16.0, *)) {
      info->languageMajor = 3;
      info->languageMinor = 0;
      info->addresses = device.argumentBuffersSupport == MTLArgumentBuffersTier2;
    }
    if (@available(macOS 14.0, iOS 17.0, *))
      info->languageMinor = 1;
    if (@available(macOS 15.0, iOS 18.0, *))
      info->languageMinor = 2;
    info->memoryBytes = device.recommendedMaxWorkingSetSize;
    info->threadgroupBytes = static_cast<uint32_t>(device.maxThreadgroupMemoryLength);
    info->maxThreads = static_cast<uint32_t>(device.maxThreadsPerThreadgroup.width);
    info->simdWidth = 32; // of every Apple GPU; pipelines tell theirs
    info->cores = 0;      // Metal does not say
    info->family = 7;
    if ([device supportsFamily:MTLGPUFamilyApple8])
      info->family = 8;
    constexpr NSInteger apple9 = 1009; // MTLGPUFamilyApple9, of newer SDKs
    if ([device supportsFamily:static_cast<MTLGPUFamily>(apple9)])
      info->family = 9;
    return Success;
  }
}

//===--- Memory and code ---------------------------------------------------===//

Result newBuffer(DeviceRef device, uint64_t bytes, BufferRef *buffer, void **contents) {
  @autoreleasepool {
    if (bytes > of<id<MTLDevice>>(device).maxBufferLength)
      return OutOfMemory;
    id<MTLBuffer> made =
        [of<id<MTLDevice>>(device) newBufferWithLength:bytes options:MTLResourceStorageModeShared];
    if (!made)
      return OutOfMemory;
    *contents = made.contents;
    return give(made, *buffer, "");
  }
}

MTLLanguageVersion languageOf(uint32_t major, uint32_t minor) {
  return static_cast<MTLLanguageVersion>((major << 16) + minor); // as its constants are made
}

Result newLibrary(DeviceRef device, const char *text, size_t bytes, uint32_t languageMajor,
                  uint32_t languageMinor, LibraryRef *library) {
  @autoreleasepool {
    NSString *source = [[NSString alloc] initWithBytes:text
                                                length:bytes
                                              encoding:NSUTF8StringEncoding];
    if (!source)
      return because("the text is not UTF-8");
    MTLCompileOptions *options = [MTLCompileOptions new];
    options.languageVersion = languageOf(languageMajor, languageMinor);
    options.fastMathEnabled = NO;
    NSError *error = nil;
    id<MTLLibrary> made = [of<id<MTLDevice>>(device) newLibraryWithSource:source
                                                                  options:options
                                                                    error:&error];
    return made ? give(made, *library, "") : because(error);
  }
}

Result newPipeline(DeviceRef device, LibraryRef library, const char *kernel, PipelineRef *pipeline,
                   uint32_t *maxThreads, uint32_t *simdWidth) {
  @autoreleasepool {
    id<MTLFunction> function = [of<id<MTLLibrary>>(library) newFunctionWithName:@(kernel)];
    if (!function)
      return because("the library has no such function");
    NSError *error = nil;
    id<MTLComputePipelineState> made =
        [of<id<MTLDevice>>(device) newComputePipelineStateWithFunction:function error:&error];
    if (!made)
      return because(error);
    *maxThreads = static_cast<uint32_t>(made.maxTotalThreadsPerThreadgroup);
    *simdWidth = static_cast<uint32_t>(made.threadExecutionWidth);
    return give(made, *pipeline, "");
  }
}

Result newQueue(DeviceRef device, QueueRef *queue) {
  @autoreleasepool {
    constexpr NSUInteger commandBuffers = 512; // under way before another one waits
    return give([of<id<MTLDevice>>(device) newCommandQueueWithMaxCommandBufferCount:commandBuffers],
                *queue, "Metal makes no command queue");
  }
}

Result newEvent(DeviceRef device, EventRef *event) {
  @autoreleasepool {
    return give([of<id<MTLDevice>>(device) newSharedEvent], *event, "Metal makes no event");
  }
}

//===--- Commands ----------------------------------------------------------===//
// Each command has one encoder: between encoders, Metal orders commands that touch the same
// buffers.

Result newCommands(QueueRef queue, CommandsRef *commands) {
  @autoreleasepool {
    return give([of<id<MTLCommandQueue>>(queue) commandBuffer], *commands,
                "Metal makes no command buffer");
  }
}

/// Binds bytes that are copied.
Result bind(id<MTLComputeCommandEncoder> encoder, const void *bytes, size_t count,
            NSUInteger index) {
  constexpr size_t inlineLimit = 4096; // of setBytes
  if (count <= inlineLimit) {
    [encoder setBytes:bytes length:count atIndex:index];
    return Success;
  }
  id<MTLBuffer> copied = [encoder.device newBufferWithBytes:bytes
                                                     length:count
                                                    options:MTLResourceStorageModeShared];
  if (!copied)
    return OutOfMemory;
  [encoder setBuffer:copied offset:0 atIndex:index];
  return Success;
}

/// Binds a table of the buffers' addresses at index 0. Metal must be told of buffers that code
/// reaches by address.
Result bindTable(id<MTLComputeCommandEncoder> encoder, const Dispatch &what) {
  if (@available(macOS 13.0, iOS 16.0, *)) {
    std::vector<uint64_t> addresses(what.bufferCount);
    for (uint32_t i = 0; i < what.bufferCount; ++i) {
      id<MTLBuffer> buffer = of<id<MTLBuffer>>(what.buffers[i].buffer);
      [encoder useResource:buffer usage:MTLResourceUsageRead | MTLResourceUsageWrite];
      addresses[i] = buffer.gpuAddress + what.buffers[i].offset;
    }
    return bind(encoder, addresses.data(), addresses.size() * sizeof(uint64_t), 0);
  }
  return because("Metal gives no addresses before macOS 13 and iOS 16");
}

Result bindBuffers(id<MTLComputeCommandEncoder> encoder, const Dispatch &what) {
  if (what.hasTable)
    return bindTable(encoder, what);
  for (uint32_t i = 0; i < what.bufferCount; ++i)
    [encoder setBuffer:of<id<MTLBuffer>>(what.buffers[i].buffer)
                offset:what.buffers[i].offset
               atIndex:i];
  return Success;
}

Result dispatch(CommandsRef commands, const Dispatch *what) {
  @autoreleasepool {
    id<MTLComputeCommandEncoder> encoder =
        [of<id<MTLCommandBuffer>>(commands) computeCommandEncoder];
    if (!encoder)
      return because("Metal makes no encoder");
    [encoder setComputePipelineState:of<id<MTLComputePipelineState>>(what->pipeline)];
    Result bound = bindBuffers(encoder, *what);
    if (bound == Success && what->valueBytes)
      bound = bind(encoder, what->values, what->valueBytes, what->hasTable ? 1 : what->bufferCount);
    if (bound == Success)
      [encoder dispatchThreadgroups:MTLSizeMake(what->grid, 1, 1)
              threadsPerThreadgroup:MTLSizeMake(what->block, 1, 1)];
    [encoder endEncoding];
    return bound;
  }
}

Result copy(CommandsRef commands, BufferRef to, uint64_t toOffset, BufferRef from,
            uint64_t fromOffset, uint64_t bytes) {
  @autoreleasepool {
    id<MTLBlitCommandEncoder> encoder = [of<id<MTLCommandBuffer>>(commands) blitCommandEncoder];
    if (!encoder)
      return because("Metal makes no encoder");
    [encoder copyFromBuffer:of<id<MTLBuffer>>(from)
               sourceOffset:fromOffset
                   toBuffer:of<id<MTLBuffer>>(to)
          destinationOffset:toOffset
                       size:bytes];
    [encoder endEncoding];
    return Success;
  }
}

Result fill(CommandsRef commands, BufferRef buffer, uint64_t offset, uint64_t bytes,
            uint8_t value) {
  @autoreleasepool {
    id<MTLBlitCommandEncoder> encoder = [of<id<MTLCommandBuffer>>(commands) blitCommandEncoder];
    if (!encoder)
      return because("Metal makes no encoder");
    [encoder fillBuffer:of<id<MTLBuffer>>(buffer) range:NSMakeRange(offset, bytes) value:value];
    [encoder endEncoding];
    return Success;
  }
}

Result signal(CommandsRef commands, EventRef event, uint64_t value) {
  @autoreleasepool {
    id<MTLSharedEvent> shared = of<id<MTLSharedEvent>>(event);
    [of<id<MTLCommandBuffer>>(commands) addCompletedHandler:^(id<MTLCommandBuffer> done) {
      if (done.status == MTLCommandBufferStatusError && shared.signaledValue < value)
        shared.signaledValue = value;
    }];
    [of<id<MTLCommandBuffer>>(commands) encodeSignalEvent:of<id<MTLSharedEvent>>(event)
                                                    value:value];
    return Success;
  }
}

Result wait(CommandsRef commands, EventRef event, uint64_t value) {
  @autoreleasepool {
    [of<id<MTLCommandBuffer>>(commands) encodeWaitForEvent:of<id<MTLSharedEvent>>(event)
                                                     value:value];
    return Success;
  }
}

void commit(CommandsRef commands) {
  @autoreleasepool {
    [of<id<MTLCommandBuffer>>(commands) commit];
  }
}

Result status(CommandsRef commands) {
  @autoreleasepool {
    id<MTLCommandBuffer> buffer = of<id<MTLCommandBuffer>>(commands);
    switch (buffer.status) {
    case MTLCommandBufferStatusCompleted:
      return Success;
    case MTLCommandBufferStatusError:
      return because(buffer.error);
    default:
      return NotReady;
    }
  }
}

Result finish(CommandsRef commands) {
  @autoreleasepool {
    [of<id<MTLCommandBuffer>>(commands) waitUntilCompleted];
    return status(commands);
  }
}

double endTime(CommandsRef commands) {
  @autoreleasepool {
    return of<id<MTLCommandBuffer>>(commands).GPUEndTime;
  }
}

} // namespace

const Functions *driver(std::string &why) {
  static constexpr Functions functions = {
      tableVersion,   lastError, retain,     release,     deviceCount, openDevice,
      describeDevice, newBuffer, newLibrary, newPipeline, newQueue,    newEvent,
      newCommands,    dispatch,  copy,       fill,        signal,      wait,
      commit,         status,    finish,     endTime,
  };
  why.clear();
  return &functions;
}

} // namespace sextant::loader::metal
