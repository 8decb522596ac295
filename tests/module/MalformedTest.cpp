// Every check of the reader, each with its exact message. Modules are damaged and
// then hashed anew, so that each check is reached on its own.
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Reader.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <cstring>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::module::format;
using namespace sextant::test;

namespace {

std::string afterHeaderEdit(const std::function<void(Header &)> &change) {
  Patient patient{sampleModule()};
  Header header = patient.header();
  change(header);
  patient.putHashed(0, header, 0);
  return patient.openError();
}

} // namespace

TEST_CASE("what is not a module is told apart") {
  CHECK(Reader::fromMemory({}).error().message ==
        "truncated module: 0 bytes are less than a header; copy it again");
  CHECK(
      Reader::fromMemory(bytesOf("\x7f"
                                 "ELF aaaaaaaaaaa"))
          .error()
          .message ==
      "not a Sextant module: the first bytes are others; pass a file that `sextant compile` wrote");
  CHECK(Reader::fromMemory(bytesOf("hi")).error().code == Code::NotAModule);
  CHECK(Reader::fromMemory(bytesOf("\x89SXT\n\x1a\n1234567")).error().message ==
        "corrupt module: it was copied as text, which changed its line ends; copy it again, as "
        "binary");
}

TEST_CASE("the header is checked at opening") {
  CHECK(afterHeaderEdit([](Header &) {}).empty());
  CHECK(afterHeaderEdit([](Header &h) { h.major = 2; }) ==
        "the module has format version 2.6, this loader reads 1.x; use a loader of the compiler's "
        "version, or compile again");
  CHECK(afterHeaderEdit([](Header &h) { h.headerBytes = 120; }) ==
        about("the header", "it cannot have 120 bytes"));
  CHECK(afterHeaderEdit([](Header &h) { h.headerBytes = 129; }) ==
        about("the header", "it cannot have 129 bytes"));
  CHECK(afterHeaderEdit([](Header &h) { h.headerBytes = 4104; }) ==
        about("the header", "it cannot have 4104 bytes"));
  Patient small{sampleModule()};
  small.bytes.resize(200);
  CHECK(small.openError() ==
        "truncated module: the header says 264 bytes, there are 200; copy it again");
  CHECK(afterHeaderEdit([](Header &h) { h.required = 32; }) ==
        "the module needs format features (bits 32) that this loader lacks; use a newer loader");
  CHECK(afterHeaderEdit([](Header &h) { h.kernelEntryBytes = 40; }) ==
        about("the header", "its table entries are too short"));
  CHECK(afterHeaderEdit([](Header &h) { h.packEntryBytes = 56; }) ==
        about("the header", "its table entries are too short"));
  const std::string tooLong = about("the header", "its table entries are too long");
  CHECK(afterHeaderEdit([](Header &h) {
          h.kernelEntryBytes = 4097;
          h.kernelCount = 0;
        }) == tooLong);
  CHECK(afterHeaderEdit([](Header &h) {
          h.packEntryBytes = 4097;
          h.packCount = 0;
        }) == tooLong);
  auto afterOldEdit = [](const std::function<void(Header &)> &change) {
    Patient patient = oldSample();
    Header header = patient.header();
    change(header);
    patient.putHashed(0, header, 0);
    return patient.openError();
  };
  CHECK(afterOldEdit([](Header &h) { h.imageEntryBytes = 0; }) ==
        about("the header", "its table entries are too short"));
  const std::string kernels = about("the header", "the kernel table reaches past the file's end");
  CHECK(afterHeaderEdit([](Header &h) { h.kernelEntries = ~uint64_t(0); }) == kernels);
  CHECK(afterHeaderEdit([](Header &h) { h.kernelEntries = 0; }) == kernels);
  CHECK(afterHeaderEdit([](Header &h) { h.kernelCount = ~0u; }) == kernels);
  CHECK(afterHeaderEdit([](Header &h) { h.kernelEntryBytes = ~0u; }) == kernels);
  CHECK(afterOldEdit([](Header &h) {
          h.imageEntryBytes = 4097;
          h.imageCount = 0;
        }) == tooLong);
  const std::string images = about("the header", "the image table reaches past the file's end");
  CHECK(afterOldEdit([](Header &h) { h.imageEntries = h.fileBytes - 8; }) == images);
  CHECK(afterOldEdit([](Header &h) { h.imageCount = ~0u; }) == images);
  const std::string packs = about("the header", "the pack table reaches past the file's end");
  CHECK(afterHeaderEdit([](Header &h) { h.packEntries = h.fileBytes - 8; }) == packs);
  CHECK(afterHeaderEdit([](Header &h) { h.packEntries = 0; }) == packs);
  CHECK(afterHeaderEdit([](Header &h) { h.packCount = ~0u; }) == packs);
  CHECK(afterHeaderEdit([](Header &h) { h.packEntryBytes = ~0u; }) == packs);
  const std::string info = about("the header", "the info record reaches past the file's end");
  CHECK(afterHeaderEdit([](Header &h) { h.infoOffset = ~uint64_t(0); }) == info);
  CHECK(afterHeaderEdit([](Header &h) { h.infoBytes = ~0u; }) == info);

  const std::string end = about("the header", "its tables do not end where it says");
  CHECK(afterHeaderEdit([](Header &h) { h.tableBytes = h.headerBytes - 1; }) == end);
  CHECK(afterHeaderEdit([](Header &h) { h.tableBytes = h.infoOffset + h.infoBytes - 1; }) == end);
  CHECK(afterHeaderEdit([](Header &h) { h.tableBytes = h.fileBytes + 1; }) == end);

  // Headers were never so short and had room for some of a digest and a signature.
  for (const uint32_t bytes : {136u, 208u, 256u}) {
    Patient shorter{sampleModule()};
    shorter.put(offsetof(Header, headerBytes), bytes);
    shorter.putHashed(0, shorter.header(), 0);
    CHECK(shorter.openError() ==
          about("the header", "it has no room for the digest that it states"));
  }

  Patient patient{sampleModule()};
  patient.bytes[20] ^= std::byte{1};
  CHECK(patient.openError() == about("the header", "its hash does not match"));
  Patient longer{sampleModule()};
  longer.bytes.resize(longer.bytes.size() + 3);
  CHECK(longer.openError() == about("the file", "3 bytes follow its end"));
}

