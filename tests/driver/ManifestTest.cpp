// `sextant compile --manifest` and --source-root: the same modules as by options, paths that start
// at one folder, errors with their lines. And --shard with `merge`, which is how CMake builds.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <filesystem>

namespace {

/// The example of docs/manifest.md, with its files.
void writeProject(const Workplace &place, const std::string &folder) {
  place.write(folder + "/kernels/saxpy.py", saxpySource);
  place.write(folder + "/kernels/fill.py", templateSource);
  place.write(folder + "/sextant.toml", R"(targets = ["x86-64-v3/wave8", "compute_90"]
compress = "fast"

[module.one]
sources = ["kernels/saxpy.py", "kernels/fill.py"]
kernels = ["fill[value=2]", "fill[value=5]"]
constants = { SCALE = 10 }
output = "out/one.sxt"
header = "out/one.hpp"
embed-symbol = "one_bytes"

[module.two]
sources = ["kernels/saxpy.py"]
targets = ["compute_80"]
opt-level = 1
check = true
header = true
)");
}

} // namespace

TEST_CASE("a manifest says what options say", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  CommandResult result = place.good({"compile", "--manifest", "sextant.toml", "-MD"});
  CHECK(result.err.empty());
  place.write("o/folder", "");
  place.good({"compile", "kernels/saxpy.py", "kernels/fill.py", "-t", "x86-64-v3/wave8,compute_90",
              "--compress=fast", "-k", "fill[value=2]", "-k", "fill[value=5]", "--const=SCALE=10",
              "-o", "1.sxt", "--emit-header=o/one.hpp", "--embed-symbol=one_bytes"});
  place.good({"compile", "kernels/saxpy.py", "-t", "compute_80", "--compress=fast", "-O1",
              "--check", "-o", "2.sxt"});
  CHECK(place.read("out/one.sxt") == place.read("1.sxt"));
  CHECK(place.read("out/one.hpp") == place.read("o/one.hpp"));
  CHECK(place.read("two.sxt") == place.read("2.sxt"));
  CHECK(place.has("two.hpp"));
  std::string depfile = place.read("out/one.d");
  CHECK(contains(depfile, "sextant.toml"));
  CHECK(contains(depfile, "kernels/fill.py"));
}

