// Constants with alternatives: `compile --tune`, `tune`, and what becomes of the measurements.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <algorithm>

namespace {

/// Each kernel depends on other constants. `wide` is `scale` in rows of ITEMS. All give 2 x.
const char *const tunedKernels = R"(import quadrants as qd

TILE = 128
ITEMS = 2
LANES = TILE // 32
NARROW = False
A = qd.types.ndarray(dtype=qd.f32, ndim=1)

@qd.kernel
def plain(n: qd.i32, x: A, y: A):
    for i in range(n):
        y[i] = 2.0 * x[i]

@qd.kernel
def scale(n: qd.i32, x: A, y: A):
    qd.loop_config(block_dim=LANES * 32)
    for i in range(n):
        y[i] = 2.0 * x[i]

@qd.kernel
def wide(n: qd.i32, x: A, y: A):
    qd.loop_config(block_dim=TILE)
    for i in range(n // ITEMS):
        for k in qd.static(range(ITEMS)):
            y[i * ITEMS + k] = 2.0 * x[i * ITEMS + k]

@qd.kernel
def guarded(n: qd.i32, x: A, y: A):
    if qd.static(NARROW):
        qd.loop_config(block_dim=TILE)
        for i in range(n):
            y[i] = 2.0 * x[i]
    else:
        for i in range(n):
            y[i] = 2.0 * x[i]
)";

struct TunePlace : Workplace {
  TunePlace() { write("k.py", tunedKernels); }

  /// The variants of a kernel for the CPU as a module lists them, without "cpu:x86-64-v3".
  std::string variants(const std::string &kernel, const std::string &module = "k.sxt") const {
    std::string text = good({"inspect", module}).out, list;
    text = text.substr(text.find("kernel " + kernel + "("));
    text = text.substr(0, text.find("\nkernel "));
    for (size_t at = text.find("  cpu:x86-64-v3"); at != text.npos;
         at = text.find("  cpu:x86-64-v3", at + 1)) {
      const size_t begin = at + std::string("  cpu:x86-64-v3").size();
      list += (list.empty() ? "" : " ") + text.substr(begin, text.find(' ', begin) - begin);
    }
    return list;
  }

  CommandResult tune(std::vector<std::string> rest, const std::string &kernel = "wide") const {
    rest.insert(rest.begin(), {"tune", "k.sxt", kernel, "--device=cpu", "n=1024", "x=iota[1024]",
                               "y=zeros[1024]", "--samples=3"});
    return run(rest);
  }
  /// The target that `run` says it ran.
  std::string ran(const std::string &kernel, const std::string &module = "k.sxt") const {
    const std::string out =
        good({"run", module, kernel, "--device=cpu", "n=8", "x=iota[8]", "y=zeros[8]"}).out;
    CHECK(contains(out, "y: f32[8] = [0, 2, 4, 6, 8, 10, 12, 14]"));
    const size_t at = out.find("cpu:");
    return out.substr(at, out.find(' ', at) - at);
  }
};

} // namespace

TEST_CASE("a variant for each combination that makes a difference", "[tune]") {
  TunePlace place;
  place.good({"compile", "k.py", "--targets=x86-64-v3/wave8", "--tune", "TILE=64,128,256", "--tune",
              "ITEMS=2,4", "--tune-where", "TILE * ITEMS <= 512"});
  CHECK(place.variants("plain") == "/wave8");
  // LANES is made of TILE; 128 is the default.
  CHECK(place.variants("scale") == "/wave8 +TILE=256/wave8 +TILE=64/wave8");
  CHECK(place.variants("wide") == "/wave8 +ITEMS=2+TILE=256/wave8 +ITEMS=2+TILE=64/wave8 "
                                  "+ITEMS=4+TILE=128/wave8 +ITEMS=4+TILE=64/wave8");
  CHECK(place.variants("guarded") == "/wave8");
  for (const char *pin : {"+ITEMS=2+TILE=256", "+ITEMS=4+TILE=64", "+TILE=128"}) {
    const std::string out = place
                                .good({"run", "k.sxt", "wide", "--device=cpu", "n=8", "x=iota[8]",
                                       "y=zeros[8]", std::string("--variant=x86-64-v3") + pin})
                                .out;
    INFO(pin);
    CHECK(contains(out, pin));
    CHECK(contains(out, "y: f32[8] = [0, 2, 4, 6, 8, 10, 12, 14]"));
  }
  CHECK(place.ran("wide") == "cpu:x86-64-v3/wave8");
}