TEST_CASE("a module cut anywhere is refused at opening") {
  const Bytes bytes = sampleModule();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(),
                    bytes.begin() + static_cast<ptrdiff_t>(size)); // ASan sees its end
    const auto reader = Reader::fromMemory(cut);
    REQUIRE(!reader.ok());
    REQUIRE(reader.error().code == Code::Truncated);
  }
  const Bytes cut(bytes.begin(), bytes.begin() + 1000);
  CHECK(Reader::fromMemory(cut).error().message == "truncated module: the header says " +
                                                       std::to_string(bytes.size()) +
                                                       " bytes, there are 1000; copy it again");
}

TEST_CASE("a flipped bit is found, or does not matter") {
  const Bytes bytes = sampleModule();
  const auto sound = Reader::fromMemory(bytes);
  const auto info = sound->info();
  unsigned harmless = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    const auto reader = Reader::fromMemory(flipped);
    if (!reader.ok() || !reader->verify().ok())
      continue;
    ++harmless; // padding between records
    REQUIRE(*reader->info() == *info);
    REQUIRE(reader->kernelCount() == sound->kernelCount());
    for (uint32_t i = 0; i < sound->kernelCount(); ++i)
      REQUIRE(*reader->kernel(i) == *sound->kernel(i));
    for (uint32_t i = 0; i < sound->imageCount(); ++i)
      REQUIRE(*reader->image(i) == *sound->image(i));
  }
  CHECK(harmless < 64 * 8);
}

