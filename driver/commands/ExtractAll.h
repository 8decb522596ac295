// `sextant extract --all`: writes a folder of images, and a list that describes each.
#pragma once

#include "driver/Environment.h"
#include "packager/Describe.h"

namespace sextant {

/// Writes each image once, and manifest.json, into the new folder `output`, which appears whole or
/// not at all. Throws Refusal.
/// \param isJson prints the manifest instead of text
/// \param kernel, target patterns (packager/Pattern.h); empty: all
int extractAll(const module::Reader &reader, const std::string &kernel, const std::string &target,
               const std::string &output, bool isJson, Environment &environment);

/// Returns the extension of an image's file: so, cubin, ptx, hsaco, spv, metal.
std::string extensionOf(const std::string &format);
/// Returns an image in the form of a file: text loses the NUL that drivers want at its end.
std::span<const std::byte> fileBytes(const packager::Extracted &image);

} // namespace sextant
