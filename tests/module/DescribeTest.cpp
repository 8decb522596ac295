// The words for a module: inspect, extract, diff.
#include "packager/Describe.h"
#include "loader/format/Text.h"
#include "packager/Diff.h"
#include "packager/Json.h"
#include "packager/Words.h"
#include "tests/module/Sample.h"

using namespace sextant;
using namespace sextant::module;
using namespace sextant::packager;
using namespace sextant::test;

TEST_CASE("inspect as text") {
  const Bytes bytes = sampleModule();
  const auto reader = Reader::fromMemory(bytes);
  const auto text = describeText(*reader);
  REQUIRE(text.ok());
  const std::string abi = hex(abiHashOf(*reader->kernel(*reader->findKernel("total"))));
  const std::string emptyAbi = hex(abiHashOf(*reader->kernel(*reader->findKernel("empty_i32"))));
  const std::string source = hex(reader->info()->sources[0].hash);
  CHECK(*text == "module format 1.6, " + std::to_string(bytes.size()) +
                     R"( bytes: 2 kernels, 4 images of 1804 bytes
compiler  sextant 0.1.0
options   -O3
source    kernels.py  )" +
                     source + R"(
field     bins: i32[16, 16]  kernels.py

kernel empty_i32()
  abi )" + emptyAbi + R"(  kernels.py
  variant             image  format  bytes  stored  registers  spill  stack  shared  occupancy  requires
  cpu:aarch64/wave32  #1     elf       600      72          -      -      -       -          -

kernel total(src: i32[:], scale: f32, m: f64 2x3) -> f32
  abi )" + abi + R"(  kernels.py
  for waves of 32:
  task     total_t0  128 threads a block, (src.shape[0] + 1) // 2 iterations
  task     total_t1  serial
  field    bins      i32[16, 16]
  carried  partial   f32, 32 scalars
  for waves of 8:
  task     total_t0  128 threads a block, (src.shape[0] + 1) // 2 iterations
  task     total_t1  serial
  field    bins      i32[16, 16]
  carried  partial   f32, 8 scalars
  variant                     image  format  bytes  stored  registers  scalar  spill  stack  shared  occupancy  requires
  cpu:x86-64-v3/wave32        #0     elf       600      72         32       -      0     16    1024          -
  cpu:x86-64-v3/wave8         #0     elf       600      72         32       -      0     16    1024          -
  cuda:sm_90/wave32           #1     cubin     600      72         32       -      0     16    1024          -
  cuda:compute_75+tma/wave32  #2     ptx         4       4         32       -      0     16    1024          -  ptx>=8.3
  amdgpu:gfx1100/wave32       #2     hsaco       4       4         24      18      0      0     512         12
  cuda:sm_100/wave32          #3     cubin     600      22         32       -      0     16    1024          -
  refused cuda:sm_75/wave32: atomics on f64 need sm_60 shared memory
)");
}

TEST_CASE("inspect as JSON") {
  const Bytes bytes = sampleModule();
  const auto text = describeJson(*Reader::fromMemory(bytes));
  REQUIRE(text.ok());
  CHECK(text->starts_with("{\n  \"schema\": 1,\n  \"format\": \"1.6\",\n  \"bytes\": "));
  CHECK(text->ends_with("\n  ]\n}\n"));
  auto has = [&](const char *part) { return text->find(part) != text->npos; };
  CHECK(has("\"iterations\": \"(src.shape[0] + 1) // 2\""));
  CHECK(has("\"iterations\": null"));
  CHECK(has("\"registers\": null"));
  CHECK(has("\"scalarRegisters\": 18,"));
  CHECK(has("\"occupancy\": 12\n"));
  CHECK(has("\"occupancy\": null\n"));
  CHECK(has("\"arguments\": [],"));
  CHECK(has("\"signedBy\": null"));
  // sha256sum of "tiny"
  CHECK(has("\"sha256\": \"8950abfda7b727630760dd35bcf5c3daa7631aff223a90f7728c0d2521dde10c\""));
  CHECK(has("\"signature\": \"total(src: i32[:], scale: f32, m: f64 2x3) -> f32\""));
}

