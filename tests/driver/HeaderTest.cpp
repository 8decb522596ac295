// The text of generated headers; tests/consume compiles and runs some.
#include "CommandLine.h"
#include "tests/support/Catch.h"

TEST_CASE("--emit-header writes typed members", "[header]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--emit-header=app-kernels.hpp"});
  std::string text = place.read("app-kernels.hpp");
  CHECK(contains(text, "struct app_kernels {"));
  CHECK(contains(text, "  void saxpy(const sextant::Stream &stream, int32_t n, float a,\n"
                       "             sextant::ArrayView<float, 1> x,"
                       " sextant::ArrayView<float, 1> y) const {"));
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
  CHECK(contains(text, "  void double__(const sextant::Stream &stream_, int32_t stream,\n"
                       "                sextant::ArrayView<bool, 2> new_) const {"));
}
