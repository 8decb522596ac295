// `sextant compile`: options, files, determinism.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include "driver/compile/Targets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

TEST_CASE("compile writes one module, and nothing else", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.good({"compile", "saxpy.py"});
  CHECK(result.out.empty());
  CHECK(result.err.empty());
  CHECK(place.list() == std::vector<std::string>{"saxpy.py", "saxpy.sxt"});
  place.good({"compile", "saxpy.py", "-o", "other.sxt", "--targets=cpu:x86-64-v2/wave8"});
  CHECK(place.has("other.sxt"));
  CHECK(contains(place.good({"inspect", "other.sxt"}).out, "cpu:x86-64-v2/wave8"));
}

TEST_CASE("targets: lists, repetition, several waves", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "a.sxt", "-t", "x86-64-v2/wave8,x86-64-v3/wave16",
              "--targets", "cpu:x86-64-v3/wave4"});
  std::string text = place.good({"inspect", "--json", "a.sxt"}).out;
  for (const char *target : {"cpu:x86-64-v2/wave8", "cpu:x86-64-v3/wave16", "cpu:x86-64-v3/wave4"})
    CHECK(contains(text, target));
}

TEST_CASE("same input, same bytes, whatever -j says", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.write("more.py", templateSource);
  std::vector<std::string> modules;
  for (const char *jobs : {"-j1", "-j2", "-j7"})
    for (int round = 0; round < 2; ++round) {
      place.good({"compile", "saxpy.py", "more.py", "-o", "a.sxt", jobs, "--targets=cpu",
                  "--kernel=fill[value=2]", "--kernel=fill[value=5]"});
      modules.push_back(place.read("a.sxt"));
    }
  for (const std::string &module : modules)
    CHECK(module == modules.front());
}

TEST_CASE("instances of template kernels and constants", "[compile]") {
  Workplace place;
  place.write("k.py", templateSource);
  place.good({"compile", "k.py", "--kernel", "fill[value=2]", "-k", "fill[value=7]", "--const",
              "SCALE=10"});
  std::string text = place.good({"inspect", "k.sxt"}).out;
  CHECK(contains(text, "plain"));
  std::string instances = place.run({"run", "k.sxt", "fill", "out=zeros[4]"}).err;
  CHECK(contains(instances, "fill"));
  CommandResult run = place.good({"run", "k.sxt", "plain", "out=zeros[4]", "--device=cpu"});
  CHECK(contains(run.out, "out: i32[4] = [10, 11, 12, 13]"));
}

