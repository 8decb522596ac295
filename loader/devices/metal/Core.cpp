// Errors and memory of a Metal device.
#include "loader/devices/metal/Core.h"

#include <cinttypes>
#include <mutex>

namespace sextant::loader::metal {

sxt_status Core::check(Result result, const char *what) const {
  if (result == Success)
    return SXT_OK;
  return fail(result == OutOfMemory ? SXT_ERROR_OUT_OF_MEMORY : SXT_ERROR_DEVICE, "%s: %s: %s",
              name.c_str(), what, api.lastError());
}

sxt_status Core::newBuffer(uint64_t bytes, Ref<BufferRef> &buffer, void *&contents) const {
  BufferRef made = nullptr;
  Result result = api.newBuffer(device.get(), bytes, &made, &contents);
  if (result == OutOfMemory)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for a buffer of %" PRIu64 " bytes",
                name.c_str(), bytes);
  SXT_TRY(check(result, "a buffer cannot be made"));
  buffer = {api, made};
  return SXT_OK;
}

sxt_status Core::allocate(uint64_t bytes, uint64_t &address) {
  Ref<BufferRef> buffer;
  void *contents = nullptr;
  SXT_TRY(newBuffer(bytes, buffer, contents));
  address = reinterpret_cast<uintptr_t>(contents);
  std::lock_guard lock(memoryMutex);
  memory[address] = {bytes, std::move(buffer)};
  return SXT_OK;
}

void Core::release(uint64_t address) {
  std::lock_guard lock(memoryMutex);
  memory.erase(address); // commands that are under way keep it alive
}

Binding Core::find(uint64_t address, uint64_t bytes) const {
  auto after = memory.upper_bound(address);
  if (after == memory.begin())
    return {};
  const auto &[begin, range] = *std::prev(after);
  const uint64_t offset = address - begin;
  if (offset >= range.bytes || bytes > range.bytes - offset)
    return {};
  return {range.buffer.get(), offset};
}

sxt_status Core::locate(uint64_t address, uint64_t bytes, Binding &binding) const {
  binding = find(address, bytes);
  if (binding.buffer)
    return SXT_OK;
  return fail(SXT_ERROR_INVALID_ARGUMENT,
              "no buffer of %s holds the address 0x%" PRIx64
              ": Metal code reaches only memory that was "
              "allocated on its device through this loader",
              name.c_str(), address);
}

} // namespace sextant::loader::metal
