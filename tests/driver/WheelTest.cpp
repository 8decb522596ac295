// `sextant wheel`: what it refuses, and packages of names that Python has taken. What a wheel holds
// is read back by Python itself, in wheel.py.
#include "packager/Wheel.h"
#include "CommandLine.h"
#include "driver/bindings/EmitPython.h"
#include "tests/module/Sample.h"
#include "tests/support/Catch.h"

using namespace sextant;

TEST_CASE("names of distributions become those of packages", "[wheel]") {
  CHECK(*packager::normalizedName("app") == "app");
  CHECK(*packager::normalizedName("My.App") == "my_app");
  CHECK(*packager::normalizedName("a-_.b--C1") == "a_b_c1");
  CHECK(packager::normalizedName(std::string(100, 'a')).ok());
  for (const char *name : {"", "-a", "a-", "_a", "a b", "a/b", "caf\xc3\xa9", "a\nb"}) {
    INFO(name);
    CHECK(!packager::normalizedName(name).ok());
  }
  CHECK(!packager::normalizedName(std::string(101, 'a')).ok());
}

TEST_CASE("versions are PEP 440's in canonical form", "[wheel]") {
  for (const char *version :
       {"0", "1.0", "10.20.30.40", "1!2.0", "1.0a0", "1.0b12", "2.0rc1", "1.0.post2", "1.0.dev3",
        "1.0rc1.post2.dev3", "1.0+ubuntu.1", "2026.11"}) {
    INFO(version);
    CHECK(packager::checkVersion(version).ok());
  }
  for (const char *version :
       {"", "1.", ".1", "01.0", "1.00", "1.0-1", "v1.0", "1.0alpha1", "1.0a", "1.0.post", "1.0.dev",
        "1.0+", "1.0+a-b", "1.0 ", "1.0\n", "latest", "1.0.dev1.post1", "1/0"}) {
    INFO(version);
    CHECK(!packager::checkVersion(version).ok());
  }
}

TEST_CASE("what is not a wheel is refused, and nothing is written", "[wheel]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "app.sxt"});
  const std::string whole = place.read("app.sxt");
  std::string damaged = whole;
  damaged[damaged.size() - 100] = static_cast<char>(damaged[damaged.size() - 100] ^ 1);
  place.write("damaged.sxt", damaged);
  place.write("cut.sxt", whole.substr(0, whole.size() / 2));
  auto refused = [&](std::vector<std::string> arguments, const std::string &reason) {
    arguments.insert(arguments.begin(), "wheel");
    arguments.insert(arguments.end(), {"-o", "dist"});
    const CommandResult result = place.run(arguments);
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, reason));
    CHECK(!place.has("dist"));
  };
  refused({"saxpy.py"}, "not a Sextant module");
  refused({"missing.sxt"}, "missing.sxt");
  refused({"damaged.sxt"}, "'damaged.sxt': ");
  refused({"cut.sxt"}, "cut.sxt");
  refused({"app.sxt", "--name=3d"}, "'3d', which is not an identifier of Python");
  refused({"app.sxt", "--name=None"}, "'none', which is a keyword of Python");
  refused({"app.sxt", "--name=Sextant"},
          "'sextant', which is the package that the loader comes in");
  refused({"app.sxt", "--name=a b"}, "'a b' is not a name of a distribution");
  refused({"app.sxt", "--version=v1"}, "'v1' is not a version of PEP 440");
  CHECK(contains(place.run({"wheel", "-", "-o", "dist"}).err, "'-' has no name"));
}

TEST_CASE("a wheel that exists is replaced only by force", "[wheel]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "app.sxt", "--targets=cpu,compute_75"});
  CHECK(place.good({"wheel", "app.sxt", "-o", "dist", "--version=1.0"}).out ==
        "dist/app-1.0-py3-none-any.whl\n");
  const std::string first = place.read("dist/app-1.0-py3-none-any.whl");
  place.write("dist/app-1.0-py3-none-any.whl", "other");
  const CommandResult again = place.run({"wheel", "app.sxt", "-o", "dist", "--version=1.0"});
  CHECK(again.status == 1);
  CHECK(contains(again.err, "'dist/app-1.0-py3-none-any.whl' exists"));
  CHECK(place.read("dist/app-1.0-py3-none-any.whl") == "other");
  place.good({"wheel", "app.sxt", "-o", "dist", "--version=1.0", "--force"});
  CHECK(place.read("dist/app-1.0-py3-none-any.whl") == first);
  // One of several that exists keeps all from being written.
  place.write("thin/app_cuda-1.0-py3-none-any.whl", "other");
  CHECK(place.run({"wheel", "app.sxt", "-o", "thin", "--version=1.0", "--thin"}).status == 1);
  CHECK(place.list("thin") == std::vector<std::string>{"app_cuda-1.0-py3-none-any.whl"});
}

TEST_CASE("texts of a module do not become code of its package", "[wheel]") {
  packager::ModuleBuilder builder("cc\nimport os", "");
  module::Kernel kernel =
      test::totalKernel(builder.addSource("\"\"\"\nimport os\n.py", {}), "class");
  kernel.doc = "\"\"\"\nimport os\n\\";
  kernel.arguments[0].name = "lambda";
  kernel.arguments[1].name = "x: (import_os)";
  kernel.arguments[2].name = "stream";
  module::Kernel other = test::totalKernel(0, "\");import os#");
  for (const module::Kernel &one : {kernel, other})
    test::need(builder.addVariant(*builder.addKernel(one), test::totalPlan(32),
                                  test::variantFor({"cpu", "x86-64-v3", {}, 32},
                                                   builder.addImage(test::imageBytes(1)), "elf")));
  const auto built = builder.build();
  INFO((built.ok() ? "" : built.error().message));
  REQUIRE(built.ok());
  const test::Bytes bytes = *built;
  const std::string text = emitPython(bytes, "a.sxt", "1.0");
  INFO(text);
  CHECK(contains(text, "# Made by cc\\nimport os. Do not edit.\n"
                       "\"\"\"Kernels of \\\"\\\"\\\"\\\\nimport os\\\\n.py.\n"));
  CHECK(contains(text, "def class_(\n    lambda_: Annotated[Array, \"i32[:]\"],\n"
                       "    x___import_os_: Annotated[float, \"f32\"],\n"
                       "    stream: Annotated[Any, \"f64 2x3\"],\n"
                       "    *,\n    stream_: Any = None,\n) -> float:\n"
                       "    \"\"\"\\\"\\\"\\\"\n    import os\n    \\\\\n\n"));
  CHECK(contains(text, "[\"class\"](lambda_, x___import_os_, stream, stream_=stream_)\n"));
  CHECK(contains(text, "[\"\\\");import os#\"]("));
  // It stands in a docstring only, which has ended by the next line of code.
  CHECK(text.find("\nimport os") == std::string::npos);
}
