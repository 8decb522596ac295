// The reader returns what the builder was given, and the bytes depend on
// nothing else.
#include "loader/format/Format.h"
#include "loader/format/Hash.h"
#include "loader/format/Reader.h"
#include "tests/module/Sample.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::test;

TEST_CASE("a module reads back as it was built") {
  const Bytes bytes = sampleModule();
  const auto reader = Reader::fromMemory(bytes);
  REQUIRE(reader.ok());
  CHECK(reader->fileBytes() == bytes.size());
  CHECK(reader->versionMajor() == 1);
  CHECK(reader->versionMinor() == 6);
  CHECK(reader->kernelCount() == 2);
  CHECK(reader->imageCount() == 4);
  const Status verified = reader->verify();
  INFO(verified.message);
  CHECK(verified.ok());

  const auto info = reader->info();
  REQUIRE(info.ok());
  CHECK(info->compiler == "sextant 0.1.0");
  CHECK(info->options == "-O3");
  REQUIRE(info->sources.size() == 1);
  CHECK(info->sources[0].path == "kernels.py");
  CHECK(info->sources[0].hash == hash128(bytesOf("import quadrants as qd\n")));
  REQUIRE(info->globals.size() == 1);
  CHECK(info->globals[0] == Global{"bins", 0, DType::I32, 256, {16, 16}, 1, 1});

  const auto index = reader->findKernel("total");
  REQUIRE(index.ok());
  CHECK(*reader->kernelInstance(*index) == "total");
  const auto kernel = reader->kernel(*index);
  REQUIRE(kernel.ok());
  Kernel expected = totalKernel(0);
  Plan wide = totalPlan(32), narrow = totalPlan(8);
  wide.hidden[0].global = narrow.hidden[0].global = 0;
  CHECK(kernel->name == "total");
  CHECK(kernel->arguments == expected.arguments);
  REQUIRE(kernel->plans.size() == 2); // five variants of wave 32 share one
  CHECK(kernel->plans[0] == wide);
  CHECK(kernel->plans[1] == narrow);
  REQUIRE(kernel->variants.size() == 6);
  CHECK(kernel->variants[0].plan == 0);
  CHECK(kernel->variants[1].plan == 1);
  CHECK(kernel->variants[3].plan == 0);
  CHECK(str(kernel->variants[3].target) == "cuda:compute_75+tma/wave32");
  CHECK(kernel->variants[3].requirements == std::vector<std::string>{"ptx>=8.3"});
  CHECK(kernel->variants[2].resources[0] == Resources{32, 0, 16, 1024});
  CHECK(kernel->variants[2].resources[1] == Resources{-1, -1, -1, -1});
  CHECK(kernel->variants[4].resources[0] == Resources{24, 0, 0, 512, 18, 12});
  CHECK(kernel->variants[4].resources[1] == Resources{3, -1, -1, -1, 8, 16});
  REQUIRE(kernel->refusals.size() == 1);
  CHECK(kernel->refusals[0] ==
        RefusedTarget{{"cuda", "sm_75", {}, 32}, "atomics on f64 need sm_60 shared memory"});

  CHECK(*reader->image(kernel->variants[0].image) == imageBytes(1));
  CHECK(*reader->image(kernel->variants[2].image) == imageBytes(2));
  CHECK(*reader->image(kernel->variants[3].image) == bytesOf("tiny"));
  const auto facts = reader->imageInfo(kernel->variants[0].image);
  REQUIRE(facts.ok());
  CHECK(facts->bytes == 600);
  CHECK(facts->storedBytes < 600);
  CHECK(facts->hash == hash128(imageBytes(1)));

  const auto empty = reader->findKernel("empty_i32");
  REQUIRE(empty.ok());
  CHECK(reader->kernel(*empty)->arguments.empty());
  CHECK(reader->findKernel("empty").error().message == "the module has no kernel 'empty'");
  CHECK(reader->findKernel("").error().code == Code::NotFound);
  CHECK(reader->kernel(2).error().message == "the module has no kernel 2, it has 2");
  CHECK(reader->image(4).error().code == Code::NotFound);
}

