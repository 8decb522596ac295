// Digests and signatures: what is accepted, and that every change of a signed module is
// refused, with the sentence that says why.
#include "loader/format/Hash.h"
#include "loader/format/Reader.h"
#include "packager/Sign.h"
#include "packager/Words.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

std::string get(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

packager::SecretKey keyOf(const std::string &hex) {
  auto key = packager::parseSecretKey(hex);
  REQUIRE(key.ok());
  return *key;
}

/// The keys of RFC 8032, section 7.1, tests 1 and 2.
const std::string secret1 = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                  public1 = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                  secret2 = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                  public2 = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";

Trust trusting(const std::vector<std::string> &keys) {
  Trust trust{&packager::crypto(), {}};
  for (const std::string &key : keys)
    trust.keys.push_back(*packager::parsePublicKey(key));
  return trust;
}

Bytes signedModule() { return *packager::sign(sampleModule(), keyOf(secret1)); }

/// Returns what a reader that trusts the first key says at opening or at the first use that fails.
Status judged(const Bytes &bytes) {
  const auto reader = Reader::fromMemory(bytes, {}, trusting({public1}));
  return reader ? reader->verify() : reader.error();
}

} // namespace

TEST_CASE("Ed25519 is that of RFC 8032") {
  struct Vector {
    std::string secret, key, message, signature;
  };
  const Vector vectors[] = {{secret1, public1, "",
                             "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb88"
                             "21590a33bacc61e39701cf9"
                             "b46bd25bf5f0595bbe24655141438e7a100b"},
                            {secret2, public2, "72",
                             "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac"
                             "1e43e15996e458f3613d0f1"
                             "1d8c387b2eaeb4302aeeb00d291612bb0c00"}};
  const Crypto &crypto = packager::crypto();
  for (const Vector &vector : vectors) {
    const PublicKey key = packager::publicKeyOf(keyOf(vector.secret));
    CHECK(packager::hex(key) == vector.key);
    std::string message = get(vector.message), signature = get(vector.signature);
    auto verify = [&] {
      return crypto.verify(reinterpret_cast<const unsigned char *>(signature.data()),
                           reinterpret_cast<const unsigned char *>(message.data()), message.size(),
                           key.data());
    };
    CHECK(verify() == 0);
    signature[3] ^= 1;
    CHECK(verify() != 0);
    signature[3] ^= 1;
    // The same number modulo the group's order, which RFC 8032 (5.1.7) refuses.
    const unsigned char order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                     0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                     0,    0,    0,    0,    0,    0,    0,    0,
                                     0,    0,    0,    0,    0,    0,    0,    0x10};
    unsigned carry = 0;
    for (size_t i = 0; i < 32; ++i) {
      carry += static_cast<unsigned char>(signature[32 + i]) + order[i];
      signature[32 + i] = static_cast<char>(carry);
      carry >>= 8;
    }
    CHECK(verify() != 0);
  }
  // FIPS 180-2, B.1.
  CHECK(packager::hex(packager::sha256(bytesOf("abc"))) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a signed module is read where its key is trusted") {
  const Bytes plain = sampleModule(), bytes = signedModule();
  CHECK(bytes.size() == plain.size());
  CHECK(bytes == signedModule()); // Ed25519 is deterministic
  for (const auto &keys : {std::vector{public1}, std::vector{public2, public1}}) {
    const auto reader = Reader::fromMemory(bytes, {}, trusting(keys));
    REQUIRE(reader.ok());
    CHECK(reader->verify().ok());
    CHECK(packager::hex(*reader->signer()) == public1);
    CHECK(reader->image(0).ok());
  }
  CHECK(Reader::fromMemory(bytes)->verify().ok()); // signed or not: who gives no key need not care
  CHECK(!Reader::fromMemory(plain)->signer());
  // Signed again, with another key.
  const Bytes again = *packager::sign(bytes, keyOf(secret2));
  CHECK(Reader::fromMemory(again, {}, trusting({public2})).ok());
  CHECK(judged(again).message == "untrusted module: it is signed with another key, "
                                 "3d4017c3e843895a…; sign it with one that is trusted here");
  CHECK(judged(plain).message == "untrusted module: it is not signed; sign it with `sextant sign`");
  CHECK(judged(plain).code == Code::Untrusted);
  CHECK(judged(oldSample().bytes).code == Code::Untrusted);
  CHECK(packager::sign(oldSample().bytes, keyOf(secret1)).error().message ==
        "the module is of format version 1.0, which has no signatures; compile it again");
}

