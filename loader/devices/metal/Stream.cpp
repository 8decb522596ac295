// Streams of a Metal device. Every operation is a command buffer of its own, committed at once: a
// queue runs them in order. The stream finds a failure on the device when a command buffer is done,
// and its next call reports it.
#include "loader/devices/metal/Stream.h"
#include "loader/ThreadMemory.h"
#include "loader/devices/metal/Image.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader::metal {

//===--- Events ------------------------------------------------------------===//

Ref<CommandsRef> MetalEvent::current() {
  std::lock_guard lock(mutex);
  return recorded ? share(core.api, recorded.get()) : Ref<CommandsRef>();
}

sxt_status MetalEvent::query() {
  Ref<CommandsRef> commands = current();
  if (!commands)
    return SXT_OK;
  Result result = core.api.status(commands.get());
  return result == NotReady ? SXT_ERROR_NOT_READY : core.check(result, "the event's commands");
}

sxt_status MetalEvent::synchronize() {
  Ref<CommandsRef> commands = current();
  return commands ? core.check(core.api.finish(commands.get()), "the event's commands") : SXT_OK;
}

sxt_status MetalEvent::elapsedSince(DeviceEvent &begin, double &milliseconds) {
  Ref<CommandsRef> first = static_cast<MetalEvent &>(begin).current(), last = current();
  milliseconds = (core.api.endTime(last.get()) - core.api.endTime(first.get())) * 1e3;
  return SXT_OK;
}

//===--- Command buffers ---------------------------------------------------===//

void MetalStream::collect() {
  size_t done = 0;
  for (; done < running.size(); ++done) {
    Result result = core.api.status(running[done].get());
    if (result == NotReady)
      break;
    if (result != Success && !failure)
      failure.keep(SXT_ERROR_DEVICE, core.api.lastError());
  }
  running.erase(running.begin(), running.begin() + static_cast<std::ptrdiff_t>(done));
}

sxt_status MetalStream::tellFailure() {
  if (!failure)
    return SXT_OK;
  return failure.tell((core.name + ": earlier work of the stream failed").c_str());
}

sxt_status MetalStream::submitLocked(const Encode &encode) {
  collect();
  SXT_TRY(tellFailure());
  CommandsRef made = nullptr;
  SXT_TRY(core.check(core.api.newCommands(queue.get(), &made), "no command buffer"));
  Ref<CommandsRef> commands(core.api, made);
  makeRoom(running); // encoded work may be waited for, so nothing may fail after this
  SXT_TRY(encode.call(encode.object, made));
  running.push_back(std::move(commands));
  core.api.commit(made);
  return SXT_OK;
}

sxt_status MetalStream::submit(const Encode &encode) {
  std::lock_guard lock(mutex);
  return submitLocked(encode);
}

sxt_status MetalStream::locate(uint64_t address, uint64_t bytes, Binding &binding) const {
  std::shared_lock memory(core.memoryMutex);
  return core.locate(address, bytes, binding);
}

sxt_status MetalStream::drain() {
  if (!running.empty())
    (void)core.api.finish(running.back().get());
  // The last command buffer is done, so all are. A driver may report the others late, so this waits
  // for them.
  for (const Ref<CommandsRef> &commands : running)
    (void)core.api.finish(commands.get());
  collect();
  return tellFailure();
}

sxt_status MetalStream::synchronize() {
  std::lock_guard lock(mutex);
  return drain();
}

//===--- Operations --------------------------------------------------------===//
// A stream's mutex is taken before the memory's. The memory's mutex is held until the commands have
// retained the buffers that they use.

/// Metal copies and fills only whole groups of 4 bytes at multiples of 4. The host does the rest
/// when the stream has reached that point, since it shares the memory.
static bool isAligned(uint64_t a, uint64_t b, uint64_t c) { return (a | b | c) % 4 == 0; }

sxt_status MetalStream::launch(const LoadedTask &task, uint32_t grid, const void *block, size_t) {
  const Task &code = *static_cast<const Task *>(task.function);
  const abi::BindingLayout &bindings = code.bindings;
  // Metal requires the whole structure that the values are read as, padding included.
  const uint32_t valueBytes = (bindings.valueBytes + 15) / 16 * 16;
  constexpr size_t usual = 256;
  std::byte small[usual], *values = small;
  if (valueBytes > usual)
    values = threadMemory(Keep::Values, valueBytes);
  std::memset(values, 0, valueBytes);
  bindings.pack(block, values);
  constexpr size_t few = abi::BindingPlaces::mostMetalBuffers;
  Binding onStack[few], *buffers = onStack;
  if (bindings.buffers.size() > few)
    buffers = reinterpret_cast<Binding *>(
        threadMemory(Keep::Bindings, bindings.buffers.size() * sizeof *buffers));
  return submit([&](CommandsRef commands) {
    std::shared_lock memory(core.memoryMutex);
    for (size_t i = 0; i < bindings.buffers.size(); ++i) {
      const uint64_t address = bindings.address(block, i);
      buffers[i] = core.find(address, 1);
      if (buffers[i].buffer)
        continue;
      // An empty array may have no memory, or may begin at the end of a buffer.
      if (address != 0 && !core.find(address - 1, 1).buffer)
        SXT_TRY(core.locate(address, 1, buffers[i]));
      buffers[i] = {core.spare.get(), 0};
    }
    Dispatch dispatch{code.pipeline.get(),
                      grid,
                      task.blockDim,
                      buffers,
                      static_cast<uint32_t>(bindings.buffers.size()),
                      code.hasTable,
                      valueBytes,
                      values};
    return core.check(core.api.dispatch(commands, &dispatch), "a kernel cannot be launched");
  });
}

