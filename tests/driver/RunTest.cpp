// `sextant run` on the CPU: arguments, files, printing, errors.
#include "CommandLine.h"
#include "driver/host/Npy.h"
#include "tests/support/Catch.h"

#include <cstring>

namespace {
struct Saxpy : Workplace {
  Saxpy() {
    write("saxpy.py", saxpySource);
    good({"compile", "saxpy.py"});
  }
  CommandResult launch(std::vector<std::string> rest) const {
    rest.insert(rest.begin(), {"run", "saxpy.sxt", "saxpy", "--device=cpu"});
    return run(rest);
  }
};
} // namespace

TEST_CASE("run prints which variant ran, and the arrays", "[run]") {
  Saxpy place;
  CommandResult result = place.launch({"n=8", "a=2.0", "x=iota:f32[8]", "y=const:1:f32[8]"});
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "saxpy ran as cpu:x86-64-"));
  CHECK(contains(result.out, "y: f32[8] = [1, 3, 5, 7, 9, 11, 13, 15]"));
  // Elements past n are untouched.
  result = place.launch({"n=5", "a=1", "x=iota[8]", "y=zeros[8]"});
  CHECK(contains(result.out, "y: f32[8] = [0, 1, 2, 3, 4, 0, 0, 0]"));
  result = place.launch({"n=0", "a=1", "x=iota[1]", "y=zeros[1]"});
  CHECK(contains(result.out, "y: f32[1] = [0]"));
  CHECK(place.launch({"n=1", "a=1", "x=iota[1]", "y=zeros[1]", "-q"}).out.empty());
  CHECK(place.launch({"n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--repeat=3"}).status == 0);
}

