// inspect --size, --max-size, --fail-on-spill, verify --require, diff --fail-on.
#include "CommandLine.h"
#include "packager/ElfParts.h"
#include "packager/Sizes.h"
#include "tests/module/Sample.h"
#include "tests/support/Catch.h"

#include <cstring>

using namespace sextant;
using namespace sextant::packager;
using sextant::test::Bytes;

namespace {

std::string asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::span<const std::byte> asBytes(const std::string &text) {
  return std::as_bytes(std::span(text));
}

/// Every list adds up to the file.
void checkTotals(const Sizes &sizes) {
  for (const std::vector<SizeRow> *rows :
       {&sizes.parts, &sizes.kernels, &sizes.targets, &sizes.variants, &sizes.sections}) {
    uint64_t sum = 0;
    for (const SizeRow &row : *rows)
      sum += row.stored;
    CHECK(sum == sizes.fileBytes);
  }
}

/// A shared object by hand: a header, 16 bytes of code, 8 of constants, 3 of padding, names, the
/// table of sections.
struct TinyElf {
  std::string bytes = std::string(64, '\0');

  TinyElf() {
    const std::string names("\0.text\0.rodata\0.shstrtab\0", 25);
    bytes += std::string(16, 'c') + std::string(8, 'r') + std::string(3, '\0') + names;
    const size_t table = bytes.size();
    bytes.replace(0, 6,
                  "\x7f"
                  "ELF\x02\x01");
    put<uint64_t>(40, table);
    put<uint16_t>(58, 64);
    put<uint16_t>(60, 4);
    put<uint16_t>(62, 3);
    section(0, 0, 0, 0, 0);
    section(1, 1, 4 | 2, 64, 16);
    section(7, 1, 2, 80, 8);
    section(15, 3, 0, 91, 25);
  }
  template <class Number> void put(size_t at, Number value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }
  void section(uint32_t name, uint32_t type, uint64_t flags, uint64_t offset, uint64_t size) {
    const size_t at = bytes.size();
    bytes += std::string(64, '\0');
    put(at, name), put(at + 4, type), put(at + 8, flags), put(at + 24, offset), put(at + 32, size);
  }
};

uint64_t sumOf(const std::map<std::string_view, uint64_t> &parts) {
  uint64_t sum = 0;
  for (const auto &[kind, size] : parts)
    sum += size;
  return sum;
}

} // namespace

TEST_CASE("the parts of an ELF image", "[budget]") {
  const TinyElf elf;
  CHECK(elfParts(asBytes(elf.bytes)) ==
        std::map<std::string_view, uint64_t>{{"headers", 64 + 4 * 64},
                                             {"code", 16},
                                             {"constants", 8},
                                             {"padding", 3},
                                             {"symbols", 25}});
  CHECK(elfParts({}).empty());
  CHECK(elfParts(asBytes(elf.bytes.substr(0, 63))).empty());
  CHECK(elfParts(asBytes(elf.bytes.substr(0, elf.bytes.size() - 1))).empty()); // table cut
  // Whatever the image says, the parts are inside and add up to it.
  for (size_t at = 40; at < elf.bytes.size(); ++at)
    for (const char value : {'\x01', '\x40', '\x7f', '\xff'}) {
      TinyElf damaged;
      damaged.bytes[at] = value;
      const auto parts = elfParts(asBytes(damaged.bytes));
      if (!parts.empty() && sumOf(parts) != damaged.bytes.size())
        FAIL("byte " << at);
    }
  TinyElf huge;
  huge.section(1, 1, 4, ~uint64_t(0) - 7, ~uint64_t(0));
  huge.put<uint16_t>(60, 5);
  CHECK(sumOf(elfParts(asBytes(huge.bytes))) == huge.bytes.size());
}