TEST_CASE("a flipped bit never makes a lookup wrong") {
  const Bytes bytes = sampleModule();
  const auto header = Patient{bytes}.header();
  for (size_t bit = 0; bit < (header.infoOffset) * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    const auto reader = Reader::fromMemory(flipped);
    if (!reader.ok())
      continue;
    for (const char *name : {"total", "empty_i32", "none"}) {
      const auto found = reader->findKernel(name);
      if (found.ok())
        REQUIRE(*reader->kernelInstance(*found) == name);
      else if (found.error().code == Code::NotFound)
        REQUIRE(std::string_view(name) == "none");
    }
  }
}

TEST_CASE("entries of kernels are checked at first use") {
  Patient entry{sampleModule()};
  entry.bytes[entry.kernelEntryAt(1) + 4] ^= std::byte{1};
  CHECK(entry.openError().empty());
  CHECK(entry.verifyError() == about("kernel 1", "the hash of its entry does not match"));

  Patient swapped{sampleModule()}; // both entries sound, in each other's place
  const auto first = swapped.kernelEntry(0), second = swapped.kernelEntry(1);
  swapped.put(swapped.kernelEntryAt(0), second);
  swapped.put(swapped.kernelEntryAt(1), first);
  CHECK(swapped.verifyError() == about("kernel 0", "the hash of its entry does not match"));
  swapped.hashAgain();
  CHECK(swapped.verifyError() == about("kernel 1", "its entry is out of order"));

  Patient record = plainSample();
  record.bytes[record.recordAt(0) + 20] ^= std::byte{1};
  const uint32_t pack = record.kernelEntry(0).pack;
  CHECK(record.verifyError() == about("pack 0", "the hash of its content does not match"));
  PackEntry entryOfPack = record.packEntry(pack); // the pack's hash is sound again
  const auto content = hash128(record.bytes.data() + entryOfPack.offset, entryOfPack.bytes);
  std::memcpy(entryOfPack.contentHash, content.data(), content.size());
  record.putHashed(record.packEntryAt(pack), entryOfPack, pack);
  CHECK(record.verifyError() == about("kernel 0", "the hash of its record does not match"));

  Patient far{sampleModule()};
  far.edit<KernelEntry>(far.kernelEntryAt(0), [](KernelEntry &e) { e.offset = ~uint64_t(0) - 3; });
  far.hashAgain();
  CHECK(far.verifyError() == about("kernel 0", "its record reaches past the pack's end"));
  Patient old = oldSample();
  old.edit<KernelEntry>(old.kernelEntryAt(0), [](KernelEntry &e) { e.offset = ~uint64_t(0) - 3; });
  old.hashAgain();
  CHECK(old.verifyError() == about("kernel 0", "its record reaches past the file's end"));
  Patient nowhere{sampleModule()};
  nowhere.edit<KernelEntry>(nowhere.kernelEntryAt(0), [](KernelEntry &e) { e.pack = 9; });
  nowhere.hashAgain();
  CHECK(nowhere.verifyError() == about("pack 9", "it does not exist"));

  Patient renamed{sampleModule()};
  renamed.edit<KernelEntry>(renamed.kernelEntryAt(0), [](KernelEntry &e) { e.nameHash -= 1; });
  renamed.hashAgain();
  CHECK(renamed.verifyError().ends_with("its entry is for another name; build or copy it again"));

  Patient twice{sampleModule()};
  twice.put(twice.kernelEntryAt(1), twice.kernelEntry(0));
  twice.hashAgain();
  CHECK(twice.verifyError() == about("kernel 1", "its entry is out of order"));
}

