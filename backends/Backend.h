// The interface between the compiler and its targets. A backend turns the tasks of one kernel
// instance into one image for one target. backends/Backends.cpp lists all backends.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace sextant {

/// A target, written `backend:arch[+feature…]/waveN`.
struct Target {
  std::string backend;               ///< "cpu", "cuda", …
  std::string arch;                  ///< "x86-64-v3", "sm_90", "compute_90", …
  std::vector<std::string> features; ///< variant features, sorted
  unsigned wave = 32;                ///< lanes a subgroup

  std::string str() const;
};

/// An architecture that a backend knows.
struct Arch {
  std::string name;
  std::vector<unsigned> waves; ///< legal wave sizes, the default first
  std::string description;
  bool major = false; ///< part of `all-major`
  /// Wave sizes that are legal too, but only if a target names them.
  std::vector<unsigned> extraWaves = {};
};

/// The toolchain's report on a compiled task. A number is -1 if the toolchain did not report it.
struct TaskResources {
  std::string task;         ///< the function's name in the IR
  int registers = -1;       ///< a thread; AMD: vector registers
  int spillBytes = -1;      ///< a thread, spill loads and stores
  int stackBytes = -1;      ///< a thread; AMD: scratch
  int sharedBytes = -1;     ///< a block, static
  int scalarRegisters = -1; ///< a wave, where the hardware has them
  int occupancy = -1; ///< waves of this code that a SIMD unit holds at most; CUDA: a multiprocessor
  unsigned blockDim = 0; ///< threads a block; 0: not known
};

/// Machine code, opaque to the packager.
struct Image {
  std::string format; ///< "elf", "cubin", "ptx", …
  llvm::SmallVector<char, 0> bytes;
  std::vector<TaskResources> tasks;      ///< one a task, in the module's order
  std::vector<std::string> requirements; ///< device features it needs, sorted
  bool isDraft = false;                  ///< Backend::complete() has to make the code
};

/// A stage of a backend's pipeline, after which --dump-ir prints.
struct StageInfo {
  llvm::StringRef name;
  llvm::StringRef help; ///< one line about the step
};

#ifdef NDEBUG
inline constexpr bool hasAssertions = false;
#else
inline constexpr bool hasAssertions = true;
#endif

struct CompileOptions {
  unsigned optLevel = 3; ///< 0 to 3
  /// -g: source lines in the image. Without optimisation, variables too, if the backend has them.
  bool lineInfo = false;
  std::string saveTemps;           ///< path prefix for intermediate files; empty: do not keep them
  std::vector<std::string> dumpIr; ///< stages after which to print; "all" for every one
  llvm::raw_ostream *dumpStream = nullptr; ///< the output; must be set when dumpIr is not empty
  /// compile() may return drafts of images, for complete().
  bool drafts = false;
  /// Verify the result of each stage. Tests turn it on in builds without assertions.
  bool verifyStages = hasAssertions;
};

/// A backend is stateless and thread-safe: calls on different modules of different contexts may run
/// at once.
class Backend {
public:
  virtual ~Backend() = default;
  virtual llvm::StringRef name() const = 0;
  /// Every architecture, least capable first.
  virtual llvm::ArrayRef<Arch> archs() const = 0;
  /// Finds an architecture that archs() need not list, because it is one of them with more details,
  /// as in clang's target IDs: `gfx90a:xnack+`. The name in the result is canonical. Empty: the
  /// backend has no such architecture. An error: it has, but the details are wrong.
  virtual llvm::Expected<std::optional<Arch>> parseArch(llvm::StringRef /*name*/) const {
    return std::nullopt;
  }
  /// The variant features that a target may name, as in `vulkan:1.1+float32-atomics`.
  virtual llvm::ArrayRef<std::string> features() const { return {}; }
  /// The architectures of this machine's own devices, for the target `native`.
  virtual std::vector<std::string> nativeArchs() const { return {}; }
  /// True if a target without `/waveN` means every legal wave size, false if it means the default
  /// one.
  virtual bool everyWaveByDefault() const { return true; }
  /// A problem with the backend's tools that deserves one warning a run ("ptxas not found: …"), or
  /// "".
  virtual std::string toolWarning(const Target &target) const { return ""; }
  /// The programs and files that this backend reads to compile for `target`, beside its own code.
  /// Caches hash them. An empty path stands for a missing file.
  virtual std::vector<std::string> toolFiles(const Target & /*target*/) const { return {}; }
  /// The variants that `target` means for this kernel, including the target itself. There are
  /// several if `module` does something that some devices have an instruction for and others need a
  /// loop for. The faster ones carry a variant feature. `module` is not changed.
  virtual std::vector<Target> variants(mlir::ModuleOp /*module*/, const Target &target) const {
    return {target};
  }
  /// True if compile() makes the same image of `module` for all wave sizes of an architecture, so
  /// that one compilation does. Nothing in `module` asked for the wave size so far.
  virtual bool ignoresWave(mlir::ModuleOp /*module*/) const { return false; }
  /// True if images for debuggers show variables. Otherwise compile() gets no `simt.debug_value`.
  virtual bool showsVariables() const { return false; }
  /// Bytes of shared arrays that a block may have. Kernels may ask for it, so it is the same for
  /// all devices that run the target's code.
  virtual uint64_t sharedLimit(const Target &target) const = 0;
  /// The generation of the matrix unit that all devices have which run the target's code, by the
  /// name of the first processor with it ("sm_80", "gfx90a"). The library knows its instructions
  /// (frontend/library/matrices). Empty: the target has no matrix unit.
  virtual llvm::StringRef matrixUnit(const Target & /*target*/) const { return ""; }
  /// The features with which a target has a larger sharedLimit or a matrixUnit, sorted: devices may
  /// have them. Kernels that ask for such facts come in variants with and without each.
  virtual std::vector<std::string> factFeatures() const { return {}; }
  /// Threads a block of light loops (hir::Task::light): 128 or 256.
  virtual unsigned lightBlock() const { return 128; }
  /// Threads a block of loops whose blocks may take turns (hir::Task::turns), so that they collect
  /// updates of one place: 128, 256 or 512; 0: they take no turns.
  virtual unsigned turnBlock() const { return 0; }
  /// The stages of compile() after which --dump-ir prints, in order.
  virtual std::vector<StageInfo> stages() const { return {}; }
  /// Emits an error at the op for everything in `module` that `target` cannot do.
  virtual mlir::LogicalResult check(mlir::ModuleOp module, const Target &target) const = 0;
  /// Compiles the tasks of `module`, and may change the module. Diagnostics on the kernel's source
  /// go to the context's handler; the returned error is then alreadyReported() (Errors.h).
  virtual llvm::Expected<Image> compile(mlir::ModuleOp module, const Target &target,
                                        const CompileOptions &options) const = 0;
  /// Completes drafts that compile() made for `target` with `options`, since one run of a tool
  /// makes many of them. The result doesn't depend on which ones come together. Returns the error
  /// of each one.
  virtual std::vector<llvm::Error> complete(llvm::ArrayRef<Image *> /*drafts*/,
                                            const Target & /*target*/,
                                            const CompileOptions & /*options*/) const {
    return {};
  }
  /// Returns the assembly text of an image that compile() made.
  virtual llvm::Expected<std::string> disassemble(llvm::ArrayRef<char> image,
                                                  const Target &target) const = 0;
};

/// All backends of this build, in the order in which help lists them.
llvm::ArrayRef<const Backend *> allBackends();
/// Returns the backend of that name, or null.
const Backend *findBackend(llvm::StringRef name);

} // namespace sextant
