// NVIDIA's GPUs, through CUDA.
#include "loader/format/families/Family.h"

#include <algorithm>

namespace sextant::module {

namespace {

struct CudaArch {
  bool isVirtual = false; ///< compute_XY: PTX
  unsigned number = 0;    ///< 10 X + Y
  char suffix = 0;        ///< 'a', 'f' or none
  unsigned major() const { return number / 10; }
};

std::optional<CudaArch> parseCuda(std::string_view arch) {
  CudaArch result;
  if (arch.starts_with("sm_")) {
    arch.remove_prefix(3);
  } else if (arch.starts_with("compute_")) {
    arch.remove_prefix(8);
    result.isVirtual = true;
  } else {
    return std::nullopt;
  }
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) {
    result.suffix = arch.back();
    arch.remove_suffix(1);
  }
  result.number = parseNumber(arch).value_or(0);
  if (result.number < 10 || result.number > 9999)
    return std::nullopt;
  return result;
}

/// Tegra chips: other chips of the same generation do not run their code, nor do they run the
/// others'.
bool isTegra(const CudaArch &arch) {
  constexpr unsigned tegra[] = {53, 62, 72, 87, 101, 110};
  return std::find(std::begin(tegra), std::end(tegra), arch.number) != std::end(tegra);
}

Fit fitCuda(std::string_view arch, std::string_view format, std::string_view deviceArch) {
  std::optional<CudaArch> variant = parseCuda(arch);
  const std::optional<CudaArch> device = parseCuda(deviceArch);
  if (!variant || !device)
    return noFit("is for ", arch, "", deviceArch);
  variant->isVirtual |= format == "ptx"; // kept where the compiler had no ptxas
  const unsigned suffixRank = variant->suffix == 'a' ? 2 : variant->suffix == 'f' ? 1 : 0;
  const unsigned rank = variant->number * 4 + suffixRank;
  const bool same = variant->number == device->number;
  const bool family = variant->major() == device->major() && variant->number <= device->number;
  if (variant->isVirtual) {
    const bool runs = variant->suffix == 'a'   ? same
                      : variant->suffix == 'f' ? family
                                               : variant->number <= device->number;
    if (runs)
      return {Match::Portable, rank,
              joined({"portable: the driver compiles ", arch, " code for the device"})};
    return noFit("needs ", arch, variant->suffix == 'a' ? " exactly" : " or newer", deviceArch);
  }
  if (same)
    return exactFit(rank);
  if (variant->suffix == 'a' || isTegra(*variant) || isTegra(*device))
    return noFit("runs only on ", arch, "", deviceArch);
  if (family)
    return compatibleFit(rank, arch, deviceArch);
  if (variant->major() == device->major())
    return noFit("needs ", arch, " or newer", deviceArch);
  return noFit("is machine code of another generation, ", arch, "", deviceArch);
}

std::optional<KnownArch> knownCuda(std::string_view arch) {
  if (const std::optional<CudaArch> cuda = parseCuda(arch))
    return KnownArch{"cuda", "sm_" + std::to_string(cuda->number), {32}};
  return std::nullopt;
}

unsigned cudaGeneration(std::string_view arch) {
  const std::optional<CudaArch> cuda = parseCuda(arch);
  return cuda ? cuda->number : 0;
}

constexpr ImageFormat cudaFormats[] = {
    {.name = "cubin", .extension = "cubin"},
    {.name = "ptx", .extension = "ptx", .isText = true},
};
constexpr NumberWord cudaNumbers[] = {
    {.name = abi::numbers::ptx, .major = 99, .minor = 0, .isDrivers = true},
};

} // namespace

constexpr Family cudaFamily = {
    .name = "cuda",
    .device = "cuda",
    .formats = cudaFormats,
    .fit = fitCuda,
    .known = knownCuda,
    .generation = cudaGeneration,
    .numbers = cudaNumbers,
};

} // namespace sextant::module