TEST_CASE("tables and texts of a record stay inside it") {
  CHECK(afterRecordEdit([](KernelRecord &) {}).empty());
  CHECK(afterRecordEdit([](KernelRecord &r) { r.headBytes = 100; }) ==
        about("kernel " + std::to_string(Patient{sampleModule()}.total()),
              "the kernel record is shorter than its head"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.headBytes = ~0u; }) ==
        about("kernel " + std::to_string(Patient{sampleModule()}.total()),
              "the kernel record is shorter than its head"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.name.offset = ~0u; }) ==
        total("the text 'kernel name' reaches past the record's end"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.name.bytes = ~0u; }) ==
        total("the text 'kernel name' reaches past the record's end"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.name = {0, 8}; }) ==
        total("the text 'kernel name' has a NUL byte"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.name = {0, 0}; }) == total("it has no name"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.arguments.offset = ~0u; }) ==
        total("table 'arguments' reaches past the record's end"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.tasks.count = ~0u; }) ==
        total("table 'tasks' reaches past the record's end"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.tasks.stride = ~0u; }) ==
        total("table 'tasks' reaches past the record's end"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.tasks.stride = 4; }) ==
        total("items of table 'tasks' are too short"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.tasks.stride = 0; }) ==
        total("items of table 'tasks' are too short"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.resources.stride = 12; }) ==
        total("items of table 'resources' are too short"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.steps.count -= 1; }) ==
        total("table 'steps' is used up before all its owners are served"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.plans.count -= 1; }) ==
        total("table 'hidden' has items that nothing owns"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.source = 1; }) == total("source 1 does not exist"));
  CHECK(afterRecordEdit([](KernelRecord &r) { r.abiHash ^= 1; }) ==
        total("the ABI hash is not that of its signature"));
}

