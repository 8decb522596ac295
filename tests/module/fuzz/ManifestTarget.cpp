// libFuzzer's entry to manifests: modules with their sources, or a refusal that says where.
#include "driver/commands/Manifest.h"
#include "tests/module/Exercise.h"

#include <sstream>

using namespace sextant;
using test::always;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::ostringstream out, err;
  std::istringstream in(std::string(reinterpret_cast<const char *>(data), size));
  Environment environment{out, err, "", {}, false, false, &in};
  try {
    const std::vector<ManifestModule> modules = readManifest(environment, "-");
    always(!modules.empty());
    for (const ManifestModule &module : modules)
      always(module.sources && !module.sources->empty() && module.output && module.line > 0);
  } catch (const Refusal &refusal) {
    always(std::string(refusal.what()).starts_with("-:"));
  }
  return 0;
}