TEST_CASE("run reads and writes .npy", "[run]") {
  Saxpy place;
  sextant::HostArray x{"f32", {1000}, std::string(4000, '\0')};
  for (int index = 0; index < 1000; ++index) {
    float value = static_cast<float>(index) * 0.5f;
    std::memcpy(x.bytes.data() + 4 * index, &value, 4);
  }
  place.write("x.npy", sextant::formatNpy(x));
  CommandResult result =
      place.launch({"n=1000", "a=3", "x=x.npy", "y=const:1:f32[1000]", "--save", "y=y.npy"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  sextant::HostArray y = sextant::parseNpy(place.read("y.npy"), "y.npy");
  REQUIRE(y.shape == std::vector<int64_t>{1000});
  for (int index = 0; index < 1000; ++index) {
    float value;
    std::memcpy(&value, y.bytes.data() + 4 * index, 4);
    CHECK(value == 3 * (static_cast<float>(index) * 0.5f) + 1);
  }
}

TEST_CASE("run takes an array, and a field, of no dimensions as a number", "[run]") {
  Workplace place;
  place.write("count.py",
              "import quadrants as qd\nv2 = qd.types.vector(2, qd.i16)\n"
              "calls = qd.field(qd.i32, shape=())\n\n@qd.kernel\n"
              "def count(n: qd.types.ndarray(dtype=qd.f64, ndim=0), v: qd.types.NDArray[v2, 0]):\n"
              "    for i in range(100):\n        n[None] += i\n"
              "    v[None] = v[None] + calls[None]\n    calls[None] += 1\n");
  place.good({"compile", "count.py"});
  CHECK(contains(place.run({"inspect", "count.sxt"}).out, "count(n: f64[], v: i16[] of 2)"));
  const auto launch = [&](std::vector<std::string> rest) {
    rest.insert(rest.begin(), {"run", "count.sxt", "count", "--device=cpu"});
    return place.run(rest);
  };
  CommandResult result = launch({"n=0.5", "v=-1,7", "--field", "calls=3", "--save", "n=n.npy"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(contains(result.out, "n: f64 = 4950.5\n"));
  CHECK(contains(result.out, "v: i16[2] = [2, 10]\n"));
  sextant::HostArray saved = sextant::parseNpy(place.read("n.npy"), "n.npy");
  CHECK(saved.shape.empty());
  result = launch({"n=n.npy", "v=zeros"});
  CHECK(contains(result.out, "n: f64 = 9900.5\n"));
  CHECK(contains(launch({"v=zeros"}).err, "add n=1"));
  CHECK(contains(launch({"n=zeros[2]", "v=zeros"}).err, "the kernel takes 0 extents"));
  CHECK(contains(launch({"n=much", "v=zeros"}).err, "n: 'much' is not a value of type f64"));
}

TEST_CASE("run takes a method by the words of the build", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n@qd.data_oriented\nclass A:\n    @qd.kernel\n"
                      "    def k(self, x: qd.types.ndarray(qd.i32, 1)):\n        x[0] = self.n\n");
  place.good({"compile", "k.py", "-o", "k.sxt", "-k", "A.k[self.n=3]"});
  const CommandResult result =
      place.run({"run", "k.sxt", "A.k[self.n=3]", "--device=cpu", "x=zeros:i32[1]"});
  INFO(result.err);
  CHECK(contains(result.out, "x: i32[1] = [3]"));
}

TEST_CASE("run: what does not fit the signature", "[run]") {
  Saxpy place;
  CommandResult result = place.launch({"a=2", "x=iota[8]", "y=zeros[8]"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "needs 'n'"));
  result = place.launch({"n=8", "a=2", "x=iota[8]", "y=zeros[8]", "nn=3"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "no argument 'nn'"));
  CHECK(contains(result.err, "did you mean 'n'"));
  CHECK(place.launch({"n=8", "n=9", "a=2", "x=iota[8]", "y=zeros[8]"}).status == 1);
  // One error says all that is missing and all that is unknown.
  CHECK(place.launch({"m=3", "a=2", "x=nonsense"}).err ==
        "sextant: error: kernel 'saxpy' has no argument 'm', and needs 'n' (i32), 'y' "
        "(1-dimensional array of f32)\n  help: did you mean 'n' or 'y'?\n");
  CHECK(place.launch({"alpha=3", "beta=4", "n=1", "x=iota[8]", "y=zeros[8]"}).err ==
        "sextant: error: kernel 'saxpy' has no argument 'alpha' or 'beta', and needs 'a' (f32)\n"
        "  help: add a=1\n");
  CHECK(contains(place.launch({"nn=1", "aa=2", "x=iota[8]", "y=zeros[8]"}).err,
                 "no argument 'aa' or 'nn', and needs 'n' (i32), 'a' (f32)\n  help: did you mean "
                 "'a' or 'n'?\n"));
  CHECK(place.launch({"n=1", "x=iota[8]"}).err ==
        "sextant: error: kernel 'saxpy' needs 'a' (f32), 'y' (1-dimensional array of f32)\n"
        "  help: add a=1 y=iota[16]\n");
  CHECK(contains(place.launch({"n=1", "a=1", "x=iota[8]", "y=zeros[8]", "factor=2"}).err,
                 "no argument 'factor'\n  help: it has n, a, x, y\n"));
  CHECK(place.launch({"n=1.5", "a=2", "x=iota[8]", "y=zeros[8]"}).status == 1);
  CHECK(place.launch({"n=8", "a=2", "x=iota:i32[8]", "y=zeros[8]"}).status == 1);
  CHECK(place.launch({"n=8", "a=2", "x=iota[2,4]", "y=zeros[8]"}).status == 1);
  CHECK(place.launch({"n=8", "a=2", "x=missing.npy", "y=zeros[8]"}).status == 1);
  CHECK(place.launch({"n=8", "a=2", "x=nonsense", "y=zeros[8]"}).status == 1);
  CHECK(place.launch({"n=8", "a=2", "nonsense", "y=zeros[8]"}).status == 1);
  place.write("wrong.npy", sextant::formatNpy({"f64", {8}, std::string(64, '\0')}));
  result = place.launch({"n=8", "a=2", "x=wrong.npy", "y=zeros[8]"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "f64"));
  CHECK(place.run({"run", "saxpy.sxt", "saxpi"}).status == 1);
  CHECK(contains(place.run({"run", "saxpy.sxt", "saxpi"}).err, "did you mean 'saxpy'?"));
  CHECK(place.run({"run", "saxpy.sxt", "nope"}).err ==
        "sextant: error: the module has no kernel 'nope'; it has saxpy\n");
  CHECK(place.launch({"n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--device=tpu"}).status == 1);
  CHECK(place.launch({"n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--variant=cpu:arm9"}).status == 1);
  CHECK(place.launch({"n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--save=z=z.npy"}).status == 1);
  CHECK(!place.has("z.npy"));
}

TEST_CASE("run: every device that the kernel has code for says why it is not usable", "[run]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "aarch64,gfx1100"});
  // The CPU is everywhere, with one variant or the other: --variant names AMD's.
  const CommandResult result = place.run({"run", "saxpy.sxt", "saxpy", "n=8", "a=2", "x=iota[8]",
                                          "y=zeros[8]", "--variant=gfx1100/wave64"});
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(contains(result.err, "error: no device here runs kernel 'saxpy'\n"));
  CHECK(contains(result.err, "\n  cpu: kernel 'saxpy' has no variant for cpu:"));
  CHECK(contains(result.err, "\n  hip"));
  CHECK(!contains(result.err, "vulkan")); // there is no code for it
}

TEST_CASE("run: a request finds only the instance that was built for it", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\nDEEP = 2\n"
                      "F = qd.types.ndarray(dtype=qd.i32, ndim=1)\n\n"
                      "@qd.kernel\ndef k(a: qd.template(), b: qd.template(), out: F):\n"
                      "    for i in range(1):\n        out[0] = int(a * 10.0) + b\n\n"
                      "@qd.kernel\ndef t(s: qd.template(), out: F):\n"
                      "    for i in range(1):\n"
                      "        if qd.static(s == 'a-b'):\n            out[0] = 1\n"
                      "        else:\n            out[0] = 2\n");
  auto compile = [&](const std::string &module, std::vector<std::string> requests) {
    std::vector<std::string> line{"compile", "k.py", "-o", module, "-t", "cpu"};
    for (const std::string &request : requests)
      line.insert(line.end(), {"-k", request});
    place.good(line);
  };
  auto run = [&](const std::string &request) {
    return place.run({"run", "k.sxt", request, "--device=cpu", "out=zeros:i32[1]"});
  };
  auto gives = [&](const std::string &request, const std::string &value) {
    const CommandResult result = run(request);
    INFO(request << ": " << result.err);
    return result.status == 0 && contains(result.out, "= [" + value + "]");
  };
  compile("k.sxt", {"k[a=1, b=2]", "k[a=0.5, b=7] as odd", "k[a=-3, b=DEEP - 2]", "t[s='a-b']"});
  // However it is written.
  for (const char *request : {"k[a=1, b=2]", "k[b=2,a=1]", "k_1_2"})
    CHECK(gives(request, "12"));
  for (const char *request : {"odd", "k[a=0.50, b=7]", "k[ b = 7, a = 5e-1 ]"})
    CHECK(gives(request, "12"));
  CHECK(gives("k[a=-3, b=DEEP-2]", "-30"));
  for (const char *request : {"t[s='a-b']", "t[s=\"a-b\"]", "t[ s = 'a-b' ]", "t_amb"})
    CHECK(gives(request, "1"));
  // Each of these has the name of an instance that was built for something else.
  for (const char *request :
       {"k[a=2, b=1]", "k[b=1, a=2]", "k[a=1, c=2]", "k[a='1', b=2]", "k[a=m3, b=0]", "t[s='amb']",
        "t[s=amb]", "t[s='a.b']", "t[s='a- b']", "t[t='a-b']", "k[a=1, b=2.0]"}) {
    const CommandResult result = run(request);
    INFO(request << ": " << result.out << result.err);
    CHECK(result.status == 1);
    CHECK(result.out.empty());
    CHECK(contains(result.err, std::string("the module has no kernel '") + request));
  }
  CHECK(contains(run("t[s='amb']").err, "help: did you mean 't[s=\"a-b\"]'?"));
  CHECK(contains(run("k[n=256]").err, "k[a=0.5, b=7]"));
  // Other commands find kernels in the same way.
  CHECK(place.run({"explain", "k.sxt", "t[s='amb']"}).status == 1);
  CHECK(place.run({"explain", "k.sxt", "t[s='a-b']"}).status == 0);
  // So does the module that is made of it.
  place.good({"thin", "k.sxt", "-o", "thin.sxt", "--keep=t*@cpu"});
  CHECK(place.run({"explain", "thin.sxt", "t[s='a-b']"}).status == 0);
  compile("other.sxt", {"t[s='amb']"});
  compile("more.sxt", {"t[s='x']"});
  CHECK(contains(place.run({"merge", "k.sxt", "other.sxt", "-o", "both.sxt"}).err,
                 "kernel 't_amb' was built for 't[s=\"a-b\"]' in 'k.sxt', and for "
                 "'t[s=\"amb\"]' in 'other.sxt'"));
  CHECK(!place.has("both.sxt"));
  place.good({"merge", "k.sxt", "more.sxt", "-o", "both.sxt"});
  for (const char *request : {"t[s='a-b']", "t[s='x']", "k[b=2, a=1]"})
    CHECK(place.run({"explain", "both.sxt", request}).status == 0);
}

TEST_CASE("run: each spelling of a request finds its instance", "[run]") {
  Workplace place;
  place.write("k.py", "import enum\nimport quadrants as qd\n\n"
                      "class M(enum.IntEnum):\n    A = 1\n    B = 2\n\n"
                      "@qd.kernel\ndef k(v: qd.template(), out: qd.types.ndarray(qd.i32, 1)):\n"
                      "    for i in range(1):\n        out[0] = v * 3\n");
  const auto compile = [&](const std::string &module, const std::string &target,
                           std::vector<std::string> values) {
    std::vector<std::string> line{"compile", "k.py", "-o", module, "-t", target};
    for (const std::string &value : values)
      line.insert(line.end(), {"-k", "k[v=" + value + "]"});
    place.good(line);
  };
  const auto run = [&](const std::string &module, const std::string &value) {
    return place.run({"run", module, "k[v=" + value + "]", "--device=cpu", "out=zeros:i32[1]"});
  };
  // Numbers have one form, for the compiler and for commands.
  compile("k.sxt", "x86-64-v2", {"1_000", "M.A", "1", "-7"});
  for (const char *value : {"1000", "1_000", "0x3e8", "+1000"})
    CHECK(contains(run("k.sxt", value).out, "= [3000]"));
  // A constant and its value are one instance, which has both requests if the build had them.
  for (const char *value : {"1", "M.A", "0b1", "M . A"})
    CHECK(contains(run("k.sxt", value).out, "= [3]"));
  CHECK(contains(place.run({"extract", "k.sxt", "--attachment", "sextant.requests", "-o", "-"}).out,
                 "k_1\tk[v=1]\nk_1\tk[v=M.A]\nk_1000\tk[v=1000]\nk_m7\tk[v=-7]\n"));
  // Else the error says which spellings there are, the nearest first.
  compile("enum.sxt", "x86-64-v2", {"M.A", "M.B"});
  CHECK(contains(run("enum.sxt", "1").err, "help: it was built for k[v=M.A], k[v=M.B]"));
  CHECK(contains(run("enum.sxt", "N.B").err, "did you mean 'k[v=M.B]'"));
  // Shards are of one build if they have a request in common.
  compile("a.sxt", "x86-64-v3", {"M.A", "1"});
  compile("b.sxt", "x86-64-v4", {"1"});
  compile("c.sxt", "x86-64-v2", {"M.A"});
  place.good({"merge", "a.sxt", "b.sxt", "c.sxt", "-o", "all.sxt"});
  for (const char *value : {"1", "M.A"})
    CHECK(contains(run("all.sxt", value).out, "= [3]"));
  CHECK(contains(place.run({"merge", "b.sxt", "c.sxt", "-o", "none.sxt"}).err,
                 "was built for 'k[v=1]' in 'b.sxt', and for 'k[v=M.A]' in 'c.sxt'"));
}

TEST_CASE("names that are not there are told beside those that are", "[run]") {
  Workplace place;
  place.write("k.py",
              "import quadrants as qd\n\ncount = qd.field(qd.i32, shape=4)\n\n"
              "@qd.kernel\ndef bump(by: qd.i32, a: qd.types.ndarray(dtype=qd.f32, ndim=1)):\n"
              "    for i in range(4):\n        count[i] += by\n\n"
              "@qd.kernel\ndef fill(value: qd.template(), "
              "a: qd.types.ndarray(dtype=qd.f32, ndim=1)):\n"
              "    for i in range(4):\n        a[i] = value\n");
  place.good({"compile", "k.py", "-t", "x86-64-v3", "-k", "fill[value=1]"});
  auto error = [&](std::vector<std::string> line) {
    const CommandResult result = place.run(line);
    CHECK(result.status == 1);
    return result.err;
  };
  auto run = [&](const std::string &array, const std::string &option) {
    return error({"run", "k.sxt", "bump", "--device=cpu", "by=1", "a=" + array, option});
  };
  CHECK(contains(run("zeros[4]", "--field=cuont=1"), "no field 'cuont'; it has count"));
  CHECK(contains(run("iota:f33[4]", "--repeat=1"),
                 "'f33' is neither a number nor a type\n  help: did you mean 'f32'"));
  CHECK(
      contains(error({"extract", "k.sxt", "--all", "-o", "all", "-t", "x86-64-v2"}),
               "'*@x86-64-v2' names no target of the module; it has cpu:x86-64-v3/wave32; did you "
               "mean 'x86-64-v3'?"));
  CHECK(contains(
      error({"extract", "k.sxt", "--all", "-o", "all", "-k", "bunp"}),
      "'bunp@*' names no kernel of the module; it has bump, fill_1; did you mean 'bump'?"));
  CHECK(!place.has("all"));
  CHECK(contains(error({"compile", "k.py", "-t", "cpu", "-k", "fill[vlaue=1]"}),
                 "help: did you mean `value`?"));
  CHECK(contains(error({"compile", "k.py", "-t", "cpu", "--tune", "N=1,2", "--tune-targets=cpuu"}),
                 "help: did you mean 'cpu'?"));
  CHECK(contains(place.good({"compile", "k.py", "-t", "cpu", "--dump-ir=irgne"}).err,
                 "help: did you mean 'irgen'?"));
  CHECK(
      contains(error({"compile", "k.py", "--compress=smal"}),
               "'smal' is not one of none, fast, balanced, small\n  help: did you mean 'small'?"));
}

TEST_CASE("a module of kernels without given values says nothing of requests", "[run]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "cpu", "-k", "saxpy"});
  CHECK(!contains(place.good({"inspect", "saxpy.sxt"}).out, "attachment"));
}

TEST_CASE("run: a rule or a device that nothing fits names what there is", "[run]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v3/wave8,x86-64-v3/wave32,gfx942"});
  auto error = [&](const std::string &rule, const std::string &command = "run") {
    const CommandResult result = command == "explain"
                                     ? place.run({"explain", "saxpy.sxt", rule})
                                     : place.run({command, "saxpy.sxt", "saxpy", "n=1", "a=1",
                                                  "x=iota[1]", "y=zeros[1]", rule});
    CHECK(result.status == 1);
    CHECK(result.out.empty());
    return result.err;
  };
  for (const char *command : {"run", "bench", "explain"}) {
    INFO(command);
    CHECK(error("--wave=7", command) ==
          (std::string("sextant: error: --wave: no variant of ") + "kernel 'saxpy'" +
           " has waves of 7 lanes\n  help: its variants have waves of 8, 32, 64\n"));
    CHECK(error("--variant=amd", command) ==
          "sextant: error: --variant 'amd' names no variant of kernel 'saxpy'\n"
          "  help: did you mean 'amdgpu'?\n");
    CHECK(contains(error("--variant=rocm", command), "did you mean 'amdgpu'?"));
    CHECK(contains(error("--variant=gfx941", command), "did you mean 'gfx942'?"));
    CHECK(contains(error("--variant=x86-64-v3/wav8", command), "'x86-64-v3/wave8'"));
    CHECK(contains(error("--variant=metal", command),
                   "help: it has amdgpu:gfx942/wave64, cpu:x86-64-v3/wave8, cpu:x86-64-v3/wave32"));
    CHECK(contains(error("--device=cpuu", command), "did you mean 'cpu'?"));
  }
}

