// GDB's JIT interface (chapter "JIT Compilation Interface" of its manual). Names and layout are
// GDB's.
#pragma once

#include <cstdint>

extern "C" {

struct JitCode {
  JitCode *next, *previous;
  const char *image;
  uint64_t bytes;
};

struct JitDescriptor {
  uint32_t version, action;
  JitCode *relevant, *first;
};

extern JitDescriptor __jit_debug_descriptor;
/// GDB sets a breakpoint here.
void __jit_debug_register_code();
}
