// The text of generated headers; tests/consume compiles and runs some.
#include "CommandLine.h"
#include "tests/support/Catch.h"

TEST_CASE("--emit-header writes typed members", "[header]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--emit-header=app-kernels.hpp"});
  std::string text = place.read("app-kernels.hpp");
  CHECK(contains(text, "struct app_kernels {"));
  CHECK(contains(
      text, "  sextant::Result<void> saxpy(const sextant::Stream &stream, int32_t n, float a,\n"
            "                              sextant::ArrayView<float, 1> x,\n"
            "                              sextant::ArrayView<float, 1> y) const {"));
  CHECK(!contains(text, "_end[]"));
  place.good({"compile", "saxpy.py", "--emit-header", "--embed-symbol=blob"});
  CHECK(contains(place.read("saxpy.hpp"), "extern const unsigned char blob[], blob_end[];"));
}

TEST_CASE("names that C++ has taken", "[header]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\n"
                      "def double(stream: qd.i32, new: qd.types.ndarray(dtype=qd.u1, ndim=2)):\n"
                      "    for i in range(stream):\n        new[i, 0] = True\n");
  CommandResult built = place.run({"compile", "k.py", "--emit-header=double.hpp"});
  INFO(built.err);
  REQUIRE(built.status == 0);
  std::string text = place.read("double.hpp");
  CHECK(contains(text, "struct double_ {"));
  CHECK(contains(
      text, "  sextant::Result<void> double__(const sextant::Stream &stream_, int32_t stream,\n"
            "                                 sextant::ArrayView<bool, 2> new_) const {"));
}

TEST_CASE("fields of one name in several files are several fields", "[header]") {
  Workplace place;
  place.write("left.py", "import quadrants as qd\nstate = qd.field(qd.i32, shape=4)\n");
  place.write("right.py", "import quadrants as qd\nstate = qd.field(qd.f32, shape=(2, 3))\n");
  const char *kernel =
      "import quadrants as qd\nimport left\nimport right\nfrom left import state\n\n"
      "@qd.kernel\ndef NAME():\n    for i in range(2):\n        left.state[i] += 1\n"
      "        state[i] += 1\n        right.state[i, 1] = 2\n";
  std::string one = kernel, other = kernel;
  place.write("one.py", one.replace(one.find("NAME"), 4, "first"));
  place.write("other.py", other.replace(other.find("NAME"), 4, "second"));
  place.good({"compile", "one.py", "other.py", "-o", "k.sxt", "--emit-header=k.hpp"});
  // Two, whichever kernel file uses them, each named with its file.
  std::string text = place.read("k.hpp");
  CHECK(contains(text, "global<int32_t, 1>(\"left.py:state\")"));
  CHECK(contains(text, "global<float, 2>(\"right.py:state\")"));
  CHECK(contains(text, ">> state() const {"));
  CHECK(contains(text, ">> state_() const {"));
  CHECK(!contains(text, ">> state__() const {"));
}
