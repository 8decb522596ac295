// Attachments: what a module carries for its user comes back, is covered by the signature, and is
// checked like everything else.
#include "loader/format/Trust.h"
#include "packager/Diff.h"
#include "packager/Merge.h"
#include "packager/Sign.h"
#include "packager/Thin.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

using namespace sextant;
using namespace sextant::test;

namespace {

/// Returns the reader's objection to a module whose item of an attachment, or its pack's entry, was
/// changed.
template <class Change> std::string afterEdit(uint32_t index, Change change) {
  Patient patient{attachedModule()};
  const uint64_t info = patient.header().infoOffset;
  const uint64_t at = info + patient.get<InfoRecord>(info).attachments.offset;
  if constexpr (std::is_invocable_v<Change, AttachmentItem &>) {
    patient.edit<AttachmentItem>(at + index * sizeof(AttachmentItem), change);
  } else {
    const uint32_t pack = patient.get<AttachmentItem>(at + index * sizeof(AttachmentItem)).pack;
    patient.edit<PackEntry>(patient.packEntryAt(pack), change);
  }
  patient.hashAgain();
  return patient.verifyError();
}

Reader readerOf(const Bytes &bytes, Trust trust = {}) {
  auto reader = Reader::fromMemory(bytes, {}, std::move(trust));
  need(reader.ok() ? Status{} : reader.error());
  return std::move(*reader);
}

packager::Shard shardOf(const std::string &name, const Bytes &bytes) {
  return {name, *packager::contentsOf(readerOf(bytes))};
}

} // namespace

TEST_CASE("attachments come back, whatever the compression") {
  for (const auto compression :
       {packager::Compression::None, packager::Compression::Fast, packager::Compression::Small}) {
    const Bytes bytes = attachedModule(compression);
    const Reader reader = readerOf(bytes, {&packager::crypto(), {}});
    need(reader.verify());
    CHECK(*reader.attachment("scene.json") == imageBytes(7, 100000));
    CHECK(*reader.attachment("b.txt") == bytesOf("text"));
    CHECK(reader.attachment("empty")->empty());
    const auto info = reader.info();
    REQUIRE(info->attachments.size() == 3);
    CHECK(info->attachments[0].name == "b.txt");
    CHECK(info->attachments[1].bytes == 0);
    CHECK(info->attachments[2].bytes == 100000);
    const auto all = reader.attachments();
    CHECK(*all == std::vector<Bytes>{bytesOf("text"), {}, imageBytes(7, 100000)});
    const auto none = reader.attachment("c.txt");
    CHECK(none.error().code == Code::NotFound);
    CHECK(none.error().message ==
          "the module has no attachment 'c.txt'; it has b.txt, empty, scene.json");
    if (compression != packager::Compression::None)
      CHECK(bytes.size() < sampleModule().size() + 10000);
  }
  const Bytes without = sampleModule();
  CHECK(readerOf(without).attachment("x").error().message ==
        "the module has no attachment 'x'; it has none");
}

TEST_CASE("kernels and images of a module with attachments are as without") {
  const Bytes with = attachedModule(), without = sampleModule();
  const Reader one = readerOf(with), other = readerOf(without);
  REQUIRE(one.imageCount() == other.imageCount());
  for (uint32_t i = 0; i < one.imageCount(); ++i)
    CHECK(*one.image(i) == *other.image(i));
  CHECK(*one.kernels() == *other.kernels());
}

TEST_CASE("names and sizes of attachments are checked when they are added") {
  packager::ModuleBuilder builder = sampleBuilder();
  need(builder.attach("a", bytesOf("1")));
  need(builder.attach("a", bytesOf("1"))); // the same
  CHECK(builder.attach("a", bytesOf("2")).message ==
        "two attachments have the name 'a'; give one of them another");
  CHECK(!builder.attach("", bytesOf("1")).ok());
  CHECK(!builder.attach("a\nb", bytesOf("1")).ok());
  CHECK(!builder.attach(std::string(1025, 'x'), bytesOf("1")).ok());
  const Bytes large(maxAttachmentBytes + 1);
  CHECK(builder.attach("large", large).message ==
        "attachment 'large': it has 67108865 bytes, at most 67108864 are allowed");
  need(builder.attach("large", std::span(large).first(maxAttachmentBytes)));
}