TEST_CASE("run: fields, return values, vectors", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\ncount = qd.field(qd.i32, shape=4)\n\n"
                      "@qd.kernel\ndef bump(by: qd.i32) -> qd.i32:\n"
                      "    for i in range(4):\n        count[i] += by + i\n"
                      "    return count[3]\n\n"
                      "@qd.kernel\ndef scale(v: qd.types.vector(3, qd.f32),\n"
                      "          a: qd.types.ndarray(dtype=qd.f32, ndim=1)):\n"
                      "    for i in range(3):\n        a[i] = v[i] * 2.0\n");
  CommandResult built = place.run({"compile", "k.py"});
  INFO(built.err);
  REQUIRE(built.status == 0);
  CommandResult result = place.good({"run", "k.sxt", "bump", "by=10", "--field", "count=iota[4]",
                                     "--save", "count=count.npy", "--device=cpu"});
  CHECK(contains(result.out, "return: i32 = 16"));
  CHECK(contains(result.out, "count: i32[4] = [10, 12, 14, 16]"));
  CHECK(place.has("count.npy"));
  result = place.good({"run", "k.sxt", "scale", "v=[1, 2.5, -3]", "a=zeros[3]", "--device=cpu"});
  CHECK(contains(result.out, "a: f32[3] = [2, 5, -6]"));
}

