// merge: modules that were compiled apart.
#include "CommandLine.h"
#include "tests/support/Catch.h"

namespace {

const char *const sumsSource = R"(import quadrants as qd

WIDTH = 3
totals = qd.field(qd.f32, shape=(WIDTH,))

@qd.kernel
def total(x: qd.types.ndarray(dtype=qd.f32, ndim=1)) -> qd.f32:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s

@qd.kernel
def bins(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        totals[i % WIDTH] += x[i]
)";

const std::vector<std::string> targets = {"cpu:x86-64-v3/wave4", "cpu:x86-64-v2/wave16",
                                          "cuda:compute_75", "vulkan:1.1/wave32", "sm_90"};

/// One module of all targets, and one of each.
struct Shards : Workplace {
  std::vector<std::string> names;

  Shards() {
    write("sums.py", sumsSource);
    write("saxpy.py", saxpySource);
    std::string all;
    for (const std::string &target : targets) {
      all += (all.empty() ? "" : ",") + target;
      names.push_back("shard" + std::to_string(names.size()) + ".sxt");
      good({"compile", "sums.py", "saxpy.py", "-o", names.back(), "--targets", target});
    }
    good({"compile", "sums.py", "saxpy.py", "-o", "whole.sxt", "--targets", all});
  }
  CommandResult merge(std::vector<std::string> inputs, const std::string &output = "out.sxt") {
    inputs.insert(inputs.begin(), "merge");
    inputs.insert(inputs.end(), {"-o", output});
    return run(std::move(inputs));
  }
};

} // namespace

TEST_CASE("shards of one compilation merge to its bytes, in any order", "[merge]") {
  Shards place;
  const std::string whole = place.read("whole.sxt");
  CHECK(place.merge(place.names).status == 0);
  CHECK(place.read("out.sxt") == whole);
  CHECK(place.merge({place.names.rbegin(), place.names.rend()}).status == 0);
  CHECK(place.read("out.sxt") == whole);
  // In two steps, and with what is there already.
  CHECK(place.merge({place.names[3], place.names[1]}, "some.sxt").status == 0);
  CHECK(place.merge({place.names[4], "some.sxt", place.names[0], place.names[2], place.names[1]})
            .status == 0);
  CHECK(place.read("out.sxt") == whole);
  CHECK(place.merge({"whole.sxt"}).status == 0);
  CHECK(place.read("out.sxt") == whole);

  // Files apart.
  const std::string some = targets[0] + "," + targets[2];
  place.good({"compile", "saxpy.py", "sums.py", "-o", "both.sxt", "--targets", some});
  place.good({"compile", "sums.py", "-o", "one.sxt", "--targets", some});
  place.good({"compile", "saxpy.py", "-o", "other.sxt", "--targets", some});
  CHECK(place.merge({"one.sxt", "other.sxt"}).status == 0);
  CHECK(place.read("out.sxt") == place.read("both.sxt"));
}

TEST_CASE("the order of targets changes no byte, nor does a merge of what was thinned", "[merge]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "a.sxt", "--targets=sm_90,sm_80,compute_90,cpu,gfx942"});
  place.good({"compile", "saxpy.py", "-o", "b.sxt", "--targets=gfx942,cpu,compute_90,sm_80,sm_90"});
  const std::string whole = place.read("a.sxt");
  CHECK(place.read("b.sxt") == whole);
  place.good({"thin", "a.sxt", "-o", "some.sxt", "--keep=cuda:sm_90"});
  place.good({"thin", "a.sxt", "-o", "rest.sxt", "--drop=cuda:sm_90"});
  place.good({"merge", "some.sxt", "rest.sxt", "-o", "out.sxt"});
  CHECK(place.read("out.sxt") == whole);
}

TEST_CASE("a variant wins over a refusal", "[merge]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd

@qd.kernel
def halves(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):
    for i in range(x.shape[0]):
        x[i] *= 0.5
)");
  const std::string both = "vulkan:1.1/wave32,metal:3.0";
  place.good({"compile", "k.py", "-o", "refused.sxt", "--allow-missing", "--targets=" + both});
  REQUIRE(contains(place.good({"inspect", "refused.sxt"}).out, "refused metal:3.0/wave32: "));
  place.good({"compile", "k.py", "-o", "cpu.sxt", "--targets=cpu:x86-64-v3/wave8"});
  place.good({"compile", "k.py", "-o", "whole.sxt", "--allow-missing",
              "--targets=cpu:x86-64-v3/wave8," + both});
  place.good({"merge", "cpu.sxt", "refused.sxt", "-o", "out.sxt"});
  CHECK(place.read("out.sxt") == place.read("whole.sxt"));
}

