// Kernels that depend on facts of their target: its backend and its shared memory.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <filesystem>
#include <set>
#include <sstream>

namespace {

/// The threads of a block tell what the kernel was told.
const char *const kernelsThatAsk = R"(import quadrants as qd

TILE = 256 if qd.cfg.arch == qd.cuda else 64
ROOM = qd.lang.impl.get_max_shared_memory_bytes() // 1024
A = qd.types.ndarray(dtype=qd.i32, ndim=1)

@qd.kernel
def by_backend(x: A):
    qd.loop_config(block_dim=TILE)
    for i in range(x.shape[0]):
        x[i] = TILE

@qd.kernel
def by_room(x: A):
    qd.loop_config(block_dim=ROOM)
    for i in range(x.shape[0]):
        x[i] = ROOM
)";

struct Place : Workplace {
  Place() { write("k.py", kernelsThatAsk); }

  /// The threads of a block of `kernel`, built for one target.
  std::string threads(const std::string &kernel, const std::string &target,
                      const std::vector<std::string> &more = {}) const {
    std::vector<std::string> arguments = {"compile", "k.py", "-o", "k.sxt", "--targets=" + target};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    const std::string text = good({"inspect", "k.sxt"}).out;
    const size_t task = text.find("task  " + kernel + "_t0  ");
    REQUIRE(task != text.npos);
    const size_t begin = task + 10 + kernel.size() + 1;
    return text.substr(begin, text.find(" threads", begin) - begin);
  }
};

} // namespace

TEST_CASE("a kernel knows its target's backend", "[facts]") {
  const Place place;
  CHECK(place.threads("by_backend", "cuda:compute_90") == "256");
  for (const char *target : {"cpu:x86-64-v2", "gfx942", "gfx1100", "vulkan:1.1/wave8", "metal:3.0"})
    CHECK(place.threads("by_backend", target) == "64");
}

TEST_CASE("a kernel knows the shared memory that every device with its code has", "[facts]") {
  const Place place;
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 64 KB on 7.5,
  // 163 KB on 8.0 and 8.7, 99 KB on 8.6, 8.9 and 12.x, 227 KB on 9.0 and 10.x. Devices of 8.6 run
  // code for sm_80.
  const std::pair<const char *, const char *> rows[] = {
      {"cuda:compute_75", "64"}, {"cuda:sm_75", "64"},    {"cuda:sm_80", "99"},
      {"cuda:sm_86", "99"},      {"cuda:sm_87", "99"},    {"cuda:sm_89", "99"},
      {"cuda:sm_90", "227"},     {"cuda:sm_100", "227"},  {"cuda:compute_90", "99"},
      {"cuda:sm_90a", "227"},    {"cuda:sm_103a", "227"}, {"cuda:sm_120a", "99"},
      {"cuda:sm_120", "99"},     {"gfx942", "64"},        {"vulkan:1.1/wave8", "32"},
      {"metal:3.0", "32"},       {"cpu:x86-64-v2", "64"}, {"vulkan:1.1+shared-48k/wave8", "48"}};
  for (const auto &[target, kilobytes] : rows) {
    INFO(target);
    CHECK(place.threads("by_room", target) == kilobytes);
  }
}

TEST_CASE("one module has each target's own code", "[facts]") {
  const Place place;
  place.good({"compile", "k.py", "-o", "k.sxt",
              "--targets=cpu:x86-64-v2,cuda:compute_75,cuda:compute_90,metal:3.0"});
  const auto code = [&](const std::string &kernel, const std::string &target) {
    return place.good({"disasm", "k.sxt", kernel, "-t", target}).out;
  };
  CHECK(contains(code("by_backend", "cuda:compute_90"), ".maxntid 256"));
  CHECK(contains(code("by_backend", "metal:3.0"), " = 64u;"));
  CHECK(contains(code("by_room", "cuda:compute_75"), ", 64;"));
  CHECK(contains(code("by_room", "cuda:compute_90"), ", 99;"));
  CHECK(contains(code("by_room", "metal:3.0"), " = 32u;"));
  CHECK(contains(place.good({"run", "k.sxt", "by_backend", "x=zeros:i32[2]", "--device=cpu"}).out,
                 "[64, 64]"));
}

