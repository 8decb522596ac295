// Files that a later minor version may write: what is new in them is skipped, a variant that
// cannot be understood does not run, and what must not be overlooked is refused.
#include "loader/format/Format.h"
#include "loader/format/Select.h"
#include "packager/Sign.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

/// The file of a version 1.9 whose header and entries are longer by `more` bytes each, of a
/// pattern that is nothing.
Bytes fromTheFuture(const Bytes &today, uint32_t more) {
  const Patient patient{today};
  Header header = patient.header();
  Bytes bytes(sizeof(Header) + more);
  auto align = [&] {
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes.size();
  };
  auto append = [&](uint64_t from, uint64_t size) {
    const uint64_t at = align();
    const auto first = today.begin() + static_cast<ptrdiff_t>(from);
    bytes.insert(bytes.end(), first, first + static_cast<ptrdiff_t>(size));
    return at;
  };
  auto put = [&](uint64_t at, auto value, uint64_t seed) {
    const size_t known = sizeof(value) - sizeof(uint64_t);
    std::memcpy(bytes.data() + at, &value, known);
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at + known), more, std::byte{0x5a});
    const uint64_t hash = hash64(bytes.data() + at, known + more, seed);
    std::memcpy(bytes.data() + at + known + more, &hash, sizeof(hash));
  };
  header.minor = 9;
  header.headerBytes += more;
  header.kernelEntryBytes += more;
  header.packEntryBytes += more;
  header.kernelEntries = align();
  bytes.resize(bytes.size() + uint64_t(header.kernelCount) * header.kernelEntryBytes);
  header.packEntries = align();
  bytes.resize(bytes.size() + uint64_t(header.packCount) * header.packEntryBytes);
  header.infoOffset = append(header.infoOffset, header.infoBytes);
  header.tableBytes = align();
  for (uint32_t i = 0; i < header.kernelCount; ++i)
    put(header.kernelEntries + uint64_t(i) * header.kernelEntryBytes, patient.kernelEntry(i), i);
  for (uint32_t i = 0; i < header.packCount; ++i) {
    PackEntry entry = patient.packEntry(i);
    entry.offset = append(entry.offset, entry.storedBytes);
    put(header.packEntries + uint64_t(i) * header.packEntryBytes, entry, i);
  }
  header.fileBytes = bytes.size();
  put(0, header, 0);
  const Sha256 digest = digestOfTables(std::span(bytes).first(header.tableBytes),
                                       header.headerBytes, packager::crypto());
  std::copy(digest.begin(), digest.end(), header.tableDigest);
  put(0, header, 0);
  return bytes;
}

} // namespace

TEST_CASE("longer headers and entries are skipped where they end") {
  const Bytes today = sampleModule();
  const auto before = Reader::fromMemory(today);
  for (const uint32_t more : {8u, 64u, 4096u - uint32_t(sizeof(Header))}) {
    const Bytes bytes = fromTheFuture(today, more);
    const auto reader = Reader::fromMemory(bytes, {}, {&packager::crypto(), {}});
    REQUIRE(reader.ok());
    const Status verified = reader->verify();
    INFO(verified.message);
    CHECK(verified.ok());
    CHECK(reader->versionMinor() == 9);
    CHECK(*reader->info() == *before->info());
    for (uint32_t i = 0; i < before->kernelCount(); ++i)
      CHECK(*reader->kernel(i) == *before->kernel(i));
    for (uint32_t i = 0; i < before->imageCount(); ++i)
      CHECK(*reader->image(i) == *before->image(i));
    // Skipped bytes are hashed, and covered by the digest, all the same.
    for (const size_t at : {size_t(sizeof(Header)), bytes.size() - 1}) {
      Bytes damaged = bytes;
      damaged[at] ^= std::byte{1};
      const auto found = Reader::fromMemory(damaged);
      CHECK((!found.ok() || !found->verify().ok()));
    }
    // Its command signs it: this one does not know what it would vouch for.
    CHECK(packager::messageOf(bytes).error().message ==
          "the module was made by a newer compiler; sign it with that one's command");
  }
}

TEST_CASE("an unknown required bit is refused with what to do") {
  for (const uint32_t bit : {1u << 8, 1u << 31}) {
    Patient patient{sampleModule()};
    patient.edit<Header>(0, [&](Header &h) { h.required |= bit; });
    patient.hashAgain();
    CHECK(patient.openError() == "the module needs format features (bits " + std::to_string(bit) +
                                     ") that this loader lacks; use a newer loader");
    CHECK(Reader::fromMemory(patient.bytes).error().code == Code::Unsupported);
  }
}

