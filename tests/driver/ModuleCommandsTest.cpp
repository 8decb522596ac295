// inspect, verify, extract, disasm, explain, targets, devices.
#include "CommandLine.h"
#include "driver/compile/Targets.h"
#include "loader/format/Select.h"
#include "tests/module/Patient.h"
#include "tests/support/Catch.h"

#include <map>

namespace {
/// A module of saxpy for two targets.
struct Built : Workplace {
  Built() {
    write("saxpy.py", saxpySource);
    good({"compile", "saxpy.py", "--targets=cpu:x86-64-v2/wave8,cpu:x86-64-v3/wave16"});
  }
};
} // namespace

TEST_CASE("inspect", "[modules]") {
  Built place;
  std::string text = place.good({"inspect", "saxpy.sxt"}).out;
  for (const char *part : {"saxpy", "f32", "cpu:x86-64-v2/wave8", "cpu:x86-64-v3/wave16"})
    CHECK(contains(text, part));
  std::string json = place.good({"inspect", "saxpy.sxt", "--json"}).out;
  CHECK(json.front() == '{');
  CHECK(contains(json, "\"saxpy\""));
}

TEST_CASE("modules that are damaged or none", "[modules]") {
  Built place;
  std::string bytes = place.read("saxpy.sxt");
  CHECK(contains(place.good({"verify", "saxpy.sxt"}).out, "good"));
  std::string flipped = bytes;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
  place.write("flipped.sxt", flipped);
  CommandResult flip = place.run({"verify", "flipped.sxt"});
  CHECK(flip.status == 1);
  CHECK(flip.err.starts_with("sextant: error: 'flipped.sxt': corrupt module: "));
  place.write("short.sxt", bytes.substr(0, bytes.size() / 2));
  place.write("other.sxt", "this is not a module");
  place.write("empty.sxt", "");
  for (const char *name : {"short.sxt", "other.sxt", "empty.sxt", "missing.sxt"})
    for (const char *command : {"inspect", "verify", "extract", "disasm", "explain"}) {
      CommandResult result = place.run({command, name});
      INFO(command << " " << name << ": " << result.err);
      CHECK(result.status == 1);
      CHECK(!result.err.empty());
    }
  CHECK(place.run({"run", "other.sxt", "saxpy"}).status == 1);
  // Damage that opening does not look at: the first kernel's entry. The file is named.
  std::string entry = bytes;
  entry[270] = static_cast<char>(entry[270] ^ 0x40);
  place.write("entry.sxt", entry);
  const std::string said = "sextant: error: 'entry.sxt': corrupt module: kernel 0: ";
  for (const char *command : {"inspect", "extract", "disasm", "explain"})
    CHECK(place.run({command, "entry.sxt"}).err.starts_with(said));
  CHECK(place.run({"diff", "saxpy.sxt", "entry.sxt"}).err.starts_with(said));
}

TEST_CASE("a kernel of a module whose entries are out of order", "[modules]") {
  // A lookup by name does not find it there; the list of kernels has it.
  Workplace place;
  place.write("two.py",
              std::string(saxpySource) + "\n@qd.kernel\ndef other() -> qd.i32:\n    return 1\n");
  place.good({"compile", "two.py", "--targets=cpu:x86-64-v2/wave8"});
  const std::string file = place.read("two.sxt");
  const auto *first = reinterpret_cast<const std::byte *>(file.data());
  sextant::test::Patient patient{{first, first + file.size()}};
  const auto front = patient.kernelEntry(0), back = patient.kernelEntry(1);
  patient.put(patient.kernelEntryAt(0), back);
  patient.put(patient.kernelEntryAt(1), front);
  patient.hashAgain();
  place.write("two.sxt",
              {reinterpret_cast<const char *>(patient.bytes.data()), patient.bytes.size()});
  for (const char *name : {"saxpy", "other"})
    CHECK(contains(place.good({"explain", "two.sxt", name, "--as=x86-64-v2"}).out, name));
  const CommandResult none = place.run({"explain", "two.sxt", "othr", "--as=x86-64-v2"});
  CHECK(contains(none.err, "the module has no kernel 'othr'"));
  CHECK(place.run({"verify", "two.sxt"}).status == 1);
}