TEST_CASE("the manifest of the documentation", "[manifest][examples]") {
  Workplace place;
  const std::filesystem::path docs = std::filesystem::path(SEXTANT_EXAMPLES).parent_path();
  std::filesystem::copy(docs / "examples", place.path("examples"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(docs / "manifest.md", place.path("manifest.md"));
  CHECK(contains(place.read("manifest.md"),
                 "```toml\n" + place.read("examples/sextant.toml") + "```\n"));
  place.good({"compile", "--manifest=examples/sextant.toml"});
  CHECK(contains(place.good({"inspect", "examples/out/app.sxt"}).out, "add_vectors"));
  CHECK(place.has("examples/out/app.hpp"));
  CHECK(contains(place.good({"inspect", "examples/tuned.sxt"}).out, "-O2 --check"));
}

TEST_CASE("the bytes do not depend on the folder of the command", "[manifest]") {
  Workplace place;
  writeProject(place, "here");
  writeProject(place, "some/where/else");
  place.good({"compile", "--manifest=here/sextant.toml"});
  place.good({"compile", "--manifest", place.path("some/where/else/sextant.toml"), "-j3"});
  for (const char *name : {"out/one.sxt", "out/one.hpp", "two.sxt", "two.hpp"})
    CHECK(place.read(std::string("here/") + name) ==
          place.read(std::string("some/where/else/") + name));
  // So with --source-root, of whatever is named below it.
  place.good({"compile", "here/kernels/saxpy.py", "--source-root=here", "-g", "-o", "a.sxt"});
  place.good({"compile", place.path("some/where/else/kernels/saxpy.py"), "-g", "--source-root",
              place.path("some/where/else"), "-o", "b.sxt"});
  CHECK(place.read("a.sxt") == place.read("b.sxt"));
  CHECK(contains(place.good({"inspect", "a.sxt"}).out, "source    kernels/saxpy.py"));
}

TEST_CASE("the command line wins, and chooses modules", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  place.good({"compile", "--manifest=sextant.toml", "--module=two", "-t", "x86-64-v2/wave8", "-o",
              "mine.sxt", "-O2"});
  CHECK(!place.has("out/one.sxt"));
  CHECK(!place.has("two.sxt"));
  std::string text = place.good({"inspect", "mine.sxt"}).out;
  CHECK(contains(text, "cpu:x86-64-v2/wave8"));
  CHECK(!contains(text, "compute_80"));
  CHECK(contains(text, "-O2 --check"));
}

TEST_CASE("one module that fails writes none", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  place.write("kernels/saxpy.py", "import quadrants as qd\n@qd.kernel\ndef f(:\n    pass\n");
  place.write("sextant.toml", "[module.a]\nsources = [\"kernels/fill.py\"]\n"
                              "[module.b]\nsources = [\"kernels/saxpy.py\"]\n");
  CommandResult result = place.run({"compile", "--manifest=sextant.toml"});
  CHECK(result.status == 1);
  CHECK(!place.has("a.sxt"));
  CHECK(!place.has("b.sxt"));
}

TEST_CASE("errors of a manifest have lines and ways out", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  struct Row {
    const char *text, *message, *fix;
  };
  const Row rows[] = {
      {"[module.a]\nsource = [\"k.py\"]\n", "m.toml:2:1: unknown key 'source'", "'sources'"},
      {"target = [\"cpu\"]\n[module.a]\nsources = [\"k.py\"]\n", "m.toml:1:1: unknown key 'target'",
       "'targets'"},
      {"[module.a]\nsources = \"k.py\"\n", "m.toml:2:11: 'sources' is not a list of strings", ""},
      {"[module.a]\nsources = [\"k.py\", 3]\n", "m.toml:2:20: 'sources' is not a string", ""},
      {"[module.a]\nsources = [\"k.py\"]\ncheck = 1\n", "m.toml:3:9: 'check' is not true or false",
       ""},
      {"[module.a]\nsources = [\"k.py\"]\nopt-level = 4\n",
       "m.toml:3:13: 'opt-level' is not an integer from 0 to 3", ""},
      {"[module.a]\nsources = [\"k.py\"]\ncompress = \"19\"\n",
       "m.toml:3:12: 'compress' is not none, fast, balanced or small", ""},
      {"[module.a]\nsources = [\"k.py\"]\nconstants = { A = [1] }\n",
       "m.toml:3:19: constant 'A' is not a number, boolean or string", ""},
      {"[module.a]\nsources = [\"k.py\"]\ntune = { A = 1 }\n",
       "m.toml:3:14: 'A' has no list of values", "write A = [64, 128]"},
      {"[module.a]\nsources = [\"k.py\"]\ntune = [1]\n",
       "m.toml:3:8: 'tune' is not a table of constants and their values", ""},
      {"sources = [\"k.py\"]\n", "m.toml:1:1: 'sources' belongs to one module", "[module.NAME]"},
      {"[module.a]\n", "m.toml:1:1: module 'a' names no 'sources'", ""},
      {"", "m.toml: no module is described", "[module.NAME]"},
      {"module = 3\n", "m.toml:1:10: 'module' is not a table of modules", "[module.NAME]"},
      {"[module.a\n", "m.toml:1:10: ", ""},
      {"[module.a]\nsources = [\"k.py\"]\nsources = []\n", "m.toml:3:", ""},
  };
  for (const Row &row : rows) {
    place.write("m.toml", row.text);
    CommandResult result = place.run({"compile", "--manifest=m.toml"});
    INFO(row.text << result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, row.message));
    CHECK(contains(result.err, row.fix));
  }
  CommandResult result = place.run({"compile", "--manifest=sextant.toml", "--module=on"});
  CHECK(contains(result.err, "no module 'on'"));
  CHECK(contains(result.err, "'one'"));
  CHECK(place.run({"compile", "--manifest=sextant.toml", "-o", "x.sxt"}).status == 1);
  CHECK(place.run({"compile", "--manifest=sextant.toml", "k.py"}).status == 1);
  CHECK(place.run({"compile", "--manifest=none.toml"}).status == 1);
  CHECK(contains(place.run({"compile"}).err, "no kernel file is named"));
}

TEST_CASE("a manifest has no empty or unusable names and texts", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  const std::string module = "[module.a]\nsources = [\"k.py\"]\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string name : {"\"\"", "' '", "\"\\t\""})
    rows.insert(rows.end(), {{"[module." + name + "]\nsources = [\"k.py\"]\n",
                              "m.toml:1:9: the name of a module is empty"},
                             {"module." + name + " = 3\n", "the name of a module is empty"},
                             {module + "constants = { " + name + " = 1 }\n",
                              "m.toml:3:15: the name of a constant is empty"},
                             {module + "tune = { " + name + " = [1, 2] }\n",
                              "m.toml:3:10: the name of a constant is empty"},
                             {module + "attach = { " + name + " = \"k.py\" }\n",
                              "m.toml:3:12: the name of an attachment is empty"}});
  for (const std::string name : {"\"A=B\"", "\"A\\nB\"", "\"A\\u007f\""})
    rows.insert(rows.end(), {{"[module." + name + "]\nsources = [\"k.py\"]\n",
                              "the name of a module has a control character or a `=`"},
                             {module + "constants = { " + name + " = 1 }\n",
                              "the name of a constant has a control character or a `=`"},
                             {module + "attach = { " + name + " = \"k.py\" }\n",
                              "the name of an attachment has a control character or a `=`"}});
  for (const std::string key : {"output", "header", "embed-symbol", "tuning", "default-fp"})
    rows.emplace_back(module + key + " = \"\"\n", "a text of '" + key + "' is empty");
  for (const std::string key : {"kernels", "targets", "tune-where", "tune-targets", "require"})
    rows.emplace_back(module + key + " = [\" \"]\n", "a text of '" + key + "' is empty");
  rows.insert(
      rows.end(),
      {{"[module.a]\nsources = [\"k.py\", \"\"]\n", "m.toml:2:20: a text of 'sources' is empty"},
       {"[module.a]\nsources = [\"k\\u0000.py\"]\n", "a text of 'sources' has a zero byte"},
       {module + "output = \"b.sxt\\u0000\"\n", "a text of 'output' has a zero byte"},
       {module + "constants = { A = \"\" }\n", "the value of constant 'A' is empty"},
       {module + "attach = { a = \"\" }\n", "a text of 'attach' is empty"}});
  for (const auto &[text, message] : rows) {
    place.write("m.toml", text);
    const CommandResult result = place.run({"compile", "--manifest=m.toml"});
    INFO(text << result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "m.toml:"));
    CHECK(contains(result.err, message));
  }
  // Names that look odd, and can be used.
  place.write("k.py", saxpySource);
  place.write("m.toml", "[module.\"-x y\"]\nsources = [\"k.py\"]\nconstants = {}\n");
  place.good({"compile", "--manifest=m.toml", "--module=-x y"});
  CHECK(place.has("-x y.sxt"));
}

