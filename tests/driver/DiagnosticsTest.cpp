// The refusals, how they are said, and that nothing is left behind.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <cstdlib>

TEST_CASE("errors carry file, line, caret and count", "[diagnostics]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\n"
                      "def f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(a.shape[0]):\n"
                      "        a[i] = unknown_one + 1\n"
                      "        a[i] = unknown_two(3)\n\n\n"
                      "@qd.kernel\ndef g(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(a.shape[0]):\n"
                      "        a[i] = a.nothing\n");
  CommandResult result = place.run({"compile", "k.py"});
  CHECK(result.status == 1);
  INFO(result.err);
  CHECK(contains(result.err, "k.py:6:16: error:"));
  CHECK(contains(result.err, "unknown_one"));
  CHECK(contains(result.err, "k.py:13:"));
  CHECK(contains(result.err, "^"));
  CHECK(contains(result.err, " errors\n"));
  CHECK(place.list() == std::vector<std::string>{"k.py"});
}

TEST_CASE("several syntax errors in one run", "[diagnostics]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\ndef f(a: qd.i32):\n    x = = 3\n"
                      "    y = 1\n    z = )\n");
  CommandResult result = place.run({"compile", "k.py"});
  CHECK(result.status == 1);
  INFO(result.err);
  CHECK(contains(result.err, "k.py:5:"));
  CHECK(contains(result.err, "k.py:7:"));
  CHECK(!place.has("k.sxt"));
}

TEST_CASE("diagnostics as JSON, one object a line", "[diagnostics]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\ndef f(a: qd.i32):\n    x = = 3\n");
  CommandResult result = place.run({"compile", "k.py", "--diagnostics=json"});
  CHECK(result.status == 1);
  CHECK(result.err.front() == '{');
  CHECK(result.err.substr(result.err.size() - 2) == "}\n");
  CHECK(contains(result.err, "\"k.py\""));
  result = place.run({"compile", "missing.py", "--diagnostics=json"});
  CHECK(result.status == 1);
  CHECK(result.err.front() == '{');
}

TEST_CASE("files that cannot be read or written", "[diagnostics]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.run({"compile", "missing.py"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "cannot read 'missing.py': No such file"));
  result = place.run({"compile", "."});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "folder"));
  result = place.run(
      {"compile", "saxpy.py", "-o", "saxpy.py/a.sxt", "-MF", "left.d", "--emit-header=left.hpp"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "cannot make the folder '"));
  // The output is a folder.
  place.write("taken/file", "");
  result = place.run({"compile", "saxpy.py", "-o", "taken", "--emit-header=left.hpp"});
  CHECK(result.status == 1);
  CHECK(place.list() == std::vector<std::string>{"saxpy.py", "taken"});
}

TEST_CASE("an error leaves an older module alone", "[diagnostics]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py"});
  std::string before = place.read("saxpy.sxt");
  place.write("saxpy.py", "import quadrants as qd\n@qd.kernel\ndef f(:\n");
  CHECK(place.run({"compile", "saxpy.py"}).status == 1);
  CHECK(place.read("saxpy.sxt") == before);
}

TEST_CASE("unknown targets name near matches", "[diagnostics]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.run({"compile", "saxpy.py", "--targets=x86-64-v9"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "x86-64-v"));
  CHECK(contains(result.err, "did you mean"));
  result = place.run({"compile", "saxpy.py", "--targets=vulkan:7.7"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "unknown target 'vulkan:7.7' (vulkan has 1.1)"));
  result = place.run({"compile", "saxpy.py", "--targets=cpu:x86-64-v3/wave7"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "7"));
  result = place.run({"compile", "saxpy.py", "--targets=cpu:x86-64-v3+avx2"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "error: cpu targets have no feature 'avx2'"));
  result = place.run({"targets", "--targets=vulkan+float32-atomics,vulkan+float16"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "vulkan targets have no feature 'float16'\n  help: there are "));
  CHECK(place.run({"compile", "saxpy.py", "--targets=,"}).status == 1);
  CHECK(place.list() == std::vector<std::string>{"saxpy.py"});
}