TEST_CASE("reserved fields are not looked at") {
  Patient patient{sampleModule()};
  patient.edit<Header>(0, [](Header &h) { h.reserved[0] = h.reserved[1] = ~uint64_t(0); });
  patient.edit<KernelEntry>(patient.kernelEntryAt(0), [](KernelEntry &e) { e.reserved[1] = 7; });
  patient.hashAgain();
  CHECK(patient.verifyError().empty());
}

TEST_CASE("what is new in a variant leaves it out, and no other") {
  packager::ModuleBuilder builder("sextant 9.0", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  uint8_t seed = 0;
  auto add = [&](Target target, const char *format, std::vector<std::string> requirements = {}) {
    need(builder.addVariant(kernel, totalPlan(32),
                            variantFor(std::move(target), builder.addImage(imageBytes(++seed)),
                                       format, std::move(requirements))));
  };
  add({"quantum", "q1", {}, 32}, "qasm");
  add({"cuda", "sm_9000q", {}, 32}, "cubin");
  add({"cuda", "sm_90", {}, 32}, "tilebin");
  add({"cuda", "sm_90", {"teleport"}, 32}, "cubin");
  add({"cuda", "compute_90", {}, 32}, "ptx", {"time-travel>=2.0"});
  add({"cuda", "compute_89", {}, 32}, "ptx", {"ptx>=next"});
  add({"cuda", "compute_80", {}, 32}, "ptx");
  const auto bytes = builder.build();
  const auto reader = Reader::fromMemory(*bytes);
  REQUIRE(reader->verify().ok());
  const auto read = reader->kernel(0);
  const auto verdicts = select(*factsOf("sm_90"), read->variants);
  REQUIRE(verdicts.size() == 7);
  CHECK(verdicts[0].usable);
  CHECK(str(read->variants[verdicts[0].variant].target) == "cuda:compute_80/wave32");
  const char *reasons[] = {
      "is code for quantum; the device is cuda",
      "is for sm_9000q; the device is sm_90",
      "is in the format 'tilebin', which this version does not run",
      "needs the feature 'teleport', which the device lacks",
      "needs time-travel>=2.0; the device has no such thing",
      "has the requirement 'ptx>=next', which this version does not understand",
  };
  for (size_t i = 0; i < std::size(reasons); ++i) {
    CHECK(!verdicts[i + 1].usable);
    CHECK(verdicts[i + 1].reason == reasons[verdicts[i + 1].variant]);
  }
}

TEST_CASE("what is new in a signature or plan refuses the kernel, and no other") {
  auto after = [](const std::function<void(Patient &, uint64_t, const KernelRecord &)> &change) {
    Patient patient{sampleModule()};
    patient.storePacks();
    const uint64_t at = patient.recordAt(patient.total());
    change(patient, at, patient.get<KernelRecord>(at));
    patient.hashAgain();
    const auto reader = Reader::fromMemory(patient.bytes);
    REQUIRE(reader.ok());
    CHECK(reader->kernel(*reader->findKernel("empty_i32")).ok());
    const auto kernel = reader->kernel(*reader->findKernel("total"));
    REQUIRE(!kernel.ok());
    return kernel.error().message;
  };
  auto total = [](const std::string &what) {
    return "corrupt module: kernel 'total': " + what + "; build or copy it again";
  };
  CHECK(after([](Patient &p, uint64_t at, const KernelRecord &r) {
          p.edit<ArgumentItem>(at + r.arguments.offset, [](ArgumentItem &a) { a.dtype = 99; });
        }) == total("argument 'src': type 99 does not exist"));
  CHECK(after([](Patient &p, uint64_t at, const KernelRecord &r) {
          p.edit<ArgumentItem>(at + r.arguments.offset, [](ArgumentItem &a) { a.kind = 99; });
        }) == total("argument 'src': kind 99 does not exist"));
  CHECK(after([](Patient &p, uint64_t at, const KernelRecord &r) {
          p.edit<HiddenItem>(at + r.hidden.offset, [](HiddenItem &h) { h.role = 99; });
        }) == total("hidden buffer 'bins': role 99 does not exist"));
  CHECK(after([](Patient &p, uint64_t at, const KernelRecord &r) {
          p.edit<StepItem>(at + r.steps.offset, [](StepItem &s) { s.op = 999; });
        }) == total("the iterations of task 'total_t0': operator 999 does not exist"));
}