TEST_CASE("imports: from the package's root, and by dots", "[compile]") {
  Workplace place;
  for (const char *package : {"sim", "sim/solvers"})
    place.write(std::string(package) + "/__init__.py", "");
  place.write("sim/utils/__init__.py", "LIMIT = 700\n");
  place.write("sim/consts.py", "SCALE = 3\n");
  place.write("sim/utils/geom.py", "import quadrants as qd\nfrom ..consts import SCALE\n\n"
                                   "@qd.func\ndef scaled(x):\n    return SCALE * x\n");
  place.write("sim/solvers/helper.py", "ONE = 10000\n");
  place.write("sim/solvers/rigid.py",
              "import quadrants as qd\nimport sim.utils.geom as gu\n"
              "from sim.utils import geom, LIMIT\nfrom .. import consts\n"
              "from ..utils.geom import scaled\nfrom . import helper\n\n"
              "@qd.kernel\ndef go(x: qd.types.ndarray(qd.i32, 1)):\n    for i in x:\n"
              "        x[i] = gu.scaled(1) + geom.scaled(10) + scaled(20000) + consts.SCALE"
              " + LIMIT + helper.ONE\n");
  for (const char *constant : {"SCALE=3", "SCALE=5"}) {
    place.good(
        {"compile", "sim/solvers/rigid.py", "-o", "m.sxt", "--targets=cpu", "--const", constant});
    const int scale = constant[6] - '0';
    CHECK(contains(place.good({"run", "m.sxt", "go", "x=zeros:i32[1]"}).out,
                   "[" + std::to_string(scale * 20012 + 10700) + "]"));
  }
  place.write("sim/base.py", "import quadrants as qd\nfrom .consts import SCALE\n\n"
                             "@qd.data_oriented\nclass Base:\n    @qd.func\n"
                             "    def twice(self, x):\n        return 2 * SCALE * x\n");
  place.write("sim/solvers/derived.py",
              "import quadrants as qd\nfrom ..base import Base\n\n@qd.data_oriented\n"
              "class Derived(Base):\n    @qd.kernel\n"
              "    def go(self, x: qd.types.ndarray(qd.i32, 1)):\n        for i in x:\n"
              "            x[i] = self.twice(7)\n");
  place.good({"compile", "sim/solvers/derived.py", "-o", "d.sxt", "--targets=cpu", "--kernel",
              "Derived.go as go"});
  CHECK(contains(place.good({"run", "d.sxt", "go", "x=zeros:i32[1]"}).out, "[42]"));
  place.write("sim/solvers/lost.py", "import quadrants as qd\nfrom ...sim2 import consts\n\n"
                                     "@qd.kernel\ndef go(x: qd.types.ndarray(qd.i32, 1)):\n"
                                     "    for i in x:\n        x[i] = consts.SCALE\n");
  CHECK(contains(place.run({"compile", "sim/solvers/lost.py", "--targets=cpu"}).err,
                 "neither `quadrants` nor a kernel file beside this one or in its package"));
}

TEST_CASE("several files: one module, or one each", "[compile]") {
  Workplace place;
  place.write("a.py", saxpySource);
  place.write("sub/b.py", templateSource);
  place.good({"compile", "a.py", "sub/b.py", "-o", "both.sxt"});
  std::string both = place.good({"inspect", "both.sxt"}).out;
  CHECK(contains(both, "saxpy"));
  CHECK(contains(both, "plain"));
  place.good({"compile", "a.py", "sub/b.py", "--out-dir=out/deep", "-MD", "--emit-header"});
  CHECK(place.list("out/deep") ==
        std::vector<std::string>{"a.d", "a.hpp", "a.sxt", "b.d", "b.hpp", "b.sxt"});
}

TEST_CASE("an error in one of many files writes none", "[compile]") {
  Workplace place;
  place.write("a.py", saxpySource);
  place.write("bad.py", "import quadrants as qd\n@qd.kernel\ndef f(:\n    pass\n");
  CommandResult result = place.run({"compile", "a.py", "bad.py", "--out-dir=out", "-MD"});
  CHECK(result.status == 1);
  CHECK(!place.has("out/a.sxt"));
  CHECK(!place.has("out/bad.sxt"));
}

TEST_CASE("depfiles name imported files", "[compile]") {
  Workplace place;
  place.write("helpers.py",
              "import quadrants as qd\n\n@qd.func\ndef twice(x):\n    return x * 2\n");
  place.write("k.py", "import quadrants as qd\nfrom helpers import twice\n\n@qd.kernel\n"
                      "def double(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(a.shape[0]):\n        a[i] = twice(a[i])\n");
  place.good({"compile", "k.py", "-MD"});
  std::string depfile = place.read("k.d");
  CHECK(contains(depfile, "k.sxt:"));
  CHECK(contains(depfile, place.path("k.py")));
  CHECK(contains(depfile, place.path("helpers.py")));
  place.good({"compile", "k.py", "-MF", "named.d"});
  CHECK(contains(place.read("named.d"), "helpers.py"));
  place.good({"compile", "k.py", "-MFjoined.d"});
  CHECK(place.has("joined.d"));
}

