// The text of generated headers; tests/consume compiles and runs some.
#include "CommandLine.h"
#include "tests/module/Sample.h"
#include "tests/support/Catch.h"

TEST_CASE("--emit-header writes typed members", "[header]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--emit-header=app-kernels.hpp"});
  std::string text = place.read("app-kernels.hpp");
  CHECK(contains(text, "struct app_kernels {"));
  CHECK(contains(text, "  class saxpy_kernel : public sextant::TypedKernel {"));
  CHECK(contains(text,
                 "    sextant::Result<void> operator()(const sextant::Stream &stream, int32_t n, "
                 "float a,\n"
                 "                                     sextant::ArrayView<float, 1> x,\n"
                 "                                     sextant::ArrayView<float, 1> y) const {"));
  CHECK(contains(text, "  saxpy_kernel saxpy{sextantState, 0, \"saxpy\"};"));
  // C has functions.
  CHECK(contains(text, "static inline sxt_status app_kernels_saxpy(app_kernels *sextant,"));
  CHECK(contains(text, "(app_kernels *sextant,\n"
                       "                                           sxt_stream *sextant_stream, "
                       "int32_t n, float a,\n"
                       "                                           sxt_array_f32_1 x, "
                       "sxt_array_f32_1 y) {"));
  CHECK(!contains(text, "_end[]"));
  place.good({"compile", "saxpy.py", "--emit-header", "--embed-symbol=blob"});
  CHECK(contains(place.read("saxpy.hpp"), "extern const unsigned char blob[], blob_end[];"));
}

TEST_CASE("an array of no dimensions is a view of none", "[header]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\n"
                      "def k(x: qd.types.ndarray(dtype=qd.i64, ndim=0)):\n    x[None] = 1\n");
  place.good({"compile", "k.py", "--emit-header"});
  CHECK(contains(place.read("k.hpp"), "sextant::ArrayView<int64_t, 0> x) const {"));
}

TEST_CASE("arguments with dots are structs", "[header]") {
  Workplace place;
  place.write("k.py",
              "import dataclasses\nimport quadrants as qd\n\n"
              "A = qd.types.ndarray(dtype=qd.f32, ndim=1)\n\n"
              "@dataclasses.dataclass\nclass Inner:\n    new: A\n    v: "
              "qd.types.vector(2, qd.i32)\n\n"
              "@dataclasses.dataclass\nclass Outer:\n    inner: Inner\n    dt: float\n\n"
              "@qd.kernel\ndef k(stream: Outer, n: qd.i32, other: Inner):\n"
              "    for i in range(n):\n"
              "        stream.inner.new[i] = stream.dt * stream.inner.v.y + other.new[i]\n");
  place.good({"compile", "k.py", "--emit-header"});
  const std::string text = place.read("k.hpp");
  CHECK(contains(text, "    struct stream__inner_type {\n"
                       "      sextant::ArrayView<float, 1> new_;\n"
                       "      sextant::Vector<int32_t, 2> v;\n    };\n"
                       "    struct stream__type {\n      stream__inner_type inner;\n"
                       "      float dt;\n    };\n"
                       "    struct other_type {\n      sextant::ArrayView<float, 1> new_;\n"
                       "    };\n"));
  CHECK(contains(text, "    template <class Any_stream_ = stream__type, class Any_other = "
                       "other_type>\n"));
  CHECK(contains(text, "float{stream_.dt}, n, sextant::ArrayView<float, 1>(other.new_));"));
  // In C they are arguments of their dotted names.
  CHECK(contains(text, "sxt_array_f32_1 stream_inner_new"));
}

TEST_CASE("gradients of arguments are arguments", "[header]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--kernel=saxpy.grad", "--emit-header"});
  const std::string text = place.read("saxpy.hpp");
  CHECK(contains(text, "class saxpy_grad_kernel : public sextant::TypedKernel {"));
  CHECK(contains(text, "sextant::ArrayView<float, 1> x_grad,"));
  CHECK(contains(text, "sextant::ArrayView<float, 1> y_grad) const {"));
  CHECK(!contains(text, "struct x_type"));
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
  CHECK(contains(text,
                 "operator()(const sextant::Stream &stream_, int32_t stream,\n"
                 "                                     sextant::ArrayView<bool, 2> new_) const"));
  CHECK(contains(text, "  double___kernel double__{sextantState, 0, \"double\"};"));
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