TEST_CASE("extract", "[modules]") {
  Built place;
  place.good({"extract", "saxpy.sxt", "--kernel=saxpy", "--target=x86-64-v2", "-o", "a.so"});
  CHECK(place.read("a.so").substr(0, 4) == "\x7f"
                                           "ELF");
  CommandResult result = place.good({"extract", "saxpy.sxt", "-k", "saxpy", "-t", "/wave16"});
  CHECK(place.has("saxpy.x86-64-v3.wave16.so"));
  CHECK(place.run({"extract", "saxpy.sxt", "-t", "sm_90"}).status == 1);
  CHECK(place.run({"extract", "saxpy.sxt", "-t", "cpu"}).status == 1); // which of two?
  result = place.run({"extract", "saxpy.sxt", "-k", "saxpi"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "did you mean 'saxpy'?"));
}

TEST_CASE("diff", "[modules]") {
  Built place;
  CHECK(place.good({"diff", "saxpy.sxt", "saxpy.sxt"}).out.empty());
  place.good({"compile", "saxpy.py", "-o", "one.sxt", "--targets=cpu:x86-64-v2/wave8"});
  CommandResult result = place.run({"diff", "saxpy.sxt", "one.sxt"});
  CHECK(result.status == 1);
  CHECK(result.out.starts_with("kernel saxpy, cpu:x86-64-v3/wave16: removed\nmodule: "));
  CHECK(place.run({"diff", "saxpy.sxt", "none.sxt"}).status == 1);
}

TEST_CASE("disasm", "[modules]") {
  Built place;
  CommandResult result = place.good({"disasm", "saxpy.sxt", "-t", "x86-64-v3"});
  CHECK(contains(result.out, "saxpy"));
  CHECK(contains(result.out, "ret"));
}