TEST_CASE("a task whose blocks wait for each other says so") {
  ModuleBuilder builder("sextant 0.1.0", "-O3");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("k.py", {})));
  module::Plan plan = totalPlan(32);
  plan.tasks[0].waits = true;
  need(builder.addVariant(
      kernel, plan,
      variantFor({"cuda", "sm_90", {}, 32}, builder.addImage(imageBytes(1)), "cubin")));
  const auto bytes = builder.build();
  const auto read = *Reader::fromMemory(*bytes);
  CHECK((*read.kernel(0)).plans.front().tasks == plan.tasks);
  CHECK(describeText(read)->find(
            "128 threads a block, (src.shape[0] + 1) // 2 iterations, blocks wait\n") !=
        std::string::npos);
  CHECK(describeJson(read)->find("\"waits\": true") != std::string::npos);
}

TEST_CASE("JSON strings") {
  CHECK(jsonString("a\"b\\c\n\t\x01\x7f") == "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
  CHECK(jsonString("gr\xc3\xbc\xc3\x9f") == "\"gr\xc3\xbc\xc3\x9f\"");
  CHECK(jsonString("\xf0\x9f\x98\x80") == "\"\xf0\x9f\x98\x80\"");
  CHECK(jsonString("\xc3") == "\"\\ufffd\"");                         // cut
  CHECK(jsonString("\xc0\xaf") == "\"\\ufffd\\ufffd\"");              // overlong
  CHECK(jsonString("\xed\xa0\x80x") == "\"\\ufffd\\ufffd\\ufffdx\""); // surrogate
  CHECK(JsonWriter().beginObject().endObject().str() == "{}\n");
  CHECK(JsonWriter().beginArray().value(1u).beginArray().endArray().endArray().str() ==
        "[\n  1,\n  []\n]\n");
}

TEST_CASE("what a module says is shown on one line, and obeyed by no terminal") {
  CHECK(printable("gr\xc3\xb6\xc3\x9f\x65 \\ '") == "gr\xc3\xb6\xc3\x9f\x65 \\ '");
  CHECK(printable("a\nb\tc\r\x1b[31m\x7f") == "a\\nb\\tc\\x0d\\x1b[31m\\x7f");
  CHECK(printable("\xc2\x9b|\xe2\x80\xae|\xef\xbb\xbf") == "\\u009b|\\u202e|\\ufeff");
  // Overlong, a surrogate, beyond U+10FFFF, cut short, a byte in the middle.
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xe2\x80") == "\\xe2\\x80");
  CHECK(printable("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
  CHECK(printableLines("a\n\tb\x1b") == "a\n\tb\\x1b");
  CHECK(isPrintable("gr\xc3\xb6\xc3\x9f\x65"));
  CHECK(!isPrintable("\xe2\x80\xa8"));
  CHECK(jsonString("\xc2\x9b\xe2\x80\xae\xf0\x9f\x98\x80") == "\"\\u009b\\u202e\xf0\x9f\x98\x80\"");

  ModuleBuilder builder("cc\x1b[2J", "-O3\nkernel forged");
  const uint32_t kernel =
      *builder.addKernel(totalKernel(builder.addSource("a\x1b]0;x\x07.py", {})));
  need(builder.addVariant(
      kernel, totalPlan(32),
      variantFor({"cuda", "sm_90", {}, 32}, builder.addImage(imageBytes(1)), "cubin")));
  need(builder.addRefusal(kernel, {"cuda", "sm_75", {}, 32}, "no\nkernel forged \xe2\x80\xae"));
  const Bytes bytes = *builder.build();
  const auto reader = Reader::fromMemory(bytes);
  const std::string text = *describeText(*reader), json = *describeJson(*reader);
  for (const std::string &shown : {text, json}) {
    CHECK(printableLines(shown) == shown);
    CHECK(shown.find("\nkernel forged") == std::string::npos);
  }
  CHECK(text.find("refused cuda:sm_75/wave32: no\\nkernel forged \\u202e\n") != std::string::npos);
}

TEST_CASE("a long text moves no other row") {
  const std::string text =
      tableText({{"a", "1"}, {std::string(500, 'x'), "2"}, {"bb", "3"}}, {}, "");
  CHECK(text == "a   1\n" + std::string(500, 'x') + "  2\nbb  3\n");
}

TEST_CASE("a launch expression without end is not written out") {
  using Expr = LaunchExpr;
  const Kernel kernel = totalKernel(0);
  Expr chain{{{Expr::Param, 1}}};
  for (int i = 0; i < 200000; ++i)
    chain.items.push_back({Expr::Neg, 0});
  CHECK(LaunchWords(kernel).iterations(chain) == "an expression of 200001 steps");
}

TEST_CASE("plans say what they are for, however many there are") {
  // 2,000 variants with a plan each; a plan for two backends; plans that only backends tell apart.
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t kernel = *builder.addKernel(totalKernel(builder.addSource("a.py", {})));
  const uint32_t image = builder.addImage(imageBytes(1));
  const auto add = [&](Target target, unsigned width) {
    Plan plan;
    plan.hidden.push_back({Hidden::Carry, "partial", DType::F32, width, {}});
    Variant variant;
    variant.target = std::move(target);
    variant.image = image;
    variant.format = variant.target.backend == "cpu" ? "elf" : "spirv";
    REQUIRE(builder.addVariant(kernel, plan, variant).ok());
  };
  constexpr unsigned many = 2000;
  for (unsigned tile = 1; tile <= many; ++tile)
    add({"cpu", "x86-64-v2", {"TILE=" + std::to_string(tile)}, 8}, tile);
  add({"cpu", "x86-64-v2", {}, 8}, many + 1);
  add({"cpu", "x86-64-v2", {}, 16}, many + 2);
  add({"vulkan", "1.1", {}, 16}, many + 3);
  add({"vulkan", "1.1", {}, 32}, many + 3);
  const Bytes bytes = *builder.build();
  const auto reader = Reader::fromMemory(bytes);
  const auto text = describeText(*reader);
  REQUIRE(text.ok());
  for (const char *line :
       {"  for +TILE=1, waves of 8:\n", "  for +TILE=2000, waves of 8:\n", "  for waves of 8:\n",
        "  for cpu, waves of 16:\n", "  for vulkan, waves of 16, 32:\n"})
    CHECK(text->find(line) != text->npos);
}

TEST_CASE("extract gives the toolchain's bytes") {
  const Bytes bytes = sampleModule();
  const auto reader = Reader::fromMemory(bytes);
  CHECK(extract(*reader, "total", "sm_90")->bytes == imageBytes(2));
  CHECK(extract(*reader, "total", "cuda:sm_90/wave32")->format == "cubin");
  CHECK(str(extract(*reader, "total", "/wave8")->target) == "cpu:x86-64-v3/wave8");
  CHECK(extract(*reader, "empty", "")->bytes == imageBytes(2)); // chosen by the kernel's name
  CHECK(extract(*reader, "total", "cpu").error().message ==
        "'cpu' names several variants of 'total', name one with --target: cpu:x86-64-v3/wave32, "
        "cpu:x86-64-v3/wave8");
  CHECK(
      extract(*reader, "total", "sm_75").error().message ==
      "kernel 'total' has no code for cuda:sm_75/wave32: atomics on f64 need sm_60 shared memory");
  CHECK(extract(*reader, "total", "sm_80").error().message ==
        "kernel 'total' has no variant 'sm_80'; it has cpu:x86-64-v3/wave32, cpu:x86-64-v3/wave8, "
        "cuda:sm_90/wave32, cuda:compute_75+tma/wave32, amdgpu:gfx1100/wave32, "
        "cuda:sm_100/wave32; did you mean 'sm_90' or 'sm_100'?");
  CHECK(extract(*reader, "totl", "").error().message ==
        "the module has no kernel 'totl'; it has empty_i32, total; did you mean 'total'?");
  CHECK(extract(*reader, "", "").error().message ==
        "name one of the module's kernels with --kernel: empty_i32, total");
}

TEST_CASE("diff tells what changed") {
  const Bytes bytes = sampleModule();
  const auto before = Reader::fromMemory(bytes);
  CHECK(diff(*before, *before)->changes.empty());
  CHECK(diffText(*diff(*before, *before)).empty());

  ModuleBuilder builder("sextant 0.2.0", "-O3");
  const uint32_t source = builder.addSource("kernels.py", bytesOf("other"));
  const uint32_t image = builder.addImage(imageBytes(9, 700));
  Kernel changed = totalKernel(source);
  changed.arguments.pop_back();
  const uint32_t kernel = *builder.addKernel(changed);
  Plan plan = totalPlan(32);
  plan.tasks[0].blockDim = 64;
  Variant spilling = variantFor({"cpu", "x86-64-v3", {}, 32}, image, "elf");
  spilling.resources[0] = {40, 16, 16, 1024};
  need(builder.addVariant(kernel, plan, spilling));
  need(builder.addVariant(kernel, plan, variantFor({"cuda", "sm_75", {}, 32}, image, "cubin")));
  const Bytes other = *builder.build();
  const auto difference = diff(*before, *Reader::fromMemory(other));
  REQUIRE(difference.ok());
  char growth[80];
  std::snprintf(growth, sizeof(growth), "module: %zu -> %zu bytes (%+.1f%%)\n", bytes.size(),
                other.size(),
                100.0 * (double(other.size()) - double(bytes.size())) / double(bytes.size()));
  CHECK(diffText(*difference) == R"(compiler: sextant 0.1.0 -> sextant 0.2.0
source kernels.py: changed
kernel empty_i32: removed
kernel total: total(src: i32[:], scale: f32, m: f64 2x3) -> f32 -> total(src: i32[:], scale: f32) -> f32
kernel total, amdgpu:gfx1100/wave32: removed
kernel total, cpu:x86-64-v3/wave32: code changed, 600 -> 700 bytes
kernel total, cpu:x86-64-v3/wave32: registers 32 -> 40, spilled bytes 0 -> 16
kernel total, cpu:x86-64-v3/wave8: removed
kernel total, cuda:compute_75+tma/wave32: removed
kernel total, cuda:sm_100/wave32: removed
kernel total, cuda:sm_90/wave32: removed
kernel total, cuda:sm_75/wave32: added
kernel total: tasks or launch bounds changed
kernel total, cuda:sm_75/wave32: no longer refused
)" + std::string(growth));
  auto fails = [&](const char *rule) { return isBroken(*parseFailRule(rule), *difference); };
  for (const char *rule :
       {"compiler", "source", "abi", "kernel-removed", "variant-removed", "spill", "refusal"}) {
    INFO(rule);
    CHECK(fails(rule));
  }
  for (const char *rule : {"options", "kernel-added", "format", "resources", "size+0%"}) {
    INFO(rule);
    CHECK(!fails(rule));
  }
  CHECK(isBroken({std::nullopt, 0.05}, {1000, 1051, {}}));
  CHECK(!isBroken({std::nullopt, 0.05}, {1000, 1049, {}}));
  for (const char *rule :
       {"", "size", "size+", "size+x%", "size+5", "size+-5%", "size+nan%", "ABI"}) {
    INFO(rule);
    CHECK(!parseFailRule(rule));
  }
  const std::string json = diffJson(*difference);
  CHECK(json.starts_with("{\n  \"schema\": 1,\n  \"bytesBefore\": " + std::to_string(bytes.size()) +
                         ",\n"));
  CHECK(json.find("\"kind\": \"spill\",\n      \"kernel\": \"total\",\n      \"target\": "
                  "\"cpu:x86-64-v3/wave32\",\n") != json.npos);
}

TEST_CASE("launch expressions in words") {
  Kernel kernel = totalKernel(0);
  const Plan plan = totalPlan(32);
  using Expr = LaunchExpr;
  auto words = [&](std::vector<Expr::Item> items) {
    return LaunchWords(kernel).iterations(Expr{std::move(items)});
  };
  CHECK(words({{Expr::Param, 1}, {Expr::Neg, 0}, {Expr::Constant, -3}, {Expr::Mul, 0}}) ==
        "3 * src.shape[0]");
  CHECK(words({{Expr::Param, 1},
               {Expr::Param, 2},
               {Expr::Sub, 0},
               {Expr::Constant, 4},
               {Expr::Min, 0},
               {Expr::Constant, 2},
               {Expr::Mod, 0}}) == "min(src.shape[0] - scale, 4) % 2");
  CHECK(words({{Expr::Param, 7}}) == "m[1, 1]");
  CHECK(words({{Expr::Add, 0}}) == "?");
}

TEST_CASE("a number of iterations is written as people write it") {
  using Expr = LaunchExpr;
  using Items = std::vector<Expr::Item>;
  Kernel kernel = totalKernel(0);
  kernel.arguments = {{Argument::Scalar, "n", DType::I32, 0, 1, 1},
                      {Argument::Scalar, "m", DType::I32, 0, 1, 1}};
  struct Texts {
    std::string exact, count;
  };
  auto words = [&](std::initializer_list<Items> parts) {
    Expr expr;
    for (const Items &part : parts)
      expr.items.insert(expr.items.end(), part.begin(), part.end());
    const LaunchWords words(kernel);
    return Texts{words.iterations(expr), words.iterations(expr, false)};
  };
  const Items n{{Expr::Param, 0}}, m{{Expr::Param, 1}};
  const Items add{{Expr::Add, 0}}, sub{{Expr::Sub, 0}}, mul{{Expr::Mul, 0}}, max{{Expr::Max, 0}};
  const Items divide{{Expr::FloorDiv, 0}}, mod{{Expr::Mod, 0}}, neg{{Expr::Neg, 0}};
  auto number = [](int64_t value) { return Items{{Expr::Constant, value}}; };
  const Items zero = number(0), one = number(1), two = number(2), half = number(int64_t(1) << 31),
              whole = number(int64_t(1) << 32);

  // Steps of 2^32 are taken out of what they multiply.
  CHECK(words({n, number(5), sub, whole, mul}).exact == "(n - 5) * 4294967296");
  // range(1, n - 1)
  CHECK(words({n, one, sub, one, sub, zero, max}).exact == "max(n - 2, 0)");
  CHECK(words({n, one, sub, one, sub, zero, max}).count == "n - 2");
  // range(2 * n, m), range(-n, n)
  CHECK(words({m, two, n, mul, sub}).exact == "m - 2 * n");
  CHECK(words({n, n, neg, sub}).exact == "2 * n");
  CHECK(words({n, n, sub}).exact == "0");
  // ndrange(n, (2, m)): factors are counts, too
  const Texts grid = words({n, zero, max, m, two, sub, zero, max, mul});
  CHECK(grid.exact == "max(n, 0) * max(m - 2, 0)");
  CHECK(grid.count == "n * (m - 2)");
  // A maximum that is not a count stays.
  CHECK(words({n, zero, max, one, add}).count == "max(n, 0) + 1");
  // A wrap of i32 is not written; what somebody wrote is.
  CHECK(words({n, number(31), add, half, add, whole, mod, half, sub, number(32), divide, number(32),
               mul})
            .exact == "(n + 31) // 32 * 32");
  CHECK(words({n, half, add, whole, mod}).exact == "(n + 2147483648) % 4294967296");
  CHECK(words({n, number(128), add, number(256), mod, number(128), sub}).exact == "n");
  CHECK(words({n, number(50), add, number(100), mod, number(50), sub}).exact ==
        "(n + 50) % 100 - 50");
  // Python reads products from the left.
  CHECK(words({n, m, two, divide, mul}).exact == "n * (m // 2)");
  CHECK(words({n, m, mul, two, divide}).exact == "n * m // 2");
  CHECK(words({n, m, two, mul, divide}).exact == "n // (2 * m)");
  CHECK(words({n, m, sub, neg, two, divide}).exact == "(m - n) // 2");
  // Numbers of any size.
  const Items least = number(std::numeric_limits<int64_t>::min());
  CHECK(words({least, neg, two, mul, n, mul, least, mul}).exact ==
        "18446744073709551616 * n * (-9223372036854775808)");
}
