// Modules of every released format version stay readable. The files in golden/ are
// never rewritten; a new version adds one:
//   sextant-module-tests "write a golden file"
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "packager/Sign.h"
#include "tests/module/Exercise.h"
#include "tests/module/Sample.h"

#include <algorithm>
#include <cstring>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::test;

namespace {
const std::string folder = SEXTANT_GOLDEN_DIR;

/// Readers take plans of versions before 1.3, which do not tell whose blocks wait, for such.
void mayWait(Plan &plan) {
  for (Task &task : plan.tasks)
    task.waits = !task.serial;
}
} // namespace

TEST_CASE("write a golden file", "[.]") {
  need(packager::writeFile(folder + "/new.sxt", sampleModule()));
}

TEST_CASE("write a golden file with checks", "[.]") {
  need(packager::writeFile(folder + "/new.sxt", checkedModule()));
}

TEST_CASE("write a golden file with attachments", "[.]") {
  need(packager::writeFile(folder + "/new.sxt", attachedModule()));
}

TEST_CASE("write a signed golden file", "[.]") {
  // With the key of RFC 8032, section 7.1, test 1.
  const auto key =
      packager::parseSecretKey("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  need(packager::writeFile(folder + "/new.sxt", *packager::sign(sampleModule(), *key)));
}

TEST_CASE("version 1.0 is readable") {
  const auto reader = Reader::fromFile(folder + "/v1.0.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMajor() == 1);
  CHECK(reader->versionMinor() == 0);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  const auto info = reader->info();
  REQUIRE(info.ok());
  CHECK(info->compiler == "sextant 0.1.0");
  CHECK(info->options == "-O3");
  REQUIRE(info->sources.size() == 1);
  CHECK(info->sources[0] == Source{"kernels.py", hash128(bytesOf("import quadrants as qd\n"))});
  REQUIRE(info->globals.size() == 1);
  CHECK(info->globals[0] == Global{"bins", 0, DType::I32, 256, {16, 16}, 1, 1});
  CHECK(reader->kernelCount() == 2);
  CHECK(reader->findKernel("empty_i32").ok());

  const auto kernel = reader->kernel(*reader->findKernel("total"));
  REQUIRE(kernel.ok());
  Plan plan = totalPlan(32);
  plan.hidden[0].global = 0;
  mayWait(plan);
  CHECK(kernel->abiHash == 0xbda14f8d7523546e); // generated headers carry it
  CHECK(kernel->arguments == totalKernel(0).arguments);
  REQUIRE(kernel->plans.size() == 2);
  CHECK(kernel->plans[0] == plan);
  REQUIRE(kernel->variants.size() == 4);
  CHECK(str(kernel->variants[1].target) == "cpu:x86-64-v3/wave8");
  CHECK(str(kernel->variants[3].target) == "cuda:compute_75+tma/wave32");
  CHECK(kernel->variants[3].requirements == std::vector<std::string>{"ptx>=8.3"});
  CHECK(kernel->variants[0].resources[0] == Resources{32, 0, 16, 1024});
  REQUIRE(kernel->refusals.size() == 1);
  CHECK(*reader->image(kernel->variants[0].image) == imageBytes(1));
  CHECK(*reader->image(kernel->variants[2].image) == imageBytes(2));
  CHECK(*reader->image(kernel->variants[3].image) == bytesOf("tiny"));
}

TEST_CASE("version 1.1 is readable") {
  // Images and records in packs, one of them on another; more is told of AMD's tasks.
  const auto reader = Reader::fromFile(folder + "/v1.1.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMajor() == 1);
  CHECK(reader->versionMinor() == 1);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  CHECK(reader->kernelCount() == 2);
  CHECK(reader->imageCount() == 4);
  const auto kernel = reader->kernel(*reader->findKernel("total"));
  REQUIRE(kernel.ok());
  CHECK(kernel->abiHash == 0xbda14f8d7523546e);
  REQUIRE(kernel->variants.size() == 6);
  CHECK(str(kernel->variants[4].target) == "amdgpu:gfx1100/wave32");
  CHECK(kernel->variants[0].resources[0] == Resources{32, 0, 16, 1024});
  CHECK(kernel->variants[4].resources[0] == Resources{24, 0, 0, 512, 18, 12});
  CHECK(*reader->image(kernel->variants[0].image) == imageBytes(1));
  CHECK(*reader->image(kernel->variants[2].image) == imageBytes(2));
  CHECK(*reader->image(kernel->variants[3].image) == bytesOf("tiny"));
  CHECK(*reader->image(kernel->variants[5].image) == siblingBytes());
}

TEST_CASE("version 1.2 is readable") {
  // A kernel that records faults; only such modules are of that version, and older readers
  // are told that they do not know enough.
  const auto reader = Reader::fromFile(folder + "/v1.2.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMajor() == 1);
  CHECK(reader->versionMinor() == 2);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  const auto kernel = reader->kernel(*reader->findKernel("checked"));
  REQUIRE(kernel.ok());
  REQUIRE(kernel->plans.size() == 1);
  CHECK(kernel->plans[0] == checkedPlan());
  CHECK(kernel->abiHash == Reader::fromMemory(checkedModule())->kernel(0)->abiHash);
  format::Header header;
  const Bytes with = checkedModule(), without = sampleModule();
  std::memcpy(&header, with.data(), sizeof header);
  CHECK(header.required == (format::requiredPacks | format::requiredFaults));
  CHECK(header.minor == format::versionMinor);
  std::memcpy(&header, without.data(), sizeof header);
  CHECK(header.required == format::requiredPacks);
  CHECK(header.minor == format::versionMinor);
}

TEST_CASE("version 1.4 is readable") {
  const auto reader = Reader::fromFile(folder + "/v1.4.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMajor() == 1);
  CHECK(reader->versionMinor() == 4);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  CHECK(reader->kernelCount() == 2);
  const auto info = reader->info();
  REQUIRE(info->attachments.size() == 3);
  CHECK(info->attachments[2].name == "scene.json");
  CHECK(*reader->attachment("scene.json") == imageBytes(7, 100000));
  CHECK(*reader->attachment("b.txt") == bytesOf("text"));
  CHECK(reader->attachment("empty")->empty());
}

TEST_CASE("version 1.6 is readable") {
  const auto reader = Reader::fromFile(folder + "/v1.6-run.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMinor() == 6);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  const auto apart = [&](const char *name) {
    std::string names;
    for (const Argument &argument : reader->kernel(*reader->findKernel(name))->arguments)
      names += argument.isApart ? argument.name + " " : "";
    return names;
  };
  CHECK(apart("saxpy") == "");
  CHECK(apart("saxpy_grad") == "y x.grad y.grad "); // not x, which is only read
}

TEST_CASE("version 1.5 is readable") {
  const auto reader = Reader::fromFile(folder + "/v1.5-run.sxt");
  REQUIRE(reader.ok());
  CHECK(reader->versionMinor() == 5);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  // These are the images that `--compress=none` stored.
  const std::pair<const char *, std::array<uint8_t, 16>> images[] = {
      {"count",
       {0x06, 0xdd, 0x08, 0x98, 0x04, 0x9d, 0xfa, 0xd1, 0x0c, 0x39, 0x68, 0x7c, 0xe5, 0x58, 0xea,
        0x20}},
      {"saxpy",
       {0x97, 0x83, 0x5d, 0xb8, 0x29, 0x96, 0xf0, 0xe6, 0x05, 0x54, 0x72, 0x49, 0xe6, 0x41, 0x69,
        0x2b}}};
  for (const auto &[name, hash] : images) {
    const auto kernel = reader->kernel(*reader->findKernel(name));
    REQUIRE(kernel.ok());
    const auto &variants = kernel->variants;
    const auto vulkan = std::find_if(variants.begin(), variants.end(), [](const Variant &variant) {
      return variant.target.backend == "vulkan";
    });
    REQUIRE(vulkan != variants.end());
    CHECK(hash128(*reader->image(vulkan->image)) == hash);
  }
}

TEST_CASE("what this build writes is what each version said, and more") {
  // But for the frames, which zstd's versions may compress otherwise, and the numbers
  // of images.
  const Bytes bytes = sampleModule();
  const auto now = Reader::fromMemory(bytes);
  for (const char *file : {"/v1.0.sxt", "/v1.1.sxt"}) {
    const auto golden = Reader::fromFile(folder + file);
    REQUIRE(golden.ok());
    CHECK(*now->info() == *golden->info());
    for (const char *name : {"total", "empty_i32"}) {
      auto kernel = now->kernel(*now->findKernel(name));
      auto old = golden->kernel(*golden->findKernel(name));
      REQUIRE(kernel->variants.size() >= old->variants.size());
      kernel->variants.resize(old->variants.size());
      for (size_t i = 0; i < old->variants.size(); ++i) {
        CHECK(*now->image(kernel->variants[i].image) == *golden->image(old->variants[i].image));
        kernel->variants[i].image = old->variants[i].image;
      }
      std::for_each(kernel->plans.begin(), kernel->plans.end(), mayWait);
      CHECK(*kernel == *old);
    }
  }
}
