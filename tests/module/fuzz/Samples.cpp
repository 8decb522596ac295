#include "tests/module/fuzz/Samples.h"
#include "packager/ModuleBuilder.h"
#include "packager/Sign.h"
#include "tests/module/fuzz/Draft.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sextant::fuzz {

using namespace module;
using packager::ModuleBuilder;

namespace {

using Bytes = std::vector<std::byte>;

template <class T> T sure(Result<T> result) {
  if (!result)
    std::abort(); // the samples are sound
  return std::move(*result);
}
void sure(const Status &status) {
  if (!status.ok())
    std::abort();
}

Bytes text(std::string_view words) {
  const auto *first = reinterpret_cast<const std::byte *>(words.data());
  return {first, first + words.size()};
}

Bytes image(unsigned seed, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i / 16 * (seed + 3)) & 0xff);
  return bytes;
}

/// A field, two results, a carry, an expression with every operator.
Plan planOf(unsigned wave) {
  using Expr = LaunchExpr;
  Plan plan;
  plan.hidden.push_back({Hidden::Field, "bins", DType::I32, 256, {16, 16}, 1, 1, Hidden::noGlobal});
  plan.hidden.push_back({Hidden::Return, "return0", DType::F32, 1, {}});
  plan.hidden.push_back({Hidden::Return, "return1", DType::F64, 9, {}, 3, 3});
  plan.hidden.push_back({Hidden::Carry, "partial", DType::F32, wave, {}});
  Expr count;
  count.items = {{Expr::Param, 1},    {Expr::Constant, 1}, {Expr::Add, 0},      {Expr::Constant, 2},
                 {Expr::FloorDiv, 0}, {Expr::Param, 2},    {Expr::Mul, 0},      {Expr::Neg, 0},
                 {Expr::Constant, 7}, {Expr::Mod, 0},      {Expr::Constant, 9}, {Expr::Min, 0},
                 {Expr::Constant, 3}, {Expr::Max, 0},      {Expr::Constant, 1}, {Expr::Sub, 0}};
  plan.tasks.push_back({"total_t0", 128, false, true, count});
  plan.tasks.push_back({"total_t1", 1, true, false, std::nullopt});
  return plan;
}

Variant variantFor(Target target, uint32_t number, std::string format,
                   std::vector<std::string> requirements = {}) {
  Variant variant;
  variant.target = std::move(target);
  variant.image = number;
  variant.format = std::move(format);
  variant.requirements = std::move(requirements);
  variant.resources = {{32, 0, 16, 1024}, {-1, -1, -1, -1}};
  return variant;
}

void addTotal(ModuleBuilder &builder, const std::string &instance) {
  Kernel kernel;
  kernel.name = "total";
  kernel.instance = instance;
  kernel.source = builder.addSource("kernels.py", text("import quadrants as qd\n"));
  kernel.arguments = {{Argument::Array, "src", DType::I32, 2, 1, 1},
                      {Argument::Scalar, "scale", DType::F32, 0, 1, 1},
                      {Argument::Matrix, "m", DType::F64, 0, 2, 3}};
  const uint32_t number = sure(builder.addKernel(kernel));
  auto add = [&](Target target, const Bytes &bytes, const char *format,
                 std::vector<std::string> requirements = {}) {
    const Plan plan = planOf(target.wave);
    sure(builder.addVariant(
        number, plan,
        variantFor(std::move(target), builder.addImage(bytes), format, std::move(requirements))));
  };
  Bytes sibling = image(2, 600);
  sibling[300] ^= std::byte{1};
  add({"cpu", "x86-64-v3", {}, 8}, image(1, 600), "elf");
  add({"cpu", "x86-64-v3", {}, 32}, image(1, 600), "elf");
  add({"cuda", "sm_90", {}, 32}, image(2, 600), "cubin");
  add({"cuda", "sm_100", {}, 32}, sibling, "cubin");
  add({"cuda", "compute_75", {"tma"}, 32}, text("tiny"), "ptx", {"ptx>=8.3", "fp64-atomics"});
  add({"amdgpu", "gfx1100", {}, 32}, text("other"), "hsaco");
  add({"vulkan", "1.1", {}, 32}, image(4, 100), "spirv");
  add({"metal", "3.0", {}, 32}, text("// Sextant: Metal 3.0, kernel total_t0\n"), "msl");
  sure(builder.addRefusal(number, {"cuda", "sm_75", {"x"}, 32}, "atomics on f64 need sm_60"));
}

Bytes ordinary() {
  ModuleBuilder builder("sextant 0.1.0", "-O3");
  addTotal(builder, "total");
  Kernel empty;
  empty.name = "empty";
  empty.instance = "empty_i32";
  empty.source = 0;
  sure(builder.addKernel(empty));
  return sure(builder.build());
}

Bytes withFaults() {
  ModuleBuilder builder("sextant 0.1.0", "-O3 --check");
  Kernel kernel;
  kernel.name = kernel.instance = "checked";
  kernel.source = builder.addSource("kernels.py", {});
  const uint32_t number = sure(builder.addKernel(kernel));
  Plan plan;
  plan.hidden.push_back({Hidden::Fault,
                         "kernels.py:7:9: index \1 of \2\nkernels.py:8:9: no\n",
                         DType::U32,
                         Hidden::faultWords,
                         {}});
  plan.tasks.push_back({"checked_t0", 64, false, false, std::nullopt});
  Variant variant = variantFor({"cpu", "x86-64-v3", {}, 32}, builder.addImage(image(1, 64)), "elf");
  variant.resources.pop_back();
  sure(builder.addVariant(number, plan, variant));
  return sure(builder.build());
}

/// Several packs of images, some on others.
Bytes chained() {
  ModuleBuilder builder("sextant", "");
  Kernel kernel;
  kernel.name = kernel.instance = "total";
  kernel.source = builder.addSource("a.py", {});
  const uint32_t number = sure(builder.addKernel(kernel));
  Plan plan;
  plan.tasks.push_back({"t", 32, false, false, std::nullopt});
  Bytes bytes = image(5, 3000);
  for (const char *arch : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}) {
    for (size_t i = arch[4] - '0' + 7u; i < bytes.size(); i += 500)
      bytes[i] ^= static_cast<std::byte>(arch[3]);
    Variant variant = variantFor({"cuda", arch, {}, 32}, builder.addImage(bytes), "cubin");
    variant.resources.pop_back();
    sure(builder.addVariant(number, plan, variant));
  }
  return sure(builder.build());
}

Bytes manyKernels() {
  ModuleBuilder builder("sextant", "");
  for (const char *name : {"a", "b", "c", "d", "e"})
    addTotal(builder, name);
  return sure(builder.build());
}

Bytes golden(const char *name) {
  std::ifstream file(std::string(SEXTANT_GOLDEN_DIR) + name, std::ios::binary);
  if (!file)
    std::abort();
  return text(std::string{std::istreambuf_iterator<char>(file), {}});
}

} // namespace

const Bytes &sampleFile(unsigned number) {
  static const std::array<Bytes, sampleCount> files = {
      ordinary(),
      withFaults(),
      chained(),
      manyKernels(),
      sure(packager::sign(ordinary(), testKey())),
      golden("/v1.0.sxt"),
      golden("/v1.3-split-run.sxt"),
      sure(packager::sign(golden("/v1.3-split-run.sxt"), testKey()))};
  return files[number];
}

} // namespace sextant::fuzz
