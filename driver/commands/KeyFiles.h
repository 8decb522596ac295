// Files that hold Ed25519 keys.
#pragma once

#include "driver/Environment.h"
#include "packager/Keys.h"

namespace sextant {

/// Throw Refusal where the file cannot be read or holds no such key.
packager::SecretKey readSecretKey(const Environment &environment, const std::string &path);
module::PublicKey readPublicKey(const Environment &environment, const std::string &path);

/// What a module is held to that is to be verified: its digests, and, if there are any, the
/// public keys in those files. Throws Refusal.
module::Trust trustIn(const Environment &environment, const std::vector<std::string> &paths);

/// Writes a file that its owner alone may read, whole or not at all. Throws Refusal; without
/// `replace` also where there is such a file already.
void writeSecret(const Environment &environment, const std::string &path, std::string_view text,
                 bool replace);

} // namespace sextant