TEST_CASE("explain asks for any number of variants", "[modules]") {
  // Each verdict is a call with the kernel's name.
  using namespace sextant;
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(test::totalKernel(builder.addSource("a.py", {})));
  const uint32_t image = builder.addImage(test::imageBytes(1));
  for (unsigned tile = 0; tile < 20'000; ++tile) {
    module::Variant variant;
    variant.target = {"cpu", "x86-64-v2", {"TILE=" + std::to_string(tile)}, 8};
    variant.image = image;
    variant.format = "elf";
    REQUIRE(builder.addVariant(kernel, module::Plan(), variant).ok());
  }
  const test::Bytes bytes = *builder.build();
  Workplace place;
  place.write("many.sxt", {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  const std::string text =
      place.good({"explain", "many.sxt", "total", "--device=cpu", "--variant=x86-64-v2"}).out;
  CHECK(std::count(text.begin(), text.end(), '\n') >= 20'000);
  CHECK(contains(text, "    runs    cpu:x86-64-v2+TILE=0/wave8"));
  CHECK(contains(text, "    could   cpu:x86-64-v2+TILE=19999/wave8"));
}

TEST_CASE("explain", "[modules]") {
  Built place;
  std::string here = place.good({"explain", "saxpy.sxt"}).out;
  CHECK(contains(here, "saxpy"));
  CHECK(place.good({"explain", "saxpy.sxt", "--device=cpu"}).out.starts_with("cpu: "));
  std::string old = place.good({"explain", "saxpy.sxt", "saxpy", "--as", "x86-64-v2"}).out;
  CHECK(contains(old, "runs    cpu:x86-64-v2/wave8"));
  CHECK(contains(old, "no      cpu:x86-64-v3/wave16"));
  std::string pinned =
      place.good({"explain", "saxpy.sxt", "--as", "x86-64-v4", "--variant=x86-64-v2"}).out;
  CHECK(contains(pinned, "runs    cpu:x86-64-v2/wave8"));
  CHECK(contains(pinned, "is not what the pin 'x86-64-v2' names"));
  pinned = place.good({"explain", "saxpy.sxt", "--device", "cpu", "--wave=8"}).out;
  CHECK(contains(pinned, "runs    cpu:x86-64-v2/wave8"));
}

TEST_CASE("explain: a kernel that runs nowhere is status 1", "[modules]") {
  Built place;
  CommandResult nowhere = place.run({"explain", "saxpy.sxt", "--as=sm_86"});
  CHECK(nowhere.status == 1);
  CHECK(contains(nowhere.out, "nothing runs here"));
  CHECK(contains(nowhere.out, "2 for other backends"));
  CHECK(contains(nowhere.err, "no device that was asked about runs saxpy"));
  // One device that runs it is enough.
  CHECK(place.run({"explain", "saxpy.sxt", "--as=sm_86", "--as=x86-64-v3"}).status == 0);
  CHECK(place.run({"explain", "saxpy.sxt", "nothing"}).status == 1);
  CommandResult result = place.run({"explain", "saxpy.sxt", "--device=hal:9"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "this machine has no device 'hal:9'; it has "));
}

TEST_CASE("explain: atomics on reals by what a Vulkan device has", "[modules]") {
  Workplace place;
  place.write("reals.py", R"(import quadrants as qd

@qd.kernel
def reals(x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        qd.atomic_add(x[0], 1.0)
        qd.atomic_min(y[0], qd.f32(i))
)");
  place.good({"compile", "reals.py", "-o", "reals.sxt", "--targets=vulkan:1.1/wave32"});
  auto runs = [&](const std::string &features) {
    std::string text = place.good({"explain", "reals.sxt", "--as", "vulkan:1.3" + features}).out;
    text = text.substr(text.find("runs    ") + 8);
    return text.substr(0, text.find(':', text.find(':') + 1));
  };
  CHECK(runs("") == "vulkan:1.1/wave32");
  CHECK(runs(",float32-minmax-atomics") == "vulkan:1.1/wave32"); // it has to add, too
  CHECK(runs(",float32-atomics") == "vulkan:1.1+float32-atomics/wave32");
  CHECK(runs(",float32-atomics,float32-minmax-atomics") ==
        "vulkan:1.1+float32-atomics+float32-minmax-atomics/wave32");
  // A name in full is one variant's; a part of it may be several's.
  CommandResult plain = place.run({"disasm", "reals.sxt", "-t", "vulkan:1.1/wave32"});
  CHECK(plain.status == 0);
  CHECK(!contains(plain.out, "AtomicFloat32"));
  CHECK(contains(place.run({"disasm", "reals.sxt", "-t", "vulkan"}).err, "names several variants"));
}

TEST_CASE("explain: devices that are named", "[modules]") {
  Built place;
  auto head = [&](const std::string &device) {
    return place.run({"explain", "saxpy.sxt", "--as", device}).out;
  };
  CHECK(contains(head("gfx1101"), "amdgpu gfx1101, wave 32 64"));
  CHECK(contains(head("gfx90a:xnack+:sramecc-"), "amdgpu gfx90a:sramecc-:xnack+, wave 64"));
  CHECK(contains(head("metal:3.0"), "metal 3.0, wave 32"));
  CHECK(contains(head("sm_86,ptx=8.4"), "features: ptx=8.4"));
  std::string vulkan = head("vulkan:subgroup=16,no-int64");
  CHECK(contains(vulkan, "vulkan 1.3, wave 16\n"));
  CHECK(contains(vulkan, " int64-atomics "));
  CHECK(!contains(vulkan, " int64 "));
  CHECK(!contains(vulkan, "float32-atomics"));
  vulkan = head("vulkan:1.2,subgroup=8..64,float32-atomics,shared-bytes=16384");
  CHECK(contains(vulkan, "vulkan 1.2, wave 32 64 16 8\n"));
  CHECK(contains(vulkan, " float32-atomics "));
  CHECK(contains(vulkan, " shared-bytes=16384"));
  CHECK(contains(head("vulkan"), "vulkan 1.3, wave 32\n"));
  CHECK(contains(head("vulkan:1.1/wave8"), "vulkan 1.1, wave 8\n"));

  auto error = [&](const std::string &device) {
    CommandResult result = place.run({"explain", "saxpy.sxt", "--as", device});
    CHECK(result.status == 1);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(contains(error("sm_1"), "'sm_1' names no device that is known"));
  CHECK(contains(error("gfx110"), "or 'gfx1100'"));
  CHECK(contains(error("sm_91"), "there is no processor 'sm_91'\n  help: did you mean sm_90 or "
                                 "sm_100?"));
  CHECK(contains(error("cuda:compute_73"), "did you mean sm_72 or sm_75?"));
  CHECK(contains(error("sm_999"), "did you mean sm_121?"));
  CHECK(contains(error("sm_12"), "did you mean sm_50?"));
  CHECK(contains(error("gfx1100:xnack+"), "names no device that is known"));
  CHECK(contains(error("cuda:sm_00"), "did you mean 'sm_100'"));
  CHECK(contains(error("amdgpu:gfx943"), "'gfx942'"));
  CHECK(contains(error("cpu:armv9"), "cpu has x86-64-v2, "));
  CHECK(contains(error("vulkan:7.7"), "there is no version 7.7 of vulkan\n  help: there are 1.0, "
                                      "1.1, 1.2, 1.3, 1.4\n"));
  CHECK(contains(error("vulkan:1.5"), "there is no version 1.5 of vulkan"));
  CHECK(contains(error("vulkan:7.7,int64"), "there is no version 7.7 of vulkan"));
  CHECK(contains(error("metal:2.9"), "there is no version 2.9 of metal"));
  CHECK(contains(error("vulkan:1"), "did you mean '1.0' or '1.1' or '1.2'?"));
  CHECK(contains(error("sm_90,ptx=99.9"), "there is no PTX 99.9\n  help: there are 1.0 to 1.5, "));
  CHECK(contains(error("sm_90,ptx=7.9"), "there is no PTX 7.9"));
  CHECK(contains(error("gfx942/wave16"), "its waves have 64 lanes"));
  CHECK(contains(head("sm_90,ptx=7.8"), "cuda sm_90"));
  CHECK(contains(head("metal:2.4"), "metal 2.4"));
  CHECK(contains(error("vulkan:1.2,int46"), "no feature 'int46'"));
  CHECK(contains(error("vulkan:1.2,no-int46"), "or 'int64'"));
  CHECK(contains(error("vulkan:subgroup=12"), "'subgroup=12' is not a subgroup size"));
  CHECK(contains(error("vulkan:subgroup=32..8"), "is not a subgroup size"));
  CHECK(contains(error("vulkan:shared-bytes=many"), "'many' is not a number"));
  CHECK(contains(error("vulkan:memory=4"), "it asks for block-threads, push-bytes"));
  CHECK(contains(error("gfx1100,subgroup=32"), "asks amdgpu devices for no number 'subgroup'"));
  CHECK(contains(error("gfx1100,int64"), "asks amdgpu devices for no feature 'int64'"));
  CHECK(contains(error("vulkan:1.2,,int64"), "an empty fact"));
  CHECK(contains(error(""), "empty"));
}

TEST_CASE("explain --json", "[modules]") {
  Built place;
  CommandResult result =
      place.good({"explain", "saxpy.sxt", "--json", "--as=x86-64-v2", "--as=vulkan:1.1"});
  CHECK(contains(result.out, "\"runs\": \"cpu:x86-64-v2/wave8\""));
  CHECK(contains(result.out, "\"runs\": null"));
  CHECK(contains(result.out, "\"reason\": \"is code for cpu; the device is vulkan\""));
}

TEST_CASE("targets and devices", "[modules]") {
  Workplace place;
  std::string targets = place.good({"targets"}).out;
  for (const char *target : {"cpu:x86-64-v3", "cpu:aarch64", "cuda:sm_90", "cuda:compute_90"})
    CHECK(contains(targets, target));
  CHECK(contains(targets, "this machine"));
  CHECK(contains(targets, "vulkan:1.1              32 4 8 16 64 (128)  SPIR-V 1.3"));
  CHECK(contains(place.good({"devices"}).out, "cpu: "));
}

TEST_CASE("what is compiled for an architecture runs on its devices", "[modules]") {
  const std::map<std::string, std::string> formats = {{"cpu", "elf"},
                                                      {"cuda", "cubin"},
                                                      {"amdgpu", "hsaco"},
                                                      {"vulkan", "spirv"},
                                                      {"metal", "msl"}};
  // Both tables, the compiler's and the loader's, know the same architectures.
  for (const sextant::ArchRow &row : sextant::listArchs()) {
    const std::string name = row.backend + ":" + row.arch;
    INFO(name);
    std::optional<sextant::module::DeviceFacts> device = sextant::module::factsOf(name);
    REQUIRE(device);
    CHECK(device->backend == row.backend);
    for (unsigned wave : row.waves) {
      INFO("wave " << wave);
      if (row.backend == "vulkan") // a device of that size
        device = sextant::module::factsOf(name + "/wave" + std::to_string(wave));
      REQUIRE(device);
      sextant::module::Variant variant;
      variant.target = {row.backend, row.arch, {}, wave};
      const bool isPtx = row.arch.starts_with("compute_");
      variant.format = isPtx ? "ptx" : formats.at(row.backend);
      const std::vector<sextant::module::Verdict> verdicts =
          sextant::module::select(*device, std::span(&variant, 1));
      CHECK(verdicts.front().usable);
      CHECK(verdicts.front().match ==
            (isPtx ? sextant::module::Match::Portable : sextant::module::Match::Exact));
    }
  }
}