TEST_CASE("errors of what a manifest asks for name its module", "[manifest]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\nSCALE = 3\n\n@qd.kernel\n"
                      "def scale(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(x.shape[0]):\n        x[i] = x[i] * SCALE\n");
  place.write("saxpy.py", saxpySource);
  auto compile = [&](const std::string &text, std::vector<std::string> more = {}) {
    place.write("m.toml", text);
    more.insert(more.begin(), {"compile", "--manifest=m.toml"});
    const CommandResult result = place.run(more);
    CHECK(result.status == (result.err.empty() ? 0 : 1));
    return result.err;
  };
  const std::string a = "\n[module.a]\nsources = ['k.py']\n",
                    error = "sextant: error: m.toml:2: module 'a': ";
  CHECK(compile(a + "targets = ['sm_91']\n").starts_with(error + "unknown target 'sm_91'"));
  CHECK(compile("\n[module.a]\nsources = ['none.py']\n") ==
        error + "cannot read 'none.py': No such file or directory\n\n1 error\n");
  CHECK(compile(a + "kernels = ['scael']\n") ==
        error + "--kernel 'scael': no file has a kernel 'scael'\n"
                "  help: did you mean 'scale'?\n\n1 error\n");
  CHECK(compile(a + "default-fp = 'f8'\n") ==
        error + "'f8' is not a float type\n  help: one of f16, f32, f64, bf16, f8e4m3, f8e5m2\n\n1 "
                "error\n");
  CHECK(compile(a + "output = 'k.py'\n").starts_with(error));
  CHECK(compile(a + "constants = { SCAEL = 1 }\n") ==
        error + "--const 'SCAEL=1': no file has a constant 'SCAEL'\n"
                "  help: did you mean 'SCALE'?\n\n1 error\n");
  // Each of those for all modules has to be in one.
  const std::string both = a + "[module.b]\nsources = ['saxpy.py']\n";
  CHECK(compile("constants = { SCALE = 2 }" + both).empty());
  CHECK(compile("constants = { SCALE = 2 }" + both, {"--module=b"}).empty());
  const std::string unknown =
      "sextant: error: m.toml: --const 'SCAEL=2': no file has a constant 'SCAEL'\n"
      "  help: did you mean 'SCALE'?\n\n1 error\n";
  CHECK(compile("constants = { SCAEL = 2 }" + both) == unknown);
  CHECK(compile(both, {"--const=SCALE=2"}).empty());
  CHECK(compile(both, {"--const=SCAEL=2"}) == unknown);
  CHECK(compile(both, {"--const=SCALE=2", "--module=b"}) ==
        "sextant: error: m.toml: --const 'SCALE=2': no file has a constant 'SCALE'\n\n1 error\n");
}

