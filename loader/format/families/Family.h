// The facts of a target family. Each family is a file in this folder and a row in Families.cpp.
// Selection, `sextant explain --as`, `extract`, `run` and the loader's devices read them.
#pragma once

#include "loader/abi/Features.h"
#include "loader/format/Fit.h"

#include <span>

namespace sextant::module {

/// A format of a family's images.
struct ImageFormat {
  const char *name;      ///< as modules record it: "cubin"
  const char *extension; ///< extension of files that hold such an image, without the dot
  bool isText = false;   ///< it may end with a NUL, which files leave out
};

/// A number that selection asks of a family's devices.
struct NumberWord {
  const char *name;       ///< its name in abi::numbers
  unsigned major, minor;  ///< version of a present-day desktop GPU
  bool isDrivers = false; ///< the driver's, whatever the device: factsOf() takes it as given here
};

/// Plain data and plain functions. All of it exists before main() and never changes.
struct Family {
  const char *name;   ///< name of its code, Target::backend: "amdgpu"
  const char *device; ///< name of its devices; a device's name begins with it: "hip"
  std::span<const ImageFormat> formats;
  /// Returns how code for `arch`, in an image of that format, fits a device of this family.
  Fit (*fit)(std::string_view arch, std::string_view format, std::string_view deviceArch);
  /// Returns the device that an architecture names, with its wave sizes. Absent if it is unknown.
  std::optional<KnownArch> (*known)(std::string_view arch);
  /// Set if architectures are versions, such as "1.3". A version does not tell the family, so
  /// targets name the family, and may leave out the version. This is then the version of a device
  /// that leaves it out. Null if architectures do not have versions.
  const char *version = nullptr;
  /// Orders architectures by their age, for what was measured on another one. Null if none is
  /// nearer than another.
  unsigned (*generation)(std::string_view arch) = nullptr;
  /// True if devices of one architecture differ in their wave size: a power of two from 4 to 128.
  bool hasAnyWave = false;
  std::span<const abi::FeatureWord> features = {}; ///< those that devices usually have come first
  std::span<const NumberWord> numbers = {};        ///< sorted by name
};

extern const Family cpuFamily, cudaFamily, amdgpuFamily, vulkanFamily, metalFamily;

/// All families.
std::span<const Family *const> families();
/// Returns the family whose code has that name, or null.
const Family *findFamily(std::string_view name);
/// Finds a format of any family, or null.
const ImageFormat *findFormat(std::string_view name);

} // namespace sextant::module
