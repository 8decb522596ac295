// Python wheels of an application's files. The format is that of packaging.python.org,
// "Binary distribution format", version 1.0.
#pragma once

#include "packager/Zip.h"

namespace sextant::packager {

/// The facts that a wheel states about itself.
struct WheelFacts {
  std::string name;      ///< the distribution's name, as its author writes it
  std::string version;   ///< as checkVersion takes it
  std::string summary;   ///< one line
  std::string generator; ///< the program that made it, and its version
  std::string needs;     ///< the package that it needs, as in "sextant-kernels-loader~=0.2.0"
};

/// Returns the name in the form that files and packages have: lower case, and one `_` for each run
/// of `-`, `_` and `.`.
/// InvalidInput: no index takes the name. It has letters, digits, `-`, `_` and `.`, and begins and
/// ends with a letter or digit.
module::Result<std::string> normalizedName(std::string_view name);

/// InvalidInput: not a version of PEP 440 in its canonical form, such as 1.4, 2.0rc1, 1.0.post2,
/// 3.1.dev4 or 1.0+local.1.
module::Status checkVersion(std::string_view version);

/// `NAME-VERSION-py3-none-any.whl`. \param name as normalizedName returns it
std::string wheelFileName(std::string_view name, std::string_view version);

/// Returns a wheel of pure Python with these files and its own METADATA, WHEEL and RECORD. Equal
/// input makes equal bytes.
/// InvalidInput: as normalizedName, checkVersion and zipOf.
module::Result<std::vector<std::byte>> wheelOf(const WheelFacts &facts,
                                               std::vector<ArchivedFile> files);

} // namespace sextant::packager
