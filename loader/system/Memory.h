// Memory: pages for code, and aligned blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sextant::system {

/// The ways in which code may use pages. There is no value for writing and executing at once: some
/// systems forbid it.
enum class Access : uint8_t { Read, ReadWrite, ReadExecute };

/// Bytes of a page, a power of two. Memory is mapped and protected by whole pages.
uint64_t pageBytes();

/// A range of address space for one image: first reserved, then committed and written piece by
/// piece, then protected. A system that has memory for generated code takes that. Offsets and sizes
/// are widened to whole pages. One thread uses it at a time.
class Pages {
public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages(); ///< Releases the range. Nobody may run its code or read it any more.

  /// Reserves addresses, of which no byte may be touched yet. Called once. Returns false if there
  /// are none.
  /// \param alignment of the first one; a power of two
  bool reserve(uint64_t bytes, uint64_t alignment);
  /// The first address, which stays the same.
  std::byte *begin() const { return first; }
  /// Makes pages of zeros, which the calling thread may write until it protects them. Returns false
  /// if there is no memory.
  /// \param later what protect() will allow
  bool commit(uint64_t offset, uint64_t bytes, Access later);
  /// Ends the writing of pages. Those with code may run on every thread afterwards: their
  /// instructions are in no thread's cache. Returns "", or why the system refuses and what to do.
  std::string protect(uint64_t offset, uint64_t bytes, Access access);

private:
  /// Takes what the system reserved, and begins at the first aligned address.
  void keep(void *memory, uint64_t bytes, uint64_t alignment) {
    mapping = memory;
    mapped = bytes;
    first = static_cast<std::byte *>(memory);
    first += -reinterpret_cast<uintptr_t>(memory) & (alignment - 1);
  }

  std::byte *first = nullptr;
  void *mapping = nullptr;                 ///< the mapping that the system gave
  uint64_t mapped = 0;                     ///< bytes of it
  [[maybe_unused]] bool isForCode = false; ///< the system has memory for code, and gave it
  [[maybe_unused]] bool isWriting = false; ///< the thread may write such memory, and run none
};

/// A range of whole pages around some bytes.
struct PageRange {
  PageRange(std::byte *first, uint64_t offset, uint64_t bytes) {
    const uint64_t page = pageBytes(), before = offset & (page - 1);
    begin = first + (offset - before);
    size = (before + bytes + page - 1) & ~(page - 1);
  }
  std::byte *begin;
  uint64_t size;
};

/// Returns a block of memory, or null. It is given back by freeAligned().
/// \param alignment a power of two
void *allocateAligned(uint64_t alignment, uint64_t bytes);
void freeAligned(void *block);
/// Asks for huge pages where the system has some.
void preferHugePages(void *block, uint64_t bytes);

/// Bytes of the machine's memory, or 0 if the system does not tell.
uint64_t physicalMemory();

} // namespace sextant::system
