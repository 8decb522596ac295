// The content of a module, as plain values. The packager fills them in, the reader returns them.
// Format.h defines how they lie in the file.
//
// They mirror what sema and the backends produce without including them: the format is standard C++
// on top of loader/abi, which both the compiler and the loader use.
#pragma once

#include "loader/abi/LaunchExpr.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::module {

//===--- What compiler and loader agree on beside the format ---------------===//

using DType = abi::ScalarType;
inline constexpr unsigned dtypeEnd = abi::scalarTypeEnd;
using abi::Argument;
using abi::arrayAlignment;
using abi::BlockLayout;
using abi::checkLaunchExpr;
using abi::evaluate;
using abi::Hidden;
using abi::LaunchExpr;
using abi::layoutOf;
using abi::maxLaunchDepth;
using abi::nameOf;
using abi::Param;
using abi::sizeOf;

//===--- Launches ----------------------------------------------------------===//

/// One hardware kernel of a kernel.
struct Task {
  std::string symbol;      ///< its name in the image
  unsigned blockDim = 1;   ///< threads a block; 1 for serial tasks
  bool serial = false;     ///< one block of one thread
  bool fullBlocks = false; ///< iterations must be a multiple of blockDim
  /// The grid is ceil(iterations / blockDim); with 0 iterations the task does not run. If absent,
  /// the loader picks the grid (a parallel task), or one block (a serial one).
  std::optional<LaunchExpr> iterations;
  bool waits = false; ///< its blocks may wait for those of smaller numbers, which have to run first
  bool operator==(const Task &) const = default;
};

/// How the variants of one wave size are launched: the tasks in order, and the hidden buffers that
/// they share. Wave sizes with equal plans share one.
struct Plan {
  std::vector<Hidden> hidden;
  std::vector<Task> tasks;
  bool operator==(const Plan &) const = default;
};

//===--- Variants ----------------------------------------------------------===//

/// The target of an image, written `backend:arch[+feature…]/waveN`.
struct Target {
  std::string backend;               ///< "cpu", "cuda", …
  std::string arch;                  ///< "x86-64-v3", "sm_90", "compute_90", …
  std::vector<std::string> features; ///< variant features, sorted
  unsigned wave = 32;                ///< lanes a subgroup
  bool operator==(const Target &) const = default;
};
std::string str(const Target &target);
/// Returns true if str(target) is that text.
bool isNamed(const Target &target, std::string_view text);

/// The toolchain's report on one task of one image. A number is -1 if the toolchain did not report
/// it.
struct Resources {
  int32_t registers = -1;       ///< a thread; AMD: vector registers
  int32_t spillBytes = -1;      ///< a thread, spill loads and stores
  int32_t stackBytes = -1;      ///< a thread; AMD: scratch; CPU: tables that a call writes back
  int32_t sharedBytes = -1;     ///< a block; CUDA: past 48 KiB all of it comes with the launch
  int32_t scalarRegisters = -1; ///< a wave, where the hardware has them
  int32_t occupancy = -1; ///< waves of this code that a SIMD unit holds; CUDA: a multiprocessor
  bool operator==(const Resources &) const = default;
};

/// A kernel's code for one target.
struct Variant {
  Target target;
  uint32_t plan = 0;                     ///< number in Kernel::plans
  uint32_t image = 0;                    ///< number among the module's images
  std::string format;                    ///< the image's format: "elf", "cubin", "ptx"
  std::vector<std::string> requirements; ///< device features it needs, sorted
  std::vector<Resources> resources;      ///< one a task of the plan
  bool operator==(const Variant &) const = default;
};

/// A target that was requested and cannot run the kernel.
struct RefusedTarget {
  Target target;
  std::string reason; ///< one line, as the compiler said it
  bool operator==(const RefusedTarget &) const = default;
};

//===--- Kernels and modules -----------------------------------------------===//

struct Kernel {
  std::string name;     ///< as written in the source
  std::string instance; ///< the name and the values it was instantiated with; unique in the module
  std::string doc;      ///< its docstring, without the indentation; not part of the ABI
  uint32_t source = 0;  ///< number in ModuleInfo::sources
  uint64_t abiHash = 0; ///< abiHashOf(*this)
  std::vector<Argument> arguments;
  std::vector<Plan> plans;
  std::vector<Variant> variants; ///< the compiler writes them sorted by target
  std::vector<RefusedTarget> refusals;
  bool operator==(const Kernel &) const = default;
};

/// A source file that holds kernels, or that such a file imports.
struct Source {
  std::string path;               ///< as the command line or the import gave it
  std::array<uint8_t, 16> hash{}; ///< XXH3-128 of its bytes, canonical (big-endian) order
  bool operator==(const Source &) const = default;
};

/// A field: memory that all kernels of one source share. Each device and loaded module has one
/// copy, which is zero at first.
struct Global {
  std::string name;
  uint32_t source = 0; ///< whose field; names are unique within a source
  DType dtype = DType::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< extents, without the element's
  unsigned rows = 1, cols = 1;
  std::string structure = {}; ///< type of structs in one piece: as Argument::structure
  bool operator==(const Global &) const = default;
};

/// A text or bytes that the module carries for its user.
struct Attachment {
  std::string name; ///< unique in the module
  uint64_t bytes = 0;
  uint32_t pack = 0; ///< that holds it; the builder fills it in
  bool operator==(const Attachment &) const = default;
};

/// The facts about the module as a whole.
struct ModuleInfo {
  std::string compiler; ///< the name and version of the compiler that wrote it
  std::string options;  ///< the options that shaped the code, as text
  std::vector<Source> sources;
  std::vector<Global> globals;
  std::vector<Attachment> attachments; ///< sorted by name
  bool operator==(const ModuleInfo &) const = default;
};

//===--- Derived facts -----------------------------------------------------===//

/// Returns the return values among a plan's hidden buffers, in order.
std::vector<const Hidden *> returnsOf(const Plan &plan);
/// Returns true if both plans return the same values. All plans of a kernel must: a caller does not
/// know which variant runs.
bool sameReturns(std::span<const Hidden *const> a, std::span<const Hidden *const> b);

/// A hash of everything that a caller of the kernel relies on: its arguments (kinds, names, types,
/// dims, shapes, structs, in order) and its return values. Generated headers carry it.
uint64_t abiHashOf(const Kernel &kernel);

} // namespace sextant::module
