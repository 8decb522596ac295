// Clang's offload bundle, in which HIP programs carry code objects.
#pragma once

#include "packager/Describe.h"

namespace sextant::packager {

/// Makes a bundle of the code objects of one kernel, with an empty entry for the host, as hipcc's
/// --genco writes it and hipModuleLoadData takes it. Bundle ids are "hipv4-amdgcn-amd-amdhsa--" and
/// the target ID. The layout is described under "Clang Offload Bundler" in clang's documentation.
/// The bundle is uncompressed, and code objects start at multiples of 4096, because the HIP runtime
/// maps them.
///
/// InvalidInput: an image is not a code object, or two are for one target ID (of two wave sizes).
module::Result<std::vector<std::byte>> offloadBundle(std::span<const Extracted> images);

} // namespace sextant::packager
