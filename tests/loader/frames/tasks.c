// Tasks with frames of all kinds, compiled as the compiler's own are (backends/cpu/Frames.cpp).
#include <stdint.h>

#define TASK(name)                                                                                 \
  __attribute__((visibility("default"))) void name(                                                \
      const void *args, void *shared, uint32_t blockBegin, uint32_t blockEnd, uint32_t gridDim)

/// Overwrites the registers that a callee saves.
#define USE_REGISTERS                                                                              \
  __asm__ volatile("not %%rbx\n not %%r12\n not %%r13\n not %%r14\n not %%r15" ::                  \
                       : "rbx", "r12", "r13", "r14", "r15")
#define USE_FRAME_POINTER __asm__ volatile("not %%rbp" ::: "rbp")

/// Nothing is pushed.
TASK(leaf) { ((volatile uint32_t *)shared)[0] = gridDim; }

/// Registers are pushed, one after the other.
TASK(pushes) {
  USE_REGISTERS;
  USE_FRAME_POINTER;
  ((volatile uint32_t *)shared)[0] = gridDim;
}

/// A frame of less than a page, and two returns.
TASK(small) {
  volatile char memory[1000];
  memory[blockBegin] = 1;
  if (blockEnd == 7) {
    USE_REGISTERS;
    return;
  }
  memory[blockEnd] = 2;
}

/// Some pages, which are touched one by one.
TASK(pages) {
  volatile char memory[20000];
  USE_REGISTERS;
  memory[blockBegin] = 1;
}

/// Many pages, which are touched in a loop.
TASK(loop) {
  volatile char memory[200000];
  USE_REGISTERS;
  memory[blockBegin] = 1;
}

/// A frame at an aligned address, which a frame pointer finds.
TASK(aligned) {
  _Alignas(64) volatile char memory[300];
  USE_REGISTERS;
  memory[blockBegin] = 1;
}

/// The same, of many pages.
TASK(alignedLoop) {
  _Alignas(64) volatile char memory[200000];
  USE_REGISTERS;
  memory[blockBegin] = 1;
}

/// More than the places of registers that Windows scales.
TASK(far) {
  volatile char memory[1000000];
  USE_REGISTERS;
  USE_FRAME_POINTER;
  memory[blockBegin] = 1;
}

static __attribute__((noinline)) void called(volatile char *at) {
  USE_REGISTERS;
  *at = 1;
}

/// A call, in which the caller's frame is looked for from its return address on.
TASK(calls) {
  volatile char memory[300];
  called(memory + blockBegin);
  called(memory + blockEnd);
}

/// Writes where its argument points, with a frame around.
TASK(writes) {
  _Alignas(32) volatile char memory[300];
  USE_REGISTERS;
  memory[blockBegin] = 1;
  **(volatile int32_t *const *)args = 42;
}