TEST_CASE("the same input gives the same bytes") { CHECK(sampleModule() == sampleModule()); }

TEST_CASE("a module needs no alignment") {
  Bytes shifted = sampleModule();
  shifted.insert(shifted.begin(), std::byte{0});
  const auto reader = Reader::fromMemory(std::span(shifted).subspan(1));
  REQUIRE(reader.ok());
  CHECK(reader->verify().ok());
}

TEST_CASE("an empty module is one") {
  const auto bytes = packager::ModuleBuilder("sextant", "").build();
  REQUIRE(bytes.ok());
  const auto reader = Reader::fromMemory(*bytes);
  REQUIRE(reader.ok());
  CHECK(reader->verify().ok());
  CHECK(reader->findKernel("x").error().code == Code::NotFound);
}

TEST_CASE("equal images are stored once") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t first = builder.addImage(imageBytes(1, 100000));
  CHECK(builder.addImage(imageBytes(2, 100000)) != first);
  CHECK(builder.addImage(imageBytes(1, 100000)) == first);
  const auto bytes = builder.build();
  REQUIRE(bytes.ok());
  CHECK(Reader::fromMemory(*bytes)->imageCount() == 2);
}

TEST_CASE("many kernels are found by name") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("k.py", {});
  for (unsigned i = 0; i < 1000; ++i) {
    Kernel kernel;
    kernel.name = "k";
    kernel.instance = "k_" + std::to_string(i);
    kernel.source = source;
    REQUIRE(builder.addKernel(kernel).ok());
  }
  const auto bytes = builder.build();
  REQUIRE(bytes.ok());
  const auto reader = Reader::fromMemory(*bytes);
  for (unsigned i = 0; i < 1000; ++i) {
    const std::string name = "k_" + std::to_string(i);
    const auto index = reader->findKernel(name);
    REQUIRE(index.ok());
    REQUIRE(*reader->kernelInstance(*index) == name);
  }
  CHECK(!reader->findKernel("k_1000").ok());
}

TEST_CASE("kernels of one source share a field by name") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t a = builder.addSource("a.py", {}), b = builder.addSource("b.py", {});
  const uint32_t image = builder.addImage(imageBytes(1));
  const Target target{"cpu", "aarch64", {}, 32};
  for (auto [source, name] : {std::pair(a, "a0"), std::pair(a, "a1"), std::pair(b, "b0")}) {
    const uint32_t kernel = *builder.addKernel(totalKernel(source, name));
    need(builder.addVariant(kernel, totalPlan(32), variantFor(target, image, "elf")));
  }
  const auto bytes = builder.build();
  const auto reader = Reader::fromMemory(*bytes);
  CHECK(reader->info()->globals.size() == 2);
  auto globalOf = [&](const char *name) {
    return reader->kernel(*reader->findKernel(name))->plans[0].hidden[0].global;
  };
  CHECK(globalOf("a0") == globalOf("a1"));
  CHECK(globalOf("a0") != globalOf("b0"));

  Plan other = totalPlan(32);
  other.hidden[0].dtype = DType::U32;
  const uint32_t kernel = *builder.addKernel(totalKernel(a, "a2"));
  CHECK(builder.addVariant(kernel, other, variantFor(target, image, "elf")).message ==
        "kernel 'a2': field 'bins' differs from the one of that name in another kernel");
}

