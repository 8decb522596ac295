// What the loader asks of the operating system: the one interface to it, which one file implements
// for each system (Linux.cpp). CMake picks the file.
//
// All functions may be called from any thread. An object is used by one thread at a time.
#pragma once

#include "loader/Error.h"

#include <cstddef>
#include <cstdint>

namespace sextant::loader::system {

/// What code may do with pages. There is no value for writing and executing at once: some systems
/// forbid it.
enum class Access : uint8_t { Read, ReadWrite, ReadExecute };

/// Bytes of a page, a power of two. Memory is mapped and protected by whole pages.
uint64_t pageBytes();

/// A range of address space for one image: first reserved, then committed and written piece by
/// piece, then protected. A system that has memory for generated code takes that. Offsets and sizes
/// are widened to whole pages.
class Pages {
public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages(); ///< Releases the range. Nobody may run its code or read it any more.

  /// Reserves addresses, of which no byte may be touched yet. Called once.
  /// \param alignment of the first one; a power of two
  sxt_status reserve(uint64_t bytes, uint64_t alignment);
  /// The first address, which stays the same.
  std::byte *begin() const { return first; }
  /// Makes pages of zeros, which the calling thread may write until it protects them.
  sxt_status commit(uint64_t offset, uint64_t bytes);
  /// Ends the writing of pages. Those with code may run on every thread afterwards: their
  /// instructions are in no thread's cache.
  sxt_status protect(uint64_t offset, uint64_t bytes, Access access);

private:
  std::byte *first = nullptr;
  void *mapping = nullptr; ///< what the system gave
  uint64_t mapped = 0;     ///< bytes of it
};

/// Opens a shared library, which stays open until the process ends. Returns null if there is none.
void *openLibrary(const char *name);
/// Returns the address of a function of a library or of the libraries that it needs, or null.
void *findSymbol(void *library, const char *name);

} // namespace sextant::loader::system
