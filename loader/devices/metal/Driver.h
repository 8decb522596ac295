// The part of Metal that the device uses, as a table of plain functions, so that all
// of the device's own logic is portable C++ and is tested without a Mac. On Apple
// systems AppleDriver.mm fills the table in. Elsewhere it comes from the shared library
// that SEXTANT_METAL_LIBRARY names, by its function `sextant_metal_driver`: that is for
// tests, which bring a driver that runs Metal code on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sextant::loader::metal {

// Retained objects. Whoever gets one from a call that makes it gives it back by release().
using DeviceRef = struct DeviceTag *;
using BufferRef = struct BufferTag *;
using LibraryRef = struct LibraryTag *;
using PipelineRef = struct PipelineTag *;
using QueueRef = struct QueueTag *;
using EventRef = struct EventTag *;
using CommandsRef = struct CommandsTag *; ///< a command buffer

enum Result : int32_t {
  Success = 0,
  Failed = 1, ///< lastError() says why
  OutOfMemory = 2,
  NotReady = 3, ///< of status() alone
};

struct DeviceInfo {
  char name[256];
  uint32_t ordinal; ///< in the order of openDevice; ~0 for none of those
  uint32_t languageMajor, languageMinor;
  uint64_t memoryBytes;      ///< that a program should use at most
  uint32_t threadgroupBytes; ///< of threadgroup memory
  uint32_t maxThreads;       ///< a threadgroup
  uint32_t simdWidth;
  uint32_t cores;  ///< 0: not known
  uint32_t family; ///< Apple's number of the GPU's family: 7 for M1
};

struct Binding {
  BufferRef buffer = nullptr;
  uint64_t offset = 0;
};

/// Metal numbers a kernel's buffers from 0 to 30; the values are one of them.
inline constexpr uint32_t bindingLimit = 31;

/// One grid of threadgroups. Buffer i is bound at index i, the values after the last one.
struct Dispatch {
  PipelineRef pipeline;
  uint32_t grid, block;
  const Binding *buffers;
  uint32_t bufferCount;
  uint32_t valueBytes; ///< 0: nothing is bound there
  const void *values;  ///< copied before the call returns
};

/// Grows only at its end; `version` then changes.
struct Functions {
  uint32_t version;

  /// Why the thread's last call failed; never null.
  const char *(*lastError)();
  void (*retain)(void *object);
  void (*release)(void *object);

  uint32_t (*deviceCount)();
  Result (*openDevice)(uint32_t ordinal, DeviceRef *device);
  Result (*describeDevice)(DeviceRef device, DeviceInfo *info);

  /// Memory that host and device share. `contents` is aligned to 256 bytes at least.
  Result (*newBuffer)(DeviceRef device, uint64_t bytes, BufferRef *buffer, void **contents);
  /// Compiles one text of that language version, with IEEE arithmetic.
  Result (*newLibrary)(DeviceRef device, const char *text, size_t bytes, uint32_t languageMajor,
                       uint32_t languageMinor, LibraryRef *library);
  /// \param maxThreads a threadgroup may have with this code
  Result (*newPipeline)(DeviceRef device, LibraryRef library, const char *kernel,
                        PipelineRef *pipeline, uint32_t *maxThreads, uint32_t *simdWidth);
  Result (*newQueue)(DeviceRef device, QueueRef *queue);
  Result (*newEvent)(DeviceRef device, EventRef *event);

  // Commands are recorded into one command buffer, each after the one before it, and begin
  // to run at commit(). Those of one queue run in the order of their commits. They
  // retain what they use.
  Result (*newCommands)(QueueRef queue, CommandsRef *commands);
  Result (*dispatch)(CommandsRef commands, const Dispatch *dispatch);
  /// Offsets and sizes of copies and fills are multiples of 4.
  Result (*copy)(CommandsRef commands, BufferRef to, uint64_t toOffset, BufferRef from,
                 uint64_t fromOffset, uint64_t bytes);
  Result (*fill)(CommandsRef commands, BufferRef buffer, uint64_t offset, uint64_t bytes,
                 uint8_t value);
  /// The event's value becomes `value`, which grows from signal to signal; also where the
  /// commands fail, so that nothing waits for good.
  Result (*signal)(CommandsRef commands, EventRef event, uint64_t value);
  /// What follows runs when the event has that value or a greater one.
  Result (*wait)(CommandsRef commands, EventRef event, uint64_t value);
  void (*commit)(CommandsRef commands);
  /// NotReady, Success, or how it failed.
  Result (*status)(CommandsRef commands);
  /// The same once it is done.
  Result (*finish)(CommandsRef commands);
  /// When a finished command buffer was done, in seconds of the device's clock.
  double (*endTime)(CommandsRef commands);
};
inline constexpr uint32_t tableVersion = 1;

/// The table, found at the first call; null where there is none, and then `why` says
/// the reason.
const Functions *driver(std::string &why);

} // namespace sextant::loader::metal