TEST_CASE("run: a template parameter shares elements, members and components", "[run]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

A = qd.types.ndarray(qd.f32, 1)


@qd.dataclass
class Inner:
    x: qd.f32
    v: qd.types.vector(2, qd.f32)


@qd.dataclass
class Outer:
    a: Inner
    b: Inner


outer = Outer.field(shape=2)


@qd.func
def add(to: qd.template(), by):
    to += by


@qd.func
def put(to: qd.template(), value):
    add(to, 1)
    to = value


@qd.func
def change(it: qd.template(), by):
    it.x += by
    it.v[1] = by
    add(it.v[0], by)


@qd.func
def both(it: qd.template()):
    change(it.a, 10)
    it.b = Inner(x=5, v=[6, 7])


@qd.func
def late(it: qd.template(), array: qd.template(), i):
    array[i] = 40
    return it


@qd.kernel
def elements(out: A):
    for i in range(1):
        add(out[i], 3)
        put(out[i + 1], 4)
        out[2] = late(out[i + 3], out, i + 3)


@qd.kernel
def members(out: A):
    for i in range(1):
        both(outer[i])
        change(outer[i].b, 100)
        local = outer[i]
        change(local.a, 1000)
        put(local.b.v.x, 8)
        out[0] = outer[i].a.x
        out[1] = outer[i].a.v[0]
        out[2] = outer[i].b.x
        out[3] = outer[i].b.v[1]
        out[4] = local.a.x + local.a.v[1] + local.b.v[0]
)");
  place.good({"compile", "k.py"});
  CHECK(contains(place.good({"run", "k.sxt", "elements", "out=zeros[4]", "--device=cpu"}).out,
                 "out: f32[4] = [3, 4, 40, 40]"));
  CHECK(contains(place.good({"run", "k.sxt", "members", "out=zeros[5]", "--device=cpu"}).out,
                 "out: f32[5] = [10, 10, 105, 100, 2018]"));
}

