// inspect, verify, extract, disasm, explain, targets, devices.
#include "CommandLine.h"
#include "tests/support/Catch.h"

namespace {
/// A module of saxpy for two targets.
struct Built : Workplace {
  Built() {
    write("saxpy.py", saxpySource);
    good({"compile", "saxpy.py", "--targets=cpu:x86-64-v2/wave8,cpu:x86-64-v3/wave16"});
  }
};
} // namespace

TEST_CASE("inspect", "[modules]") {
  Built place;
  std::string text = place.good({"inspect", "saxpy.sxt"}).out;
  for (const char *part : {"saxpy", "f32", "cpu:x86-64-v2/wave8", "cpu:x86-64-v3/wave16"})
    CHECK(contains(text, part));
  std::string json = place.good({"inspect", "saxpy.sxt", "--json"}).out;
  CHECK(json.front() == '{');
  CHECK(contains(json, "\"saxpy\""));
}

TEST_CASE("modules that are damaged or none", "[modules]") {
  Built place;
  std::string bytes = place.read("saxpy.sxt");
  CHECK(contains(place.good({"verify", "saxpy.sxt"}).out, "good"));
  std::string flipped = bytes;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x40);
  place.write("flipped.sxt", flipped);
  CHECK(place.run({"verify", "flipped.sxt"}).status == 1);
  place.write("short.sxt", bytes.substr(0, bytes.size() / 2));
  place.write("other.sxt", "this is no module");
  place.write("empty.sxt", "");
  for (const char *name : {"short.sxt", "other.sxt", "empty.sxt", "missing.sxt"})
    for (const char *command : {"inspect", "verify", "extract", "disasm", "explain"}) {
      CommandResult result = place.run({command, name});
      INFO(command << " " << name << ": " << result.err);
      CHECK(result.status == 1);
      CHECK(!result.err.empty());
    }
  CHECK(place.run({"run", "other.sxt", "saxpy"}).status == 1);
}

TEST_CASE("extract", "[modules]") {
  Built place;
  place.good({"extract", "saxpy.sxt", "--kernel=saxpy", "--target=x86-64-v2", "-o", "a.so"});
  CHECK(place.read("a.so").substr(0, 4) == "\x7f"
                                           "ELF");
  CommandResult result = place.good({"extract", "saxpy.sxt", "-k", "saxpy", "-t", "/wave16"});
  CHECK(place.has("saxpy.x86-64-v3.wave16.so"));
  CHECK(place.run({"extract", "saxpy.sxt", "-t", "sm_90"}).status == 1);
  CHECK(place.run({"extract", "saxpy.sxt", "-t", "cpu"}).status == 1); // which of two?
  result = place.run({"extract", "saxpy.sxt", "-k", "saxpi"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "did you mean 'saxpy'?"));
}

TEST_CASE("diff", "[modules]") {
  Built place;
  CHECK(place.good({"diff", "saxpy.sxt", "saxpy.sxt"}).out.empty());
  place.good({"compile", "saxpy.py", "-o", "one.sxt", "--targets=cpu:x86-64-v2/wave8"});
  CommandResult result = place.run({"diff", "saxpy.sxt", "one.sxt"});
  CHECK(result.status == 1);
  CHECK(result.out == "kernel saxpy, cpu:x86-64-v3/wave16: removed\n");
  CHECK(place.run({"diff", "saxpy.sxt", "none.sxt"}).status == 1);
}

TEST_CASE("disasm", "[modules]") {
  Built place;
  CommandResult result = place.good({"disasm", "saxpy.sxt", "-t", "x86-64-v3"});
  CHECK(contains(result.out, "saxpy"));
  CHECK(contains(result.out, "ret"));
}

TEST_CASE("explain", "[modules]") {
  Built place;
  std::string here = place.good({"explain", "saxpy.sxt"}).out;
  CHECK(contains(here, "saxpy"));
  std::string old = place.good({"explain", "saxpy.sxt", "saxpy", "--as", "x86-64-v2"}).out;
  CHECK(contains(old, "runs    cpu:x86-64-v2/wave8"));
  CHECK(contains(old, "no      cpu:x86-64-v3/wave16"));
  CHECK(contains(place.good({"explain", "saxpy.sxt", "--as=sm_86"}).out, "nothing runs here"));
  CHECK(place.run({"explain", "saxpy.sxt", "--as=sm_1"}).status == 1);
  CHECK(place.run({"explain", "saxpy.sxt", "nothing"}).status == 1);
}

TEST_CASE("targets and devices", "[modules]") {
  Workplace place;
  std::string targets = place.good({"targets"}).out;
  for (const char *target : {"cpu:x86-64-v3", "cpu:aarch64", "cuda:sm_90", "cuda:compute_90"})
    CHECK(contains(targets, target));
  CHECK(contains(targets, "this machine"));
  CHECK(contains(place.good({"devices"}).out, "cpu: "));
}
