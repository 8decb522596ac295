// Write beside, then rename.
#include "loader/system/File.h"
#include "packager/ModuleBuilder.h"

namespace sextant::packager {

module::Status writeFile(const std::string &path, std::span<const std::byte> bytes) {
  const std::string why = system::replaceFile(path, bytes, {});
  if (why.empty())
    return {};
  return {module::Code::Io, "cannot write '" + path + "': " + why};
}

} // namespace sextant::packager