TEST_CASE("run: a template parameter shares slices and items, and reads what is in no place",
          "[run]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

A = qd.types.ndarray(qd.i32, 1)


@qd.dataclass
class Count:
    n: qd.i32

    @qd.func
    def grow(self):
        self.n += 1


@qd.func
def add(to: qd.template(), by):
    to += by


@qd.func
def first(to: qd.template(), value):
    to[0] = value


@qd.func
def twice(of: qd.template()):
    return 2 * of


@qd.kernel
def slices(n: qd.i32, out: A):
    for i in range(1):
        v = qd.Vector([n, 20, 30])
        m = qd.Matrix([[n, 2], [3, 4]])
        add(v[0:2], 1)
        first(v[1:], 50)
        add(m[:, 1], n)
        out[0], out[1], out[2] = v[0], v[1], v[2]
        out[3], out[4] = m[0, 1], m[1, 1]


@qd.kernel
def items(n: qd.i32, out: A):
    for i in range(1):
        t = [n, 20, 30]
        out[0] = twice(t[n])
        out[1] = twice(t[qd.atomic_add(out[5], 1)])
        add(t[-1], 1)
        add(t[len(t) - 2], 1)
        out[2], out[3] = t[1], t[2]
        counts = [Count(n), Count(7)]
        counts[-1].n += 10
        counts[-2].grow()
        out[4] = 100 * counts[0].n + counts[1].n


@qd.kernel
def repeated(n: qd.i32, out: A):
    v = qd.Vector([n, 20, 30])
    for i in range(1):
        w = twice(v.xzx)
        out[0], out[1], out[2] = w[0], w[1], w[2]
)");
  place.good({"compile", "k.py"});
  const auto run = [&](const char *kernel, const char *n) {
    return place.good({"run", "k.sxt", kernel, n, "out=zeros[6]", "--device=cpu"}).out;
  };
  CHECK(contains(run("slices", "n=5"), "out: i32[6] = [6, 50, 30, 7, 9, 0]"));
  CHECK(contains(run("items", "n=1"), "out: i32[6] = [40, 2, 21, 31, 217, 1]"));
  CHECK(contains(run("repeated", "n=3"), "out: i32[6] = [6, 60, 6, 0, 0, 0]"));
}

