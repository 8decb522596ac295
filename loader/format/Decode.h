// Decodes the bytes of one record to plain values. Only the reader uses this header; it has checked
// the record's bounds and hash. Everything inside the record is checked here.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"

#include <cstddef>

namespace sextant::module {

/// `who` names the record in messages: "kernel 'scan_i32'".
Status corrupt(const std::string &who, const std::string &what);

/// The header's counts, which a record must not pass.
struct Counts {
  uint32_t sources = 0, globals = 0, images = 0, packs = 0;
};

Result<ModuleInfo> decodeInfo(std::span<const std::byte> record, const Counts &counts);

/// Returns only the instance name, in place.
Result<std::string_view> decodeInstance(std::span<const std::byte> record, const std::string &who);
Result<Kernel> decodeKernel(std::span<const std::byte> record, const Counts &counts,
                            const std::string &who);

/// Returns why the kernel's fields do not fit the module's globals, or "".
std::string checkFields(const Kernel &kernel, const ModuleInfo &info);

/// Returns why `kernel` is invalid, or "". Checks enumerators, limits and sizes of Format.h, launch
/// expressions and the ABI hash. The builder refuses by the same rules.
std::string checkKernel(const Kernel &kernel, const Counts &counts);
std::string checkInfo(const ModuleInfo &info);
/// For a kernel that checkKernel accepted: returns why its variants cannot be told apart by their
/// targets, or "".
std::string checkTargets(Kernel kernel);

} // namespace sextant::module