TEST_CASE("what another value makes a kernel read is found", "[tune]") {
  TunePlace place;
  place.good({"compile", "k.py", "--targets=x86-64-v3/wave8", "--tune", "NARROW=False,True",
              "--tune", "TILE=64,256"});
  // TILE matters where NARROW is True, only.
  CHECK(place.variants("guarded") ==
        "/wave8 +NARROW=True+TILE=256/wave8 +NARROW=True+TILE=64/wave8");
  CHECK(place.variants("scale") == "/wave8 +TILE=256/wave8 +TILE=64/wave8");
}

TEST_CASE("only the targets that are named get alternatives", "[tune]") {
  TunePlace place;
  place.good({"compile", "k.py", "--targets=x86-64-v3/wave8,x86-64-v4/wave16,x86-64-v4/wave8",
              "--tune=TILE=64,128", "--tune-targets=/wave16"});
  const std::string all = place.good({"inspect", "k.sxt"}).out;
  CHECK(place.variants("scale") == "/wave8");
  const auto count = [&](const std::string &text) {
    size_t times = 0;
    for (size_t at = all.find(text); at != all.npos; at = all.find(text, at + 1))
      ++times;
    return times;
  };
  CHECK(count("  cpu:x86-64-v4+TILE=64/wave16") == 2); // one for `scale` and one for `wide`
  CHECK(count("+TILE=64/wave8") == 0);
  CHECK(count("x86-64-v3+") == 0);
  CHECK(count("  cpu:x86-64-v4/wave16") == 4);
  CHECK(count("  cpu:x86-64-v4/wave8") == 4);
  const CommandResult none = place.run({"compile", "k.py", "-o", "none.sxt", "--targets=x86-64-v3",
                                        "--tune=TILE=64", "--tune-targets=cuda"});
  CHECK(none.status == 1);
  CHECK(contains(none.err, "--tune-targets 'cuda' matches no target of the build"));
}

TEST_CASE("a tuned constant without a default has its first value", "[tune]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n"
                      "@qd.kernel\n"
                      "def fill(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                      "    for i in range(x.shape[0]):\n"
                      "        x[i] = VALUE\n");
  place.good({"compile", "k.py", "--targets=x86-64-v3", "--tune", "VALUE=3,5"});
  CHECK(contains(place.good({"run", "k.sxt", "fill", "--device=cpu", "x=zeros[2]"}).out, "[3, 3]"));
  CHECK(contains(place
                     .good({"run", "k.sxt", "fill", "--device=cpu", "x=zeros[2]",
                            "--variant=x86-64-v3+VALUE=5"})
                     .out,
                 "[5, 5]"));
  // One that is given keeps its value.
  place.good({"compile", "k.py", "--targets=x86-64-v3", "--tune", "VALUE=3,5", "--const=VALUE=7"});
  CHECK(contains(place.good({"run", "k.sxt", "fill", "--device=cpu", "x=zeros[2]"}).out, "[7, 7]"));
}

TEST_CASE("constants of the library are tuned by their full names", "[tune]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

U = qd.types.ndarray(dtype=qd.u32, ndim=1)

@qd.kernel
def total(x: U, out: U, scratch: U, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, qd.u32, 4)
)");
  const std::vector<std::string> compile = {"compile", "k.py", "--targets=x86-64-v3/wave8",
                                            "--tune"};
  const auto with = [&](const std::string &text) {
    std::vector<std::string> all = compile;
    all.push_back(text);
    return place.run(all);
  };
  REQUIRE(with("qd.algorithms.SCAN_ITEMS=8,16").status == 0);
  CHECK(contains(place.good({"inspect", "k.sxt"}).out,
                 "cpu:x86-64-v3+qd.algorithms.SCAN_ITEMS=8/wave8"));
  for (const char *unknown : {"qd.algorithms.SCAN_ITEM=8,16", "qd.algorithms._BLOCK=128,256",
                              "algorithms.SCAN_ITEMS=8"}) {
    INFO(unknown);
    CHECK(contains(with(unknown).err,
                   std::string("--tune '") + unknown + "': no file has a constant '"));
  }
}

TEST_CASE("alternatives that a target cannot have are left out, with a warning", "[tune]") {
  TunePlace place;
  const CommandResult result =
      place.run({"compile", "k.py", "--targets=x86-64-v3/wave8", "--tune", "TILE=64,4096"});
  CHECK(result.status == 0);
  CHECK(contains(result.err,
                 "`block_dim` of `qd.loop_config` has to be between 1 and 1024, not 4096"));
  CHECK(contains(result.err, "wide with TILE=4096"));
  CHECK(place.variants("scale") == "/wave8 +TILE=64/wave8");
}