TEST_CASE("run: members that a call leaves out have their defaults, also in members", "[run]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

A = qd.types.ndarray(qd.f32, 1)


@qd.dataclass
class Inner:
    x: qd.f32
    y: qd.f32 = 2.5


@qd.dataclass
class Outer:
    inner: Inner
    n: qd.i32 = 3


@qd.kernel
def defaults(out: A):
    for i in range(1):
        empty, one, named = Outer(), Outer(4), Outer(inner=Inner(x=5), n=6)
        out[0], out[1], out[2] = empty.inner.x, empty.inner.y, empty.n
        out[3], out[4], out[5] = one.inner.x, one.inner.y, one.n
        out[6], out[7], out[8] = named.inner.x, named.inner.y, named.n
)");
  place.good({"compile", "k.py"});
  CHECK(contains(place.good({"run", "k.sxt", "defaults", "out=zeros[9]", "--device=cpu"}).out,
                 "out: f32[9] = [0, 2.5, 3, 4, 2.5, 3, 5, 2.5, 6]"));
}

TEST_CASE("run: --outside-reads reads what lies there, --check tests it", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n"
                      "cells = qd.field(qd.i32, shape=(4, 4))\n\n\n"
                      "@qd.kernel\n"
                      "def read() -> qd.i32:\n"
                      "    for i, j in cells:\n"
                      "        cells[i, j] = 10 * i + j\n"
                      "    return cells[1, -1] + 100 * cells[0, 6]\n\n\n"
                      "@qd.kernel\n"
                      "def write():\n"
                      "    cells[1, -1] = 0\n\n\n"
                      "@qd.func\n"
                      "def twice(it: qd.template()):\n"
                      "    return 2 * it\n\n\n"
                      "@qd.kernel\n"
                      "def passed() -> qd.i32:\n"
                      "    return 7 + twice(cells[1, -1])\n");
  const CommandResult plain = place.run({"compile", "k.py", "--keep-going"});
  CHECK(contains(plain.err, "k.py:10:12: error: the index -1 is outside of `cells`, whose extent "
                            "is 4\n"));
  CHECK(plain.status == 1);
  // The row before, and the one after: 3 + 100 * 12. A write stays an error.
  CommandResult result = place.run({"compile", "k.py", "--keep-going", "--outside-reads"});
  CHECK(result.status == 0);
  CHECK(contains(result.err,
                 "k.py:10:12: warning: the index -1 is outside of `cells`, whose extent "
                 "is 4: it reads the memory there [-Woutside-read]"));
  CHECK(contains(result.err, "k.py:10:33: warning: the index 6 is outside"));
  CHECK(contains(result.err, "k.py:15:5: error: the index -1 is outside"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "options   -O3 --outside-reads"));
  CHECK(contains(place.good({"run", "k.sxt", "read", "--device=cpu"}).out, "i32 = 1203"));
  CHECK(contains(place.good({"run", "k.sxt", "passed", "--device=cpu"}).out, "i32 = 7"));
  place.good({"compile", "k.py", "--keep-going", "--outside-reads", "--check"});
  result = place.run({"run", "k.sxt", "read", "--device=cpu"});
  CHECK(result.status == 1);
  CHECK(
      contains(result.err, "k.py:10:12: index -1 is out of bounds: axis 1 of 'cells' has size 4"));
}