TEST_CASE("items of a kernel are checked one by one") {
  const auto argument = &KernelRecord::arguments;
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.kind = 0; }) ==
        total("argument 'src': kind 0 does not exist"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.dtype = 16; }) ==
        total("argument 'src': type 16 does not exist"));
  // No dimensions are a shape as any other.
  CHECK(afterItemEdit<ArgumentItem>(argument, 1, [](auto &a) {
          a.kind = Argument::Array;
          a.ndim = 0;
        }) == total("the ABI hash is not that of its signature"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.ndim = 17; }) ==
        total("argument 'src': it cannot have 17 dimensions"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.rows = 1024; }) ==
        total("the ABI hash is not that of its signature"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.rows = 1025; }) ==
        total("argument 'src': it cannot have elements of 1025x1"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 0, [](auto &a) { a.ndim = 65535; }) ==
        total("argument 'src': it cannot have 65535 dimensions"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 1, [](auto &a) { a.ndim = 1; }) ==
        total("argument 'scale': it cannot have 1 dimensions"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 1, [](auto &a) { a.rows = 2; }) ==
        total("argument 'scale': it cannot have elements of 2x1"));
  CHECK(afterItemEdit<ArgumentItem>(argument, 2, [](auto &a) { a.cols = 0x10000; }) ==
        total("argument 'm': it cannot have elements of 2x65536"));

  const auto hidden = &KernelRecord::hidden;
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.role = 9; }) ==
        total("hidden buffer 'bins': role 9 does not exist"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.role = 6; }) ==
        total("hidden buffer 'the schedule': a record of the schedule cannot hold 256 i32"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.role = 4; }) ==
        total("hidden buffer 'faults': a record of faults cannot hold 256 i32"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.role = 5; }) ==
        total("hidden buffer 'prints': a record of prints cannot hold 256 i32"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 1, [](auto &h) { h.dtype = 0; }) ==
        total("hidden buffer 'return0': type 0 does not exist"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 1, [](auto &h) { h.rows = 0; }) ==
        total("hidden buffer 'return0': it cannot have elements of 0x1"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 1, [](auto &h) { h.count = 0; }) ==
        total("hidden buffer 'return0': it cannot hold 0 scalars"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 2, [](auto &h) { h.count = ~uint64_t(0); }) ==
        total("hidden buffer 'partial': it cannot hold 18446744073709551615 scalars"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.global = 1; }) ==
        total("hidden buffer 'bins': global 1 does not exist"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 1, [](auto &h) { h.global = 0; }) ==
        total("hidden buffer 'return0': global 0 does not exist"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.count = 255; }) ==
        total("hidden buffer 'bins': its extents do not give 255 scalars"));
  CHECK(afterItemEdit<int64_t>(&KernelRecord::extents, 0, [](auto &e) { e = -16; }) ==
        total("hidden buffer 'bins': its extents do not give 256 scalars"));
  CHECK(afterItemEdit<HiddenItem>(hidden, 0, [](auto &h) { h.dtype = 8; }) ==
        total("field 'bins' differs from the module's global 'bins'"));

  const auto task = &KernelRecord::tasks;
  CHECK(afterItemEdit<TaskItem>(task, 0, [](auto &t) { t.symbol.bytes = 0; }) ==
        total("a task has no symbol"));
  CHECK(afterItemEdit<TaskItem>(task, 0, [](auto &t) { t.blockDim = 0; }) ==
        total("task 'total_t0': a block cannot have 0 threads"));
  CHECK(afterItemEdit<TaskItem>(task, 1, [](auto &t) { t.blockDim = 2; }) ==
        total("task 'total_t1': a block cannot have 2 threads"));
  CHECK(afterItemEdit<TaskItem>(task, 0, [](auto &t) { t.serial = 2; }) ==
        total("a flag of task 'total_t0' is neither 0 nor 1"));
  CHECK(afterItemEdit<TaskItem>(task, 1, [](auto &t) { t.stepCount = 2; }) ==
        total("task 'total_t1' has steps but no iterations"));
  CHECK(afterItemEdit<TaskItem>(task, 0, [](auto &t) {
          t.serial = 1;
          t.blockDim = 1;
        }) == total("task 'total_t0': it is serial and has iterations"));

  const auto step = &KernelRecord::steps;
  CHECK(afterItemEdit<StepItem>(step, 0, [](auto &s) { s.op = 0; }) ==
        total("task 'total_t0': iterations: operator 0 does not exist"));
  CHECK(afterItemEdit<StepItem>(step, 0, [](auto &s) { s.op = 258; }) ==
        total("the iterations of task 'total_t0': operator 258 does not exist"));
  CHECK(afterItemEdit<StepItem>(step, 0, [](auto &s) { s.value = 0; }) ==
        total("task 'total_t0': iterations: parameter 0 is not an integer"));
  CHECK(afterItemEdit<StepItem>(step, 0, [](auto &s) { s.value = -1; }) ==
        total("task 'total_t0': iterations: parameter -1 does not exist"));
  CHECK(afterItemEdit<StepItem>(step, 0, [](auto &s) { s.value = 2; }) ==
        total("task 'total_t0': iterations: parameter 2 is not an integer"));
  CHECK(afterItemEdit<StepItem>(step, 1, [](auto &s) { s.op = 10; }) ==
        total("task 'total_t0': iterations: an operator lacks an operand"));
  CHECK(afterItemEdit<StepItem>(step, 4, [](auto &s) { s.op = 1; }) ==
        total("task 'total_t0': iterations: it leaves 3 values instead of one"));

  const auto variant = &KernelRecord::variants;
  CHECK(afterItemEdit<VariantItem>(variant, 0, [](auto &v) { v.wave = 0; }) ==
        total("target 'cpu:x86-64-v3/wave0': no wave has 0 lanes"));
  CHECK(afterItemEdit<VariantItem>(variant, 0, [](auto &v) { v.wave = 33; }) ==
        total("target 'cpu:x86-64-v3/wave33': no wave has 33 lanes"));
  CHECK(afterItemEdit<VariantItem>(variant, 0, [](auto &v) { v.arch.bytes = 0; }) ==
        total("target 'cpu:/wave32' lacks a backend or an architecture"));
  CHECK(afterItemEdit<VariantItem>(variant, 0, [](auto &v) { v.plan = 2; }) ==
        total("variant 'cpu:x86-64-v3/wave32': plan 2 does not exist"));
  CHECK(afterItemEdit<VariantItem>(variant, 0, [](auto &v) { v.image = 4; }) ==
        total("variant 'cpu:x86-64-v3/wave32': image 4 does not exist"));
  CHECK(afterItemEdit<VariantItem>(variant, 3, [](auto &v) { v.resourceCount = 3; }) ==
        total("table 'resources' is used up before all its owners are served"));
  CHECK(afterItemEdit<VariantItem>(variant, 3, [](auto &v) { v.featureCount = ~0u; }) ==
        total("table 'words' is used up before all its owners are served"));
  CHECK(afterItemEdit<RefusalItem>(&KernelRecord::refusals, 0, [](auto &r) { r.wave = 5; }) ==
        total("target 'cuda:sm_75/wave5': no wave has 5 lanes"));
}