TEST_CASE("--save-temps and --dump-ir", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult dump = place.good(
      {"compile", "saxpy.py", "-o", "a.sxt", "--dump-ir=irgen", "--targets=cpu:x86-64-v3/wave8"});
  CHECK(contains(dump.out, "func.func @saxpy"));
  CHECK(contains(dump.out, "after irgen"));
  place.good({"compile", "saxpy.py", "-o", "a.sxt", "--save-temps=temps",
              "--targets=cpu:x86-64-v3/wave8"});
  CHECK(!place.list("temps").empty());
  // Each target has files of its own: here .ll and .hsaco.
  place.good({"compile", "saxpy.py", "-o", "a.sxt", "--save-temps=amd",
              "--targets=gfx90a,gfx90a:xnack+,gfx90a:xnack-"});
  CHECK(place.list("amd").size() == 6);
}

TEST_CASE("-g, -O and --compress are taken", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  for (const char *level : {"-O0", "-O1", "-O2", "-O3"}) {
    place.good({"compile", "saxpy.py", level, "-g", "--compress", "fast"});
    CHECK(contains(
        place.good({"run", "saxpy.sxt", "saxpy", "n=3", "a=2", "x=iota[3]", "y=const:1[3]"}).out,
        "y: f32[3] = [1, 3, 5]"));
  }
}

TEST_CASE("default types", "[compile]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\ndef f() -> qd.f64:\n"
                      "    x = 0.1\n    return x\n");
  place.good({"compile", "k.py"});
  CHECK(contains(place.good({"run", "k.sxt", "f"}).out, "return: f64 = 0.10000000149011612"));
  place.good({"compile", "k.py", "--default-fp=f64"});
  CHECK(contains(place.good({"run", "k.sxt", "f"}).out, "return: f64 = 0.1\n"));
  CommandResult bad = place.run({"compile", "k.py", "--default-fp=i32"});
  CHECK(bad.status == 1);
  CHECK(contains(bad.err, "'i32' is not a float type"));
}

TEST_CASE("a kernel that some wave sizes cannot have is built for the others", "[compile]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\nfrom quadrants.lang.simt import subgroup\n\n"
                      "@qd.kernel\ndef f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(a.shape[0]):\n"
                      "        a[i] = subgroup.reduce_all_add_tiled(a[i], 4)\n");
  CommandResult result = place.run({"compile", "k.py", "--targets=cpu:x86-64-v3/all-waves"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.err, "warning:"));
  CHECK(result.err.find("warning:") == result.err.rfind("warning:")); // one for both waves
  CHECK(contains(result.err, "kernel f: not built for cpu:x86-64-v3/wave4, cpu:x86-64-v3/wave8\n"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "cpu:x86-64-v3/wave16"));
  // Asked for by name, it is an error …
  result = place.run({"compile", "k.py", "-o", "b.sxt", "--targets=x86-64-v3/wave4,x86-64-v3"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "error:"));
  CHECK(!place.has("b.sxt"));
  // … unless that is said to be fine.
  result = place.run(
      {"compile", "k.py", "-o", "b.sxt", "--allow-missing", "--targets=x86-64-v3/wave4,x86-64-v3"});
  CHECK(result.status == 0);
  CHECK(place.has("b.sxt"));
}

namespace {

/// The images of a module's kernel by target, as `inspect --json` names their digests.
std::map<std::string, std::string> imagesOf(Workplace &place, const std::string &module,
                                            const std::string &kernel) {
  std::map<std::string, std::string> images;
  for (const char *wave : {"4", "8", "16", "32", "64"}) {
    const std::string target = std::string("vulkan:1.1/wave") + wave;
    CommandResult result = place.run({"extract", module, kernel, "-t", target, "-o", "image"});
    if (result.status == 0)
      images[target] = place.read("image");
  }
  return images;
}

} // namespace

