// `sextant compile --keep-going`: kernels with errors are left out, exactly these, and are named.
#include "CommandLine.h"
#include "tests/support/Catch.h"

namespace {

/// Kernels that fill an array: `good` with 3, `shared` with 5. The others have errors: `first` and
/// `second` in one function that both call, `third` in its own text, `fourth` and `fifth` in one
/// constant, `sixth` and `seventh` in one class.
const char *const mixed = R"(import quadrants as qd
from helpers import five, wrong

A = qd.types.ndarray(qd.i32, 1)
BAD = open("file").read()

@qd.kernel
def first(x: A):
    for i in x:
        x[i] = wrong(i)

@qd.kernel
def good(x: A):
    for i in x:
        x[i] = 3

@qd.kernel
def second(x: A):
    for i in x:
        x[i] = wrong(i) + 1

@qd.kernel
def third(x: A):
    for i in x:
        x[i] = y

@qd.kernel
def fourth(x: A):
    for i in x:
        x[i] = BAD

@qd.kernel
def fifth(x: A):
    for i in x:
        x[i] = BAD + 1

@qd.dataclass
class Pair:
    a: qd.i32
    b: unheard_of

@qd.kernel
def sixth(x: A):
    for i in x:
        p = Pair(1, 2)
        x[i] = p.a

@qd.kernel
def seventh(x: A):
    for i in x:
        x[i] = Pair(3, 4).a

@qd.kernel
def shared(x: A):
    for i in x:
        x[i] = five(i)

@qd.kernel
def scan(x: A, n: qd.template()):
    for i in x:
        x[i] = n + undefined if qd.static(n > 2) else n
)";

const char *const helpers = R"(import quadrants as qd

@qd.func
def wrong(i):
    return i.nothing

@qd.func
def five(i):
    return 5
)";

/// A kernel with tiles of 16 lanes.
const char *const tiles = R"(import quadrants as qd
from quadrants.lang.simt import subgroup

@qd.kernel
def tiled(x: qd.types.ndarray(qd.i32, 1)):
    for i in range(64):
        x[i] = subgroup.reduce_all_add_tiled(x[i], 4)

@qd.kernel
def plain(x: qd.types.ndarray(qd.i32, 1)):
    for i in x:
        x[i] = 9
)";

std::string lineWith(const std::string &text, const std::string &part) {
  const size_t at = text.find(part);
  if (at == std::string::npos)
    return "";
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

} // namespace

TEST_CASE("the kernels without errors are built", "[keepgoing]") {
  Workplace place;
  place.write("k.py", mixed);
  place.write("helpers.py", helpers);
  const std::vector<std::string> command = {"compile",   "k.py", "-k",
                                            "scan[n=1]", "-k",   "scan[n=7] as seven"};
  CHECK(place.run(command).status == 1);
  CHECK(!place.has("k.sxt"));

  std::vector<std::string> keeping = command;
  keeping.insert(keeping.end(), {"--keep-going", "--targets=x86-64-v3/wave8,x86-64-v3/wave16"});
  const CommandResult result = place.run(keeping);
  CHECK(result.status == 0);
  CHECK(contains(result.err, "helpers.py:5:12: error: "));
  CHECK(contains(result.err, "k.py:25:16: error: "));
  CHECK(contains(result.err, "sextant: note: 8 of 11 kernels are left out: fifth, first, fourth, "
                             "second, seven, seventh, sixth, third\n"));
  const std::string text = place.good({"inspect", "k.sxt"}).out;
  for (const char *left :
       {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "seven"})
    CHECK(!contains(text, std::string("kernel ") + left + "("));
  CHECK(contains(text, "kernel good("));
  for (const auto &[kernel, value] : {std::pair("good", 3), {"shared", 5}, {"scan_1", 1}}) {
    const std::string number = std::to_string(value);
    CHECK(contains(place.good({"run", "k.sxt", kernel, "x=zeros[2]"}).out,
                   "[" + number + ", " + number + "]"));
  }

  // The module is the one of only the good kernels, but for its options and sources.
  place.write("sextant.toml", "[module.m]\nsources = [\"k.py\"]\nkernels = [\"scan[n=1]\", "
                              "\"scan[n=7] as seven\"]\nkeep-going = true\n"
                              "targets = [\"x86-64-v3/wave8,x86-64-v3/wave16\"]\n");
  CHECK(place.run({"compile", "--manifest=sextant.toml"}).status == 0);
  CHECK(place.read("m.sxt") == place.read("k.sxt"));
}