TEST_CASE("what is outside of a kernel does not depend on tuned constants", "[tune]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

T = qd.f32
N = 8
state = qd.field(qd.i32, shape=(N,))

@qd.kernel
def copy(x: qd.types.ndarray(dtype=T, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] + 1

@qd.kernel
def fill():
    for i in state:
        state[i] = N
)");
  CHECK(contains(place.run({"compile", "k.py", "--tune=T=qd.f32,qd.f64"}).err,
                 "`copy` takes `x` as another type with T=qd.f64, a constant that is tuned"));
  CHECK(contains(place.run({"compile", "k.py", "--tune=N=8,16"}).err,
                 "`fill` has another field `state` with N=16, a constant that is tuned"));
}

TEST_CASE("what --tune does not take", "[tune]") {
  TunePlace place;
  const auto err = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"compile", "k.py"});
    const CommandResult result = place.run(options);
    CHECK(result.status == 1);
    CHECK(!place.has("k.sxt"));
    return result.err;
  };
  CHECK(contains(err({"--tune=TILES=1,2"}), "--tune 'TILES=1,2': no file has a constant 'TILES'"));
  CHECK(contains(err({"--tune=TILE"}), "--tune 'TILE' is not of the form NAME=VALUE,VALUE"));
  CHECK(contains(err({"--tune=TILE=1,,2"}), "has the value ''"));
  CHECK(contains(err({"--tune=TILE=1/2"}), "has the value '1/2'"));
  CHECK(contains(err({"--tune=TILE=1,1"}), "has the value '1' twice"));
  CHECK(contains(err({"--tune=TILE=1", "--tune=TILE=2"}), "--tune names 'TILE' twice"));
  CHECK(contains(err({"--tune=TILE=64", "--tune-where=TILE * 2"}),
                 "--tune-where 'TILE * 2' has no value: it is neither true nor false"));
  CHECK(
      contains(err({"--tune=TILE=64", "--tune-where=TOLE < 2"}), "the name `TOLE` is not defined"));
  std::string many = "--tune=TILE=1";
  for (int k = 2; k <= 300; ++k)
    many += "," + std::to_string(k);
  CHECK(contains(err({many}), "more than 256 combinations of values are left"));
}

