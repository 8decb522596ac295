// The reader's shared parts: entries of tables, and the checks of a signed module. Only the reader
// uses this header.
#pragma once

#include "loader/format/ByteSource.h"
#include "loader/format/Decode.h"
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Module.h"
#include "loader/format/Text.h"
#include "loader/format/Trust.h"
#include "loader/format/Try.h"

#include <cstdint>
#include <span>
#include <string>

namespace sextant::module {

inline bool hasPacks(const format::Header &header) {
  return (header.required & format::requiredPacks) != 0;
}

inline std::string kernelWho(uint32_t index) { return message("kernel %u", index); }
inline std::string imageWho(uint32_t index) { return message("image %u", index); }

/// Reads an entry of a table, and checks its hash.
/// \param who names an entry, for errors
template <class Entry>
Result<Entry> readEntry(const ByteSource &source, uint64_t table, uint32_t entryBytes,
                        uint32_t index, std::string (*who)(uint32_t)) {
  const Result<Part> part = source.read(table + uint64_t(index) * entryBytes, entryBytes);
  SXT_MODULE_TRY(part);
  const auto entry = format::loadHashed<Entry>(part->bytes.data(), entryBytes);
  if (hash64(part->bytes.data(), entryBytes - sizeof(uint64_t), index) != entry.hash)
    return corrupt(who(index), "the hash of its entry does not match");
  return entry;
}

/// Checks in which way bytes are stored.
/// \param isAsItIs they may be stored without compression
/// \param otherwise why not
Status checkCodec(uint32_t codec, uint64_t bytes, uint64_t storedBytes, const std::string &who,
                  bool isAsItIs, const char *otherwise);

/// Reads a kernel's entry. The record itself lies elsewhere and is not checked here.
Result<format::KernelEntry> kernelEntry(const ByteSource &source, const format::Header &header,
                                        uint32_t index);

/// Checks that the attachment's pack is one, and has its size.
Status checkAttachment(const ByteSource &source, const format::Header &header,
                       const Attachment &attachment);

/// Checks the tables against the digest in the header, and the digest against the signature.
Status checkTables(std::span<const std::byte> tables, const format::Header &header,
                   const Trust &trust);

/// Checks that the bytes between the parts of a file of version 1.3 are zero.
Status checkGaps(const ByteSource &source, const format::Header &header);

} // namespace sextant::module
