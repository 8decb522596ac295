// Clang's offload bundle, in which HIP programs carry code objects.
#pragma once

#include "packager/Describe.h"

namespace sextant::packager {

/// Code objects of one kernel as a bundle with an empty entry for the host, as hipcc's --genco
/// writes it and hipModuleLoadData takes it. Bundle ids are "hipv4-amdgcn-amd-amdhsa--" and the
/// target ID. Layout: "Clang Offload Bundler" in clang's documentation, uncompressed; code objects
/// start at multiples of 4096, as the HIP runtime maps them.
///
/// InvalidInput: an image is no code object, or two are for one target ID (of two wave sizes).
module::Result<std::vector<std::byte>> offloadBundle(std::span<const Extracted> images);

} // namespace sextant::packager