TEST_CASE("a signature covers the digest and nothing of another kind") {
  // Computed apart from Trust.cpp: the text, its NUL, and SHA-256 of the tables without
  // digest, key, signature and hash.
  const Bytes bytes = signedModule();
  const Header header = Patient{bytes}.header();
  std::string tables(reinterpret_cast<const char *>(bytes.data()), header.tableBytes);
  tables = tables.substr(0, 128) + tables.substr(264);
  CHECK(packager::hex(packager::sha256(bytesOf(tables))) == packager::hex(header.tableDigest));
  const std::string message = std::string("sextant module signature 1") + '\0' +
                              std::string(reinterpret_cast<const char *>(header.tableDigest), 32);
  CHECK(packager::crypto().verify(header.signature,
                                  reinterpret_cast<const unsigned char *>(message.data()),
                                  message.size(), header.publicKey) == 0);
  const auto stated = packager::messageOf(bytes);
  CHECK(std::string(stated->begin(), stated->end()) == message);
  // And each frame is in the tables.
  for (uint32_t i = 0; i < header.packCount; ++i) {
    const PackEntry entry = Patient{bytes}.packEntry(i);
    CHECK(packager::hex(packager::sha256(std::span(bytes).subspan(
              entry.offset, entry.storedBytes))) == packager::hex(entry.frameDigest));
  }
}

TEST_CASE("no bit of a module may change, signed or verified") {
  const Bytes bytes = signedModule();
  const Trust digests{&packager::crypto(), {}};
  std::set<std::string> kinds;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    const Status status = judged(flipped);
    INFO("bit " << bit);
    REQUIRE(!status.ok());
    kinds.insert(status.message.substr(0, status.message.find(':')));
    const auto reader = Reader::fromMemory(flipped, {}, digests);
    REQUIRE((!reader.ok() || !reader->verify().ok()));
  }
  CHECK(kinds.contains("untrusted module"));
}

