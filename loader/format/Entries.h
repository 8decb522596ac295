// What the reader's parts share: entries of tables, and the checks of a signed module. Used by
// the reader alone.
#pragma once

#include "loader/format/ByteSource.h"
#include "loader/format/Format.h"
#include "loader/format/Result.h"
#include "loader/format/Trust.h"

#include <cstdint>
#include <span>
#include <string>

namespace sextant::module {

inline bool hasPacks(const format::Header &header) {
  return (header.required & format::requiredPacks) != 0;
}

inline std::string kernelWho(uint32_t index) { return "kernel " + std::to_string(index); }
inline std::string imageWho(uint32_t index) { return "image " + std::to_string(index); }

/// A kernel's entry; of the record that lies outside of it, nothing is checked.
Result<format::KernelEntry> kernelEntry(const ByteSource &source, const format::Header &header,
                                        uint32_t index);

/// Holds the tables to the digest in the header, and that to the signature.
Status checkTables(std::span<const std::byte> tables, const format::Header &header,
                   const Trust &trust);

/// That what lies between the parts of a file of 1.3 is zero.
Status checkGaps(const ByteSource &source, const format::Header &header);

} // namespace sextant::module