TEST_CASE("structs in one piece read back, and belong to the signature") {
  auto built = [](const std::string &structure, const std::string &ofField) {
    packager::ModuleBuilder builder("sextant", "");
    Kernel kernel = totalKernel(builder.addSource("a.py", {}));
    kernel.arguments[0].structure = structure;
    Plan plan = totalPlan(32);
    const uint32_t number = *builder.addKernel(std::move(kernel));
    builder.describeField(0, "bins", ofField);
    need(builder.addVariant(
        number, plan,
        variantFor({"cpu", "aarch64", {}, 32}, builder.addImage(imageBytes(1)), "elf")));
    return *builder.build();
  };
  auto hashOf = [](const Bytes &bytes) {
    const auto reader = Reader::fromMemory(bytes);
    return reader->kernel(*reader->findKernel("total"))->abiHash;
  };
  auto requiredOf = [](const Bytes &bytes) { return format::loadHeader(bytes.data()).required; };
  const Bytes with = built("S{a:i32}", "F{b:i32}"), other = built("S{b:i32}", "F{b:i32}");
  const Bytes without = built("", ""), inField = built("", "F{b:i32}");
  const auto reader = Reader::fromMemory(with);
  REQUIRE(reader.ok());
  CHECK(reader->verify().ok());
  const auto kernel = reader->kernel(*reader->findKernel("total"));
  CHECK(kernel->arguments[0].structure == "S{a:i32}");
  CHECK(kernel->arguments[1].structure.empty());
  CHECK(reader->info()->globals[0].structure == "F{b:i32}");
  CHECK(hashOf(with) != hashOf(other));
  CHECK(hashOf(with) != hashOf(without));
  CHECK(hashOf(inField) == hashOf(without)); // fields belong to no signature
  // Older readers cannot compute the hash.
  CHECK((requiredOf(with) & format::requiredStructures) != 0);
  CHECK((requiredOf(without) & format::requiredStructures) == 0);
  CHECK((requiredOf(inField) & format::requiredStructures) == 0);
}

TEST_CASE("the builder refuses what makes no module") {
  packager::ModuleBuilder builder = sampleBuilder();
  CHECK(
      builder.addKernel(totalKernel(0)).error().message ==
      "the module has two kernels 'total', both of 'kernels.py'; rename one, or compile them into "
      "two modules");
  const Target target{"cpu", "x86-64-v3", {}, 8};
  CHECK(builder.addVariant(0, totalPlan(8), variantFor(target, 0, "elf")).message ==
        "kernel 'total', cpu:x86-64-v3/wave8: the target is there twice");
  const Target tma{"cuda", "sm_90", {"tma", "fp8"}, 32}, other{"cuda", "sm_90", {"fp8", "tma"}, 32};
  need(builder.addVariant(0, totalPlan(32), variantFor(tma, 0, "cubin")));
  CHECK(builder.addVariant(0, totalPlan(32), variantFor(other, 0, "cubin")).message ==
        "kernel 'total', cuda:sm_90+fp8+tma/wave32: the target is there twice");
  CHECK(builder.addVariant(0, totalPlan(8), variantFor(target, 9, "elf")).message ==
        "kernel 'total', cpu:x86-64-v3/wave8: no image 9");
  CHECK(builder.addVariant(9, {}, {}).message == "no kernel 9");
  Plan plan = totalPlan(16);
  plan.hidden[1].dtype = DType::F64;
  CHECK(builder.addVariant(0, plan, variantFor({"cpu", "aarch64", {}, 16}, 0, "elf")).message ==
        "kernel 'total', cpu:aarch64/wave16: it returns other types than another variant");

  Kernel kernel = totalKernel(0, std::string("a\0b", 3));
  REQUIRE(builder.addKernel(kernel).ok());
  CHECK(builder.build().error().message ==
        "kernel 'a\\x00b': its name is not printable: 'a\\x00b'");

  packager::ModuleBuilder wordy("sextant", "");
  need(wordy.addRefusal(*wordy.addKernel(totalKernel(wordy.addSource("a.py", {}))), target,
                        std::string(size_t(1) << 24, 'x')));
  const std::string message = wordy.build().error().message;
  CHECK(message.starts_with("kernel 'total': its description has 167"));
  CHECK(message.ends_with(" bytes, loaders take 16777216"));
}

TEST_CASE("many refusals with one long reason fit the text budget") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  for (unsigned i = 0; i < 300; ++i)
    need(builder.addRefusal(kernel, {"cuda", "sm_" + std::to_string(10 + i), {}, 32},
                            std::string(5000, 'x')));
  const auto bytes = builder.build();
  REQUIRE(bytes.ok());
  CHECK(Reader::fromMemory(*bytes)->verify().ok());
}

