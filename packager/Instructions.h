// Encodes the instructions of SPIR-V modules for split packs, as Format.h's InstructionRow defines.
#pragma once

#include "loader/format/Format.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sextant::packager {

inline constexpr size_t spirvHeaderBytes = 20;

/// Returns true if this is a little-endian SPIR-V module whose instructions cover what follows its
/// header (SPIR-V 1.6, section 2.3).
bool isSpirv(std::span<const std::byte> image);

/// The rules that all modules are encoded by. They do not depend on the images, so that a changed
/// kernel leaves the packs of others as they are.
std::span<const module::format::InstructionRow> instructionRows();

/// Encodes what follows the header of a SPIR-V module.
std::vector<std::byte> encodeInstructions(std::span<const std::byte> instructions);

} // namespace sextant::packager