TEST_CASE("shards that contradict each other", "[merge]") {
  Shards place;
  auto error = [&](std::vector<std::string> inputs) {
    const CommandResult result = place.merge(std::move(inputs));
    CHECK(result.status == 1);
    CHECK(!place.has("out.sxt"));
    return result.err;
  };
  // Other text of the same file.
  std::string edited = sumsSource;
  edited += "# edited\n";
  place.write("sums.py", edited);
  place.good({"compile", "sums.py", "-o", "edited.sxt", "--targets=sm_80"});
  std::string text = error({"whole.sxt", "edited.sxt"});
  CHECK(text.starts_with("sextant: error: 'sums.py' (kernels bins, total) is another text in "
                         "'whole.sxt' (hash "));
  CHECK(contains(text, "than in 'edited.sxt' (hash "));
  place.write("sums.py", sumsSource);

  // Constants that change a field.
  place.good({"compile", "sums.py", "-o", "wide.sxt", "--targets=sm_80", "--const=WIDTH=4"});
  CHECK(error({"whole.sxt", "wide.sxt"}) ==
        "sextant: error: field 'totals' of 'sums.py' is f32[3] in 'whole.sxt', f32[4] in "
        "'wide.sxt'; compile both with the same constants\n");

  // Other code for one target.
  place.good({"compile", "saxpy.py", "-o", "slow.sxt", "-O0", "--targets", targets[0]});
  CHECK(error({"slow.sxt", "whole.sxt"}) ==
        "sextant: error: kernel 'saxpy', cpu:x86-64-v3/wave4: 'slow.sxt' and 'whole.sxt' differ in "
        "its code; drop it from one of them: sextant thin --drop "
        "'saxpy@cpu:x86-64-v3/wave4'\n");

  // Another signature under one name; another file.
  place.write("other.py", saxpySource);
  place.good({"compile", "other.py", "-o", "other.sxt", "--targets=sm_80"});
  CHECK(error({"whole.sxt", "other.sxt"}) ==
        "sextant: error: kernel 'saxpy' comes from 'saxpy.py' in 'whole.sxt', from 'other.py' in "
        "'other.sxt'; rename one, or compile both from one folder\n");
  place.good({"compile", "saxpy.py", "-o", "real.sxt", "--targets=sm_80"});
  place.write("literal.py", "import quadrants as qd\n\n@qd.kernel\ndef one() -> float:\n"
                            "    return 1.0\n");
  place.good({"compile", "literal.py", "-o", "f32.sxt", "--targets=cpu"});
  place.good({"compile", "literal.py", "-o", "f64.sxt", "--targets=sm_80", "--default-fp=f64"});
  CHECK(error({"f32.sxt", "f64.sxt"}) ==
        "sextant: error: kernel 'one' has another signature in 'f32.sxt': one() -> f32, than in "
        "'f64.sxt': one() -> f64; compile both from the same sources with the same constants\n");

  // Options may differ where they change no signature; the module lists both.
  place.good({"compile", "saxpy.py", "-o", "slow.sxt", "-O0", "--targets=sm_80"});
  place.good({"merge", "whole.sxt", "slow.sxt", "-o", "mixed.sxt"});
  CHECK(contains(place.good({"inspect", "mixed.sxt"}).out, "\noptions   -O0; -O3\n"));
}

TEST_CASE("merge: what is not a module, and where nothing can be written", "[merge]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--targets=cpu:x86-64-v2/wave8"});
  std::string bytes = place.read("saxpy.sxt");
  std::string flipped = bytes, future = bytes;
  flipped[flipped.size() - 9] = static_cast<char>(flipped[flipped.size() - 9] ^ 0x40);
  future[8] = 2; // the major version
  place.write("flipped.sxt", flipped);
  place.write("future.sxt", future);
  place.write("short.sxt", bytes.substr(0, bytes.size() - 20));
  place.write("text.sxt", "no module");
  for (const char *name : {"flipped.sxt", "future.sxt", "short.sxt", "text.sxt", "missing.sxt"}) {
    const CommandResult result = place.run({"merge", "saxpy.sxt", name, "-o", "out.sxt"});
    INFO(name << ": " << result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, name));
    CHECK(!place.has("out.sxt"));
  }
  CHECK(place.run({"merge", "saxpy.sxt", "-o", "./saxpy.sxt"}).err ==
        "sextant: error: the output './saxpy.sxt' is one of the modules that are read\n"
        "  help: write to another file\n");
  CHECK(place.read("saxpy.sxt") == bytes);
  CHECK(contains(place.run({"merge", "saxpy.sxt", "-o", "saxpy.sxt/out.sxt"}).err,
                 "cannot make the folder '"));
}