TEST_CASE("kernels that ask for shared memory have a variant for devices with more", "[facts]") {
  const Place place;
  const std::string usual = "vulkan:1.1/wave8", more = "vulkan:1.1+shared-48k/wave8";
  const auto has = [&](const std::string &kernel, const std::string &target) {
    const std::string text = place.good({"inspect", "k.sxt"}).out;
    const size_t begin = text.find("kernel " + kernel);
    return contains(text.substr(begin, text.find("kernel ", begin + 1) - begin),
                    "\n  " + target + " ");
  };
  place.good({"compile", "k.py", "-o", "k.sxt", "--targets=" + usual});
  CHECK(has("by_room", usual));
  CHECK(has("by_room", more));
  CHECK(has("by_backend", usual));
  CHECK(!has("by_backend", more));
  const auto code = [&](const std::string &target) {
    return place.good({"disasm", "k.sxt", "by_room", "-t", target}).out;
  };
  CHECK(contains(code(more), "LocalSize 48 1 1"));
  CHECK(!contains(code(more), "LocalSize 32 1 1"));
  CHECK(contains(code(usual), "LocalSize 32 1 1")); // the pattern names both

  // Shards have the same variants together.
  for (const char *part : {"1/2", "2/2"})
    place.good({"compile", "k.py", "-o", std::string("part") + part[0] + ".sxt",
                "--targets=" + usual + ",vulkan:1.1/wave32", std::string("--shard=") + part});
  place.good({"merge", "part1.sxt", "part2.sxt", "-o", "merged.sxt"});
  place.good({"compile", "k.py", "-o", "whole.sxt", "--targets=" + usual + ",vulkan:1.1/wave32"});
  CHECK(place.good({"diff", "merged.sxt", "whole.sxt"}).status == 0);

  // A target that is named is built, whatever the kernel asks for.
  place.good({"compile", "k.py", "-o", "k.sxt", "--targets=" + more});
  CHECK(has("by_backend", more));
  CHECK(!has("by_backend", usual));
}

TEST_CASE("matrix units of Vulkan and Metal are features of variants", "[facts]") {
  Place place;
  place.write("k.py", std::string(kernelsThatAsk) + R"(
@qd.kernel
def by_unit(x: A):
    qd.loop_config(block_dim=64 if qd.simt.matrix_unit(qd.bf16) == "none" else 128)
    for i in range(x.shape[0]):
        x[i] = 1
)");
  place.good({"compile", "k.py", "-o", "k.sxt",
              "--targets=vulkan:1.1/wave8,vulkan:1.1/wave32,metal:3.0,metal:3.2"});
  const std::string text = place.good({"inspect", "k.sxt"}).out;
  const auto variants = [&](const std::string &kernel) {
    const size_t begin = text.find("kernel " + kernel);
    std::istringstream lines(text.substr(begin, text.find("\nkernel ", begin + 1) - begin));
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  vulkan:") || line.starts_with("  metal:"))
        found.insert(line.substr(2, line.find(' ', 2) - 2));
    return found;
  };
  const std::set<std::string> plain = {"vulkan:1.1/wave8", "vulkan:1.1/wave32", "metal:3.0/wave32",
                                       "metal:3.2/wave32"};
  std::set<std::string> unit = plain, room = plain;
  // Subgroups of 8 have none, and bf16 is in Metal's from 3.1 on.
  unit.insert({"vulkan:1.1+cooperative-matrix-mma/wave32", "metal:3.2+simdgroup-matrix/wave32"});
  room.insert({"vulkan:1.1+shared-48k/wave8", "vulkan:1.1+shared-48k/wave32"});
  CHECK(variants("by_backend") == plain);
  CHECK(variants("by_unit") == unit);
  CHECK(variants("by_room") == room);
}