TEST_CASE("JSON names the kernels of each error", "[keepgoing]") {
  Workplace place;
  place.write("k.py", mixed);
  place.write("helpers.py", helpers);
  const std::string text =
      place
          .run({"compile", "k.py", "--keep-going", "--diagnostics=json", "-k", "scan[n=7]", "-k",
                "scan[m=1]", "-k", "scan[n=1] as one", "-k", "scn[n=1]"})
          .err;
  CHECK(contains(lineWith(text, "helpers.py"),
                 "\"kernel\":\"first\",\"kernels\":[\"first\",\"second\"]"));
  CHECK(contains(lineWith(text, "`y`"), "\"kernel\":\"third\","));
  CHECK(contains(lineWith(text, "`BAD` has no value"),
                 "\"kernel\":\"fourth\",\"kernels\":[\"fourth\",\"fifth\"]"));
  for (const char *kernel : {"sixth", "seventh"})
    CHECK(contains(lineWith(text, std::string("\"kernel\":\"") + kernel), "`unheard_of`"));
  CHECK(contains(lineWith(text, "`undefined`"), "\"kernel\":\"scan_7\","));
  CHECK(contains(lineWith(text, "no parameter `m`"), "\"kernel\":\"scan[m=1]\","));
  CHECK(contains(lineWith(text, "no file has a kernel 'scn'"), "\"kernel\":\"scn[n=1]\","));
  CHECK(contains(lineWith(text, "are left out"),
                 "\"kernels\":[\"fifth\",\"first\",\"fourth\",\"scan[m=1]\",\"scan_7\","
                 "\"scn[n=1]\",\"second\",\"seventh\",\"sixth\",\"third\"],"
                 "\"message\":\"10 of 13 kernels are left out: "));
}

TEST_CASE("files that do not parse lose their kernels, and those that use them", "[keepgoing]") {
  Workplace place;
  place.write("helpers.py", helpers + std::string("\n@qd.func\ndef broken(:\n    return 1\n"));
  place.write("bad.py", saxpySource + std::string("\n@qd.kernel\ndef f(:\n    pass\n"));
  place.write("k.py", "import quadrants as qd\nfrom helpers import five\n\n"
                      "@qd.kernel\ndef uses(x: qd.types.ndarray(qd.i32, 1)):\n"
                      "    for i in x:\n        x[i] = five(i)\n\n"
                      "@qd.kernel\ndef free(x: qd.types.ndarray(qd.i32, 1)):\n"
                      "    for i in x:\n        x[i] = 6\n");
  const CommandResult result =
      place.run({"compile", "k.py", "bad.py", "-o", "m.sxt", "--keep-going"});
  CHECK(result.status == 0);
  CHECK(contains(result.err, "bad.py:10:"));
  CHECK(contains(result.err, "helpers.py:12:"));
  CHECK(contains(result.err, "`five` comes from 'helpers.py', which has errors"));
  CHECK(contains(result.err, "2 of 3 kernels are left out: saxpy, uses\n"));
  CHECK(contains(place.good({"run", "m.sxt", "free", "x=zeros[1]"}).out, "[6]"));
  CHECK(place.run({"run", "m.sxt", "uses", "x=zeros[1]"}).status == 1);
}

TEST_CASE("what no target can have is left out; what some can have is a warning", "[keepgoing]") {
  Workplace place;
  place.write("k.py", tiles);
  CommandResult result =
      place.run({"compile", "k.py", "--keep-going", "--targets=x86-64-v3/wave8"});
  CHECK(result.status == 0);
  CHECK(contains(result.err, "1 of 2 kernels are left out: tiled\n"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "plain"));
  CHECK(!contains(place.good({"inspect", "k.sxt"}).out, "tiled"));
  result = place.run({"compile", "k.py", "--keep-going", "--syntax-only", "-o", "stamp",
                      "--targets=x86-64-v3/wave8"});
  CHECK(result.status == 0);
  CHECK(contains(result.err, "1 of 2 kernels are left out: tiled\n"));
  result =
      place.run({"compile", "k.py", "--keep-going", "--targets=x86-64-v3/wave8,x86-64-v3/wave16"});
  CHECK(result.status == 0);
  CHECK(!contains(result.err, "left out:"));
  CHECK(contains(result.err, "kernel tiled: not built for cpu:x86-64-v3/wave8"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "tiled"));
}

TEST_CASE("no kernel left, and errors that are not about kernels, write nothing", "[keepgoing]") {
  Workplace place;
  place.write("good.py", saxpySource);
  place.write("bad.py", "import quadrants as qd\n\n@qd.kernel\ndef f(x: qd.types.ndarray(qd.i32, "
                        "1)):\n    x[0] = y\n");
  CommandResult result =
      place.run({"compile", "good.py", "bad.py", "--out-dir=out", "--keep-going"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "error: no kernel of 'bad.py' is left to build"));
  CHECK(contains(result.err, "1 of 2 kernels are left out: f\n"));
  CHECK(!place.has("out/good.sxt"));
  // Together they are one module.
  CHECK(place.run({"compile", "good.py", "bad.py", "-o", "both.sxt", "--keep-going"}).status == 0);
  CHECK(contains(place.good({"inspect", "both.sxt"}).out, "saxpy"));
  result = place.run({"compile", "good.py", "--keep-going", "--const=NONE=1", "-o", "c.sxt"});
  CHECK(result.status == 1);
  CHECK(!place.has("c.sxt"));
  place.write("open.py", templateSource);
  result = place.run({"compile", "open.py", "--keep-going", "-Werror", "-o", "w.sxt"});
  CHECK(result.status == 1);
  CHECK(!place.has("w.sxt"));
}
