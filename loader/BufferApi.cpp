// Buffers: memory, copies, mappings.
#include "loader/Handles.h"

#include <cinttypes>

using namespace sextant;
using namespace sextant::loader;

sxt_buffer::~sxt_buffer() {
  if (!device)
    return;
  if (mapped && !device->device->hostVisible())
    device->device->releaseHost(mapped);
  if (owned)
    device->release(address);
}

namespace {

sxt_status checkRange(const sxt_buffer &buffer, uint64_t offset, uint64_t size) {
  if (buffer.holds(offset, size))
    return SXT_OK;
  return fail(SXT_ERROR_OUT_OF_RANGE,
              "bytes %" PRIu64 " to %" PRIu64 " of a buffer of %" PRIu64 " bytes", offset,
              offset + size, buffer.bytes);
}

/// The part that all copies between host and device share.
template <class Copy>
sxt_status copyHost(sxt_buffer *buffer, uint64_t offset, const void *host, size_t size,
                    sxt_stream *stream, bool wait, bool reads, const char *function, Copy copy) {
  return guarded([&] {
    if (!host && size)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "%s: the host pointer is null", function);
    SXT_TRY(checkRange(*buffer, offset, size));
    SXT_TRY(buffer->device->choose(stream, stream));
    sxt_status status = guarded([&] {
      SXT_TRY(size ? copy(*stream->impl) : SXT_OK);
      return wait ? stream->impl->synchronize() : SXT_OK;
    });
    if (status != SXT_OK && reads) // the caller need not keep the memory
      stream->impl->forget(host, size);
    return status;
  });
}

sxt_status writeBuffer(sxt_buffer *buffer, uint64_t offset, const void *source, size_t size,
                       sxt_stream *stream, bool wait, const char *function) {
  return copyHost(buffer, offset, source, size, stream, wait, false, function,
                  [&](DeviceStream &s) { return s.write(buffer->address + offset, source, size); });
}

sxt_status readBuffer(sxt_buffer *buffer, uint64_t offset, void *destination, size_t size,
                      sxt_stream *stream, bool wait, const char *function) {
  return copyHost(
      buffer, offset, destination, size, stream, wait, true, function,
      [&](DeviceStream &s) { return s.read(destination, buffer->address + offset, size); });
}

} // namespace

sxt_status sxt_buffer_create(sxt_device *device, uint64_t size, sxt_buffer **buffer) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(buffer);
  return guarded([&] {
    SXT_TRY(device->state->present());
    auto created = std::make_unique<sxt_buffer>();
    uint64_t address = 0;
    SXT_TRY(device->state->device->allocate(size ? size : 1, address));
    created->keep = device->state;
    created->device = device->state.get();
    created->address = address;
    created->bytes = size;
    created->owned = true;
    *buffer = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_buffer_wrap(sxt_device *device, uint64_t address, uint64_t size,
                           sxt_buffer **buffer) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(buffer);
  return guarded([&] {
    if (address == 0 && size != 0)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_buffer_wrap: the address is null");
    if (size > UINT64_MAX - address)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_buffer_wrap: the range wraps around");
    SXT_TRY(device->state->present());
    if (size)
      SXT_TRY(device->state->device->checkAddress(address));
    auto created = std::make_unique<sxt_buffer>();
    created->keep = device->state;
    created->device = device->state.get();
    created->address = address;
    created->bytes = size;
    *buffer = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_buffer_wrap_native(sxt_device *device, void *native, uint64_t size,
                                  sxt_buffer **buffer) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(native);
  SXT_REQUIRE(buffer);
  return guarded([&] {
    SXT_TRY(device->state->present());
    auto created = std::make_unique<sxt_buffer>();
    SXT_TRY(device->state->device->wrapNative(native, size, created->address));
    created->keep = device->state;
    created->device = device->state.get();
    created->bytes = size;
    created->owned = true; // the buffer owns the address, not the memory
    *buffer = created.release();
    return SXT_OK;
  });
}

void sxt_buffer_release(sxt_buffer *buffer) {
  if (buffer && !buffer->keep) {
    (void)fail(SXT_ERROR_INVALID_ARGUMENT,
               "sxt_buffer_release: a global's buffer belongs to its program");
    return;
  }
  delete buffer;
}

sxt_status sxt_buffer_size(sxt_buffer *buffer, uint64_t *size) {
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(size);
  *size = buffer->bytes;
  return SXT_OK;
}

sxt_status sxt_buffer_address(sxt_buffer *buffer, uint64_t *address) {
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(address);
  *address = buffer->address;
  return SXT_OK;
}

sxt_status sxt_buffer_native(sxt_buffer *buffer, void **native, uint64_t *offset) {
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(native);
  SXT_REQUIRE(offset);
  return guarded([&] {
    SXT_TRY(buffer->device->present());
    return buffer->device->device->native(buffer->address, *native, *offset);
  });
}

sxt_status sxt_buffer_write(sxt_buffer *buffer, uint64_t offset, const void *source, size_t size,
                            sxt_stream *stream) {
  SXT_REQUIRE(buffer);
  return writeBuffer(buffer, offset, source, size, stream, true, __func__);
}

sxt_status sxt_buffer_read(sxt_buffer *buffer, uint64_t offset, void *destination, size_t size,
                           sxt_stream *stream) {
  SXT_REQUIRE(buffer);
  return readBuffer(buffer, offset, destination, size, stream, true, __func__);
}

sxt_status sxt_buffer_write_async(sxt_buffer *buffer, uint64_t offset, const void *source,
                                  size_t size, sxt_stream *stream) {
  SXT_REQUIRE(buffer);
  return writeBuffer(buffer, offset, source, size, stream, false, __func__);
}

sxt_status sxt_buffer_read_async(sxt_buffer *buffer, uint64_t offset, void *destination,
                                 size_t size, sxt_stream *stream) {
  SXT_REQUIRE(buffer);
  return readBuffer(buffer, offset, destination, size, stream, false, __func__);
}

sxt_status sextant::loader::planCopy(const sxt_buffer &destination, uint64_t destinationOffset,
                                     const sxt_buffer &source, uint64_t sourceOffset, uint64_t size,
                                     GraphStep &step) {
  if (destination.device != source.device)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "a copy's buffers belong to different devices, %s and %s",
                destination.device->name().c_str(), source.device->name().c_str());
  SXT_TRY(checkRange(destination, destinationOffset, size));
  SXT_TRY(checkRange(source, sourceOffset, size));
  step.kind = GraphStep::Copy;
  step.destination = destination.address + destinationOffset;
  step.source = source.address + sourceOffset;
  step.bytes = size;
  if (size && step.destination < step.source + size && step.source < step.destination + size)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "a copy's ranges overlap");
  return SXT_OK;
}

sxt_status sextant::loader::planFill(const sxt_buffer &buffer, uint64_t offset, uint64_t size,
                                     const void *pattern, size_t patternBytes, GraphStep &step) {
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "a fill pattern of %zu bytes: 1, 2 or 4 are possible",
                patternBytes);
  SXT_TRY(checkRange(buffer, offset, size));
  step.kind = GraphStep::Fill;
  step.destination = buffer.address + offset;
  step.bytes = size;
  step.patternBytes = static_cast<unsigned>(patternBytes);
  std::memcpy(&step.pattern, pattern, patternBytes);
  if (step.destination % patternBytes || size % patternBytes)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "a fill's offset and size must be multiples of the pattern's %zu bytes",
                patternBytes);
  return SXT_OK;
}