TEST_CASE("wave sizes share Vulkan's code where nothing depends on them", "[compile]") {
  Workplace place;
  const std::string head = "import quadrants as qd\n"
                           "from quadrants.lang.simt import subgroup\n\n\n";
  const std::string kernel = "(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                             "    for i in range(x.shape[0]):\n";
  // The files: one that never asks for the wave size; one that numbers lanes without asking; and
  // one where a kernel asks.
  place.write("plain.py", head + "@qd.kernel\ndef plain" + kernel + "        x[i] = x[i] // 3\n");
  place.write("lane.py",
              head + "@qd.kernel\ndef lane" + kernel + "        x[i] = subgroup.invocation_id()\n");
  place.write("asks.py", head + "@qd.kernel\ndef beside" + kernel +
                             "        x[i] = x[i] // 5\n\n\n@qd.kernel\ndef asks" + kernel +
                             "        x[i] = subgroup.group_size()\n");
  place.good(
      {"compile", "plain.py", "lane.py", "asks.py", "-o", "all.sxt", "-t", "vulkan/all-waves"});
  for (auto [name, different] : {std::pair("plain", 1), {"beside", 1}, {"asks", 5}, {"lane", 5}}) {
    INFO(name);
    const auto images = imagesOf(place, "all.sxt", name);
    REQUIRE(images.size() == 5);
    std::set<std::string> unique;
    for (const auto &[target, image] : images) {
      unique.insert(image);
      // Compiled by itself, each wave size gives the same image.
      place.good({"compile", "plain.py", "lane.py", "asks.py", "-o", "one.sxt", "-t", target});
      const bool isSame = imagesOf(place, "one.sxt", name).at(target) == image;
      CHECK(isSame);
    }
    CHECK(unique.size() == size_t(different));
  }
  // Only code that may differ is compiled.
  const auto misses = [&](const std::string &file) {
    CommandResult result = place.good({"compile", file, "-o", "c.sxt", "-t", "vulkan/all-waves",
                                       "--cache-dir=cache-" + file, "-v"});
    return result.err.substr(result.err.find("cache: "));
  };
  CHECK(contains(misses("plain.py"), "0 hits, 1 misses"));
  CHECK(contains(misses("lane.py"), "0 hits, 5 misses"));
  CHECK(contains(misses("asks.py"), "0 hits, 10 misses"));
  // IR that was asked for is printed for each.
  const std::string dumps =
      place
          .good({"compile", "plain.py", "-o", "d.sxt", "-t", "vulkan/all-waves", "--dump-ir=spirv"})
          .out;
  for (const char *target : {"wave4 ", "wave8 ", "wave16 ", "wave32 ", "wave64 "})
    CHECK(contains(dumps, target));
}

TEST_CASE("each implementation of a kernel is built as a variant of it", "[compile]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd
A = qd.types.ndarray(qd.i32, 1)

@qd.perf_dispatch(get_geometry_hash=lambda x: 0)
def fill(x: A):
    """Writes ones."""
    ...

@fill.register
@qd.kernel
def by_threads(x: A):
    for i in range(x.shape[0]):
        x[i] = 1

@fill.register
@qd.kernel
def by_one(x: A):
    qd.loop_config(serialize=True)
    for i in range(x.shape[0]):
        x[i] = 1

@fill.register
@qd.kernel
def by_waves(x: A):
    qd.static_assert(qd.simt.subgroup.group_size() == 32, "waves of 32")
    for i in range(x.shape[0]):
        x[i] = 1
)");
  const std::string targets = "--targets=x86-64-v3/wave8,compute_80";
  const CommandResult built =
      place.good({"compile", "k.py", "-o", "k.sxt", targets, "--large-arrays"});
  // An implementation may lack a target that others have.
  CHECK(contains(built.err, "by_waves"));
  const std::string shown = place.good({"inspect", "k.sxt"}).out;
  CHECK(contains(shown, "kernel fill(x: i32[:])\n"));
  CHECK(contains(place.good({"inspect", "k.sxt", "--json"}).out, "Writes ones."));
  CHECK(!contains(shown, "kernel by_"));
  for (const char *variant : {"cpu:x86-64-v3/wave8 ", "cpu:x86-64-v3+implementation=by_one/wave8 ",
                              "cpu:x86-64-v3+large-arrays/wave8 ", "cuda:compute_80/wave32 ",
                              "cuda:compute_80+implementation=by_one/wave32 ",
                              "cuda:compute_80+implementation=by_waves/wave32 "})
    CHECK(contains(shown, "\n  " + std::string(variant)));
  CHECK(!contains(shown, "cpu:x86-64-v3+implementation=by_waves/wave8 #"));
  // Large arrays are the first one's.
  CHECK(!contains(shown, "by_one+large-arrays"));
  CHECK(contains(shown, "for +implementation=by_one, waves of 8, 32:\n  task  fill_t0  serial"));
  // It has no instances of its own.
  CHECK(contains(
      place.run({"compile", "k.py", "-o", "no.sxt", targets, "--kernel", "by_one[x=1]"}).err,
      "name `fill`"));
  // Shards have what the whole has.
  place.good({"compile", "k.py", "-o", "1.sxt", targets, "--large-arrays", "--shard=1/2"});
  place.good({"compile", "k.py", "-o", "2.sxt", targets, "--large-arrays", "--shard=2/2"});
  place.good({"merge", "1.sxt", "2.sxt", "-o", "merged.sxt"});
  CHECK(place.read("merged.sxt") == place.read("k.sxt"));
}