TEST_CASE("run: what --assert and --check report", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n"
                      "@qd.kernel\n"
                      "def share(x: qd.types.ndarray(dtype=qd.i32, ndim=1), d: qd.i32):\n"
                      "    for i in range(x.shape[0]):\n"
                      "        assert x[i] < 90, \"too many\"\n"
                      "        x[i] = x[i] // d\n");
  auto share = [&](const char *x, const char *d) {
    return place.run({"run", "k.sxt", "share", x, d, "--device=cpu"});
  };
  // A plain build knows nothing of either.
  place.good({"compile", "k.py"});
  std::string plain = place.read("k.sxt");
  CHECK(!contains(place.good({"inspect", "k.sxt"}).out, "checked"));
  CHECK(share("x=iota[91]", "d=0").status == 0);
  // --assert: the assertion, and no more.
  place.good({"compile", "k.py", "--assert"});
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "1 site; a launch waits for the result"));
  CHECK(share("x=iota[90]", "d=0").status == 0);
  CommandResult result = share("x=iota[91]", "d=0");
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: kernel 'share': k.py:6:9: assertion failed: too many "
                      "(block 0, thread 90)\n");
  // --check: the division too. Indices below x.shape[0] are tested all the same.
  place.good({"compile", "k.py", "--check"});
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "options   -O3 --check"));
  CHECK(share("x=iota[90]", "d=1").status == 0);
  result = share("x=iota[1]", "d=0");
  CHECK(result.status == 1);
  CHECK(result.err == "sextant: error: kernel 'share': k.py:7:16: integer division by zero (block "
                      "0, thread 0)\n");
  // bench launches as well, and says why it could not measure.
  result = place.run({"bench", "k.sxt", "share", "x=iota[1]", "d=0", "--device=cpu"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "k.py:7:16: integer division by zero"));
  // A module that was built without is as it was.
  place.good({"compile", "k.py"});
  CHECK(place.read("k.sxt") == plain);
  // A message has to be text that the module can hold.
  place.write("bad.py", "import quadrants as qd\n\n@qd.kernel\n"
                        "def bad(n: qd.i32):\n    assert n > 0, n\n");
  for (std::vector<std::string> command :
       {std::vector<std::string>{"compile", "bad.py"}, {"compile", "bad.py", "--assert"}}) {
    result = place.run(command);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "bad.py:5:19: error: the message of an `assert` has to be a string, "
                               "not a run-time i32"));
  }
}

