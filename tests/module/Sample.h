// A small module with one of everything, for the tests of the format.
#pragma once

#include "packager/ModuleBuilder.h"
#include "tests/support/Catch.h"

#include <string>
#include <vector>

namespace sextant::test {

using Bytes = std::vector<std::byte>;

inline Bytes bytesOf(std::string_view text) {
  const auto *first = reinterpret_cast<const std::byte *>(text.data());
  return {first, first + text.size()};
}

/// Compressible, and unlike the bytes of any other seed.
inline Bytes imageBytes(unsigned seed, size_t size = 600) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i / 16 * (seed + 3)) & 0xff);
  return bytes;
}

/// Nearly imageBytes(2): a file in which it is compressed against that.
inline Bytes siblingBytes() {
  Bytes bytes = imageBytes(2);
  bytes[300] ^= std::byte{1};
  return bytes;
}

/// `total(src: i32 array, scale: f32) -> f32` with a field, two tasks and a carry.
inline module::Plan totalPlan(unsigned wave) {
  using Expr = module::LaunchExpr;
  module::Plan plan;
  plan.hidden.push_back({module::Hidden::Field,
                         "bins",
                         module::DType::I32,
                         256,
                         {16, 16},
                         1,
                         1,
                         module::Hidden::noGlobal});
  plan.hidden.push_back({module::Hidden::Return, "return0", module::DType::F32, 1, {}});
  plan.hidden.push_back({module::Hidden::Carry, "partial", module::DType::F32, wave, {}});
  Expr iterations; // (extent + 1) // 2
  iterations.items = {{Expr::Param, 1},
                      {Expr::Constant, 1},
                      {Expr::Add, 0},
                      {Expr::Constant, 2},
                      {Expr::FloorDiv, 0}};
  plan.tasks.push_back({"total_t0", 128, false, false, iterations});
  plan.tasks.push_back({"total_t1", 1, true, false, std::nullopt});
  return plan;
}

inline module::Kernel totalKernel(uint32_t source, std::string instance = "total") {
  module::Kernel kernel;
  kernel.name = "total";
  kernel.instance = std::move(instance);
  kernel.source = source;
  kernel.arguments = {{module::Argument::Array, "src", module::DType::I32, 1, 1, 1},
                      {module::Argument::Scalar, "scale", module::DType::F32, 0, 1, 1},
                      {module::Argument::Matrix, "m", module::DType::F64, 0, 2, 3}};
  return kernel;
}

inline module::Variant variantFor(module::Target target, uint32_t image, std::string format,
                                  std::vector<std::string> requirements = {}) {
  module::Variant variant;
  variant.target = std::move(target);
  variant.image = image;
  variant.format = std::move(format);
  variant.requirements = std::move(requirements);
  variant.resources = {{32, 0, 16, 1024}, {-1, -1, -1, -1}};
  return variant;
}

inline void need(const module::Status &status) {
  INFO(status.message);
  REQUIRE(status.ok());
}

inline packager::ModuleBuilder sampleBuilder() {
  packager::ModuleBuilder builder("sextant 0.1.0", "-O3");
  const uint32_t source = builder.addSource("kernels.py", bytesOf("import quadrants as qd\n"));
  const uint32_t cpu = builder.addImage(imageBytes(1));
  const uint32_t cubin = builder.addImage(imageBytes(2));
  const uint32_t ptx = builder.addImage(bytesOf("tiny"));
  const uint32_t total = *builder.addKernel(totalKernel(source));
  need(builder.addVariant(total, totalPlan(32),
                          variantFor({"cpu", "x86-64-v3", {}, 32}, cpu, "elf")));
  need(
      builder.addVariant(total, totalPlan(8), variantFor({"cpu", "x86-64-v3", {}, 8}, cpu, "elf")));
  need(builder.addVariant(total, totalPlan(32),
                          variantFor({"cuda", "sm_90", {}, 32}, cubin, "cubin")));
  need(builder.addVariant(
      total, totalPlan(32),
      variantFor({"cuda", "compute_75", {"tma"}, 32}, ptx, "ptx", {"ptx>=8.3"})));
  module::Variant amd = variantFor({"amdgpu", "gfx1100", {}, 32}, ptx, "hsaco");
  amd.resources = {{24, 0, 0, 512, 18, 12}, {3, -1, -1, -1, 8, 16}};
  need(builder.addVariant(total, totalPlan(32), amd));
  need(builder.addVariant(
      total, totalPlan(32),
      variantFor({"cuda", "sm_100", {}, 32}, builder.addImage(siblingBytes()), "cubin")));
  need(builder.addRefusal(total, {"cuda", "sm_75", {}, 32},
                          "atomics on f64 need sm_60 shared memory"));
  module::Kernel empty;
  empty.name = "empty";
  empty.instance = "empty_i32";
  empty.source = source;
  const uint32_t number = *builder.addKernel(empty);
  module::Variant variant = variantFor({"cpu", "aarch64", {}, 32}, cubin, "elf");
  variant.resources.clear();
  need(builder.addVariant(number, {}, variant));
  return builder;
}

inline Bytes sampleModule() {
  auto bytes = sampleBuilder().build();
  REQUIRE(bytes.ok());
  return *bytes;
}

/// The sample with what came in 1.4: attachments, one that compresses, an empty and a short one.
inline Bytes attachedModule(packager::Compression compression = packager::Compression::Balanced) {
  packager::ModuleBuilder builder = sampleBuilder();
  need(builder.attach("scene.json", imageBytes(7, 100000)));
  need(builder.attach("empty", {}));
  need(builder.attach("b.txt", bytesOf("text")));
  packager::BuildOptions options;
  options.compression = compression;
  auto bytes = builder.build(options);
  REQUIRE(bytes.ok());
  return *bytes;
}

/// A kernel that records faults, which only 1.2 has.
inline module::Plan checkedPlan() {
  module::Plan plan;
  plan.hidden.push_back({module::Hidden::Fault,
                         "kernels.py:7:9: index \1 is out of bounds: axis 0 of 'x' has size \2\n"
                         "kernels.py:8:9: assertion failed\n",
                         module::DType::U32,
                         module::Hidden::faultWords,
                         {}});
  plan.tasks.push_back({"checked_t0", 1, true, false, std::nullopt});
  return plan;
}

inline Bytes checkedModule() {
  packager::ModuleBuilder builder("sextant 0.1.0", "-O3 --check");
  module::Kernel kernel;
  kernel.name = kernel.instance = "checked";
  kernel.source = builder.addSource("kernels.py", bytesOf("import quadrants as qd\n"));
  const uint32_t number = *builder.addKernel(kernel);
  module::Variant variant =
      variantFor({"cpu", "x86-64-v3", {}, 32}, builder.addImage(imageBytes(1)), "elf");
  variant.resources.pop_back();
  need(builder.addVariant(number, checkedPlan(), variant));
  auto bytes = builder.build();
  REQUIRE(bytes.ok());
  return *bytes;
}

} // namespace sextant::test