TEST_CASE("sizes add up to the file, of every version of the format", "[budget]") {
  const auto sample = sizesOf(test::sampleModule());
  REQUIRE(sample.ok());
  checkTotals(*sample);
  // 600, 600, 4 and 600 bytes; #1 is also of `empty_i32`, #2 of two targets.
  CHECK(sample->parts[5].name == "images");
  CHECK(sample->parts[5].bytes == 1804);
  auto row = [](const std::vector<SizeRow> &rows, std::string_view name) {
    for (const SizeRow &one : rows)
      if (one.name == name)
        return std::pair(one.count, one.bytes);
    return std::pair<uint64_t, uint64_t>(0, 0);
  };
  CHECK(row(sample->kernels, "total") == std::pair<uint64_t, uint64_t>(6, 600 + 300 + 4 + 600));
  CHECK(row(sample->kernels, "empty_i32") == std::pair<uint64_t, uint64_t>(1, 300));
  CHECK(row(sample->targets, "cpu:x86-64-v3/wave8") == std::pair<uint64_t, uint64_t>(1, 300));
  CHECK(row(sample->targets, "cuda:compute_75+tma/wave32") == std::pair<uint64_t, uint64_t>(1, 2));
  for (const char *name : {"v1.0.sxt", "v1.1.sxt", "v1.2.sxt"}) {
    std::FILE *file = std::fopen((std::string(SEXTANT_GOLDEN_DIR "/") + name).c_str(), "rb");
    REQUIRE(file);
    Bytes bytes(1 << 16);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
    std::fclose(file);
    INFO(name);
    const auto sizes = sizesOf(bytes);
    REQUIRE(sizes.ok());
    checkTotals(*sizes);
  }
}

TEST_CASE("inspect --size", "[budget]") {
  Workplace place;
  place.write("sample.sxt", asText(test::sampleModule()));
  const std::string text = place.good({"inspect", "sample.sxt", "--size"}).out;
  const std::string size = std::to_string(place.read("sample.sxt").size());
  CHECK(contains(text, "part                 count  bytes  stored   share\n"));
  CHECK(contains(text, "kernel             variants  bytes  stored   share\n"));
  CHECK(text.ends_with("  " + size + "  100.0%\n"));
  const std::string top = place.good({"inspect", "sample.sxt", "--size", "--top=2"}).out;
  CHECK(contains(top, "(5 others)"));
  const std::string json = place.good({"inspect", "sample.sxt", "--size", "--json"}).out;
  CHECK(json.starts_with("{\n  \"schema\": 1,\n  \"bytes\": " + size + ",\n  \"parts\": [\n"));
  CHECK(contains(json, "\"name\": \"total@cuda:sm_90/wave32\",\n      \"count\": 1,\n      "
                       "\"bytes\": 300,\n"));
}

TEST_CASE("--max-size", "[budget]") {
  CHECK(parseByteCount("0") == 0);
  CHECK(parseByteCount("12B") == 12);
  CHECK(parseByteCount("400KB") == 400000);
  CHECK(parseByteCount("64KiB") == 65536);
  CHECK(parseByteCount("3GB") == 3000000000);
  for (const char *text :
       {"", "KB", "-1", "1.5MB", "4kb", "1 KB", "99999999999999999999", "99999999999GB"}) {
    INFO(text);
    CHECK(!parseByteCount(text));
  }

  Workplace place;
  place.write("saxpy.py", saxpySource);
  const std::vector<std::string> compile = {"compile", "saxpy.py",
                                            "--targets=cpu:x86-64-v3/wave8,compute_75"};
  auto limited = [&](std::vector<std::string> command, const std::string &limit) {
    command.push_back("--max-size=" + limit);
    return place.run(command);
  };
  CommandResult result = limited(compile, "1KB");
  CHECK(result.status == 1);
  CHECK(!place.has("saxpy.sxt"));
  place.good(compile);
  const std::string module = place.read("saxpy.sxt");
  const size_t size = module.size();
  const auto sizes = sizesOf(asBytes(module)); // sizes of images that are real ELF
  REQUIRE(sizes.ok());
  checkTotals(*sizes);
  CHECK(contains(result.err, "'saxpy.sxt': the module has " + std::to_string(size) + " bytes, " +
                                 std::to_string(size - 1000) +
                                 " more than the 1000 of --max-size; most are of targets "
                                 "cpu:x86-64-v3/wave8 "));
  CHECK(contains(result.err, "; of kernels saxpy "));
  CHECK(limited(compile, std::to_string(size)).status == 0);
  CHECK(limited(compile, std::to_string(size - 1)).status == 1);
  CHECK(place.read("saxpy.sxt").size() == size); // the older one stays
  for (std::vector<std::string> command :
       {std::vector<std::string>{"merge", "saxpy.sxt", "-o", "out.sxt"},
        {"thin", "saxpy.sxt", "-o", "out.sxt", "--keep=*"},
        {"inspect", "saxpy.sxt"},
        {"verify", "saxpy.sxt"}}) {
    INFO(command.front());
    result = limited(command, "1KB");
    CHECK(result.status == 1);
    CHECK(contains(result.err, "more than the 1000 of --max-size"));
    CHECK(!place.has("out.sxt"));
    CHECK(limited(command, "1MB").status == 0);
    std::remove(place.path("out.sxt").c_str());
  }
  result = limited(compile, "many");
  CHECK(result.status == 1);
  CHECK(contains(result.err, "'many' is not a size; write 65536, 400KB, 64KiB, 25MB"));
}