TEST_CASE("what is altered under sound hashes is refused") {
  // The forger can compute everything but the signature.
  auto after = [](const std::function<void(Patient &)> &change) {
    Patient patient{signedModule()};
    change(patient);
    patient.hashAgain();
    return judged(patient.bytes);
  };
  auto resealed = [&](const std::function<void(Patient &)> &change) {
    return after([&](Patient &patient) {
      change(patient);
      patient.hashAgain();
      Header header = patient.header();
      const auto digest = digestOfTables(std::span(patient.bytes).first(header.tableBytes),
                                         header.headerBytes, packager::crypto());
      std::copy(digest.begin(), digest.end(), header.tableDigest);
      patient.putHashed(0, header, 0);
    });
  };
  const std::string altered = " was altered after the module was signed; get it again from its "
                              "maker";
  const std::string tables = "untrusted module: its table of contents" + altered;
  CHECK(after([](Patient &) {}).ok());
  auto header = [](Patient &p) { p.edit<Header>(0, [](Header &h) { h.reserved[1] = 1; }); };
  auto info = [](Patient &p) { p.bytes[p.header().infoOffset + 70] ^= std::byte{1}; };
  auto kernel = [](Patient &p) {
    p.edit<KernelEntry>(p.kernelEntryAt(1), [](KernelEntry &e) { e.reserved[0] = 1; });
  };
  auto pack = [](Patient &p) {
    p.edit<PackEntry>(p.packEntryAt(1), [](PackEntry &e) { e.frameDigest[5] ^= 1; });
  };
  auto padding = [](Patient &p) { // a frame starts where the tables end
    const Header h = p.header();
    p.edit<Header>(0, [](Header &e) { e.infoBytes -= 8; });
    p.bytes[h.infoOffset + h.infoBytes - 1] = std::byte{1};
  };
  const std::function<void(Patient &)> changes[] = {header, info, kernel, pack, padding};
  for (const auto &change : changes) {
    CHECK(after(change).message == tables);
    CHECK(after(change).code == Code::Untrusted);
    CHECK(resealed(change).message ==
          "untrusted module: its signature does not fit its tables; sign it again");
  }
  auto frame = [](Patient &p) {
    p.bytes[p.packEntry(1).offset + p.packEntry(1).storedBytes - 1] ^= std::byte{1};
  };
  CHECK(after(frame).message == "untrusted module: pack 1" + altered);
  CHECK(resealed(frame).message == "untrusted module: pack 1" + altered);
  // The signature of another module, and none.
  const Header other = Patient{*packager::sign(checkedModule(), keyOf(secret1))}.header();
  CHECK(after([&](Patient &p) {
          p.edit<Header>(0, [&](Header &h) {
            std::copy(std::begin(other.signature), std::end(other.signature), h.signature);
          });
        }).message == "untrusted module: its signature does not fit its tables; sign it again");
  CHECK(after([&](Patient &p) {
          p.edit<Header>(0, [&](Header &h) { std::fill_n(h.signature, 64, uint8_t(0)); });
        }).message == "untrusted module: it is not signed; sign it with `sextant sign`");
  // One's own key in the header does not make it trusted.
  CHECK(after([&](Patient &p) {
          p.edit<Header>(0, [&](Header &h) { h.publicKey[0] ^= 1; });
        }).message.starts_with("untrusted module: it is signed with another key, d65a98"));
}

TEST_CASE("nothing of an altered frame is decompressed") {
  // A frame that would fail to decompress says that it was altered instead.
  Patient patient{signedModule()};
  const PackEntry entry = patient.packEntry(1);
  std::fill_n(patient.bytes.begin() + static_cast<ptrdiff_t>(entry.offset), entry.storedBytes,
              std::byte{0xff});
  const auto reader = Reader::fromMemory(patient.bytes, {}, trusting({public1}));
  REQUIRE(reader.ok());
  CHECK(reader->image(0).error().code == Code::Untrusted);
}

TEST_CASE("a signed file that changes after it was opened is what was verified, or refused") {
  const std::string path =
      (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "-signed.sxt"))
          .string();
  auto write = [&](const Bytes &bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  const Bytes bytes = signedModule();
  write(bytes);
  const auto reader = Reader::fromFile(path, {}, trusting({public1}));
  REQUIRE(reader.ok());
  // The tables are kept: only frames are read again.
  Bytes changed = bytes;
  std::fill_n(changed.begin(), Patient{bytes}.header().tableBytes, std::byte{0x11});
  write(changed);
  CHECK(reader->kernel(*reader->findKernel("total")).ok());
  CHECK(reader->image(0).ok());
  CHECK(reader->info().ok());
  changed.back() ^= std::byte{1};
  write(changed);
  const auto second = reader->image(reader->imageCount() - 1);
  CHECK(second.error().code == Code::Untrusted);
  CHECK(truncate(path.c_str(), 300) == 0);
  CHECK(reader->image(reader->imageCount() - 1).error().code == Code::Truncated);
  // Altered before it is opened.
  Bytes altered = bytes;
  altered.back() ^= std::byte{1};
  write(altered);
  const auto opened = Reader::fromFile(path, {}, trusting({public1}));
  REQUIRE(opened.ok()); // its tables are as signed
  CHECK(opened->verify().code == Code::Untrusted);
  write(sampleModule());
  CHECK(Reader::fromFile(path, {}, trusting({public1})).error().message ==
        "'" + path + "': untrusted module: it is not signed; sign it with `sextant sign`");
  std::filesystem::remove(path);
}