TEST_CASE("a ptxas that a variable names and that cannot be run", "[diagnostics]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  const std::string file = place.path("saxpy.py"), folder = place.path(".");
  for (const auto &[path, why] : {std::pair<std::string, const char *>("/nope", "does not exist"),
                                  {file, "cannot be run"},
                                  {folder, "is a folder"}}) {
    const char *before = std::getenv("SEXTANT_PTXAS");
    const std::string kept = before ? before : "";
    setenv("SEXTANT_PTXAS", path.c_str(), 1);
    const CommandResult result = place.good({"compile", "saxpy.py", "--targets=sm_90"});
    before ? setenv("SEXTANT_PTXAS", kept.c_str(), 1) : unsetenv("SEXTANT_PTXAS");
    CHECK(result.err == "sextant: warning: $SEXTANT_PTXAS is '" + path + "', which " + why +
                            ": cuda variants hold PTX, which the driver compiles when it is first "
                            "launched [-Wmissing-tool]\n\n");
  }
}

TEST_CASE("unknown kernels and bad requests", "[diagnostics]") {
  Workplace place;
  place.write("k.py", templateSource);
  CommandResult result = place.run({"compile", "k.py", "--kernel=fil[value=3]"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "did you mean 'fill'?"));
  CHECK(place.run({"compile", "k.py", "--kernel=fill[valu=3]"}).status == 1);
  CHECK(place.run({"compile", "k.py", "--kernel=fill[value="}).status == 1);
  CHECK(place.run({"compile", "k.py", "--const", "SCALE"}).status == 1);
  CHECK(place.run({"compile", "k.py", "--const", "SCALE=)"}).status == 1);
  // The text of an option is in no file, where positions could point to.
  for (const auto &[value, problem] : {std::pair("abc", "the name `abc` is not defined here"),
                                       {"1/0", "division by zero"},
                                       {"SCALE", "`SCALE` is defined by itself"}}) {
    result = place.run({"compile", "k.py", "--const", std::string("SCALE=") + value});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "k.py:13:18: error: the value `" + std::string(value) +
                                   "` given for `SCALE` means nothing: " + problem));
  }
  CHECK(!place.has("k.sxt"));
}

TEST_CASE("constants that no file has", "[diagnostics]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\nSCALE = 3\n\n@qd.kernel\n"
                      "def scale(x: qd.types.ndarray(dtype=qd.i32, ndim=1), by: qd.i32):\n"
                      "    for i in range(x.shape[0]):\n        x[i] = x[i] * by * SCALE\n");
  CommandResult result = place.run({"compile", "k.py", "--const=SCAEL=3"});
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: --const 'SCAEL=3': no file has a constant 'SCAEL'\n"
                      "  help: did you mean 'SCALE'?\n\n1 error\n");
  CHECK(place.run({"compile", "k.py", "--const=by=3"}).err ==
        "sextant: error: --const 'by=3': no file has a constant 'by'\n\n1 error\n"); // a parameter
  CHECK(!place.has("k.sxt"));
  // Some file, at some wave size, in a branch or a kernel that is not built: any will do.
  place.write("helpers.py", "import quadrants as qd\n\nDEPTH = 2\n\n@qd.func\ndef twice(x):\n"
                            "    return x * DEPTH * UNSET\n");
  place.write("other.py",
              "import quadrants as qd\nfrom helpers import twice\nFAST = False\nUNUSED = 1\n"
              "@qd.kernel\ndef other(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
              "    for i in range(x.shape[0]):\n        if qd.static(FAST):\n"
              "            x[i] = LIMIT\n        else:\n            x[i] = 3\n"
              "@qd.kernel\ndef late(n: qd.template(), x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
              "    for i in range(n):\n        x[i] = twice(x[i])\n");
  for (const char *constant :
       {"SCALE=2", "FAST=False", "LIMIT=2", "UNUSED=2", "DEPTH=3", "UNSET=4"}) {
    INFO(constant);
    place.good({"compile", "k.py", "other.py", "--const", constant});
  }
  place.good({"compile", "k.py", "other.py", "--out-dir=o", "--const=SCALE=2", "--const=UNUSED=2",
              "--const=FAST=True", "--const=LIMIT=2"});
  // A file that does not parse may have had it.
  place.write("other.py", "import quadrants as qd\nTILE = = 3\n");
  CHECK(!contains(place.run({"compile", "other.py", "--const=TILE=2"}).err, "no file has"));
}