sxt_status MetalStream::write(uint64_t destination, const void *source, size_t bytes) {
  std::lock_guard lock(mutex);
  collect();
  Binding to;
  SXT_TRY(locate(destination, bytes, to));
  // The host shares the memory, so an idle stream needs no command for a copy. A large copy is not
  // worth a second buffer of its size.
  constexpr size_t largest = size_t(16) << 20;
  if (running.empty() || bytes > largest || !isAligned(to.offset, bytes, 0)) {
    SXT_TRY(drain());
    std::memcpy(reinterpret_cast<void *>(destination), source, bytes);
    return SXT_OK;
  }
  Ref<BufferRef> staging;
  void *contents = nullptr;
  SXT_TRY(core.newBuffer(bytes, staging, contents));
  std::memcpy(contents, source, bytes);
  return submitLocked([&](CommandsRef commands) {
    std::shared_lock memory(core.memoryMutex);
    SXT_TRY(core.locate(destination, bytes, to));
    return core.check(core.api.copy(commands, to.buffer, to.offset, staging.get(), 0, bytes),
                      "a copy cannot be queued");
  });
}

sxt_status MetalStream::read(void *destination, uint64_t source, size_t bytes) {
  std::lock_guard lock(mutex);
  Binding from;
  SXT_TRY(locate(source, bytes, from));
  SXT_TRY(drain());
  std::memcpy(destination, reinterpret_cast<const void *>(source), bytes);
  return SXT_OK;
}

sxt_status MetalStream::copy(uint64_t destination, uint64_t source, uint64_t bytes) {
  std::lock_guard lock(mutex);
  Binding to, from;
  if (!isAligned(destination, source, bytes)) {
    SXT_TRY(locate(destination, bytes, to));
    SXT_TRY(locate(source, bytes, from));
    SXT_TRY(drain());
    std::memmove(reinterpret_cast<void *>(destination), reinterpret_cast<const void *>(source),
                 bytes);
    return SXT_OK;
  }
  return submitLocked([&](CommandsRef commands) {
    std::shared_lock memory(core.memoryMutex);
    SXT_TRY(core.locate(destination, bytes, to));
    SXT_TRY(core.locate(source, bytes, from));
    return core.check(
        core.api.copy(commands, to.buffer, to.offset, from.buffer, from.offset, bytes),
        "a copy cannot be queued");
  });
}

sxt_status MetalStream::fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                             uint64_t bytes) {
  std::byte unit[4];
  for (unsigned i = 0; i < 4; ++i)
    unit[i] = static_cast<std::byte>(pattern >> (i % patternBytes * 8));
  std::lock_guard lock(mutex);
  Binding to;
  if (!isAligned(destination, bytes, 0)) {
    SXT_TRY(locate(destination, bytes, to));
    SXT_TRY(drain());
    for (uint64_t i = 0; i < bytes; ++i)
      reinterpret_cast<std::byte *>(destination)[i] = unit[i % 4];
    return SXT_OK;
  }
  const bool same = std::all_of(unit, unit + 4, [&](std::byte one) { return one == unit[0]; });
  // Metal fills with single bytes only. Other patterns begin with a piece that the host writes,
  // which is then doubled.
  const uint64_t piece = std::min<uint64_t>(bytes, 65536);
  Ref<BufferRef> staging;
  void *contents = nullptr;
  if (!same) {
    SXT_TRY(core.newBuffer(piece, staging, contents));
    for (uint64_t i = 0; i < piece; ++i)
      static_cast<std::byte *>(contents)[i] = unit[i % 4];
  }
  return submitLocked([&](CommandsRef commands) {
    std::shared_lock memory(core.memoryMutex);
    SXT_TRY(core.locate(destination, bytes, to));
    if (same)
      return core.check(
          core.api.fill(commands, to.buffer, to.offset, bytes, static_cast<uint8_t>(unit[0])),
          "a fill cannot be queued");
    Result result = core.api.copy(commands, to.buffer, to.offset, staging.get(), 0, piece);
    for (uint64_t done = piece; result == Success && done < bytes;) {
      const uint64_t next = std::min(done, bytes - done);
      result = core.api.copy(commands, to.buffer, to.offset + done, to.buffer, to.offset, next);
      done += next;
    }
    return core.check(result, "a fill cannot be queued");
  });
}

sxt_status MetalStream::record(DeviceEvent &event) {
  auto &target = static_cast<MetalEvent &>(event);
  std::lock_guard lock(target.mutex);
  return submit([&](CommandsRef commands) {
    // The command buffer gets some work, so that the device records the time of its end.
    SXT_TRY(core.check(core.api.fill(commands, core.spare.get(), 0, 4, 0), "an event"));
    SXT_TRY(core.check(core.api.signal(commands, timeline.get(), signalled + 1),
                       "an event cannot be queued"));
    target.timeline = share(core.api, timeline.get());
    target.value = ++signalled;
    target.recorded = share(core.api, commands);
    return SXT_OK;
  });
}

sxt_status MetalStream::wait(DeviceEvent &event) {
  auto &target = static_cast<MetalEvent &>(event);
  Ref<EventRef> others;
  uint64_t value = 0;
  {
    std::lock_guard lock(target.mutex);
    if (!target.timeline)
      return SXT_OK;
    others = share(core.api, target.timeline.get());
    value = target.value;
  }
  return submit([&](CommandsRef commands) {
    return core.check(core.api.wait(commands, others.get(), value), "a wait cannot be queued");
  });
}

} // namespace sextant::loader::metal