TEST_CASE("the name of a loop ends that of its task", "[compile]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

@qd.kernel
def k(x: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(name="clear links!", block_dim=64)
    for i in x:
        x[i] = 0
    qd.loop_config(serialize=True, name="count")
    for i in range(x.shape[0]):
        x[0] += i
    for i in x:
        x[i] += 1
)");
  place.good({"compile", "k.py", "--targets=x86-64-v3/wave8"});
  CHECK(contains(place.good({"inspect", "k.sxt"}).out,
                 "  task  k_t0_clear_links_  64 threads a block, x.shape[0] iterations\n"
                 "  task  k_t1_count         serial\n"
                 "  task  k_t2               128 threads a block, x.shape[0] iterations\n"));
}

TEST_CASE("members of structs are arguments of all code or of none", "[compile]") {
  Workplace place;
  place.write("k.py", R"(import dataclasses
import quadrants as qd
A = qd.types.ndarray(qd.i32, 1)

@dataclasses.dataclass
class S:
    a: A
    b: A
    c: A
    d: A

@qd.kernel
def waves(s: S, n: qd.i32):
    for i in range(n):
        if qd.static(qd.simt.subgroup.group_size() == 8):
            s.a[i] = n
        else:
            s.b[i] = n
        s.d[i] = n

@qd.perf_dispatch(get_geometry_hash=lambda s: 0)
def both(s: S): ...

@both.register
@qd.kernel
def one(s: S):
    s.a[0] = 1

@both.register
@qd.kernel
def two(s: S):
    s.c[0] = 1
)");
  place.good({"compile", "k.py", "-o", "k.sxt", "--targets=x86-64-v3/wave8,x86-64-v3/wave16"});
  const std::string shown = place.good({"inspect", "k.sxt"}).out;
  CHECK(contains(shown, "kernel waves(s.a: i32[:], s.b: i32[:], s.d: i32[:], n: i32)"));
  CHECK(contains(shown, "kernel both(s.a: i32[:], s.c: i32[:])"));
}