TEST_CASE("--fail-on-spill", "[budget]") {
  Workplace place;
  place.write("sample.sxt", asText(test::sampleModule()));
  CommandResult result = place.run({"verify", "sample.sxt", "--fail-on-spill"});
  CHECK(result.status == 0); // the second task does not tell; none spills
  CHECK(result.out == "sample.sxt: good\n");
  CHECK(result.err == "sextant: note: 'sample.sxt': 6 of 7 variants do not tell whether they spill "
                      "(amdgpu, cpu, cuda)\n");

  ModuleBuilder builder("sextant 0.1.0", "-O3");
  const uint32_t source = builder.addSource("kernels.py", {});
  const uint32_t kernel = *builder.addKernel(test::totalKernel(source));
  const uint32_t image = builder.addImage(test::imageBytes(1));
  for (auto [arch, first, second] : {std::tuple("sm_80", 0, 16), std::tuple("sm_90", 8, 1)}) {
    module::Variant variant = test::variantFor({"cuda", arch, {}, 32}, image, "cubin");
    variant.resources = {{255, first, 16, 0}, {20, second, 0, 0}};
    test::need(builder.addVariant(kernel, test::totalPlan(32), variant));
  }
  place.write("spills.sxt", asText(*builder.build()));
  for (const char *command : {"verify", "inspect"}) {
    result = place.run({command, "spills.sxt", "--fail-on-spill"});
    CHECK(result.status == 1);
    CHECK(result.err ==
          R"(sextant: error: 'spills.sxt': 3 tasks spill registers to memory
  kernel 'total', cuda:sm_80/wave32, task total_t1: 16 bytes a thread
  kernel 'total', cuda:sm_90/wave32, task total_t0: 8 bytes a thread
  kernel 'total', cuda:sm_90/wave32, task total_t1: 1 byte a thread
  help: fewer threads a block, smaller tiles, or fewer values alive at once
)");
  }
  // A compilation that does not spill.
  place.write("saxpy.py", saxpySource);
  CHECK(place.good({"compile", "saxpy.py", "--targets=gfx1100", "--fail-on-spill"}).err.empty());
}

TEST_CASE("verify --require", "[budget]") {
  Workplace place;
  place.write("sample.sxt", asText(test::sampleModule()));
  auto verify = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"verify", "sample.sxt"});
    return place.run(std::move(options));
  };
  CHECK(verify({"--require=total@cuda:sm_90", "--require=tot*@amdgpu:gfx11*/wave32",
                "--require=kernel:empty_i32", "--require=cpu"})
            .out == "sample.sxt: good\n");
  CommandResult result =
      verify({"--require=cuda:sm_90", "--require=total@sm_75", "--require=kernel:scan"});
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  CHECK(
      result.err ==
      "sextant: error: 'sample.sxt': kernel 'empty_i32' lacks 'cuda:sm_90': it has "
      "cpu:aarch64/wave32\n"
      "sextant: error: 'sample.sxt': kernel 'total' lacks 'total@sm_75': cuda:sm_75/wave32: "
      "atomics on f64 need sm_60 shared memory\n"
      "sextant: error: 'sample.sxt': no kernel is 'kernel:scan': the module has kernels empty_i32, "
      "total\n");
  result = verify({"--require=cuda:sm_90", "--json"});
  CHECK(result.status == 1);
  CHECK(result.err.empty());
  CHECK(result.out == R"({
  "schema": 1,
  "modules": [
    {
      "module": "sample.sxt",
      "bytes": )" + std::to_string(place.read("sample.sxt").size()) +
                          R"(,
      "good": false,
      "error": null,
      "note": null,
      "missing": [
        {
          "require": "cuda:sm_90",
          "kernel": "empty_i32",
          "reason": "it has cpu:aarch64/wave32"
        }
      ]
    }
  ]
}
)");
  CHECK(contains(verify({"--require=@cuda"}).err, "'@cuda' names nothing"));
  place.write("text.sxt", "no module");
  result = place.run({"verify", "text.sxt", "sample.sxt", "--require=cpu"});
  CHECK(result.status == 1);
  CHECK(result.out == "sample.sxt: good\n");
  CHECK(contains(place.run({"verify", "text.sxt", "missing.sxt", "--json"}).out,
                 "missing.sxt': No such file"));
}