sxt_status sxt_buffer_copy(sxt_buffer *destination, uint64_t destinationOffset, sxt_buffer *source,
                           uint64_t sourceOffset, uint64_t size, sxt_stream *stream) {
  SXT_REQUIRE(destination);
  SXT_REQUIRE(source);
  return guarded([&] {
    GraphStep copy;
    SXT_TRY(planCopy(*destination, destinationOffset, *source, sourceOffset, size, copy));
    SXT_TRY(destination->device->choose(stream, stream));
    return size ? copy.queue(*stream->impl) : SXT_OK;
  });
}

sxt_status sxt_buffer_fill(sxt_buffer *buffer, uint64_t offset, uint64_t size, const void *pattern,
                           size_t patternBytes, sxt_stream *stream) {
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(pattern);
  return guarded([&] {
    GraphStep fill;
    SXT_TRY(planFill(*buffer, offset, size, pattern, patternBytes, fill));
    SXT_TRY(buffer->device->choose(stream, stream));
    return size ? fill.queue(*stream->impl) : SXT_OK;
  });
}

sxt_status sxt_buffer_map(sxt_buffer *buffer, void **pointer) {
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(pointer);
  return guarded([&] {
    SXT_TRY(buffer->device->present());
    std::lock_guard lock(buffer->mapMutex);
    if (buffer->mapped)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_buffer_map: the buffer is mapped already");
    Device &device = *buffer->device->device;
    SXT_TRY(device.synchronize());
    void *host = nullptr;
    if (device.hostVisible()) {
      host = reinterpret_cast<void *>(buffer->address);
    } else {
      SXT_TRY(device.allocateHost(buffer->bytes ? buffer->bytes : 1, host));
      DeviceStream &stream = *buffer->device->defaultStream.impl;
      sxt_status status = guarded([&] {
        SXT_TRY(buffer->bytes ? stream.read(host, buffer->address, buffer->bytes) : SXT_OK);
        return stream.synchronize();
      });
      if (status != SXT_OK) {
        stream.forget(host, buffer->bytes);
        device.releaseHost(host);
        return status;
      }
    }
    buffer->mapped = host;
    *pointer = host;
    return SXT_OK;
  });
}

sxt_status sxt_buffer_unmap(sxt_buffer *buffer) {
  SXT_REQUIRE(buffer);
  return guarded([&] {
    SXT_TRY(buffer->device->present());
    std::lock_guard lock(buffer->mapMutex);
    if (!buffer->mapped)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "sxt_buffer_unmap: the buffer is not mapped");
    Device &device = *buffer->device->device;
    void *host = buffer->mapped;
    buffer->mapped = nullptr;
    if (device.hostVisible())
      return SXT_OK;
    DeviceStream &stream = *buffer->device->defaultStream.impl;
    sxt_status status = guarded([&] {
      SXT_TRY(buffer->bytes ? stream.write(buffer->address, host, buffer->bytes) : SXT_OK);
      return stream.synchronize();
    });
    device.releaseHost(host);
    return status;
  });
}