TEST_CASE("what is wrong with an attachment is told") {
  const auto record = [](const std::string &what) { return about("the info record", what); };
  CHECK(afterEdit(0, [](AttachmentItem &) {}).empty());
  CHECK(afterEdit(0, [](AttachmentItem &item) { item.pack = 99; }) ==
        record("an attachment lies in pack 99, which does not exist"));
  CHECK(afterEdit(1, [](AttachmentItem &item) { --item.pack; }) ==
        record("attachment 'empty': it is out of order"));
  CHECK(afterEdit(0, [](AttachmentItem &item) { item.name.bytes = 0; }) ==
        record("an attachment has no name"));
  CHECK(afterEdit(0, [](AttachmentItem &item) { item.bytes = ~uint64_t(0); }) ==
        record("attachment 'b.txt': it has 18446744073709551615 bytes, at most 67108864 are "
               "allowed"));
  CHECK(afterEdit(0, [](AttachmentItem &item) { ++item.bytes; }) ==
        about("attachment 'b.txt'", "its pack is another's, or has another size"));
  CHECK(afterEdit(2, [](AttachmentItem &item) { ++item.pack; }) ==
        about("attachment 'scene.json'", "its pack is another's, or has another size"));
  CHECK(afterEdit(2, [](PackEntry &entry) { entry.base = 0; }) ==
        about("attachment 'scene.json'", "its pack is another's, or has another size"));
  CHECK(afterEdit(2, [](PackEntry &entry) { entry.contentHash[3] ^= 1; }) ==
        about("pack 3", "the hash of its content does not match"));
}

TEST_CASE("a signature covers attachments") {
  const auto key =
      packager::parseSecretKey("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  const Bytes bytes = *packager::sign(attachedModule(packager::Compression::None), *key);
  const Trust trust{&packager::crypto(), {packager::publicKeyOf(*key)}};
  CHECK(*readerOf(bytes, trust).attachment("b.txt") == bytesOf("text"));
  Patient patient{bytes};
  const std::string text = "text";
  const auto at = std::search(patient.bytes.begin(), patient.bytes.end(),
                              reinterpret_cast<const std::byte *>(text.data()),
                              reinterpret_cast<const std::byte *>(text.data()) + text.size());
  REQUIRE(at != patient.bytes.end());
  *at ^= std::byte{1};
  patient.hashAgain(); // no hash tells
  const auto reader = Reader::fromMemory(patient.bytes, {}, trust);
  CHECK((!reader.ok() || reader->attachment("b.txt").error().code == Code::Untrusted));
}

TEST_CASE("merge keeps all attachments, and one of equal ones; thin keeps them") {
  const Bytes one = attachedModule();
  packager::ModuleBuilder builder = sampleBuilder();
  need(builder.attach("b.txt", bytesOf("text")));
  need(builder.attach("z", bytesOf("last")));
  const Bytes two = *builder.build();
  const std::vector<packager::Shard> shards = {shardOf("one.sxt", one), shardOf("two.sxt", two)};
  const auto merged = packager::merge(shards);
  REQUIRE(merged.ok());
  const auto rebuilt = packager::builderOf(*merged);
  const Bytes bytes = *rebuilt->build();
  const Reader reader = readerOf(bytes);
  need(reader.verify());
  CHECK(*reader.attachments() ==
        std::vector<Bytes>{bytesOf("text"), {}, imageBytes(7, 100000), bytesOf("last")});

  packager::ModuleBuilder other = sampleBuilder();
  need(other.attach("b.txt", bytesOf("texts")));
  const std::vector<packager::Shard> unlike = {shardOf("one.sxt", one),
                                               shardOf("three.sxt", *other.build())};
  CHECK(packager::merge(unlike).error().message ==
        "attachment 'b.txt' has other bytes in 'one.sxt' than in 'three.sxt'; compile both with "
        "the same file, or give one another name");

  packager::ThinOptions options;
  options.keep = {*packager::parsePattern("cuda")};
  options.allowEmptyKernels = true;
  const auto thin = packager::thin(*packager::contentsOf(readerOf(one)), options);
  REQUIRE(thin.ok());
  CHECK(thin->attachments.at("b.txt") == bytesOf("text"));
  CHECK(thin->attachments.size() == 3);
}

TEST_CASE("diff tells of attachments") {
  packager::ModuleBuilder builder = sampleBuilder();
  need(builder.attach("b.txt", bytesOf("texts")));
  need(builder.attach("empty", {}));
  need(builder.attach("new", bytesOf("1")));
  const Bytes before = attachedModule(), after = *builder.build();
  const auto difference = packager::diff(readerOf(before), readerOf(after));
  REQUIRE(difference.ok());
  std::vector<std::string> texts;
  for (const packager::Change &change : difference->changes) {
    texts.push_back(change.text);
    CHECK(packager::nameOf(change.kind) == "attachment");
  }
  CHECK(texts == std::vector<std::string>{"attachment b.txt: changed, 4 -> 5 bytes",
                                          "attachment scene.json: removed",
                                          "attachment new: added"});
}