TEST_CASE("the info record is checked at its first use") {
  auto after = [](uint64_t at, auto change) {
    Patient patient{sampleModule()};
    const uint64_t offset = patient.header().infoOffset;
    if constexpr (std::is_invocable_v<decltype(change), InfoRecord &>) {
      patient.edit<InfoRecord>(offset, change);
    } else {
      const Table where = patient.get<InfoRecord>(offset).globals;
      patient.edit<GlobalItem>(offset + where.offset + at * sizeof(GlobalItem), change);
    }
    patient.hashAgain();
    return patient.verifyError();
  };
  const std::string who = "the info record";
  CHECK(after(0, [](InfoRecord &r) { r.sources.count = 0; }) ==
        about(who, "it does not have the sources and globals that the header counts"));
  CHECK(after(0, [](InfoRecord &r) { r.extents.count = 1; }) ==
        about(who, "table 'extents' is used up before all its owners are served"));
  CHECK(after(0, [](InfoRecord &r) { r.compiler.bytes = 1 << 30; }) ==
        about(who, "the text 'compiler' reaches past the record's end"));
  CHECK(after(0, [](GlobalItem &g) { g.source = 1; }) ==
        about(who, "global 'bins': source 1 does not exist"));
  CHECK(after(0, [](GlobalItem &g) { g.dtype = 0; }) ==
        about(who, "global 'bins': type 0 does not exist"));
  CHECK(after(0, [](GlobalItem &g) { g.rows = 1025; }) ==
        about(who, "global 'bins': it cannot have elements of 1025x1"));
  CHECK(after(0, [](GlobalItem &g) { g.count = 1; }) ==
        about(who, "global 'bins': its extents do not give 1 scalars"));
  Patient patient{sampleModule()};
  patient.bytes[patient.header().infoOffset + 30] ^= std::byte{1};
  CHECK(patient.openError().empty());
  CHECK(patient.verifyError() == about(who, "its hash does not match"));
}

TEST_CASE("a record cannot expand beyond a multiple of its size") {
  // 2,000 refusals whose reasons are all the same long text: refused by the budget.
  Patient patient{sampleModule()};
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  for (unsigned i = 0; i < 2000; ++i)
    need(builder.addRefusal(kernel, {"cuda", "sm_" + std::to_string(10 + i), {}, 32},
                            i == 0 ? std::string(60000, 'x') : "no"));
  patient.bytes = *builder.build();
  patient.storePacks();
  const uint64_t at = patient.recordAt(0);
  const Table table = patient.get<KernelRecord>(at).refusals;
  const Text reason = patient.get<RefusalItem>(at + table.offset).reason;
  for (uint32_t i = 0; i < table.count; ++i)
    patient.edit<RefusalItem>(at + table.offset + i * sizeof(RefusalItem),
                              [&](RefusalItem &item) { item.reason = reason; });
  patient.hashAgain();
  CHECK(patient.verifyError() ==
        total("its texts are referred to more often than the format allows"));
}

