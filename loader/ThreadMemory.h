// Memory that a thread keeps between calls: for its last error, and for packing large launches. It
// is not in a thread_local object, because registering a destructor allocates, and the C library
// ends the process if that fails.
#pragma once

#include <cstddef>

namespace sextant::loader {

/// The purposes. Each has memory of its own.
enum class Keep { Message, Results, Launch, Bindings, Values, Count };

/// Returns at least that many bytes, aligned for any type, with arbitrary content. They belong to
/// the calling thread until it ends or asks for the same purpose again. Throws std::bad_alloc.
std::byte *threadMemory(Keep what, size_t bytes);

} // namespace sextant::loader
