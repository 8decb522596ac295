// What is refused, how it is said, and that nothing is left behind.
#include "CommandLine.h"
#include "tests/support/Catch.h"

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
  result = place.run({"compile", "saxpy.py", "-o", "no/such/folder/a.sxt", "-MF", "left.d",
                      "--emit-header=left.hpp"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "no/such/folder/a.sxt"));
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
  result = place.run({"compile", "saxpy.py", "--targets=cpu:x86-64-v3/wave7"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "7"));
  CHECK(place.run({"compile", "saxpy.py", "--targets=,"}).status == 1);
  CHECK(place.list() == std::vector<std::string>{"saxpy.py"});
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
  CHECK(!place.has("k.sxt"));
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
  CHECK(place.run({"compile", "a.py", "--out-dir=out", "-MF", "x.d"}).status == 1);
  CommandResult result = place.run({"compile", "a.py", "sub/a.py", "--out-dir=out"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "both"));
  // Two kernels of one name in one module.
  CHECK(place.run({"compile", "a.py", "sub/a.py", "-o", "x.sxt"}).status == 1);
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
