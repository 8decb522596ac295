// Memory that a thread keeps from call to call: its last error, and what large launches are
// packed in. It is no thread_local object's: to register a destructor takes memory, and where
// there is none the C library ends the process.
#pragma once

#include <cstddef>

namespace sextant::loader {

/// What the memory is for: each has its own.
enum class Keep { Message, Results, Launch, Bindings, Values, Count };

/// At least that many bytes, aligned for anything, of any content. They are the calling
/// thread's until it ends or asks for the same again. Throws std::bad_alloc.
std::byte *threadMemory(Keep what, size_t bytes);

} // namespace sextant::loader
