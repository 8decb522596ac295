// The questions of the stand-in for Metal to the library over mslsim: build.sh makes it where
// mslsim is, and the stand-in loads it at run time.
#pragma once

#include <cstddef>
#include <cstdint>

struct BridgeBuffer {
  void *data;
  size_t bytes;
};

extern "C" {
/// Null, and the reason in `error`, where Metal would reject the text.
void *sextantMslsimCompile(const char *text, size_t bytes, int languageMajor, int languageMinor,
                           char *error, size_t errorBytes);
/// True if the program has a kernel of that name.
int sextantMslsimHas(void *program, const char *kernel);
/// 0, or 1 with the reason in `error`. Of the `count` buffers the kernel reaches the first
/// `inTable` by a table of addresses, which is bound before the others.
int sextantMslsimRun(void *program, const char *kernel, uint32_t grid, uint32_t block,
                     const BridgeBuffer *buffers, size_t count, size_t inTable, char *error,
                     size_t errorBytes);
void sextantMslsimDestroy(void *program);
}
