// The list of device backends: a new one is a folder, a row here and a name in sextant/backends.h.
// Among devices of one rank it is the order of preference. In the static library this is an object
// of its own, which a program with a list of its own does not link.
#include "sextant/backends.h"

const sxt_backend *const sxt_backends[] = {
    &sxt_backend_cuda,   &sxt_backend_hip, &sxt_backend_metal,
    &sxt_backend_vulkan, &sxt_backend_cpu, nullptr,
};
