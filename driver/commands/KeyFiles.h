// Files that hold Ed25519 keys.
#pragma once

#include "driver/Environment.h"
#include "packager/Keys.h"

namespace sextant {

/// These throw Refusal if the file cannot be read or holds no such key.
packager::SecretKey readSecretKey(const Environment &environment, const std::string &path);
module::PublicKey readPublicKey(const Environment &environment, const std::string &path);

/// Returns what `verify` requires of a module: its digests, and a signature by the public keys in
/// those files, if there are any. Throws Refusal.
module::Trust trustIn(const Environment &environment, const std::vector<std::string> &paths);

/// Writes a file that only its owner can read, whole or not at all. Throws Refusal; without
/// `replace`, also if the file exists.
void writeSecret(const Environment &environment, const std::string &path, std::string_view text,
                 bool replace);

} // namespace sextant
