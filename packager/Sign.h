// Digests and signatures of modules, by libsodium.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Result.h"
#include "loader/format/Trust.h"
#include "packager/Keys.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// libsodium's functions. Thread-safe.
const module::Crypto &crypto();
module::Sha256 sha256(std::span<const std::byte> bytes);

/// Puts `header` at the start of a module whose tables are in place, with their digest and its
/// hash.
void sealTables(std::vector<std::byte> &module, module::format::Header header);

/// The 59 bytes that a signature of the module signs.
/// InvalidInput: the module is of a version without digests, or does not have those it states.
module::Result<module::SignedMessage> messageOf(std::span<const std::byte> module);

using Signature = std::array<uint8_t, 64>;

/// The module with a signature that was made elsewhere, in place of one that it may have.
/// InvalidInput: it is none of this module by that key; and as messageOf.
module::Result<std::vector<std::byte>> withSignature(std::span<const std::byte> module,
                                                     const module::PublicKey &key,
                                                     const Signature &signature);
/// The module, signed.
module::Result<std::vector<std::byte>> sign(std::span<const std::byte> module,
                                            const SecretKey &key);

} // namespace sextant::packager
