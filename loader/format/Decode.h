// From the bytes of one record to plain values. Used by the reader alone, which has
// checked the record's bounds and hash; everything in it is checked here.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"

#include <cstddef>

namespace sextant::module {

/// `who` names the record in messages: "kernel 'scan_i32'".
Status corrupt(const std::string &who, const std::string &what);

/// Counts of the header that a record must fit.
struct Counts {
  uint32_t sources = 0, globals = 0, images = 0;
};

Result<ModuleInfo> decodeInfo(std::span<const std::byte> record, const Counts &counts);

/// The instance name alone, in place.
Result<std::string_view> decodeInstance(std::span<const std::byte> record, const std::string &who);
Result<Kernel> decodeKernel(std::span<const std::byte> record, const Counts &counts,
                            const std::string &who);

/// Why the kernel's fields do not fit the module's globals, or "".
std::string checkFields(const Kernel &kernel, const ModuleInfo &info);

/// Why `kernel` is none, or "": enumerators, limits and sizes of Format.h, launch
/// expressions, the ABI hash. The builder refuses by the same rules.
std::string checkKernel(const Kernel &kernel, const Counts &counts);
std::string checkInfo(const ModuleInfo &info);
/// Of what checkKernel let through: why its variants cannot be told apart by their targets, or "".
std::string checkTargets(Kernel kernel);

} // namespace sextant::module