TEST_CASE("chains of many elif: each arm once, in a loop and in a function", "[run]") {
  Workplace place;
  std::string text = "import quadrants as qd\n\nA = qd.types.ndarray(qd.i32, 1)\n\n"
                     "@qd.func\ndef pick(i):\n    if i == 0:\n        return 1000\n";
  auto arm = [](int k) { return "elif i == " + std::to_string(k) + ":\n"; };
  for (int k = 1; k < 150; ++k)
    text += "    " + arm(k) + "        return " + std::to_string(1000 + 7 * k) + "\n";
  text += "    else:\n        return -1\n\n"
          "@qd.kernel\ndef k(a: A, b: A, c: A):\n    for t in range(a.shape[0]):\n"
          "        a[t] = pick(t)\n        last = -5\n        for i in range(t + 1):\n"
          "            if i == 140:\n                break\n";
  for (int k = 1; k < 150; ++k)
    text += "            " + arm(k) + "                last = " + std::to_string(k) + "\n" +
            (k % 3 ? "" : "                continue\n");
  text += "            b[t] += 1\n        c[t] = last\n"; // no else
  place.write("k.py", text);
  place.good({"compile", "k.py"});
  place.good({"run", "k.sxt", "k", "--device=cpu", "a=zeros[200]", "b=zeros[200]", "c=zeros[200]",
              "--save", "a=a.npy", "--save", "b=b.npy", "--save", "c=c.npy"});
  auto saved = [&](const std::string &name) {
    sextant::HostArray array = sextant::parseNpy(place.read(name + ".npy"), name);
    std::vector<int32_t> values(200);
    REQUIRE(array.bytes.size() == 800);
    std::memcpy(values.data(), array.bytes.data(), 800);
    return values;
  };
  std::vector<int32_t> a = saved("a"), b = saved("b"), c = saved("c");
  for (int t = 0; t < 200; ++t) {
    int wantedB = 0, wantedC = -5;
    for (int i = 0; i <= t && i != 140; ++i) {
      if (i >= 1 && i < 150)
        wantedC = i;
      wantedB += !(i >= 1 && i < 150 && i % 3 == 0);
    }
    INFO("thread " << t);
    CHECK(a[t] == (t < 150 ? 1000 + 7 * t : -1));
    CHECK(b[t] == wantedB);
    CHECK(c[t] == wantedC);
  }
}

TEST_CASE("a launch that a checkpoint ended is told", "[run]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel(graph=True, checkpoints=True)\n"
                      "def f(x: qd.types.ndarray(qd.i32, 1), full: qd.types.ndarray(qd.i32, 0)):\n"
                      "    with qd.checkpoint(7, yield_on=full):\n        x[0] += 1\n"
                      "    x[1] += 1\n");
  place.good({"compile", "k.py", "--targets=cpu"});
  const std::vector<std::string> call = {"run", "k.sxt", "f", "--device=cpu", "x=zeros[2]"};
  auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), call.begin(), call.end());
    return place.good(more).out;
  };
  const std::string ended = run({"full=const:3"}), done = run({"full=const:0"});
  CHECK(contains(ended, "checkpoint 7 ended the launch\n"));
  CHECK(contains(ended, "x: i32[2] = [1, 0]\n"));
  CHECK(!contains(done, "checkpoint"));
  CHECK(contains(done, "x: i32[2] = [1, 1]\n"));
  CHECK(contains(run({"full=const:3", "--json"}), "\"checkpoint\": 7,"));
  CHECK(!contains(run({"full=const:0", "--json"}), "\"checkpoint\""));
  CHECK(
      contains(place.run({"bench", "k.sxt", "f", "--device=cpu", "x=zeros[2]", "full=const:0"}).err,
               "cannot be measured"));
}
