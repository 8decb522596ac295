// The reader's checks of lookups and of what records say together, each with its exact message,
// as in MalformedTest.cpp.
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#define XXH_INLINE_ALL // for its secret
#include <xxhash.h>

using namespace sextant;
using namespace sextant::test;

namespace {

/// A module of a kernel `total` with that plan.
std::string withPlan(Plan plan, const std::function<void(Patient &, uint64_t at)> &change) {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  need(builder.addVariant(
      kernel, plan,
      variantFor({"cuda", "sm_90", {}, 32}, builder.addImage(imageBytes(1)), "cubin")));
  Patient patient{*builder.build()};
  patient.storePacks();
  change(patient, patient.recordAt(0));
  patient.hashAgain();
  return patient.verifyError();
}

} // namespace

TEST_CASE("what is not there is said by number") {
  const Bytes bytes = sampleModule();
  const auto reader = Reader::fromMemory(bytes);
  CHECK(reader->kernel(7).error().message == "the module has no kernel 7, it has 2");
  CHECK(reader->kernelInstance(7).error().code == Code::NotFound);
  CHECK(reader->recordBytes(7).error().message == "the module has no kernel 7, it has 2");
  CHECK(reader->image(9).error().message == "the module has no image 9, it has 4");
  CHECK(reader->imageInfo(9).error().message == "the module has no image 9, it has 4");
  CHECK(reader->findKernel("nothing").error().message == "the module has no kernel 'nothing'");
  const Patient old = oldSample();
  const auto before = Reader::fromMemory(old.bytes);
  CHECK(before->image(9).error().message == "the module has no image 9, it has 3");
  CHECK(before->imageInfo(9).error().code == Code::NotFound);
}

TEST_CASE("an entry is for the name in its record") {
  Patient patient{sampleModule()};
  const uint32_t number = patient.total();
  patient.edit<KernelEntry>(patient.kernelEntryAt(number), [](KernelEntry &e) { ++e.nameHash; });
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  CHECK(reader->kernel(number).error().message == total("its entry is for another name"));
  CHECK(reader->kernelInstance(number).error().message ==
        about("kernel " + std::to_string(number), "its entry is for another name"));
  CHECK(reader->verify().message == total("its entry is for another name"));
}

TEST_CASE("two kernels of one name are told") {
  // The second entry finds a copy of the first one's record.
  Patient patient = plainSample();
  const uint64_t end = patient.bytes.size();
  const KernelEntry first = patient.kernelEntry(patient.total());
  const PackEntry pack = patient.packEntry(first.pack);
  const auto from = patient.bytes.begin() + static_cast<ptrdiff_t>(pack.offset);
  const Bytes content(from, from + static_cast<ptrdiff_t>(pack.bytes));
  patient.bytes.insert(patient.bytes.end(), content.begin(), content.end());
  const auto record = content.begin() + static_cast<ptrdiff_t>(first.offset);
  patient.bytes.insert(patient.bytes.end(), record, record + first.bytes);
  patient.edit<PackEntry>(patient.packEntryAt(first.pack), [&](PackEntry &e) {
    e.offset = end;
    e.bytes = e.storedBytes = pack.bytes + first.bytes;
  });
  KernelEntry second = first;
  second.offset = pack.bytes;
  patient.put(patient.kernelEntryAt(0), first);
  patient.put(patient.kernelEntryAt(1), second);
  patient.edit<Header>(0, [&](Header &h) { h.fileBytes = patient.bytes.size(); });
  patient.hashAgain();
  CHECK(patient.verifyError() == total("another has the same name"));
}