TEST_CASE("a later minor version is read, what is new in it skipped") {
  // Kernel entries, pack entries and tasks grown by 8 bytes each at their ends.
  const Patient patient = plainSample();
  const Bytes &old = patient.bytes;
  Header header = patient.header();
  Bytes grown(sizeof(Header) + 16);
  auto append = [&](const void *data, size_t size) {
    const uint64_t at = grown.size();
    const auto *first = static_cast<const std::byte *>(data);
    grown.insert(grown.end(), first, first + size);
    grown.resize((grown.size() + 7) / 8 * 8);
    return at;
  };
  auto appendEntry = [&](auto entry, uint64_t seed) {
    Bytes bytes(sizeof(entry) + 8, std::byte{0x5a});
    std::memcpy(bytes.data(), &entry, sizeof(entry) - 8);
    const uint64_t hash = hash64(bytes.data(), bytes.size() - 8, seed);
    std::memcpy(bytes.data() + bytes.size() - 8, &hash, 8);
    return append(bytes.data(), bytes.size());
  };
  header.infoOffset = append(old.data() + header.infoOffset, header.infoBytes);
  // One pack of records, their tasks grown; the packs of images as they are.
  std::vector<KernelEntry> kernels;
  Bytes records;
  for (uint32_t i = 0; i < header.kernelCount; ++i) {
    KernelEntry entry = patient.kernelEntry(i);
    const auto from = static_cast<ptrdiff_t>(patient.recordAt(i));
    Bytes record(old.begin() + from, old.begin() + from + entry.bytes);
    KernelRecord head;
    std::memcpy(&head, record.data(), sizeof(head));
    Bytes tasks;
    for (uint32_t t = 0; t < head.tasks.count; ++t) {
      const auto *item = record.data() + head.tasks.offset + t * sizeof(TaskItem);
      tasks.insert(tasks.end(), item, item + sizeof(TaskItem));
      tasks.resize(tasks.size() + 8, std::byte{0x77});
    }
    head.tasks = {static_cast<uint32_t>(record.size()), head.tasks.count, sizeof(TaskItem) + 8};
    std::memcpy(record.data(), &head, sizeof(head));
    record.insert(record.end(), tasks.begin(), tasks.end());
    entry.bytes = static_cast<uint32_t>(record.size());
    entry.recordHash = hash64(record.data(), record.size());
    entry.offset = records.size();
    records.insert(records.end(), record.begin(), record.end());
    kernels.push_back(entry);
  }
  std::vector<PackEntry> packs;
  for (uint32_t i = 0; i < header.packCount; ++i) {
    PackEntry entry = patient.packEntry(i);
    if (i == 0) {
      entry.offset = append(records.data(), records.size());
      entry.bytes = entry.storedBytes = records.size();
      const auto hash = hash128(records);
      std::memcpy(entry.contentHash, hash.data(), hash.size());
    } else {
      entry.offset = append(old.data() + entry.offset, entry.storedBytes);
    }
    packs.push_back(entry);
  }
  header.kernelEntries = grown.size();
  for (uint32_t i = 0; i < kernels.size(); ++i)
    appendEntry(kernels[i], i);
  header.packEntries = grown.size();
  for (uint32_t i = 0; i < packs.size(); ++i)
    appendEntry(packs[i], i);
  header.minor = 7;
  header.tableBytes = 0; // no digests: Trust.cpp has a file with these
  header.headerBytes = sizeof(Header) + 16;
  header.kernelEntryBytes = sizeof(KernelEntry) + 8;
  header.packEntryBytes = sizeof(PackEntry) + 8;
  header.fileBytes = grown.size();
  std::memcpy(grown.data(), &header, sizeof(Header) - 8);
  const uint64_t hash = hash64(grown.data(), header.headerBytes - 8);
  std::memcpy(grown.data() + header.headerBytes - 8, &hash, 8);

  const auto reader = Reader::fromMemory(grown);
  REQUIRE(reader.ok());
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  CHECK(reader->versionMinor() == 7);
  const auto before = Reader::fromMemory(old);
  CHECK(*reader->kernel(*reader->findKernel("total")) ==
        *before->kernel(*before->findKernel("total")));
}
