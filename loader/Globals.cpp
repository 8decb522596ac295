// Fields of a program: their memory, which is the program's own or an application's.
#include "loader/Program.h"

#include <cinttypes>

using namespace sextant;
using namespace sextant::loader;

namespace {

/// Allocates a field's own memory, zero.
sxt_status allocateZero(DeviceState &device, uint64_t bytes, uint64_t &address) {
  Device &on = *device.device;
  SXT_TRY(on.allocate(bytes, address));
  DeviceStream &stream = *device.defaultStream.impl;
  sxt_status status = guarded([&] {
    SXT_TRY(stream.fill(address, 0, 1, bytes));
    return stream.synchronize();
  });
  if (status != SXT_OK)
    on.release(address);
  return status;
}

/// Checks that a field fits into the memory that it is to have.
sxt_status checkPlace(const module::Global &global, const sxt_buffer &buffer, uint64_t offset) {
  const uint64_t bytes = bytesOf(global.dtype, global.count);
  if (!buffer.holds(offset, bytes))
    return fail(SXT_ERROR_OUT_OF_RANGE,
                "field '%s' has %" PRIu64 " bytes: from %" PRIu64 " on, the buffer of %" PRIu64
                " has not as many",
                global.name.c_str(), bytes, offset, buffer.bytes);
  const uint64_t element = uint64_t(module::sizeOf(global.dtype)) * global.rows * global.cols;
  if (const uint32_t alignment = module::arrayAlignment(element);
      (buffer.address + offset) % alignment != 0)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "field '%s': its address is not a multiple of %u bytes, its elements' alignment",
                global.name.c_str(), alignment);
  return SXT_OK;
}

} // namespace

sxt_status sxt_program::globalSlot(uint32_t index, const module::Global *&global,
                                   GlobalSlot *&slot) {
  const module::ModuleInfo *facts = nullptr;
  SXT_TRY(module->info(facts));
  if (index >= facts->globals.size())
    return fail(SXT_ERROR_BAD_MODULE, "a kernel uses field %u of a module that has %zu", index,
                facts->globals.size());
  global = &facts->globals[index];
  slot = &slotOf(mutex, globals, index);
  return SXT_OK;
}

sxt_status sxt_program::global(uint32_t index, sxt_buffer *&buffer) {
  const module::Global *global = nullptr;
  GlobalSlot *slot = nullptr;
  SXT_TRY(globalSlot(index, global, slot));
  std::lock_guard lock(slot->mutex);
  sxt_buffer &memory = slot->buffer;
  if (!memory.device) {
    const uint64_t bytes = bytesOf(global->dtype, global->count);
    SXT_TRY(allocateZero(*device, bytes, memory.address));
    memory.bytes = bytes;
    memory.owned = true;
    memory.device = device.get();
  }
  buffer = &memory;
  return SXT_OK;
}

sxt_status sxt_program::bindGlobal(uint32_t index, const sxt_buffer *buffer, uint64_t offset) {
  const module::Global *global = nullptr;
  GlobalSlot *slot = nullptr;
  SXT_TRY(globalSlot(index, global, slot));
  std::lock_guard lock(slot->mutex);
  sxt_buffer &memory = slot->buffer;
  std::lock_guard mapping(memory.mapMutex);
  if (memory.mapped)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "field '%s' is mapped: unmap its buffer first",
                global->name.c_str());
  if (buffer && buffer->device != device.get())
    return fail(SXT_ERROR_INVALID_ARGUMENT, "the buffer belongs to device %s, the program to %s",
                buffer->device->name().c_str(), device->name().c_str());
  const uint64_t bytes = bytesOf(global->dtype, global->count);
  uint64_t address = 0;
  if (buffer) {
    SXT_TRY(checkPlace(*global, *buffer, offset));
    address = buffer->address + offset;
  } else if (!memory.device || memory.owned) {
    return SXT_OK; // it is its own
  } else {
    SXT_TRY(allocateZero(*device, bytes, address));
  }
  if (memory.owned) { // nothing that was queued may still use it
    SXT_TRY(device->device->synchronize());
    device->release(memory.address);
  }
  memory.address = address;
  memory.bytes = bytes;
  memory.owned = !buffer;
  memory.device = device.get();
  device->bindings.fetch_add(1);
  return SXT_OK;
}

//===--- API ---------------------------------------------------------------===//

sxt_status sxt_program_global(sxt_program *program, const char *name, sxt_global_info *info) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(name);
  SXT_REQUIRE(info);
  return guarded([&] {
    uint32_t index = 0;
    const module::ModuleInfo *facts = nullptr;
    SXT_TRY(program->module->findGlobal(name, index));
    SXT_TRY(program->module->info(facts));
    return giveInfo(info, infoOf(facts->globals[index]));
  });
}

sxt_status sxt_program_global_buffer(sxt_program *program, const char *name, sxt_buffer **buffer) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(name);
  SXT_REQUIRE(buffer);
  return guarded([&] {
    uint32_t index = 0;
    SXT_TRY(program->module->findGlobal(name, index));
    sxt_buffer *found = nullptr;
    SXT_TRY(program->global(index, found));
    *buffer = found;
    return SXT_OK;
  });
}

sxt_status sxt_program_global_read(sxt_program *program, const char *name, uint64_t offset,
                                   void *destination, size_t size, sxt_stream *stream) {
  sxt_buffer *buffer = nullptr;
  SXT_TRY(sxt_program_global_buffer(program, name, &buffer));
  return sxt_buffer_read(buffer, offset, destination, size, stream);
}

sxt_status sxt_program_global_write(sxt_program *program, const char *name, uint64_t offset,
                                    const void *source, size_t size, sxt_stream *stream) {
  sxt_buffer *buffer = nullptr;
  SXT_TRY(sxt_program_global_buffer(program, name, &buffer));
  return sxt_buffer_write(buffer, offset, source, size, stream);
}

sxt_status sxt_program_global_bind(sxt_program *program, const char *name, sxt_buffer *buffer,
                                   uint64_t offset) {
  SXT_REQUIRE(program);
  SXT_REQUIRE(name);
  return guarded([&] {
    uint32_t index = 0;
    SXT_TRY(program->module->findGlobal(name, index));
    return program->bindGlobal(index, buffer, offset);
  });
}
