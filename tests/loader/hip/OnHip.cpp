// The contract on AMD's GPUs, through HIP.
#include "tests/loader/contract/Contract.h"

#include <dlfcn.h>

namespace {

/// Returns true if the runtime can change the kernels of a graph. The loader makes no graphs
/// without.
bool changesGraphs() {
  for (const char *name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"})
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return dlsym(library, "hipGraphExecKernelNodeSetParams") != nullptr;
  return false;
}

} // namespace

const sextant::test::Subject sextant::test::onHip = {
    .backend = "amdgpu", .hasGraphs = changesGraphs, .hasNativeStreams = true};
