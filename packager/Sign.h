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

/// Returns libsodium's functions. Thread-safe.
const module::Crypto &crypto();
module::Sha256 sha256(std::span<const std::byte> bytes);

/// Writes `header` to the start of a module whose tables are in place, with their digest and its
/// hash.
void sealTables(std::vector<std::byte> &module, module::format::Header header);

/// Returns the 59 bytes that a signature of the module signs.
/// InvalidInput: the module's version has no digests, or its digests do not match.
module::Result<module::SignedMessage> messageOf(std::span<const std::byte> module);

using Signature = std::array<uint8_t, 64>;

/// Returns the module with a signature that was made elsewhere, in place of any former one.
/// InvalidInput: this key did not sign this module; and the errors of messageOf.
module::Result<std::vector<std::byte>> withSignature(std::span<const std::byte> module,
                                                     const module::PublicKey &key,
                                                     const Signature &signature);
/// Returns the module, signed.
module::Result<std::vector<std::byte>> sign(std::span<const std::byte> module,
                                            const SecretKey &key);

} // namespace sextant::packager
