// The part of Metal that the device uses, as a table of plain functions. So all of the device's own
// logic is portable C++ and is tested without a Mac. On macOS AppleDriver.cpp fills in the table.
// Elsewhere the table comes from the function `sextant_metal_driver` of the shared library that
// SEXTANT_METAL_LIBRARY names; tests bring such a library, which runs Metal code on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sextant::loader::metal {

// Retained objects. The caller of a function that makes one gives it back with release().
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
  NotReady = 3, ///< only status() returns it
};

struct DeviceInfo {
  char name[256];
  uint32_t ordinal; ///< in the order of openDevice; ~0 for another device
  uint32_t languageMajor, languageMinor;
  uint64_t memoryBytes;      ///< that a program should use at most
  uint32_t threadgroupBytes; ///< size of threadgroup memory
  uint32_t maxThreads;       ///< a threadgroup
  uint32_t simdWidth;
  uint32_t cores;     ///< 0: not known
  uint32_t family;    ///< Apple's number of the GPU's family: 7 for M1; 0: below it
  uint32_t addresses; ///< 1: code reaches buffers by their addresses (Metal 3)
};

struct Binding {
  BufferRef buffer = nullptr;
  uint64_t offset = 0;
};

/// One grid of threadgroups. Buffer i is bound at index i, the values after the last buffer. With a
/// table, the driver binds a table of the buffers' 64-bit addresses at index 0 instead, and the
/// values at index 1.
struct Dispatch {
  PipelineRef pipeline;
  uint32_t grid, block;
  const Binding *buffers;
  uint32_t bufferCount;
  bool hasTable;
  uint32_t valueBytes; ///< 0: nothing is bound there
  const void *values;  ///< copied before the call returns
};

/// The table grows only at its end, and `version` then changes.
struct Functions {
  uint32_t version;

  /// Returns why the thread's last call failed; never null.
  const char *(*lastError)();
  void (*retain)(void *object);
  void (*release)(void *object);

  uint32_t (*deviceCount)();
  Result (*openDevice)(uint32_t ordinal, DeviceRef *device);
  Result (*describeDevice)(DeviceRef device, DeviceInfo *info);

  /// Allocates memory that host and device share. `contents` is aligned to at least 256 bytes.
  Result (*newBuffer)(DeviceRef device, uint64_t bytes, BufferRef *buffer, void **contents);
  /// Compiles a text of that language version, with IEEE arithmetic.
  Result (*newLibrary)(DeviceRef device, const char *text, size_t bytes, uint32_t languageMajor,
                       uint32_t languageMinor, LibraryRef *library);
  /// \param maxThreads the most threads that a threadgroup may have with this code
  Result (*newPipeline)(DeviceRef device, LibraryRef library, const char *kernel,
                        PipelineRef *pipeline, uint32_t *maxThreads, uint32_t *simdWidth);
  Result (*newQueue)(DeviceRef device, QueueRef *queue);
  Result (*newEvent)(DeviceRef device, EventRef *event);

  // Commands are recorded into one command buffer. Each runs after the one before it, and they
  // begin to run at commit(). The command buffers of a queue run in the order of their commits.
  // They retain what they use.
  Result (*newCommands)(QueueRef queue, CommandsRef *commands);
  Result (*dispatch)(CommandsRef commands, const Dispatch *dispatch);
  /// Offsets and sizes of copies and fills are multiples of 4.
  Result (*copy)(CommandsRef commands, BufferRef to, uint64_t toOffset, BufferRef from,
                 uint64_t fromOffset, uint64_t bytes);
  Result (*fill)(CommandsRef commands, BufferRef buffer, uint64_t offset, uint64_t bytes,
                 uint8_t value);
  /// Sets the event's value to `value`, which grows from signal to signal. This happens even if the
  /// commands fail, so that nothing waits for good.
  Result (*signal)(CommandsRef commands, EventRef event, uint64_t value);
  /// Later commands run when the event has that value or a greater one.
  Result (*wait)(CommandsRef commands, EventRef event, uint64_t value);
  void (*commit)(CommandsRef commands);
  /// Returns notReady, success, or the failure.
  Result (*status)(CommandsRef commands);
  /// The same, after waiting for it.
  Result (*finish)(CommandsRef commands);
  /// The time at which a finished command buffer ended, in seconds of the device's clock.
  double (*endTime)(CommandsRef commands);
};
inline constexpr uint32_t tableVersion = 2;

/// Command buffers of a queue that are under way before another one waits.
inline constexpr uint32_t mostCommands = 512;

/// Returns the table, which the first call finds. Null if there is none; `why` then gives the
/// reason.
const Functions *driver(std::string &why);

} // namespace sextant::loader::metal