TEST_CASE("a crowd of names of one hash is refused") {
  // Names of 16 bytes whose XXH3-64 is the same. With a and b for their halves, xored with numbers
  // of its secret, XXH3 mixes 16 + byteswap(a) + b + fold(a * b); for small a the fold is a * b.
  auto secret = [](size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, XXH3_kSecret + at, sizeof(value));
    return value;
  };
  const uint64_t first = secret(24) ^ secret(32), second = secret(40) ^ secret(48);
  std::vector<std::string> names;
  for (uint64_t sum = 0x9e3779b97f4a7c15; names.size() < 10; sum += 0x9e3779b97f4a7c15) {
    names.clear();
    for (uint64_t a = 0; a < 4096; ++a) {
      const uint64_t rest = sum - 16 - __builtin_bswap64(a);
      const uint64_t halves[] = {a ^ first, rest / (a + 1) ^ second};
      std::string name(16, 0);
      std::memcpy(name.data(), halves, sizeof(halves));
      if (rest % (a + 1) == 0 && name.find('\0') == name.npos)
        names.push_back(std::move(name));
    }
  }
  names.resize(10);
  // They are not printable, so nobody writes them: they take the places of others of 16 bytes.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("a.py", {});
  auto placeholder = [](size_t i) { return "placeholder-0000" + std::to_string(i); };
  for (size_t i = 0; i < names.size(); ++i) {
    REQUIRE(hash64(names[i].data(), 16) == hash64(names[0].data(), 16));
    REQUIRE(builder.addKernel(totalKernel(source, placeholder(i).substr(1))).ok());
  }
  Patient patient{*builder.build()};
  patient.storePacks();
  for (size_t i = 0; i < names.size(); ++i) {
    const Bytes old = bytesOf(placeholder(i).substr(1)), name = bytesOf(names[i]);
    const auto at = std::search(patient.bytes.begin(), patient.bytes.end(), old.begin(), old.end());
    REQUIRE(at != patient.bytes.end());
    std::copy(name.begin(), name.end(), at);
  }
  std::vector<KernelEntry> entries;
  for (uint32_t i = 0; i < names.size(); ++i)
    entries.push_back(patient.kernelEntry(i));
  std::sort(entries.begin(), entries.end(), [](const KernelEntry &x, const KernelEntry &y) {
    return std::tie(x.pack, x.offset) < std::tie(y.pack, y.offset);
  });
  for (uint32_t i = 0; i < names.size(); ++i) {
    entries[i].nameHash = hash64(names[0].data(), 16);
    patient.put(patient.kernelEntryAt(i), entries[i]);
  }
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  unsigned found = 0;
  for (const std::string &name : names) {
    const auto number = reader->findKernel(name);
    found += number.ok();
    if (!number.ok())
      CHECK(number.error().message == about("kernel 8", "more than 8 names have its hash"));
    else
      CHECK(*reader->kernelInstance(*number) == name);
  }
  CHECK(found == 8);
}

TEST_CASE("records that are larger than the limit are not read") {
  const Bytes bytes = sampleModule();
  const uint32_t number = Patient{bytes}.total();
  const uint32_t record = Patient{bytes}.kernelEntry(number).bytes;
  const std::string size = std::to_string(record), limit = std::to_string(record - 1);
  const auto reader = Reader::fromMemory(bytes, {.maxRecordBytes = record - 1});
  CHECK(reader->kernel(number).error().message ==
        "kernel " + std::to_string(number) + " has a record of " + size + " bytes, the limit is " +
            limit + "; raise the limit if you trust the module");
  CHECK(reader->kernel(number).error().code == Code::TooLarge);
  CHECK(*reader->recordBytes(number) == record);
  // Its pack, which has another record too, counts as well.
  CHECK(Reader::fromMemory(bytes, {.maxRecordBytes = record})->kernel(number).error().message ==
        "pack 0 takes more than " + size +
            " bytes to decompress, which is the limit; raise the limit if you trust the module");
  const uint32_t info = Patient{bytes}.header().infoBytes;
  CHECK(Reader::fromMemory(bytes, {.maxRecordBytes = info - 1})->info().error().message ==
        "the module has a record of " + std::to_string(info) + " bytes, the limit is " +
            std::to_string(info - 1) + "; raise the limit if you trust the module");
}

TEST_CASE("entries of images of version 1.0 are hashed") {
  Patient patient = oldSample();
  patient.bytes[patient.imageEntryAt(1) + 3] ^= std::byte{1};
  CHECK(patient.verifyError() == about("image 1", "the hash of its entry does not match"));
}