TEST_CASE("budgets of a compilation, by options and by a manifest", "[budget]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.run(
      {"compile", "saxpy.py", "--targets=compute_75", "--require=compute_75", "--require=gfx1100"});
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: 'saxpy.sxt': kernel 'saxpy' lacks 'gfx1100': it has "
                      "cuda:compute_75/wave32\n\n1 error\n");
  CHECK(!place.has("saxpy.sxt"));
  result = place.good({"compile", "saxpy.py", "--targets=compute_75", "--fail-on-spill"});
  CHECK(contains(result.err, "note: 'saxpy.sxt': 1 of 1 variant do not tell whether they spill "
                             "(cuda)"));

  const std::string manifest = "[module.app]\nsources = ['saxpy.py']\ntargets = ['compute_75']\n";
  auto compile = [&](const std::string &more) {
    place.write("sextant.toml", manifest + more);
    const CommandResult one = place.run({"compile", "--manifest=sextant.toml"});
    CHECK(one.status == (place.has("app.sxt") ? 0 : 1));
    std::remove(place.path("app.sxt").c_str());
    return one.err;
  };
  CHECK(compile("max-size = '1MB'\nrequire = ['cuda']\n").empty());
  CHECK(contains(compile("max-size = 100\n"), "more than the 100 of --max-size"));
  CHECK(contains(compile("require = ['cuda', 'kernel:scan']\n"), "no kernel is 'kernel:scan'"));
  CHECK(contains(compile("max-size = 'much'\n"),
                 "sextant.toml:4:12: 'max-size' is not a size such as 65536, \"400KB\" or"));
  CHECK(contains(compile("fail-on-spill = true\n"), "do not tell whether they spill"));
}

TEST_CASE("diff --fail-on", "[budget]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "a.sxt", "--targets=cpu:x86-64-v3/wave8"});
  place.good({"compile", "saxpy.py", "-o", "b.sxt", "--targets=cpu:x86-64-v3/wave8,compute_75"});
  auto diff = [&](std::vector<std::string> options, bool isBack = false) {
    options.insert(options.begin(),
                   {"diff", isBack ? "b.sxt" : "a.sxt", isBack ? "a.sxt" : "b.sxt"});
    return place.run(std::move(options));
  };
  CHECK(diff({}).status == 1);
  CHECK(diff({"--fail-on=abi,kernel-removed,variant-removed"}).status == 0);
  CHECK(diff({"--fail-on=variant-removed"}, true).status == 1);
  CommandResult result = diff({"--fail-on", "variant-added", "--fail-on=size+1%,spill"});
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: --fail-on variant-added\n"
                      "sextant: error: --fail-on size+1%\n");
  CHECK(diff({"--fail-on=size+500%"}).status == 0);
  CHECK(contains(diff({"--json"}).out,
                 "\"kind\": \"variant-added\",\n      \"kernel\": \"saxpy\",\n"
                 "      \"target\": \"cuda:compute_75/wave32\",\n"));
  CHECK(diff({"--fail-on=size"}).err ==
        "sextant: error: --fail-on: 'size' is not a change\n"
        "  help: it takes size+N%, compiler, options, source, kernel-added, kernel-removed, abi, "
        "variant-added, variant-removed, code, format, requirements, resources, spill, launch, "
        "refusal, attachment\n");
}
