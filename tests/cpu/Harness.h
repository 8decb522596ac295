// Compiles tasks written as MLIR text for an architecture and a wave size, and
// runs them through the image's calling convention: in this process, or under an
// emulator for another architecture.
#pragma once

#include "tests/support/Catch.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace sextant {
struct Image;
}

namespace cputest {

/// The target that a task is built for.
struct Variant {
  std::string arch;
  unsigned wave = 32;
  bool isFast = false; ///< fast math
  std::string str() const { return arch + "/wave" + std::to_string(wave); }
};

/// Every wave size of every architecture that can run here, by itself or
/// emulated. `waves` empty: all.
std::vector<Variant> variants(std::vector<unsigned> waves = {});

/// An argument of a task: an array, which the task may change, or a scalar.
struct Arg {
  std::vector<uint8_t> bytes;
  bool isArray = false;

  template <typename T> static Arg array(const std::vector<T> &values) {
    Arg arg;
    arg.isArray = true;
    arg.bytes.resize(values.size() * sizeof(T));
    std::memcpy(arg.bytes.data(), values.data(), arg.bytes.size());
    return arg;
  }
  template <typename T> static Arg scalar(T value) {
    Arg arg;
    arg.bytes.resize(sizeof(T));
    std::memcpy(arg.bytes.data(), &value, sizeof(T));
    return arg;
  }
  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

/// A shared transform (frontend/ir/transforms) that runs on every text before it is
/// compiled; null: none.
extern const char *transformFirst;

/// How a task that runs in this process is called.
struct Call {
  const std::vector<char> &image; ///< the file
  uint64_t base;                  ///< where its address 0 is in memory
  void (*task)(const void *args, void *shared, uint32_t begin, uint32_t end, uint32_t grid);
  const void *args;
  void *shared;
  uint32_t grid;
};
extern void (*callTask)(const Call &call); ///< runs all blocks

/// Replaces `$W`, `$LOG` (its logarithm) in the text by the variant's wave.
std::string forWave(std::string text, unsigned wave);

/// Compiles `text` (a module; `simt.wave` is added) and runs task "task" over
/// `grid` blocks. A failure of any step fails the test.
void run(const std::string &text, const Variant &variant, std::vector<Arg> &args, unsigned grid);

/// Runs task "task" of an image that a test made for the variant by itself.
void run(const sextant::Image &image, const Variant &variant, std::vector<Arg> &args,
         unsigned grid);

/// Returns the compiler's objection to the text, or "".
std::string compileError(const std::string &text, const Variant &variant);

/// The image's assembly.
std::string assembly(const std::string &text, const Variant &variant);

} // namespace cputest