TEST_CASE("all plans of a kernel return the same") {
  // Plan 0 has three hidden buffers, plan 1 the others; each has its return in the middle.
  const std::string differs = total("plan 1 does not return what plan 0 returns");
  const auto hidden = &KernelRecord::hidden;
  CHECK(afterItemEdit<HiddenItem>(hidden, 4, [](HiddenItem &h) {
          h.dtype = static_cast<uint8_t>(DType::F64);
        }) == differs);
  CHECK(afterItemEdit<HiddenItem>(hidden, 4, [](HiddenItem &h) { h.count = 2; }) == differs);
  CHECK(afterItemEdit<HiddenItem>(hidden, 4, [](HiddenItem &h) { h.rows = 2; }) == differs);
  CHECK(afterItemEdit<HiddenItem>(hidden, 4, [](HiddenItem &h) { h.role = Hidden::Carry; }) ==
        differs);
  CHECK(afterItemEdit<HiddenItem>(hidden, 5, [](HiddenItem &h) { h.role = Hidden::Return; }) ==
        differs);
  // Not only verify: no kernel is had whose variants return this or that.
  Patient patient = plainSample();
  const uint64_t at = patient.recordAt(patient.total());
  const Table where = patient.get<KernelRecord>(at).hidden;
  patient.edit<HiddenItem>(at + where.offset + 4 * sizeof(HiddenItem),
                           [](HiddenItem &h) { h.count = 2; });
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  REQUIRE(reader.ok());
  CHECK(reader->kernel(patient.total()).error().message == differs);
}

TEST_CASE("a kernel has one variant for a target") {
  // The sample's first two differ in their waves.
  CHECK(afterItemEdit<VariantItem>(&KernelRecord::variants, 1, [](VariantItem &v) {
          v.wave = 32;
        }) == total("the target 'cpu:x86-64-v3/wave32' is there twice"));
}

TEST_CASE("sources, and fields of a source, have names of their own") {
  // `a.py` has the fields `x` and `y`, `b.py` a field `x`.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t a = builder.addSource("a.py", {}), b = builder.addSource("b.py", {});
  auto addFields = [&](uint32_t source, const std::vector<std::string> &names) {
    Plan plan;
    for (const std::string &name : names)
      plan.hidden.push_back({Hidden::Field, name, DType::I32, 1, {}, 1, 1, Hidden::noGlobal});
    Variant variant =
        variantFor({"cpu", "aarch64", {}, 32}, builder.addImage(imageBytes(1)), "elf");
    variant.resources.clear();
    const std::string instance = "k" + std::to_string(source);
    need(builder.addVariant(*builder.addKernel(totalKernel(source, instance)), plan, variant));
  };
  addFields(a, {"x", "y"});
  addFields(b, {"x"});
  const Bytes sound = *builder.build();
  auto after = [&](auto item, Table InfoRecord::*table, uint32_t index, uint32_t as) {
    using Item = decltype(item);
    Patient patient{sound};
    const uint64_t at = patient.header().infoOffset;
    const uint64_t items = at + (patient.get<InfoRecord>(at).*table).offset;
    const auto other = patient.get<Item>(items + as * sizeof(Item));
    patient.edit<Item>(items + index * sizeof(Item), [&](Item &one) {
      if constexpr (std::is_same_v<Item, SourceItem>)
        one.path = other.path;
      else
        one.name = other.name;
    });
    patient.hashAgain();
    return patient.verifyError();
  };
  CHECK(after(SourceItem{}, &InfoRecord::sources, 0, 0).empty());
  CHECK(after(SourceItem{}, &InfoRecord::sources, 1, 0) ==
        about("the info record", "source 'a.py' is there twice"));
  CHECK(after(GlobalItem{}, &InfoRecord::globals, 1, 0) ==
        about("the info record", "global 'x' is there twice"));
}

TEST_CASE("a variant has the resources of its plan's tasks") {
  CHECK(afterRecordEdit([](Patient &patient, uint64_t at) {
          const Table table = patient.get<KernelRecord>(at).variants;
          for (const uint32_t count : {1u, 3u}) // together as many as before
            patient.edit<VariantItem>(at + table.offset + (count / 2) * sizeof(VariantItem),
                                      [&](VariantItem &v) { v.resourceCount = count; });
        }) == total("variant 'cpu:x86-64-v3/wave32': it has resources for 1 of 2 tasks"));
}

TEST_CASE("tables of a record do not overlap") {
  CHECK(afterRecordEdit([](Patient &patient, uint64_t at) {
          // As many words as fit between the record's head and its end, where other tables are.
          const uint32_t bytes = patient.kernelEntry(patient.total()).bytes;
          patient.edit<KernelRecord>(at, [&](KernelRecord &r) {
            r.words = {sizeof(KernelRecord),
                       static_cast<uint32_t>((bytes - sizeof(KernelRecord)) / sizeof(Text)),
                       sizeof(Text)};
          });
        }) == total("its tables overlap"));
}

