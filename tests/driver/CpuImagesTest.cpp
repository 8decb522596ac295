// CPU images need nothing of their system: no library, no function of one, no value that depends on
// their place in memory. Of every architecture, whichever the host has.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace {

/// Code that LLVM likes to make calls of: arrays that are cleared and copied, in loops that run on
/// one thread too, conversions of halves, remainders, products and sums.
const char *const source = R"(import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)
D = qd.types.ndarray(dtype=qd.f64, ndim=1)
H = qd.types.ndarray(dtype=qd.f16, ndim=1)
W = qd.types.ndarray(dtype=qd.i64, ndim=1)

@qd.kernel
def clear(x: A, n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        x[i] = 0.0
    for i in range(n):
        x[n + i] = x[i]

@qd.kernel
def arrays(x: A, at: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in x:
        first = qd.Vector([0.0] * 64)
        second = qd.Vector([0.0] * 64)
        for k in range(at[i]):
            first[at[k]] += x[k]
        for k in range(64):
            second[k] = first[k]
        x[i] = second[at[i] % 64]

@qd.kernel
def halves(h: H, x: A, d: D, w: W):
    for i in h:
        h[i] = qd.cast(d[i], qd.f16) + h[i] * qd.cast(w[i], qd.f16)
        x[i] = qd.cast(h[i], qd.f32)
        d[i] = qd.cast(h[i], qd.f64)

@qd.kernel
def integers(w: W, d: D):
    for i in w:
        w[i] = w[i] // (w[i] % 7 + 9) + qd.cast(d[i], qd.i64)
        d[i] = d[i] % 3.0 + d[i] * d[i] + qd.cast(w[i], qd.f64)
)";

/// Returns the fault of an image, or "".
std::string problemOf(const std::string &bytes) {
  auto at = [&]<class T>(uint64_t place, T value) {
    REQUIRE(place + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
  };
  const auto header = at(0, Elf64_Ehdr());
  uint64_t symbols = 0, symbolBytes = 0, names = 0;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = at(header.e_shoff + i * sizeof(Elf64_Shdr), Elf64_Shdr());
    if (section.sh_type == SHT_DYNSYM) {
      symbols = section.sh_offset;
      symbolBytes = section.sh_size;
      names = at(header.e_shoff + section.sh_link * sizeof(Elf64_Shdr), Elf64_Shdr()).sh_offset;
    }
  }
  if (symbolBytes < 2 * sizeof(Elf64_Sym))
    return "no task";
  for (uint64_t i = 1; i < symbolBytes / sizeof(Elf64_Sym); ++i)
    if (const auto symbol = at(symbols + i * sizeof(Elf64_Sym), Elf64_Sym());
        symbol.st_shndx == SHN_UNDEF)
      return std::string("needs ") + (bytes.data() + names + symbol.st_name);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at(header.e_phoff + i * sizeof(Elf64_Phdr), Elf64_Phdr());
    if (segment.p_type == PT_TLS || segment.p_type == PT_INTERP)
      return "a segment of type " + std::to_string(segment.p_type);
    if (segment.p_type == PT_LOAD && segment.p_align != 65536)
      return "pages of " + std::to_string(segment.p_align);
    for (uint64_t d = 0; segment.p_type == PT_DYNAMIC && d < segment.p_filesz;
         d += sizeof(Elf64_Dyn)) {
      const int64_t tag = at(segment.p_offset + d, Elf64_Dyn()).d_tag;
      for (int64_t wrong : {DT_NEEDED, DT_RELA, DT_REL, DT_JMPREL, DT_INIT, DT_INIT_ARRAY, DT_FINI,
                            DT_FINI_ARRAY, DT_TEXTREL})
        if (tag == wrong)
          return "an entry of type " + std::to_string(tag) + " in the dynamic section";
    }
  }
  return "";
}

void check(const Workplace &place, const std::string &file, const std::vector<std::string> &more) {
  std::vector<std::string> arguments = {"compile", file, "-o", "k.sxt"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  place.good(arguments);
  const std::string folder = "images of " + file + (more.size() > 1 ? more.back() : "");
  place.good({"extract", "--all", "k.sxt", "-o", folder});
  unsigned images = 0;
  for (const std::string &name : place.list(folder)) {
    if (name == "manifest.json")
      continue;
    INFO(folder << "/" << name);
    CHECK(problemOf(place.read(folder + "/" + name)) == "");
    ++images;
  }
  CHECK(images > 3);
}

const char *const everywhere =
    "--targets=cpu:x86-64-v2/wave8,cpu:x86-64-v3/wave32,cpu:x86-64-v4/wave32,cpu:aarch64/wave32";

} // namespace

TEST_CASE("images call nothing, whatever LLVM makes of loops", "[cpu-images]") {
  const Workplace place;
  place.write("k.py", source);
  check(place, "k.py", {everywhere});
  check(place, "k.py", {everywhere, "-O3"});
  check(place, "k.py", {everywhere, "-g", "-O0"});
}

TEST_CASE("images have the code of every math function", "[cpu-images]") {
  const Workplace place;
  std::ifstream in(SEXTANT_MATH_FUNCTIONS);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (const char *type : {"f16", "f32", "f64"}) {
    std::string file = text;
    file.replace(file.find("T = qd.f32"), 10, std::string("T = qd.") + type);
    place.write(std::string(type) + ".py", file);
    check(place, std::string(type) + ".py", {everywhere});
  }
}
