// mslsim, as Bridge.h declares it. Not part of the build: build.sh compiles it where mslsim is.
//
// SEXTANT_MSLSIM_ORDER (forward, reverse, random) and SEXTANT_MSLSIM_SEED set the order
// in which threads run.
#include "Bridge.h"

#include "mslsim.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void tell(char *error, size_t bytes, const char *text) { std::snprintf(error, bytes, "%s", text); }

mslsim::RunOptions options() {
  mslsim::RunOptions options;
  const char *order = std::getenv("SEXTANT_MSLSIM_ORDER"),
             *seed = std::getenv("SEXTANT_MSLSIM_SEED");
  std::string name = order ? order : "";
  if (name == "reverse")
    options.order = mslsim::Order::Reverse;
  else if (name == "random")
    options.order = mslsim::Order::Random;
  if (seed)
    options.seed = std::strtoull(seed, nullptr, 10);
  options.timeout = 120;     // the machine may be busy
  options.stack = 512 << 10; // kernels are compiled without optimisation, so each value has a place
  return options;
}

} // namespace

void *sextantMslsimCompile(const char *text, size_t bytes, int languageMajor, int languageMinor,
                           char *error, size_t errorBytes) {
  try {
    mslsim::CompileOptions options;
    options.optimize = 0; // most of the time is the compiler's: kernels run once or twice
    options.metal_version = languageMajor * 10000 + languageMinor * 100;
    return new mslsim::Program(mslsim::compile(std::string(text, bytes), options));
  } catch (const std::exception &problem) {
    tell(error, errorBytes, problem.what());
    return nullptr;
  }
}

int sextantMslsimHas(void *program, const char *kernel) {
  for (const std::string &entry : static_cast<mslsim::Program *>(program)->entries())
    if (entry == kernel)
      return 1;
  return 0;
}

int sextantMslsimRun(void *program, const char *kernel, uint32_t grid, uint32_t block,
                     const BridgeBuffer *given, size_t count, size_t inTable, char *error,
                     size_t errorBytes) {
  try {
    // mslsim gives every buffer memory of its own and copies it back. Buffers that are
    // parts of the same memory would overwrite each other's results, so each gets a copy
    // here, and only the bytes that the kernel changed go back.
    std::vector<std::vector<char>> before(count), after(count);
    mslsim::Buffers buffers;
    mslsim::RunOptions how = options();
    std::vector<uint64_t> table(inTable);
    if (inTable)
      buffers[0] = mslsim::buffer(table);
    for (size_t i = 0; i < count; ++i) {
      const char *data = static_cast<const char *>(given[i].data);
      before[i].assign(data, data + given[i].bytes);
      after[i] = before[i];
      constexpr int beyondIndices = 31; // mslsim's numbers of buffers that only a table names
      int number = static_cast<int>(i);
      if (i < inTable) {
        number += beyondIndices;
        how.pointers.push_back({0, i * sizeof table[0], number, 0});
      } else if (inTable) {
        number = static_cast<int>(i - inTable) + 1;
      }
      buffers[number] = {after[i].data(), after[i].size()};
    }
    static_cast<mslsim::Program *>(program)->run(kernel, buffers, {grid, 1, 1}, {block, 1, 1}, how);
    for (size_t i = 0; i < count; ++i)
      for (size_t at = 0; at < before[i].size(); ++at)
        if (before[i][at] != after[i][at])
          static_cast<char *>(given[i].data)[at] = after[i][at];
    return 0;
  } catch (const std::exception &problem) {
    tell(error, errorBytes, problem.what());
    return 1;
  }
}

void sextantMslsimDestroy(void *program) { delete static_cast<mslsim::Program *>(program); }