TEST_CASE("the info record's head and texts are inside it") {
  auto after = [](const std::function<void(InfoRecord &)> &change) {
    Patient patient{sampleModule()};
    patient.edit<InfoRecord>(patient.header().infoOffset, change);
    patient.hashAgain();
    return patient.verifyError();
  };
  CHECK(after([](InfoRecord &r) { r.headBytes = 4; }) ==
        about("the info record", "the info record is shorter than its head"));
  CHECK(after([](InfoRecord &r) { r.globals.offset = ~0u; }) ==
        about("the info record", "table 'globals' reaches past the record's end"));
}

TEST_CASE("what only some buffers have is told apart") {
  // A carry of 16 × 2 extents, as a field has them.
  Plan plan;
  plan.hidden.push_back({Hidden::Field, "bins", DType::I32, 256, {16, 16}, 1, 1, Hidden::noGlobal});
  plan.tasks.push_back({"t0", 32, false, false, std::nullopt});
  plan.tasks.push_back({"t1", 32, false, false, std::nullopt});
  CHECK(withPlan(plan, [](Patient &, uint64_t) {}).empty());
  CHECK(withPlan(plan, [](Patient &patient, uint64_t at) {
          const Table hidden = patient.get<KernelRecord>(at).hidden;
          patient.edit<HiddenItem>(at + hidden.offset, [](HiddenItem &h) {
            h.role = Hidden::Carry;
            h.global = Hidden::noGlobal;
          });
        }) == total("hidden buffer 'bins': only fields have extents"));
}

TEST_CASE("parameters and stacks have limits") {
  // One matrix of 255 x 255 more and more: the second is beyond 65536 parameters.
  Plan plan;
  plan.tasks.push_back({"t0", 32, false, false, std::nullopt});
  plan.tasks.push_back({"t1", 32, false, false, std::nullopt});
  auto widen = [&](uint32_t first, uint32_t second) {
    return withPlan(plan, [&](Patient &patient, uint64_t at) {
      const Table arguments = patient.get<KernelRecord>(at).arguments;
      uint64_t item = at + arguments.offset;
      for (const uint32_t rows : {first, second}) {
        patient.edit<ArgumentItem>(item, [&](ArgumentItem &a) {
          a.kind = Argument::Matrix;
          a.ndim = 0;
          a.rows = rows;
          a.cols = 255;
        });
        item += sizeof(ArgumentItem);
      }
    });
  };
  const std::string hash = total("the ABI hash is not that of its signature");
  CHECK(widen(255, 1) == hash); // 65025 + 255 + 6 of `m` are fewer
  CHECK(widen(255, 2) == total("it has more than 65536 parameters"));

  Plan many = plan; // the same by buffers
  for (unsigned i = 0; i < 257; ++i)
    many.hidden.push_back({Hidden::Carry, "c", DType::I32, 1, {}});
  CHECK(withPlan(many, [&](Patient &patient, uint64_t at) {
          const Table arguments = patient.get<KernelRecord>(at).arguments;
          patient.edit<ArgumentItem>(at + arguments.offset, [&](ArgumentItem &a) {
            a.kind = Argument::Matrix;
            a.ndim = 0;
            a.rows = 255;
            a.cols = 255;
          });
          patient.edit<ArgumentItem>(at + arguments.offset + sizeof(ArgumentItem),
                                     [&](ArgumentItem &a) {
                                       a.kind = Argument::Matrix;
                                       a.rows = 255;
                                     });
        }) == total("it has more than 65536 parameters"));

  Plan deep = plan; // 32 values on the stack, then a 33rd
  LaunchExpr &expr = deep.tasks[0].iterations.emplace();
  for (int i = 0; i < 32; ++i)
    expr.items.push_back({LaunchExpr::Constant, i});
  for (int i = 0; i < 31; ++i)
    expr.items.push_back({LaunchExpr::Add, 0});
  CHECK(withPlan(deep, [](Patient &, uint64_t) {}).empty());
  CHECK(withPlan(deep, [](Patient &patient, uint64_t at) {
          const Table steps = patient.get<KernelRecord>(at).steps;
          patient.put<uint32_t>(at + steps.offset + 32 * sizeof(StepItem), LaunchExpr::Constant);
        }) == total("task 't0': iterations: it needs a stack deeper than 32"));
}