TEST_CASE("files are written beside, then renamed") {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("sextant-module-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "k.sxt").string();
  const Bytes bytes = sampleModule();
  need(packager::writeFile(path, bytesOf("old")));
  need(packager::writeFile(path, bytes));
  {
    const auto reader = Reader::fromFile(path);
    REQUIRE(reader.ok());
    CHECK(reader->verify().ok());
  }
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);

  const std::string lost = (folder / "no" / "k.sxt").string();
  // The rest is the system's reason (FilesTest.cpp).
  CHECK(packager::writeFile(lost, bytes).message.starts_with("cannot write '" + lost + "': "));
  const std::string taken = (folder / "dir").string();
  fs::create_directories(taken + "/x");
  CHECK(packager::writeFile(taken, bytes).message.starts_with("cannot write '" + taken + "': "));
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);

  CHECK(Reader::fromFile(lost).error().message.starts_with("cannot open '" + lost + "': "));
  CHECK(Reader::fromFile(taken).error().message ==
        "'" + taken + "' is not a regular file; pass the path of a module");
  need(packager::writeFile(path, {}));
  CHECK(Reader::fromFile(path).error().message ==
        "'" + path + "': truncated module: 0 bytes are less than a header; copy it again");
  fs::remove_all(folder);
}

TEST_CASE("images in packs read back, whatever they are compressed against") {
  // Thirty kernels of 20 KB for three targets: images that resemble each other from
  // target to target, in more than one pack a target.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("k.py", {});
  auto imageOf = [](unsigned kernel, unsigned sm) {
    Bytes image = imageBytes(kernel, 20000);
    uint32_t state = kernel + 1; // noise that the targets share
    for (size_t i = 0; i < 5000; ++i) {
      state = state * 1664525 + 1013904223;
      image[i] = static_cast<std::byte>(state >> 24);
    }
    image[6000 + sm] = std::byte{0xee};
    return image;
  };
  for (unsigned k = 0; k < 30; ++k) {
    const uint32_t kernel = *builder.addKernel(totalKernel(source, "k" + std::to_string(k)));
    for (unsigned sm = 0; sm < 3; ++sm)
      need(builder.addVariant(kernel, totalPlan(32),
                              variantFor({"cuda", "sm_" + std::to_string(80 + sm), {}, 32},
                                         builder.addImage(imageOf(k, sm)), "cubin")));
  }
  const Bytes bytes = *builder.build({.jobs = 1});
  CHECK(*builder.build({.jobs = 3}) == bytes);
  CHECK(bytes.size() < 30 * 7000); // the noise, once
  const auto reader = Reader::fromMemory(bytes);
  const Status verified = reader->verify();
  INFO(verified.message);
  REQUIRE(verified.ok());
  // From several threads, in orders that share little of what is kept decompressed.
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong = 0;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < 90; ++i) {
        const unsigned which = (i * 37 + thread * 11) % 90, k = which / 3, sm = which % 3;
        const auto kernel = reader->kernel(*reader->findKernel("k" + std::to_string(k)));
        const auto image = reader->image(kernel->variants[sm].image);
        wrong += !image.ok() || *image != imageOf(k, sm);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("an image larger than a pack has one for itself") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("k.py", {})));
  const Bytes large = imageBytes(3, 400000), small = imageBytes(4, 1000);
  need(builder.addVariant(kernel, totalPlan(32),
                          variantFor({"cuda", "sm_80", {}, 32}, builder.addImage(large), "cubin")));
  need(builder.addVariant(kernel, totalPlan(32),
                          variantFor({"cuda", "sm_90", {}, 32}, builder.addImage(small), "cubin")));
  const Bytes bytes = *builder.build();
  const auto reader = Reader::fromMemory(bytes);
  CHECK(*reader->image(0) == large);
  CHECK(*reader->image(1) == small);
  CHECK(reader->imageInfo(0)->bytes == 400000);
  CHECK(reader->imageInfo(1)->hash == hash128(small));
  CHECK(reader->verify().ok());
}