TEST_CASE("counts have larger tables on devices with more shared memory", "[facts]") {
  const Place place;
  place.write("counts.py", R"(import quadrants as qd
@qd.kernel
def counts(x: qd.types.ndarray(qd.i32, 1), bins: qd.types.ndarray(qd.i32, 1)):
    for i in range(x.shape[0]):
        bins[x[i]] += 1
    for i in range(1):
        bins[0] += qd.lang.impl.get_max_shared_memory_bytes()
)");
  const std::string usual = "vulkan:1.1/wave8", more = "vulkan:1.1+shared-48k/wave8";
  const auto check = [&](const std::string &module) {
    CHECK(contains(place.good({"inspect", module}).out, "\n  " + usual + " "));
    CHECK(contains(place.good({"disasm", module, "counts", "-t", usual}).out, "%uint_2048"));
    const std::string code = place.good({"disasm", module, "counts", "-t", more}).out;
    CHECK(contains(code, "OpTypeArray %uint %uint_4096"));
    CHECK(contains(code, "%uint_49152")); // the answer is the target's
    CHECK(!contains(code, "%uint_32768"));
  };
  place.good({"compile", "counts.py", "-o", "one.sxt", "--targets=" + usual});
  check("one.sxt");
  place.good({"compile", "counts.py", "-o", "both.sxt", "--targets=" + usual + "," + more});
  check("both.sxt");
  for (const char *part : {"1/2", "2/2"})
    place.good({"compile", "counts.py", "-o", std::string("part") + part[0] + ".sxt",
                "--targets=" + usual, std::string("--shard=") + part});
  place.good({"merge", "part1.sxt", "part2.sxt", "-o", "merged.sxt"});
  check("merged.sxt");
}

TEST_CASE("a kernel may need the larger shared memory", "[facts]") {
  const Place place;
  place.write("large.py", R"(import quadrants as qd
ROOM = qd.lang.impl.get_max_shared_memory_bytes()
@qd.kernel
def large(x: qd.types.ndarray(qd.i32, 1)):
    for i in range(x.shape[0]):
        qd.static_assert(ROOM >= 40 * 1024, "needs 40 KiB")
        x[i] = 1
)");
  const CommandResult refused =
      place.run({"compile", "large.py", "-o", "k.sxt", "--targets=vulkan:1.1/wave8"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "large.py:6:9: error: needs 40 KiB"));
  place.good({"compile", "large.py", "-o", "k.sxt", "--targets=vulkan:1.1+shared-48k/wave8"});
}

TEST_CASE("values of --const may depend on the target", "[facts]") {
  const Place place;
  const std::vector<std::string> constant = {"--const",
                                             "TILE=32 * 3 if qd.cfg.arch in qd.gpu else 16"};
  CHECK(place.threads("by_backend", "gfx942", constant) == "96");
  CHECK(place.threads("by_backend", "cpu:x86-64-v2", constant) == "16");
}

TEST_CASE("what is outside of a kernel does not depend on the target", "[facts]") {
  const Place place;
  place.write("field.py", "import quadrants as qd\n"
                          "N = 8 if qd.cfg.arch == qd.cuda else 4\n"
                          "f = qd.field(qd.f32, shape=(N,))\n"
                          "@qd.kernel\ndef fill():\n    for i in f:\n        f[i] = 1.0\n");
  place.good({"compile", "field.py", "-o", "one.sxt", "--targets=cpu:x86-64-v2,metal:3.0"});
  const CommandResult refused = place.run(
      {"compile", "field.py", "-o", "two.sxt", "--targets=cpu:x86-64-v2,cuda:compute_90"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "field.py:5:5: error: `fill` has another field `f` for cuda at wave "
                              "32 than for cpu at wave 32"));
  CHECK(!std::filesystem::exists(place.path("two.sxt")));
}

TEST_CASE("a condition on tuned constants may ask for the target", "[facts]") {
  const Place place;
  const auto variants = [&](const std::string &targets) {
    place.good({"compile", "k.py", "-o", "k.sxt", "--targets=" + targets, "--tune=TILE=96,192",
                "--tune-where=TILE < 100 if qd.cfg.arch == qd.metal else True"});
    const std::string text = place.good({"inspect", "k.sxt"}).out;
    return std::pair(contains(text, "metal:3.0+TILE=96/wave32"),
                     contains(text, "metal:3.0+TILE=192/wave32"));
  };
  CHECK(variants("metal:3.0") == std::pair(true, false));
  CHECK(variants("metal:3.0,cuda:compute_90") == std::pair(true, true)); // all get what one has
}
