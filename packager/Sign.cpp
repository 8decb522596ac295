// Signs modules. Only their header changes.
#include "packager/Sign.h"
#include "loader/format/Hash.h"
#include "loader/format/Reader.h"
#include "loader/format/Try.h"

#include <cstring>
#include <sodium.h>

namespace sextant::packager {

using module::Code;
using module::Result;
using module::Status;
using module::format::Header;

const module::Crypto &crypto() {
  static const module::Crypto functions = [] {
    // This picks the fastest code. The functions used here need no more.
    [[maybe_unused]] const int ready = sodium_init();
    return module::Crypto{&crypto_hash_sha256, &crypto_sign_ed25519_verify_detached};
  }();
  return functions;
}

module::Sha256 sha256(std::span<const std::byte> bytes) {
  module::Sha256 digest{};
  crypto().sha256(digest.data(), reinterpret_cast<const unsigned char *>(bytes.data()),
                  bytes.size());
  return digest;
}

/// Writes the header without its hash, then the hash.
static void putHeader(std::span<std::byte> module, Header header) {
  header.hash = module::hash64(&header, offsetof(Header, hash));
  std::memcpy(module.data(), &header, sizeof(Header));
}

void sealTables(std::vector<std::byte> &module, Header header) {
  std::memcpy(module.data(), &header, sizeof(Header));
  const module::Sha256 digest = module::digestOfTables(std::span(module).first(header.tableBytes),
                                                       header.headerBytes, crypto());
  std::memcpy(header.tableDigest, digest.data(), sizeof(header.tableDigest));
  putHeader(module, header);
}

/// Reads the header of a module that can be signed: whole, and of this version. A later version has
/// a longer header, whose other fields are unknown here.
static Result<Header> headerToSign(std::span<const std::byte> module) {
  const Result<module::Reader> reader = module::Reader::fromMemory(module, {}, {&crypto(), {}});
  SXT_MODULE_TRY(reader);
  if (!reader->hasDigests())
    return Status{Code::InvalidInput, "the module is of format version " +
                                          std::to_string(reader->versionMajor()) + "." +
                                          std::to_string(reader->versionMinor()) +
                                          ", which has no signatures; compile it again"};
  const Header header = module::format::loadHeader(module.data());
  if (header.headerBytes != sizeof(Header))
    return Status{Code::Unsupported,
                  "the module was made by a newer compiler; sign it with that one's command"};
  SXT_MODULE_TRY(reader->verify());
  return header;
}

static module::SignedMessage messageOf(const Header &header) {
  module::Sha256 digest{};
  std::memcpy(digest.data(), header.tableDigest, digest.size());
  return module::signedMessage(digest);
}

Result<module::SignedMessage> messageOf(std::span<const std::byte> module) {
  const Result<Header> header = headerToSign(module);
  SXT_MODULE_TRY(header);
  return messageOf(*header);
}

Result<std::vector<std::byte>> withSignature(std::span<const std::byte> module,
                                             const module::PublicKey &key,
                                             const Signature &signature) {
  Result<Header> header = headerToSign(module);
  SXT_MODULE_TRY(header);
  const module::SignedMessage message = messageOf(*header);
  if (crypto().verify(signature.data(), message.data(), message.size(), key.data()) != 0)
    return Status{Code::InvalidInput,
                  "the signature is not one of this module by that key; sign the bytes that "
                  "`sextant sign --message` writes, with Ed25519 and without hashing them first"};
  std::memcpy(header->publicKey, key.data(), key.size());
  std::memcpy(header->signature, signature.data(), signature.size());
  std::vector<std::byte> bytes(module.begin(), module.end());
  putHeader(bytes, *header);
  return bytes;
}

Result<std::vector<std::byte>> sign(std::span<const std::byte> module, const SecretKey &key) {
  const Result<module::SignedMessage> message = messageOf(module);
  SXT_MODULE_TRY(message);
  module::PublicKey publicKey{};
  std::array<uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> pair{};
  crypto_sign_ed25519_seed_keypair(publicKey.data(), pair.data(), key.seed.data());
  Signature signature{};
  crypto_sign_ed25519_detached(signature.data(), nullptr, message->data(), message->size(),
                               pair.data());
  sodium_memzero(pair.data(), pair.size());
  return withSignature(module, publicKey, signature);
}

} // namespace sextant::packager