TEST_CASE("bytes that belong to no part of a module are zero") {
  Patient patient{sampleModule()};
  const PackEntry last = patient.packEntry(patient.header().packCount - 1);
  patient.bytes.resize(patient.bytes.size() + 16);
  patient.edit<Header>(0, [](Header &h) { h.fileBytes += 16; });
  patient.hashAgain();
  CHECK(patient.verifyError().empty());
  patient.bytes[last.offset + last.storedBytes + 12] = std::byte{1};
  CHECK(patient.verifyError() ==
        about("the file", "byte " + std::to_string(last.offset + last.storedBytes + 12) +
                              " belongs to no part of it, yet is not zero"));
}

TEST_CASE("bytes between the parts of a signed module are held to be zero at opening") {
  const Bytes bytes = signedModule();
  const Patient patient{bytes};
  const uint32_t packs = patient.header().packCount;
  unsigned gaps = 0;
  for (uint32_t pack = 0; pack + 1 < packs; ++pack) {
    const PackEntry entry = patient.packEntry(pack);
    const uint64_t end = entry.offset + entry.storedBytes,
                   next = patient.packEntry(pack + 1).offset;
    for (uint64_t at = end; at < next; ++at, ++gaps) {
      Bytes altered = bytes;
      altered[at] ^= std::byte{0x10};
      const auto reader = Reader::fromMemory(altered, {}, trusting({public1}));
      REQUIRE(!reader.ok());
      CHECK(reader.error().message ==
            "untrusted module: what lies between its parts was altered after the module was "
            "signed; get it again from its maker");
      CHECK(reader.error().code == Code::Untrusted);
      CHECK(Reader::fromMemory(altered).ok()); // without a key, `verify` looks
    }
  }
  CHECK(gaps != 0);
}

TEST_CASE("keys are read as openssl writes them") {
  // openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout
  const std::string secret = "-----BEGIN PRIVATE KEY-----\n"
                             "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                             "-----END PRIVATE KEY-----\n",
                    published = "-----BEGIN PUBLIC KEY-----\n"
                                "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
                                "-----END PUBLIC KEY-----\n";
  CHECK(keyOf(secret).seed == keyOf(secret1).seed);
  CHECK(packager::textOf(keyOf(secret1)) == secret);
  CHECK(packager::hex(*packager::parsePublicKey(published)) == public1);
  CHECK(packager::textOf(*packager::parsePublicKey(public1)) == published);
  CHECK(keyOf(" " + secret1 + "\n").seed == keyOf(secret1).seed);
  CHECK(keyOf(get(secret1)).seed == keyOf(secret1).seed);
  auto problem = [](const std::string &text) {
    const auto key = packager::parseSecretKey(text);
    REQUIRE(!key.ok());
    return key.error().message.substr(0, key.error().message.find(';'));
  };
  CHECK(problem("") == "this is not a key");
  CHECK(problem(secret1 + "00") == "this is not a key");
  CHECK(problem(published) == "this is a public key, not the secret one");
  CHECK(packager::parsePublicKey(secret).error().message.starts_with(
      "this is a secret key, not the public one"));
  CHECK(problem("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n"
                "-----END ENCRYPTED PRIVATE KEY-----\n") ==
        "this is not a plain Ed25519 key: of another kind, or encrypted");
  // An X25519 key differs in one byte of its algorithm.
  CHECK(problem("-----BEGIN PRIVATE KEY-----\n"
                "MC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                "-----END PRIVATE KEY-----\n") ==
        "this is not a plain Ed25519 key: of another kind, or encrypted");
  CHECK(packager::newKey().seed != packager::newKey().seed);
}

TEST_CASE("a signature that was made elsewhere is checked before it is put in") {
  const Bytes bytes = sampleModule();
  const Header header = Patient{signedModule()}.header();
  packager::Signature signature{};
  std::copy(std::begin(header.signature), std::end(header.signature), signature.begin());
  const PublicKey key = *packager::parsePublicKey(public1);
  CHECK(*packager::withSignature(bytes, key, signature) == signedModule());
  signature[0] ^= 1;
  CHECK(packager::withSignature(bytes, key, signature).error().code == Code::InvalidInput);
}