TEST_CASE("--large-arrays builds variants of kernels that launches size", "[compile]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n"
                      "A = qd.types.ndarray(dtype=qd.i32, ndim=1)\n"
                      "F = qd.field(qd.i32, shape=8)\n\n"
                      "@qd.kernel\ndef f(a: A):\n    for i in a:\n        a[i] = i\n\n"
                      "@qd.kernel\ndef g(n: qd.i32):\n    for i in range(n):\n        F[0] += 1\n\n"
                      "@qd.kernel\ndef h() -> qd.i32:\n    for i in F:\n        F[i] = i\n"
                      "    return F[0]\n");
  const std::string targets = "--targets=x86-64-v3/wave8,compute_80";
  place.good({"compile", "k.py", "-o", "plain.sxt", targets});
  place.good({"compile", "k.py", "-o", "large.sxt", targets, "--large-arrays"});
  CHECK(!contains(place.good({"inspect", "plain.sxt"}).out, "large-arrays"));
  const std::string shown = place.good({"inspect", "large.sxt"}).out;
  CHECK(contains(shown, "options   -O3 --large-arrays"));
  size_t count = 0;
  for (size_t at = 0; (at = shown.find("+large-arrays/wave", at)) != std::string::npos; ++at)
    ++count;
  CHECK(count == 4); // variants of f and g
  // The ordinary code is what it is without the option.
  for (const char *kernel : {"f", "g", "h"})
    for (const char *target : {"cpu:x86-64-v3/wave8", "cuda:compute_80/wave32"}) {
      for (const std::string module : {"plain.sxt", "large.sxt"})
        place.good({"extract", module, kernel, "-t", target, "-o", module + ".image"});
      CHECK(place.read("plain.sxt.image") == place.read("large.sxt.image"));
    }
  place.write("m.toml", "large-arrays = true\ntargets = [\"x86-64-v3/wave8\", \"compute_80\"]\n"
                        "[module.m]\nsources = [\"k.py\"]\n");
  place.good({"compile", "--manifest", "m.toml"});
  CHECK(place.read("m.sxt") == place.read("large.sxt"));
  place.good({"compile", "k.py", "-o", "1.sxt", targets, "--large-arrays", "--shard=1/2"});
  place.good({"compile", "k.py", "-o", "2.sxt", targets, "--large-arrays", "--shard=2/2"});
  place.good({"merge", "1.sxt", "2.sxt", "-o", "merged.sxt", targets});
  CHECK(place.read("merged.sxt") == place.read("large.sxt"));
  // An index over an array is an i64 there, which has other bits.
  place.write("bad.py", "import quadrants as qd\n\n@qd.kernel\n"
                        "def f(a: qd.types.ndarray(dtype=qd.f32, ndim=1)):\n"
                        "    for i in a:\n        a[i] = qd.bit_cast(i, qd.f32)\n");
  place.good({"compile", "bad.py"});
  CommandResult bad = place.run({"compile", "bad.py", "-o", "no.sxt", "--large-arrays"});
  CHECK(bad.status == 1);
  CHECK(contains(bad.err, "in the variant for large arrays (--large-arrays)"));
  CHECK(!place.has("no.sxt"));
}

TEST_CASE("what many targets cannot have is said shortly", "[compile]") {
  Workplace place;
  std::string source = "import quadrants as qd\nfrom quadrants.lang.simt import subgroup\n";
  for (int kernel = 0; kernel < 12; ++kernel)
    source +=
        "\n@qd.kernel\ndef f" + std::to_string(kernel) +
        "(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
        "    for i in range(a.shape[0]):\n        a[i] = subgroup.reduce_all_add_tiled(a[i], " +
        (kernel % 2 ? "4" : "5") + ")\n";
  place.write("k.py", source);
  CommandResult result = place.run({"compile", "k.py", "--targets=cpu:x86-64-v3/all-waves"});
  INFO(result.err);
  CHECK(result.status == 0);
  size_t warnings = 0;
  for (size_t at = 0; (at = result.err.find("warning:", at)) != std::string::npos; ++at)
    ++warnings;
  // Kernels with the same complaint for the same waves are one warning.
  CHECK(warnings == 2);
  CHECK(contains(result.err, "kernels f0, f2, f4, f6 and 2 more: not built for the 3 targets of "
                             "wave size 4, 8, 16\n"));
}

/// The examples' files: those that become one module, and the applications, which have one each.
struct Examples {
  std::vector<std::string> files, applications;
};

