// GDB's names (loader/devices/cpu/Debuggers.cpp) as the DLL has them. Those of the loader's other
// forms are weak, and MinGW's linker exports no weak names.
#include "loader/devices/cpu/GdbInterface.h"

extern "C" {

[[gnu::used]] JitDescriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

[[gnu::used, gnu::noinline]] void __jit_debug_register_code() { asm volatile("nop" ::: "memory"); }
}
