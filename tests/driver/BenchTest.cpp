// `sextant bench` on the CPU: the table, JSON, and preferences that programs then follow.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <cstdlib>

namespace {

struct Saxpy : Workplace {
  Saxpy() {
    write("saxpy.py", saxpySource);
    good({"compile", "saxpy.py", "--targets=x86-64-v3/wave8,x86-64-v3/wave32"});
  }
  CommandResult bench(std::vector<std::string> rest) const {
    rest.insert(rest.begin(), {"bench", "saxpy.sxt", "saxpy", "--device=cpu", "n=1000", "a=2",
                               "x=iota[1000]", "y=zeros[1000]", "--samples=3"});
    return run(rest);
  }
  /// The target that `sextant run` says it ran.
  std::string ran() const {
    CommandResult result =
        run({"run", "saxpy.sxt", "saxpy", "--device=cpu", "n=8", "a=2", "x=iota[8]", "y=zeros[8]"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    size_t at = result.out.find("cpu:");
    return result.out.substr(at, result.out.find(' ', at) - at);
  }
};

/// The line of that start.
std::string lineOf(const std::string &text, const std::string &part) {
  size_t at = text.find(part);
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

} // namespace

TEST_CASE("bench shows every variant of the best match", "[bench]") {
  Saxpy place;
  CommandResult result = place.bench({});
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  CHECK(contains(result.out, "saxpy on cpu ("));
  std::string wave32 = lineOf(result.out, "cpu:x86-64-v3/wave32"),
              wave8 = lineOf(result.out, "cpu:x86-64-v3/wave8");
  CHECK(contains(wave32, "selected")); // the one that the rule takes
  CHECK(!contains(wave8, "selected"));
  CHECK(contains(wave32, "fastest") != contains(wave8, "fastest"));
  CHECK(contains(wave8, " 3 x "));
  CHECK(contains(wave8, " ms"));
  result = place.bench({"--wave=8"});
  CHECK(!contains(result.out, "wave32"));
  CHECK(contains(result.out, "selected, fastest"));
}

TEST_CASE("bench as JSON", "[bench]") {
  Saxpy place;
  CommandResult result = place.bench({"--json"});
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  CHECK(result.out.front() == '{');
  for (const char *part :
       {"\"kernel\": \"saxpy\"", "\"backend\": \"cpu\"", "\"target\": \"cpu:x86-64-v3/wave32\"",
        "\"target\": \"cpu:x86-64-v3/wave8\"", "\"fastest\": true", "\"samples\": 3"})
    CHECK(contains(result.out, part));
  for (const char *key : {"\"median_ms\": ", "\"minimum_ms\": "}) {
    size_t at = result.out.find(key);
    REQUIRE(at != std::string::npos);
    CHECK(std::strtod(result.out.c_str() + at + std::string(key).size(), nullptr) > 0);
  }
}

TEST_CASE("bench remembers the fastest in a file that programs follow", "[bench]") {
  Saxpy place;
  CommandResult result = place.bench({"--prefer=best.txt"});
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  std::string line = place.read("best.txt");
  CHECK(line.starts_with("saxpy cpu:x86-64-v"));
  CHECK(contains(line, " cpu:x86-64-v3/wave"));
  CHECK(contains(
      lineOf(result.out, line.substr(line.rfind("cpu:"), line.size() - 1 - line.rfind("cpu:"))),
      "fastest"));
  // Whatever was the fastest: a program follows what the file says.
  std::string device = line.substr(0, line.rfind("cpu:"));
  CHECK(place.ran() == "cpu:x86-64-v3/wave32");
  place.write("best.txt", "# by hand\nother cpu:x86-64-v3 cpu:x86-64-v3/wave4\n" + device +
                              "cpu:x86-64-v3/wave8\n");
  setenv("SEXTANT_PREFER", place.path("best.txt").c_str(), 1);
  CHECK(place.ran() == "cpu:x86-64-v3/wave8");
  unsetenv("SEXTANT_PREFER");
  // Its own line is replaced, all else stays.
  REQUIRE(place.bench({"--prefer=best.txt", "--wave=32"}).status == 0);
  CHECK(place.read("best.txt") ==
        "# by hand\nother cpu:x86-64-v3 cpu:x86-64-v3/wave4\n" + device + "cpu:x86-64-v3/wave32\n");
}

TEST_CASE("bench: what can be wrong", "[bench]") {
  Saxpy place;
  place.write("notes.txt", "# fine\nthis line is not a preference\n");
  CommandResult result = place.bench({"--prefer=notes.txt"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "notes.txt:2: this is not a file of preferences"));
  CHECK(result.out.empty());
  CHECK(place.read("notes.txt") == "# fine\nthis line is not a preference\n");
  CHECK(place.bench({"--prefer=notes.txt/best.txt"}).status == 1);
  CHECK(place.bench({"--samples=0"}).status == 1);
  CHECK(place.bench({"--wave=7"}).status == 1);
  CHECK(place.bench({"z=1"}).status == 1);
  CHECK(place.run({"bench", "saxpy.sxt", "saxpy", "--device=cpu"}).status == 1);
  CHECK(place.run({"bench", "saxpy.sxt"}).status == 1);
  CHECK(place.run({"bench", "missing.sxt", "saxpy"}).status == 1);
}
