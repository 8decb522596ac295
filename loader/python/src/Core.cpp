// The extension module sextant._core.
#include "Arguments.h"
#include "Common.h"
#include "Libraries.h"
#include "Waits.h"

NB_MODULE(_core, module) {
  using namespace sextant::python;
  requireMainInterpreter();
  translateCasts();
  module.doc() = "The loader's calls. Programs use the package `sextant`.";
  int major = 0, minor = 0, patch = 0;
  sxt_version(&major, &minor, &patch);
  module.attr("__version__") =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  module.attr("SCALAR_TYPES") = scalarTypes();
  bindStreams(module);
  bindDevices(module);
  bindArrays(module);
  bindModules(module);
  bindKernels(module);
  bindLaunches(module);
  bindGraphs(module);
  bindPrints(module);
  // Gives back the rest before the interpreter ends.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    finishDevices();
    // Daemon threads and waits that were left keep what they use, which nanobind would report.
    if (!reapWaits() || int64From(nb::module_::import_("_thread").attr("_count")(), "threads") > 0)
      nb::set_leak_warnings(false);
    forgetLibraries();
  }));
}