TEST_CASE("a manifest's keys do not take the stack", "[manifest]") {
  Workplace place;
  place.write("k.py", saxpySource);
  const auto repeated = [](const std::string &text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; ++i)
      all += text;
    return all;
  };
  const std::string parts = repeated("a.", 200'000) + "a";
  for (const std::string &deep :
       {"[" + parts + "]\nx = 1\n", parts + " = 1\n", "\nx = {" + parts + " = 1}\n",
        "x = '''\n'''\n" + repeated("\"a\" . ", 200'000) + "a = 1\n",
        "x = {y = \"\"\"a\"\"\"\"\", " + parts + " = 1}\n",
        "x = \"\\\"\"\n" + repeated("'a'.", 200'000) + "a = 1\n"}) {
    place.write("m.toml", deep);
    const CommandResult result = place.run({"compile", "--manifest=m.toml"});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "a key has more than 64 parts"));
  }
  for (const char *beyond :
       {"cl\u00e9 = 1\n", "x = \u03d7\n", "x = 'a' \u00e9\n", "\u00a0x = 1\n"}) {
    place.write("m.toml", beyond);
    const CommandResult result = place.run({"compile", "--manifest=m.toml"});
    CHECK(result.status == 1);
    CHECK(contains(result.err, ": a character beyond ASCII is neither in a text nor in a comment"));
  }
  // toml++ takes what follows a second `=` for one word, whatever it is.
  place.write("m.toml", "x=2=\"\"\"--\u0389--\"\"\"\n");
  CHECK(place.run({"compile", "--manifest=m.toml"}).status == 1);
  // Dots of texts and comments are not those of keys.
  place.write("m.toml", "# " + parts +
                            "\n[module.k]\nsources = [\"k.py\"]\nconstants = {A = 1.5}\n"
                            "targets = ['cpu'] # " +
                            parts + "\nkernels = [\"" + parts + "\"]\n");
  const CommandResult result = place.run({"compile", "--manifest=m.toml", "--syntax-only"});
  CHECK(!contains(result.err, "a key has more than"));
  CHECK(contains(result.err, "no file has a kernel"));
}

TEST_CASE("a manifest's texts and places beyond ASCII", "[manifest]") {
  Workplace place;
  place.write("k.py", saxpySource);
  const auto refused = [&](const std::string &text) {
    place.write("m.toml", text);
    const CommandResult result = place.run({"compile", "--manifest=m.toml"});
    CHECK(result.status == 1);
    return result.err;
  };
  // A column counts characters: the list is the 33rd.
  CHECK(contains(refused("[module.k]\nconstants = { \"\u00e9~\u03d7\" = 1, \"~\u00e9\" = [] }\n"),
                 "m.toml:2:33: constant '~\u00e9' is not a number"));
  CHECK(contains(refused("\u00e9 = 1\n"), "m.toml:1:1: a character beyond ASCII"));
  CHECK(contains(refused("\xEF\xBB\xBFx = 1\n"), "m.toml:1:1: unknown key 'x'"));
  CHECK(contains(refused("# fine\nx = 'a\xff'\n"), "m.toml:2: not valid UTF-8"));
  CHECK(contains(refused("[module.k]\nsources = ['~c3 \u00e9.py']\n"), "'~c3 \u00e9.py'"));
  // The text goes on with a character beyond ASCII, after a line's end that does not count.
  place.write("m.toml",
              "[module.\"\u00e9~\"]\nsources = [\"\"\"\\\n  k.py\"\"\"]\ntargets = ['cpu']\n"
              "output = \"\"\"\\\n  \u00e9.sxt\"\"\"\n");
  CHECK(place.run({"compile", "--manifest=m.toml"}).err.empty());
  CHECK(place.has("\u00e9.sxt"));
}

TEST_CASE("several outputs share a depfile", "[manifest]") {
  Workplace place;
  writeProject(place, ".");
  place.good({"compile", "kernels/saxpy.py", "kernels/fill.py", "--out-dir=o", "-MF", "all.d"});
  std::string text = place.read("all.d");
  CHECK(contains(text, "o/saxpy.sxt: \\\n"));
  CHECK(contains(text, "o/fill.sxt: \\\n"));
  place.good({"compile", "--manifest=sextant.toml", "-MF", "both.d"});
  text = place.read("both.d");
  CHECK(contains(text, "out/one.sxt: \\\n"));
  CHECK(contains(text, "two.sxt: \\\n"));
}

TEST_CASE("shards of a target list make the module of one call", "[shard]") {
  Workplace place;
  place.write("k.py", saxpySource);
  place.write("half.py", "import quadrants as qd\n\n@qd.kernel\n"
                         "def half(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):\n"
                         "    for i in range(x.shape[0]):\n        x[i] = x[i] * 0.5\n");
  place.write("whole/folder", "");
  place.write("parts/folder", "");
  const std::string targets = "--targets=cpu,metal:3.0,compute_80,compute_90";
  place.good({"compile", "k.py", "half.py", targets, "--allow-missing", "-o", "one.sxt",
              "--emit-header=whole/m.hpp"});
  for (const char *part : {"1", "2", "3"})
    place.good({"compile", "k.py", "half.py", targets, "--compress=none", "--shard",
                std::string(part) + "/3", "-o", std::string(part) + ".sxt"});
  // `half` is not to be had for one item: an error where all of them are looked at.
  CommandResult refused = place.run({"merge", "3.sxt", "1.sxt", "2.sxt", "-o", "m.sxt", targets});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "kernel 'half' has no code for metal:3.0: f64 is not a type of"));
  CHECK(!place.has("m.sxt"));
  place.good({"merge", "3.sxt", "1.sxt", "2.sxt", "-o", "m.sxt", targets, "--allow-missing",
              "--emit-header=parts/m.hpp"});
  CHECK(place.read("m.sxt") == place.read("one.sxt"));
  CHECK(place.read("parts/m.hpp") == place.read("whole/m.hpp"));
  // A shard that was forgotten.
  CommandResult missing = place.run({"merge", "1.sxt", "-o", "n.sxt", targets});
  CHECK(missing.status == 1);
  CHECK(contains(missing.err, "no shard has been built for it"));
  for (const char *bad : {"0/2", "3/2", "1", "1/2x", "a/b", "1/0"}) {
    CommandResult result = place.run({"compile", "k.py", "--shard", bad});
    INFO(bad);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "is not of the form I/N"));
  }
  CHECK(contains(place.run({"compile", "k.py", "--shard=1/2", "--emit-header"}).err,
                 "a shard gets no header"));
}