TEST_CASE("a file without kernels", "[diagnostics]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\nN = 3\n");
  CommandResult result = place.run({"compile", "k.py"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "no kernel"));
}

TEST_CASE("options that do not go together", "[diagnostics]") {
  Workplace place;
  place.write("a.py", saxpySource);
  place.write("sub/a.py", saxpySource);
  CHECK(place.run({"compile", "a.py", "-o", "x.sxt", "--out-dir=out"}).status == 1);
  CHECK(place.run({"compile", "a.py", "--out-dir=out", "--emit-header=x.hpp"}).status == 1);
  CommandResult result = place.run({"compile", "a.py", "sub/a.py", "--out-dir=out"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "both"));
  // Two kernels of one name in one module.
  result = place.run({"compile", "a.py", "sub/a.py", "-o", "x.sxt"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "two kernels 'saxpy', of 'a.py' and of 'sub/a.py'"));
  result = place.run({"compile", "a.py", "a.py", "-o", "x.sxt"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "'a.py' is named twice"));
  CHECK(!place.has("x.sxt"));
}

TEST_CASE("outputs that would overwrite sources or each other", "[diagnostics]") {
  Workplace place;
  place.write("a.py", saxpySource);
  CHECK(place.run({"compile", "a.py", "-o", "a.py"}).status == 1);
  CHECK(place.run({"compile", "a.py", "-o", "./sub/../a.py"}).status == 1);
  CHECK(place.run({"compile", "a.py", "-o", "x", "--emit-header=./x"}).status == 1);
  CHECK(place.read("a.py") == saxpySource);
  CHECK(place.list() == std::vector<std::string>{"a.py"});
}

TEST_CASE("a pass that did not run is said", "[diagnostics]") {
  Workplace place;
  place.write("a.py", saxpySource);
  CommandResult result = place.good({"compile", "a.py", "--dump-ir=nonsense"});
  CHECK(contains(result.err, "no pass 'nonsense' ran"));
}

TEST_CASE("command lines that make no sense", "[diagnostics]") {
  Workplace place;
  CHECK(place.run({}).status == 1);
  CommandResult result = place.run({"inspct", "a.sxt"});
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: there is no command 'inspct'\n"
                      "  help: did you mean 'inspect'?\n");
  CHECK(place.run({"hlep"}).err == "sextant: error: there is no command 'hlep'\n"
                                   "  help: did you mean 'help'?\n");
  result = place.run({"inspect", "--nonsense", "a.sxt"});
  CHECK(result.status == 1);
  CHECK(result.err.starts_with("sextant: error: "));
  CHECK(place.run({"frobnicate"}).status == 1);
  CHECK(place.run({"compile"}).status == 1);
  CHECK(place.run({"compile", "a.py", "-O7"}).status == 1);
  CHECK(place.run({"compile", "a.py", "-j0"}).status == 1);
  CHECK(place.run({"compile", "a.py", "--compress=99"}).status == 1);
  CHECK(place.run({"compile", "a.py", "--diagnostics=xml"}).status == 1);
  CHECK(place.run({"compile", "a.py", "--nonsense"}).status == 1);
  CommandResult help = place.good({"--help"});
  CHECK(contains(help.out, "compile"));
  CHECK(contains(place.good({"compile", "--help"}).out, "--targets"));
  CHECK(contains(place.good({"--version"}).out, "sextant "));
}

namespace {

/// A kernel of blocks of 64 threads with this body, in k.py from line 8 on.
std::string blockKernel(const std::string &body) {
  return "import quadrants as qd\nfrom quadrants.lang.simt import block, grid, subgroup\n\n"
         "@qd.kernel\ndef f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
         "    qd.loop_config(block_dim=64)\n    for i in range(a.shape[0]):\n" +
         body;
}

} // namespace

