// The command line on Metal: what one target cannot do does not stop the others, images are
// text that can be read and taken out.
#include "tests/driver/CommandLine.h"
#include "tests/support/Catch.h"

namespace {

const char *const twoTasks = R"(import quadrants as qd

@qd.kernel
def two(x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] + 1.0
    for i in range(y.shape[0]):
        y[i] = x[0]
)";

const char *const wide = R"(import quadrants as qd

@qd.kernel
def wide(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] + 1.0

@qd.kernel
def plain(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] + 1.0
)";

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

} // namespace

TEST_CASE("an image is one text for each task") {
  Workplace place;
  place.write("two.py", twoTasks);
  place.good({"compile", "two.py", "-o", "two.sxt", "--targets=metal:3.0"});
  std::string text = place.good({"disasm", "two.sxt"}).out;
  CHECK(count(text, "// Sextant: Metal 3.0, kernel ") == 2);
  CHECK(count(text, "#include <metal_stdlib>") == 2);
  CHECK(count(text, "\nkernel void ") == 2);
  place.good({"extract", "two.sxt", "-o", "two.metal"});
  CHECK(contains(text, place.read("two.metal")));
  CHECK(place.read("two.metal").size() + 1 >= text.size());
  // Same input, same bytes.
  place.good({"compile", "two.py", "-o", "again.sxt", "--targets=metal:3.0"});
  CHECK(place.read("again.sxt") == place.read("two.sxt"));
}

TEST_CASE("f64 only costs a kernel its Metal variant") {
  Workplace place;
  place.write("wide.py", wide);
  CommandResult all =
      place.run({"compile", "wide.py", "-o", "all.sxt", "--targets=cpu,metal", "--allow-missing"});
  CHECK(all.status == 0);
  CHECK(contains(all.err, "warning: f64 is not a type of metal:3.0/wave32"));
  CHECK(contains(all.err, "wide.py:6:"));
  std::string facts = place.good({"inspect", "all.sxt"}).out;
  CHECK(count(facts, "f64 is not a type of metal:3.0/wave32") == 1);
  CHECK(
      contains(place.good({"disasm", "all.sxt", "--kernel", "plain", "--target", "metal:3.0"}).out,
               "kernel void"));
  // Where somebody asks for Metal itself, nothing to run there is an error.
  CommandResult alone = place.run({"compile", "wide.py", "-o", "no.sxt", "--targets=cpu,metal"});
  CHECK(alone.status == 1);
  CHECK(contains(alone.err, "error: f64 is not a type of metal:3.0/wave32: Metal has no 64-bit "
                            "reals; compute in f32, or leave metal out of this kernel's targets"));
  CHECK_FALSE(place.has("no.sxt"));
}

TEST_CASE("minima of u64 are a feature that a device may lack") {
  Workplace place;
  place.write("least.py", R"(import quadrants as qd

@qd.kernel
def least(x: qd.types.ndarray(dtype=qd.u64, ndim=1), out: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    for i in range(x.shape[0]):
        qd.atomic_min(out[0], x[i])
)");
  place.good({"compile", "least.py", "-o", "least.sxt", "--targets=metal:3.0"});
  CommandResult without = place.run({"explain", "least.sxt", "--as", "metal:3.0"});
  CHECK(contains(without.out + without.err, "needs the feature 'int64-minmax-atomics'"));
  CommandResult with =
      place.run({"explain", "least.sxt", "--as", "metal:3.2,int64-minmax-atomics"});
  CHECK(with.status == 0);
  CHECK(contains(with.out, "metal:3.0/wave32"));
}

TEST_CASE("more arrays than Metal binds need addresses of buffers") {
  Workplace place;
  std::string parameters, body;
  for (int i = 0; i < 31; ++i) {
    parameters += "    a" + std::to_string(i) + ": qd.types.ndarray(dtype=qd.i32, ndim=1),\n";
    body += "        a" + std::to_string(i) + "[i] += 1\n";
  }
  place.write("wide.py", "import quadrants as qd\n\n@qd.kernel\ndef wide(\n" + parameters +
                             "):\n    for i in range(a0.shape[0]):\n" + body);
  place.good({"compile", "wide.py", "-o", "wide.sxt", "--targets=metal:2.3"});
  CHECK(place.run({"explain", "wide.sxt", "--as", "metal:3.0"}).status == 0);
  CommandResult without =
      place.run({"explain", "wide.sxt", "--as", "metal:3.0,no-buffer-addresses"});
  CHECK(without.status == 1);
  CHECK(contains(without.out + without.err, "needs the feature 'buffer-addresses'"));
}

TEST_CASE("kernels that ask for the matrix unit come with and without it") {
  Workplace place;
  place.write("product.py", R"(import quadrants as qd

Half = qd.types.ndarray(qd.f16, 2)

@qd.kernel
def product(a: Half, b: Half, c: Half, workspace: qd.types.ndarray(qd.u64, 1)):
    qd.tensors.matmul(a, b, c, workspace)
)");
  place.good({"compile", "product.py", "-o", "product.sxt", "--targets=metal:2.3"});
  CommandResult with = place.run({"explain", "product.sxt", "--as", "metal:3.2"});
  CHECK(contains(with.out, "metal:2.3+simdgroup-matrix/wave32"));
  CommandResult without =
      place.run({"explain", "product.sxt", "--as", "metal:3.2,no-simdgroup-matrix"});
  CHECK(without.status == 0);
  CHECK(contains(without.out, "needs the feature 'simdgroup-matrix'"));
}

TEST_CASE("versions of Metal") {
  Workplace place;
  place.write("plain.py", saxpySource);
  CommandResult unknown = place.run({"compile", "plain.py", "-o", "x.sxt", "--targets=metal:9.9"});
  CHECK(unknown.status == 1);
  CHECK(contains(unknown.err, "metal:9.9"));
  CommandResult waves =
      place.run({"compile", "plain.py", "-o", "x.sxt", "--targets=metal:3.0/wave64"});
  CHECK(waves.status == 1);
  CHECK_FALSE(place.has("x.sxt"));
  CommandResult feature =
      place.run({"compile", "plain.py", "-o", "x.sxt", "--targets=metal:3.0+float64"});
  CHECK(feature.status == 1);
  CHECK(contains(feature.err, "metal targets have no feature 'float64'"));
}