TEST_CASE("tune measures, and modules run what it found", "[tune]") {
  TunePlace place;
  place.good(
      {"compile", "k.py", "--targets=x86-64-v3/wave8", "--tune=TILE=64,128", "--tune=ITEMS=2,4"});
  const CommandResult tuned = place.tune({"--tuning=tuning.txt"});
  INFO(tuned.out << tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK(contains(tuned.out, "cpu:x86-64-v3+ITEMS=4+TILE=64/wave8 "));
  CHECK(contains(tuned.out, "wide runs as cpu:x86-64-v3"));
  CHECK(contains(place.read("tuning.txt"),
                 "\tn=1024 x=iota[1024] y=zeros[1024]\tcpu:x86-64-v3+ITEMS=2+TILE=64/wave8\t"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "attachment  sextant.measured"));
  CHECK(place.run({"verify", "k.sxt"}).status == 0);

  // Times that leave no doubt.
  std::string text = place.read("tuning.txt");
  const std::string head = text.substr(0, text.find("y=zeros[1024]") + 13);
  place.write("tuning.txt",
              head + "\tcpu:x86-64-v3+ITEMS=4+TILE=64/wave8\t1\tcpu:x86-64-v3/wave8\t2\n");
  place.good({"compile", "k.py", "--targets=x86-64-v3/wave8", "--tune=TILE=64,128",
              "--tune=ITEMS=2,4", "--tuning=tuning.txt", "-MF", "k.d"});
  CHECK(place.ran("wide") == "cpu:x86-64-v3+ITEMS=4+TILE=64/wave8");
  CHECK(place.ran("scale") == "cpu:x86-64-v3/wave8");
  CHECK(contains(place.read("k.d"), "tuning.txt"));
  const std::string why = place.good({"explain", "k.sxt", "-k", "wide", "--device=cpu"}).out;
  CHECK(contains(why, "runs    cpu:x86-64-v3+ITEMS=4+TILE=64/wave8: "));
  CHECK(contains(why, "; tuned on "));
  CHECK(contains(why, "could   cpu:x86-64-v3/wave8: "));
  const std::string named = place.good({"explain", "k.sxt", "-k", "wide", "--as=x86-64-v3"}).out;
  CHECK(contains(named, "runs    cpu:x86-64-v3+ITEMS=4+TILE=64/wave8: "));
  CHECK(contains(place.good({"explain", "k.sxt", "-k", "wide", "--as=x86-64-v3", "--json"}).out,
                 "\"runs\": \"cpu:x86-64-v3+ITEMS=4+TILE=64/wave8\""));

  // The losers go; the default stays, and kernels that were not measured keep all.
  place.good({"thin", "k.sxt", "-o", "thin.sxt", "--losers"});
  CHECK(place.variants("wide", "thin.sxt") == "/wave8 +ITEMS=4+TILE=64/wave8");
  CHECK(place.variants("scale", "thin.sxt") == "/wave8 +TILE=64/wave8");
  CHECK(place.ran("wide", "thin.sxt") == "cpu:x86-64-v3+ITEMS=4+TILE=64/wave8");

  // A file of measurements that another build's kernels are in too, and a wrong one.
  place.write("other.txt", "nothing\tcpu:x\ty\tz\tt\t1\n");
  place.good({"compile", "k.py", "-o", "other.sxt", "--tuning=other.txt"});
  CHECK(!contains(place.good({"inspect", "other.sxt"}).out, "attachment"));
  place.write("wrong.txt", "wide cpu\n");
  CHECK(contains(place.run({"compile", "k.py", "-o", "wrong.sxt", "--tuning=wrong.txt"}).err,
                 "'wrong.txt': line 1 is not a measurement of `sextant tune`"));
  CHECK(contains(place.run({"thin", "other.sxt", "-o", "o.sxt", "--losers"}).err,
                 "nothing in the module was measured"));
}

TEST_CASE("a manifest names alternatives", "[tune]") {
  TunePlace place;
  place.write("tuning.txt", "scale\tcpu:x86-64-v3\tX\tn=1\tcpu:x86-64-v3+TILE=64/wave8\t1\n");
  place.write("m.toml", "tuning = \"tuning.txt\"\n\n"
                        "[module.k]\nsources = [\"k.py\"]\n"
                        "targets = [\"x86-64-v2/wave8\", \"x86-64-v3/wave8\"]\n"
                        "tune-targets = [\"x86-64-v3\"]\n"
                        "tune = { TILE = [64, 256], NARROW = [false, true] }\n"
                        "tune-where = [\"TILE < 256\"]\n");
  place.good({"compile", "--manifest=m.toml"});
  CHECK(place.variants("scale") == "/wave8 +TILE=64/wave8");
  CHECK(place.variants("guarded") == "/wave8 +NARROW=True/wave8"); // all have one TILE
  CHECK(!contains(place.good({"inspect", "k.sxt"}).out, "x86-64-v2+"));
  CHECK(place.ran("scale") == "cpu:x86-64-v3+TILE=64/wave8");
}

TEST_CASE("merge joins what machines measured", "[tune]") {
  TunePlace place;
  const auto measured = [&](const std::string &out, const std::string &name,
                            const std::string &fast) {
    place.write("tuning.txt", "wide\tcpu:x86-64-v3\t" + name +
                                  "\tn=1\tcpu:x86-64-v3+TILE=64/wave8\t" + fast +
                                  "\tcpu:x86-64-v3/wave8\t2\n");
    place.good({"compile", "k.py", "-o", out, "--targets=x86-64-v3/wave8", "--tune=TILE=64,128",
                "--tuning=tuning.txt"});
  };
  measured("a.sxt", "One CPU", "1");
  measured("b.sxt", "Another CPU", "3");
  place.good({"merge", "a.sxt", "b.sxt", "-o", "ab.sxt"});
  place.good({"merge", "b.sxt", "a.sxt", "-o", "ba.sxt"});
  CHECK(place.read("ab.sxt") == place.read("ba.sxt"));
  place.good({"extract", "ab.sxt", "--attachment=sextant.tuned", "-o", "tuned.txt"});
  CHECK(contains(place.read("tuned.txt"),
                 "wide cpu:x86-64-v3 cpu:x86-64-v3/wave8 Another CPU\n"
                 "wide cpu:x86-64-v3 cpu:x86-64-v3+TILE=64/wave8 One CPU\n"));
}