TEST_CASE("what a module says stays in comments and literals", "[header]") {
  using namespace sextant;
  Workplace place;
  packager::ModuleBuilder builder("cc\nint made = 1;", "");
  const std::string path = "k\n#error made\n.py", hostile = "a\"; } int b() { return \"?\?/ \\";
  module::Kernel kernel = test::totalKernel(builder.addSource(path, {}), hostile);
  kernel.name = "*/ \xe2\x80\x8b \\";
  kernel.arguments[0].name = "x) { } int c(int";
  module::Plan plan = test::totalPlan(32);
  plan.hidden[0].name = "bins\" \\";
  test::need(builder.addVariant(*builder.addKernel(kernel), plan,
                                test::variantFor({"cpu", "x86-64-v3", {}, 32},
                                                 builder.addImage(test::imageBytes(1)), "elf")));
  const test::Bytes bytes = *builder.build();
  place.write("m.sxt", std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  place.good({"merge", "m.sxt", "-o", "out.sxt", "--emit-header=out.hpp"});
  const std::string text = place.read("out.hpp");
  INFO(text);
  CHECK(contains(text, "// Made by cc\\nint made = 1; from k\\n#error made\\n.py. Do not edit.\n"));
  CHECK(contains(text, "  /// `a\"; } int b() { return \"?\?/ \\`, an instance of "));
  CHECK(contains(text, ", 0, \"a\\042; } int b() { return \\042\\077\\077/ \\134\"};\n"));
  CHECK(contains(text, "ArrayView<int32_t, 1> x______int_c_int,"));
  CHECK(contains(text, "(\"bins\\042 \\134\")"));
  // Each text is on a line of its own kind: no line begins with what the module says.
  for (const char *made : {"\nint ", "\n#error", "\n} int"})
    CHECK(text.find(made) == std::string::npos);
}

TEST_CASE("a kernel with checkpoints is started and resumed", "[header]") {
  Workplace place;
  place.write(
      "k.py",
      "import quadrants as qd\n\n@qd.kernel(graph=True, checkpoints=True)\n"
      "def f(stream: qd.i32, checkpoint: qd.types.ndarray(qd.i32, 0)):\n"
      "    with qd.checkpoint(-3, yield_on=checkpoint):\n        checkpoint[()] = stream\n");
  place.good({"compile", "k.py", "--emit-header=k.hpp"});
  const std::string text = place.read("k.hpp");
  INFO(text);
  // The parameters' names are taken.
  CHECK(contains(text, "resume(const sextant::Stream &stream_,"));
  CHECK(contains(text, " int64_t checkpoint_, int32_t stream,"));
  CHECK(contains(text, "return this->resumeAt(stream_, checkpoint_, stream, checkpoint);"));
  CHECK(contains(text, "return this->start(stream_, stream, checkpoint);"));
  CHECK(contains(text, "static inline sxt_status k_f_resume(k *sextant, "));
  CHECK(contains(text, "int64_t sextant_checkpoint,"));
  // Nobody would ask a prepared launch or a step of a graph how it ended.
  CHECK(!contains(text, "prepareAs"));
  CHECK(!contains(text, "k_f_prepare"));
  CHECK(contains(place.good({"inspect", "k.sxt"}).out, "checkpoint -3: task 0"));
}

TEST_CASE("docstrings are comments, whatever they hold", "[header]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\ndef f(n: qd.i32):\n"
                      "    \"\"\"Does nothing.\n\n    Much: */ \\\\\n    #error taken\n"
                      "    \\x1b[31m \\u202e ?\?/\n    \"\"\"\n"
                      "    for i in range(n):\n        pass\n");
  place.good({"compile", "k.py", "--emit-header=k.hpp"});
  const std::string text = place.read("k.hpp");
  // A backslash at a line's end would continue the comment; none is left there.
  const char *wanted = "/// Does nothing.\n  ///\n  /// Much: */ \\.\n  /// #error taken\n"
                       "  /// \\x1b[31m \\u202e ?\?/.\n  class f_kernel";
  CHECK(contains(text, wanted));
  CHECK(contains(text, "/// Does nothing.\n///\n/// Much: */ \\.\n"));
  CHECK(contains(place.good({"inspect", "--json", "k.sxt"}).out,
                 "\"doc\": \"Does nothing.\\n\\nMuch: */ \\\\\\n#error taken\\n"));
}

