// The words by which variants ask for features of devices. Each is written once, here. A backend
// records a word where it emits code that needs the feature. The loader reports the words of the
// devices that it finds. Selection compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace sextant::abi {

/// Typical of a present-day desktop GPU.
enum class Presence : uint8_t {
  Usual,   ///< it has the feature
  Rare,    ///< it may lack it
  Variant, ///< it may lack it; kernels come in variants with and without
};

//===--- All targets -------------------------------------------------------===//

/// The word of variants for launches with arrays of more than 2^31 - 1 scalars. No device reports
/// it: the loader takes such a variant where a launch needs it. Extents are I64 in its argument
/// block, and its parallel tasks are loops that a grid of any size runs.
inline constexpr char largeArrays[] = "large-arrays";
/// The most scalars of an array, elements along an axis, and iterations of a parallel task, that
/// launches of other variants have.
inline constexpr int64_t mostOrdinary = 0x7fffffff;

/// The words of other implementations of a kernel begin so; the name of one follows.
inline constexpr char implementation[] = "implementation=";

/// True for words that no device reports, `NAME=VALUE`: other implementations, and other values of
/// constants that are tuned. Such a variant does what the kernel's other variants do, and a
/// measurement decides.
inline bool isChoice(std::string_view word) { return word.find('=') != word.npos; }

//===--- Vulkan ------------------------------------------------------------===//

/// docs/vulkan-abi.md explains each. They are in the order of the words, with the most common
/// features first.
enum class VulkanFeature : uint8_t {
  Float16,
  Float64,
  Int16,
  Int64,
  Int64Atomics,
  Int8,
  MemoryModel,
  Push16,
  Push8,
  SharedInt64Atomics,
  Storage16,
  Storage8,
  SubgroupArithmetic,
  SubgroupBallot,
  SubgroupBasic,
  SubgroupClustered,
  SubgroupExtendedTypes,
  SubgroupShuffle,
  SubgroupShuffleRelative,
  SubgroupVote,
  BufferAddresses,
  CooperativeMatrixMma, ///< matrices whose components lie as PTX's mma has them
  Float16Atomics,
  Float16Denorms,
  Float16InfNan,
  Float16MinMaxAtomics,
  Float32Atomics,
  Float32Denorms,
  Float32InfNan,
  Float32MinMaxAtomics,
  Float64Atomics,
  Float64Denorms,
  Float64InfNan,
  Float64MinMaxAtomics,
  ShaderClock, ///< a counter of the device's cycles
  Shared48k,   ///< 48 KiB of shared memory for a block
  SharedFloat16Atomics,
  SharedFloat16MinMaxAtomics,
  SharedFloat32MinMaxAtomics,
  SharedFloat64MinMaxAtomics,
  None, ///< no feature that variants ask for
};

/// A row of the table of words.
struct FeatureWord {
  char word[30];
  Presence presence;
};

/// One row for each VulkanFeature, in that order. Rows have no pointers, so the loader's library
/// needs no relocations for them.
inline constexpr FeatureWord vulkanFeatures[] = {
    {"float16", Presence::Usual},
    {"float64", Presence::Usual},
    {"int16", Presence::Usual},
    {"int64", Presence::Usual},
    {"int64-atomics", Presence::Usual},
    {"int8", Presence::Usual},
    {"memory-model", Presence::Usual},
    {"push16", Presence::Usual},
    {"push8", Presence::Usual},
    {"shared-int64-atomics", Presence::Usual},
    {"storage16", Presence::Usual},
    {"storage8", Presence::Usual},
    {"subgroup-arithmetic", Presence::Usual},
    {"subgroup-ballot", Presence::Usual},
    {"subgroup-basic", Presence::Usual},
    {"subgroup-clustered", Presence::Usual},
    {"subgroup-extended-types", Presence::Usual},
    {"subgroup-shuffle", Presence::Usual},
    {"subgroup-shuffle-relative", Presence::Usual},
    {"subgroup-vote", Presence::Usual},
    {"buffer-addresses", Presence::Variant},
    {"cooperative-matrix-mma", Presence::Variant},
    {"float16-atomics", Presence::Variant},
    {"float16-denorms", Presence::Rare},
    {"float16-inf-nan", Presence::Rare},
    {"float16-minmax-atomics", Presence::Variant},
    {"float32-atomics", Presence::Variant},
    {"float32-denorms", Presence::Rare},
    {"float32-inf-nan", Presence::Rare},
    {"float32-minmax-atomics", Presence::Variant},
    {"float64-atomics", Presence::Variant},
    {"float64-denorms", Presence::Rare},
    {"float64-inf-nan", Presence::Rare},
    {"float64-minmax-atomics", Presence::Variant},
    {"shader-clock", Presence::Rare},
    {"shared-48k", Presence::Variant},
    {"shared-float16-atomics", Presence::Variant},
    {"shared-float16-minmax-atomics", Presence::Variant},
    {"shared-float32-minmax-atomics", Presence::Variant},
    {"shared-float64-minmax-atomics", Presence::Variant},
};
static_assert(std::size(vulkanFeatures) == static_cast<size_t>(VulkanFeature::None));

/// Returns the word, such as "float16-atomics". `feature` must not be None.
constexpr const char *wordOf(VulkanFeature feature) {
  return vulkanFeatures[static_cast<size_t>(feature)].word;
}

//===--- CUDA ---------------------------------------------------------------===//

/// Graphs with loops, whose code tells them whether they go on: drivers since CUDA 12.4.
inline constexpr char conditionalGraphs[] = "conditional-graphs";
/// Code knows by an odd address of its schedule that it runs in such a graph.
inline constexpr char graphAddresses[] = "graph-addresses";

//===--- Metal -------------------------------------------------------------===//

/// Code reaches buffers by addresses, which systems with Metal 3 give. The matrix unit, which GPUs
/// of Apple's family 7 have. Atomic minima and maxima of `u64`, which those of family 9 have.
inline constexpr FeatureWord metalFeatures[] = {{"buffer-addresses", Presence::Usual},
                                                {"simdgroup-matrix", Presence::Usual},
                                                {"int64-minmax-atomics", Presence::Rare}};
inline constexpr const char *metalAddresses = metalFeatures[0].word,
                            *metalMatrices = metalFeatures[1].word,
                            *metalInt64MinMax = metalFeatures[2].word;

//===--- Numbers -----------------------------------------------------------===//

/// The names that `NAME>=N` may ask for.
namespace numbers {
inline constexpr char blockThreads[] = "block-threads";     ///< Vulkan: threads of a block
inline constexpr char pushBytes[] = "push-bytes";           ///< Vulkan: of push constants
inline constexpr char sharedBytes[] = "shared-bytes";       ///< Vulkan: of a block's shared memory
inline constexpr char storageBuffers[] = "storage-buffers"; ///< Vulkan: that a kernel may bind
inline constexpr char ptx[] = "ptx"; ///< CUDA: the version of the newest PTX that the driver takes
} // namespace numbers

} // namespace sextant::abi