static Examples examples() {
  Examples all;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(SEXTANT_EXAMPLES)) {
    const std::string path = entry.path().string();
    // One kernel has the instantiation below; the others like it have other arguments. What was
    // recorded of a program has the program's kernels, and a manifest of its own.
    if (entry.path().extension() != ".py" || entry.path().stem() == "block_radix_rank" ||
        entry.path().stem() == "block_inclusive_add" || contains(path, ".frozen/"))
      continue;
    // A program that only launches kernels has none.
    std::ifstream file(path);
    if (!contains({std::istreambuf_iterator<char>(file), {}}, "import quadrants"))
      continue;
    (entry.path().stem() == "kernels" ? all.applications : all.files).push_back(path);
  }
  REQUIRE(all.files.size() > 14);
  CHECK(all.applications.size() >= 12);
  return all;
}

/// One module of the examples' files, for these targets.
static void buildExamples(const Workplace &place, const std::string &targets) {
  std::vector<std::string> command = {
      "compile", "-o", "all.sxt", "--targets=" + targets, "--kernel=kern[src=qd.f32, out=qd.f32]",
      "-j4"};
  const Examples all = examples();
  command.insert(command.end(), all.files.begin(), all.files.end());
  const CommandResult result = place.run(command);
  INFO(result.err);
  CHECK(result.status == 0);
  // A feature that some target cannot have is a screenful, whatever the number of targets.
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') < 60);
}

static void checkAllTargets(const Workplace &place, const std::string &module) {
  const std::string text = place.good({"inspect", module}).out;
  for (const sextant::ArchRow &arch : sextant::listArchs()) {
    INFO(arch.arch);
    CHECK(contains(text, arch.backend + ":" + arch.arch + "/wave"));
  }
}

TEST_CASE("every example is built for each major target", "[examples]") {
  Workplace place;
  buildExamples(place, "all-major");
  // Each application has a module of its own, here for one target of each backend.
  for (const std::string &path : examples().applications) {
    const CommandResult one = place.run({"compile", "-o", "one.sxt", "-j4", path, "--allow-missing",
                                         "--targets=cpu:x86-64-v3/wave8,compute_80,gfx1100/wave32,"
                                         "vulkan:1.1/wave32,metal:3.0"});
    INFO(path << ": " << one.err);
    CHECK(one.status == 0);
  }
}

TEST_CASE("an example is built for all targets", "[examples]") {
  Workplace place;
  place.good({"compile", SEXTANT_EXAMPLES "/saxpy.py", "-o", "all.sxt", "--targets=all", "-j4"});
  checkAllTargets(place, "all.sxt");
}

// Each night: fifty targets of one kernel differ in little from the major ones.
TEST_CASE("every example is built for all targets", "[.every]") {
  Workplace place;
  buildExamples(place, "all");
  checkAllTargets(place, "all.sxt");
}

TEST_CASE("a single target that cannot have a kernel is an error", "[examples]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\n"
                      "def f(a: qd.types.ndarray(dtype=qd.f64, ndim=1)):\n"
                      "    for i in range(a.shape[0]):\n        a[i] = a[i] * 2.0\n");
  CommandResult result = place.run({"compile", "k.py", "--targets=cpu,metal:3.0"});
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(contains(result.err, "error:"));
  CHECK(!place.has("k.sxt"));
  result = place.run({"compile", "k.py", "--targets=all-major"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.err, "kernel f: not built for metal:3.0/wave32"));
  // The module knows, and says so.
  result = place.run({"explain", "k.sxt", "--as=metal:3.0"});
  CHECK(result.status == 1);
  CHECK(contains(result.out, "missing metal:3.0/wave32: "));
  CHECK(place.run({"explain", "k.sxt", "--as=gfx942"}).status == 0);
  CHECK(place.run({"explain", "k.sxt", "--as=vulkan:1.1"}).status == 0);
  result = place.run({"explain", "k.sxt", "--as=vulkan:1.1,no-float64"});
  CHECK(result.status == 1);
  CHECK(contains(result.out, "needs the feature 'float64', which the device lacks"));
}

TEST_CASE("progress is for terminals", "[compile]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.run({"compile", "saxpy.py"}, /*terminal=*/true);
  CHECK(result.status == 0);
  CHECK(contains(result.err, "\r"));
}
