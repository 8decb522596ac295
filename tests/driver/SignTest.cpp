// sign, keygen, and verify with keys.
#include "packager/Sign.h"
#include "CommandLine.h"
#include "packager/Words.h"
#include "tests/support/Catch.h"

#include <sys/stat.h>

using namespace sextant;

namespace {

mode_t modeOf(const std::string &path) {
  struct stat facts{};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777;
}

/// A module and a pair of keys.
struct Signing : Workplace {
  Signing() {
    write("saxpy.py", saxpySource);
    good({"compile", "saxpy.py", "-o", "app.sxt", "--compress=fast"});
    good({"keygen", "key.pem"});
  }
};

} // namespace

TEST_CASE("keygen makes a pair that nothing overwrites", "[sign]") {
  Workplace place;
  const CommandResult made = place.good({"keygen", "key.pem"});
  CHECK(place.list() == std::vector<std::string>{"key.pem", "key.pem.pub"});
  CHECK(modeOf(place.path("key.pem")) == 0600);
  const std::string secret = place.read("key.pem"), published = place.read("key.pem.pub");
  const auto key = packager::parseSecretKey(secret);
  REQUIRE(key.ok());
  CHECK(packager::textOf(packager::publicKeyOf(*key)) == published);
  CHECK(made.out.starts_with(packager::hex(packager::publicKeyOf(*key)) + "\n{{0x"));
  CHECK(place.good({"keygen", "--show", "key.pem.pub"}).out == made.out);

  const CommandResult again = place.run({"keygen", "key.pem"});
  CHECK(again.status == 1);
  CHECK(contains(again.err, "'key.pem.pub' exists"));
  CHECK(contains(again.err, "--force to lose that key"));
  CHECK(std::remove(place.path("key.pem.pub").c_str()) == 0);
  const CommandResult half = place.run({"keygen", "key.pem"});
  CHECK(half.status == 1);
  CHECK(contains(half.err, "'key.pem' exists"));
  CHECK(place.read("key.pem") == secret);
  CHECK(place.list() == std::vector<std::string>{"key.pem"});
  place.good({"keygen", "--force", "key.pem"});
  CHECK(place.read("key.pem") != secret);
  CHECK(modeOf(place.path("key.pem")) == 0600);
  CHECK(contains(place.run({"keygen", "--show", "key.pem"}).err,
                 "'key.pem': this is a secret key, not the public one"));
  CHECK(contains(place.run({"keygen", "no/such/key.pem"}).err, "cannot write 'no/such/key.pem'"));
}

TEST_CASE("a module is signed, in place or beside", "[sign]") {
  Signing place;
  const std::string plain = place.read("app.sxt");
  place.good({"sign", "app.sxt", "--key", "key.pem", "-o", "signed.sxt"});
  CHECK(place.read("app.sxt") == plain);
  CHECK(place.read("signed.sxt").size() == plain.size());
  CHECK(place.good({"verify", "signed.sxt", "--public-key", "key.pem.pub"}).out ==
        "signed.sxt: good\n");
  CHECK(contains(place.good({"inspect", "signed.sxt"}).out, "signed by"));
  place.good({"sign", "app.sxt", "--key", "key.pem"});
  CHECK(place.read("app.sxt") == place.read("signed.sxt"));

  place.good({"keygen", "other.pem"});
  const CommandResult other = place.run({"verify", "signed.sxt", "--public-key", "other.pem.pub"});
  CHECK(other.status == 1);
  CHECK(contains(other.err, "untrusted module: it is signed with another key"));
  place.good(
      {"verify", "signed.sxt", "--public-key", "other.pem.pub", "--public-key", "key.pem.pub"});

  std::string altered = place.read("signed.sxt");
  altered.back() ^= 1;
  place.write("altered.sxt", altered);
  CHECK(contains(place.run({"verify", "altered.sxt"}).err, "its SHA-256 does not match"));
  CHECK(contains(place.run({"verify", "altered.sxt", "--public-key", "key.pem.pub"}).err,
                 "was altered after the module was signed"));
  const CommandResult damaged = place.run({"sign", "altered.sxt", "--key", "key.pem"});
  CHECK(damaged.status == 1);
  CHECK(damaged.err.starts_with("sextant: error: 'altered.sxt': corrupt module: "));
  CHECK(place.read("altered.sxt") == altered);

  place.good({"merge", "signed.sxt", "-o", "merged.sxt"});
  CHECK(contains(place.run({"verify", "merged.sxt", "--public-key", "key.pem.pub"}).err,
                 "untrusted module: it is not signed"));
}

TEST_CASE("how to sign has to be said, once", "[sign]") {
  Workplace place;
  CHECK(contains(place.run({"sign", "m.sxt"}).err, "nothing says how to sign"));
  const CommandResult both = place.run({"sign", "m.sxt", "--key", "a", "--message", "b"});
  CHECK(both.status == 1);
  CHECK(contains(both.err, "--message"));
}

TEST_CASE("a key that is kept elsewhere signs the message", "[sign]") {
  Signing place;
  place.good({"sign", "app.sxt", "--message", "message"});
  const std::string message = place.read("message");
  CHECK(message.size() == 59);
  CHECK(message.starts_with("sextant module signature 1"));
  // The other machine has this: the same module, signed in one step.
  place.good({"sign", "app.sxt", "--key", "key.pem", "-o", "whole.sxt"});
  const std::string whole = place.read("whole.sxt");
  const std::string signature = whole.substr(192, 64); // Header::signature
  place.write("signature", signature);
  place.good({"sign", "app.sxt", "--signature", "signature", "--public-key", "key.pem.pub", "-o",
              "put.sxt"});
  CHECK(place.read("put.sxt") == whole);
  std::string wrong = signature;
  wrong[0] ^= 1;
  place.write("signature", wrong);
  const CommandResult refused =
      place.run({"sign", "app.sxt", "--signature", "signature", "--public-key", "key.pem.pub"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "the signature is not one of this module by that key"));
  place.write("signature", "short");
  CHECK(contains(
      place.run({"sign", "app.sxt", "--signature", "signature", "--public-key", "key.pem.pub"}).err,
      "signature: an Ed25519 signature has 64 bytes, there are 5"));
  CHECK(place.run({"sign", "app.sxt"}).status != 0);
  CHECK(place.run({"sign", "app.sxt", "--key", "key.pem", "--message", "m"}).status != 0);
  CHECK(place.run({"sign", "app.sxt", "--signature", "signature"}).status != 0);
}