TEST_CASE("what one wave size cannot do is still built for the others", "[diagnostics]") {
  Workplace place;
  place.write("k.py", blockKernel("        a[i] = subgroup.reduce_add_tiled(a[i], 6)\n"));
  CommandResult result = place.good({"compile", "k.py", "--targets=gfx1100"});
  INFO(result.err);
  CHECK(contains(result.err, "k.py:8:16: warning: `subgroup.reduce_add_tiled` asks for a tile of "
                             "2**6 lanes, but the subgroup has 32"));
  CHECK(contains(result.err, "log2_size is between 0 and 5 here"));
  CHECK(contains(result.err, "kernel f: not built for amdgpu:gfx1100/wave32"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out,
                 "`subgroup.reduce_add_tiled` asks for a tile of 2**6 lanes"));
  // Where the wave size is asked for, it is an error.
  result = place.run({"compile", "k.py", "--targets=gfx1100/wave32"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "k.py:8:16: error: `subgroup.reduce_add_tiled` asks for a tile"));
}

TEST_CASE("shared arrays beyond the target's memory are named", "[diagnostics]") {
  Workplace place;
  place.write("k.py", blockKernel("        flags = block.SharedArray((16,), qd.i32)\n"
                                  "        tile = block.SharedArray((100, 100), qd.f32)\n"
                                  "        flags[i % 16] = 1\n        tile[i % 100, 0] = 2.0\n"
                                  "        block.sync()\n"
                                  "        a[i] = flags[0] + int(tile[0, 0])\n"));
  CommandResult result = place.run({"compile", "k.py", "--targets=metal:3.0"});
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(contains(result.err, "k.py:9:16: error: the block's shared arrays need 40064 bytes, but "
                             "metal:3.0/wave32 gives a block 32768: 'tile' 40000, 'flags' 64"));
}

TEST_CASE("old names are warned of once, with the new one", "[diagnostics]") {
  Workplace place;
  std::string body = "        subgroup.barrier()\n        subgroup.memory_barrier()\n"
                     "        block.mem_sync()\n        grid.memfence()\n"
                     "        a[i] = qd.i32(subgroup.ballot_full_subgroup(a[i]))\n";
  place.write("k.py", blockKernel(body + body));
  CommandResult result = place.good({"compile", "k.py", "--targets=cpu:x86-64-v3/wave32"});
  INFO(result.err);
  CHECK(contains(result.err, "k.py:8:9: warning: `subgroup.barrier` is deprecated"));
  CHECK(contains(result.err, "help: use `subgroup.sync`"));
  CHECK(contains(result.err, "k.py:9:9: warning: `subgroup.memory_barrier` is deprecated"));
  CHECK(contains(result.err, "help: use `subgroup.mem_fence`"));
  CHECK(contains(result.err, "k.py:10:9: warning: `block.mem_sync` is deprecated"));
  CHECK(contains(result.err, "help: use `block.mem_fence`"));
  CHECK(contains(result.err, "k.py:11:9: warning: `grid.memfence` is deprecated"));
  CHECK(contains(result.err, "help: use `grid.mem_fence`"));
  CHECK(contains(result.err, "k.py:12:23: warning: `subgroup.ballot_full_subgroup` is deprecated"));
  CHECK(contains(result.err, "help: use `subgroup.ballot`"));
  size_t warnings = 0;
  for (size_t at = 0; (at = result.err.find("warning:", at)) != std::string::npos; ++at)
    ++warnings;
  CHECK(warnings == 5);
}

TEST_CASE("a kernel whose name is taken again is warned of", "[diagnostics]") {
  Workplace place;
  std::string kernel = "@qd.kernel\ndef fill(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                       "    for i in range(a.shape[0]):\n        a[i] = ";
  place.write("k.py", "import quadrants as qd\n\n" + kernel + "1\n\n" + kernel + "2\n");
  CommandResult result =
      place.good({"compile", "k.py", "-o", "k.sxt", "--targets=cpu:x86-64-v3/wave8,compute_80"});
  CHECK(result.err ==
        "k.py:4:5: warning: this kernel is not built: `fill` is defined again further "
        "down [-Wredefined-kernel]\n 4 | def fill(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n   "
        "|     "
        "^^^^\n"
        "  help: give one of them another name\n\n");
  CHECK(contains(place.good({"run", "k.sxt", "fill", "a=const:0:i32[2]"}).out, "2"));
}