TEST_CASE("arrays of structs in one piece have typed elements", "[header]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n"
                      "Spot = qd.types.struct(x=qd.f32, on=qd.u1)\n\n"
                      "@qd.dataclass\nclass Grain:\n    kind: qd.u8\n    spot: Spot\n"
                      "    half: qd.f16\n    turn: qd.types.matrix(2, 3, qd.f64)\n"
                      "    new: qd.types.vector(3, qd.i16)\n\n"
                      "Same = qd.types.struct(a=qd.i32, b=qd.types.vector(2, qd.i32))\n"
                      "same = Same.field(shape=(2, 3), layout=qd.Layout.AOS)\n\n"
                      "@qd.kernel\ndef k(x: qd.types.ndarray(), y: qd.types.ndarray()):\n"
                      "    for i in x:\n        x[i].kind = y[i, 0].on + same[0, 0].a\n");
  const std::string aos = "layout=Layout.AOS)";
  place.good({"compile", "k.py", "--emit-header", "--targets", "cpu:x86-64-v2", "--kernel",
              "k[x=ndarray(Grain, 1, " + aos + ", y=ndarray(Spot, 2, " + aos + "] as k"});
  const std::string text = place.read("k.hpp");
  auto check = [](const std::string &word, const std::string &what, int number) {
    return word + "(" + what + " == " + std::to_string(number) +
           ", \"kernels have another layout\");\n";
  };
  CHECK(contains(text, "  struct Spot {\n    using SextantUnit = uint8_t;"));
  CHECK(contains(text, "    uint8_t kind;\n    Spot spot;\n    sextant::Half half;\n"
                       "    sextant::Matrix<double, 2, 3> turn;\n"
                       "    sextant::Vector<int16_t, 3> new_;\n  };\n  " +
                           check("static_assert", "sizeof(Grain)", 72)));
  for (auto [member, offset] : {std::pair("kind", 0), std::pair("spot", 4), std::pair("half", 12),
                                std::pair("turn", 16), std::pair("new_", 64)})
    CHECK(contains(text, "  " + check("static_assert",
                                      std::string("offsetof(Grain, ") + member + ")", offset)));
  CHECK(contains(text, "sextant::ArrayView<Grain, 1> x"));
  CHECK(contains(text, "sextant::ArrayView<Spot, 2> y"));
  CHECK(contains(text, "    using SextantUnit = int32_t;"));
  CHECK(contains(text, "  sextant::Result<sextant::ArrayView<Same, 2>> same() const {"));
  CHECK(contains(text, "\ntypedef struct k_Grain {\n  uint8_t kind;\n  k_Spot spot;\n"
                       "  uint16_t half;\n  double turn[2][3];\n  int16_t new_[3];\n} k_Grain;\n" +
                           check("_Static_assert", "sizeof(k_Grain)", 72)));
  // So it does of a merged module.
  place.good({"merge", "k.sxt", "-o", "other/k.sxt", "--emit-header=other/k.hpp"});
  CHECK(place.read("other/k.hpp") == text);
  // Where members lie is in the module.
  CHECK(contains(place.good({"inspect", "k.sxt"}).out,
                 "Grain, 72 bytes: kind u8 at 0, spot.x f32 at 4, spot.on u1 at 8, half f16 at 12, "
                 "turn f64 of 2x3 at 16, new i16 of 3 at 64\n"));
}

TEST_CASE("a struct that is not one, or of another size, gets no header", "[header]") {
  using namespace sextant;
  Workplace place;
  for (const char *structure : {"S{a:i32}; }", "S{a:i64}", "S{a:f32}", "S{a:i32,b:i32}"}) {
    packager::ModuleBuilder builder("sextant", "");
    module::Kernel kernel = test::totalKernel(builder.addSource("a.py", {}));
    kernel.arguments[0].structure = structure;
    const uint32_t number = *builder.addKernel(std::move(kernel));
    test::need(builder.addVariant(number, test::totalPlan(32),
                                  test::variantFor({"cpu", "aarch64", {}, 32},
                                                   builder.addImage(test::imageBytes(1)), "elf")));
    const test::Bytes bytes = *builder.build();
    place.write("m.sxt", std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    const CommandResult result =
        place.run({"merge", "m.sxt", "-o", "o.sxt", "--emit-header=o.hpp"});
    CHECK(result.status == 1);
    CHECK(contains(result.err, std::string("corrupt module: the struct of the argument 'src' is "
                                           "described as '") +
                                   structure + "'; build or copy it again"));
  }
}