TEST_CASE("names are printable and short") {
  // Both places that a name can come from: the reader's and the builder's.
  auto built = [](const std::function<void(Kernel &, Plan &, Variant &)> &change) {
    packager::ModuleBuilder builder("sextant", "");
    Kernel kernel = totalKernel(builder.addSource("a.py", {}));
    Plan plan = totalPlan(32);
    Variant variant =
        variantFor({"cuda", "sm_90", {"one"}, 32}, builder.addImage(imageBytes(1)), "cubin", {"r"});
    change(kernel, plan, variant);
    const uint32_t number = *builder.addKernel(kernel);
    need(builder.addVariant(number, plan, variant));
    const auto bytes = builder.build();
    return bytes.ok() ? "" : bytes.error().message;
  };
  CHECK(built([](Kernel &, Plan &, Variant &) {}).empty());
  CHECK(built([](Kernel &kernel, Plan &, Variant &) { kernel.instance = "k\nint x"; }) ==
        "kernel 'k\\nint x': its name is not printable: 'k\\nint x'");
  CHECK(built([](Kernel &k, Plan &, Variant &) {
          k.arguments[0].name = "a\x1b[2J";
        }).ends_with("the name of an argument is not printable: 'a\\x1b[2J'"));
  CHECK(built([](Kernel &, Plan &p, Variant &) {
          p.hidden[0].name = "\xe2\x80\xae";
        }).find("not printable") != std::string::npos); // right to left
  // A launch divides by these.
  auto divides = [&](const char *divisor, DType type) {
    return built([&](Kernel &, Plan &p, Variant &) {
      p.hidden.push_back({Hidden::Shift, divisor, type, 1, {}});
    });
  };
  CHECK(divides("p1,2,-", DType::U32).empty());
  CHECK(divides("p1,2,-", DType::F32).ends_with("hidden value 'p1,2,-': it is not one u32"));
  CHECK(divides("p1 - 2", DType::U32).ends_with("hidden value 'p1 - 2': it is not an expression"));
  CHECK(divides("p1,+", DType::U32).ends_with("hidden value 'p1,+': an operator lacks an operand"));
  CHECK(divides("p99", DType::U32).ends_with("hidden value 'p99': parameter 99 does not exist"));
  CHECK(built([](Kernel &, Plan &p, Variant &) {
          p.tasks[0].symbol = "\xff";
        }).find("the symbol of a task is not printable") != std::string::npos);
  CHECK(built([](Kernel &, Plan &, Variant &v) {
          v.target.arch = "sm\t90";
        }).find("an architecture is not printable") != std::string::npos);
  CHECK(built([](Kernel &, Plan &, Variant &v) {
          v.target.features[0] = "\r";
        }).find("a feature is not printable") != std::string::npos);
  CHECK(built([](Kernel &, Plan &, Variant &v) {
          v.format = "\x7f";
        }).find("a format is not printable") != std::string::npos);
  CHECK(built([](Kernel &, Plan &, Variant &v) {
          v.requirements[0] = "\xc2\x85";
        }).find("a requirement is not printable") != std::string::npos);
  CHECK(
      built([](Kernel &k, Plan &, Variant &) { k.name = std::string(maxNameBytes, 'x'); }).empty());
  CHECK(built([](Kernel &k, Plan &, Variant &) { k.name = std::string(maxNameBytes + 1, 'x'); }) ==
        "kernel 'total': its name has 1025 bytes, the limit is 1024");
  CHECK(built([](Kernel &k, Plan &, Variant &) {
          k.arguments[0].name = "gr\xc3\xb6\xc3\x9f"
                                "e";
        }).empty());
  // In a file, with sound hashes: what is said of it is printable.
  CHECK(afterRecordEdit([](Patient &patient, uint64_t at) {
          const auto head = patient.get<KernelRecord>(at);
          patient.put(at + patient.get<ArgumentItem>(at + head.arguments.offset).name.offset,
                      uint8_t(27));
        }) == total("the name of an argument is not printable: '\\x1brc'"));
}

TEST_CASE("records do not lie over each other where all are read") {
  Patient patient{sampleModule()};
  REQUIRE(patient.header().kernelCount == 2);
  const uint32_t number = patient.total();
  const KernelEntry entry = patient.kernelEntry(number);
  patient.edit<KernelEntry>(patient.kernelEntryAt(1 - number), [&](KernelEntry &other) {
    other.pack = entry.pack;
    other.offset = entry.offset + 8;
  });
  patient.hashAgain();
  const auto reader = Reader::fromMemory(patient.bytes);
  CHECK(reader->kernels().error().message ==
        about("kernel " + std::to_string(1 - number),
              "its record lies over that of kernel " + std::to_string(number)));
  CHECK(patient.verifyError() == reader->kernels().error().message);
}
