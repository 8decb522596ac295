// The one interface between the compiler and its targets. A backend turns the
// tasks of one kernel instance into one image for one target; backends/Backends.cpp
// holds the list of them all.
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

/// What an image is built for, written `backend:arch[+feature…]/waveN`.
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
  /// Legal as well, but only where a target names them.
  std::vector<unsigned> extraWaves = {};
};

/// What the toolchain tells about a compiled task; -1 where it does not.
struct TaskResources {
  std::string task;         ///< the function's name in the IR
  int registers = -1;       ///< a thread; AMD: vector registers
  int spillBytes = -1;      ///< a thread, spill loads and stores
  int stackBytes = -1;      ///< a thread; AMD: scratch
  int sharedBytes = -1;     ///< a block, static
  int scalarRegisters = -1; ///< a wave, where the hardware has them
  int occupancy = -1;       ///< waves of this code that a SIMD unit holds at most
};

/// Machine code, opaque to the packager.
struct Image {
  std::string format; ///< "elf", "cubin", "ptx", …
  llvm::SmallVector<char, 0> bytes;
  std::vector<TaskResources> tasks;      ///< one a task, in the module's order
  std::vector<std::string> requirements; ///< device features it needs, sorted
};

/// A step of a backend's pipeline, after which --dump-ir prints.
struct StageInfo {
  llvm::StringRef name;
  llvm::StringRef help; ///< one line: what the step does
};

#ifdef NDEBUG
inline constexpr bool hasAssertions = false;
#else
inline constexpr bool hasAssertions = true;
#endif

struct CompileOptions {
  unsigned optLevel = 3; ///< 0 to 3
  /// -g: source lines in the image; without optimisation, all that a debugger can be told.
  bool lineInfo = false;
  std::string saveTemps;                   ///< path prefix for intermediate files; empty: none
  std::vector<std::string> dumpIr;         ///< stages after which to print; "all" for every one
  llvm::raw_ostream *dumpStream = nullptr; ///< where; must be set when dumpIr is not empty
  /// Verify what each stage makes. Tests turn it on where the build has no assertions.
  bool verifyStages = hasAssertions;
};

/// Stateless and thread-safe: calls on different modules of different contexts
/// may run at once.
class Backend {
public:
  virtual ~Backend() = default;
  virtual llvm::StringRef name() const = 0;
  /// Every architecture, least capable first.
  virtual llvm::ArrayRef<Arch> archs() const = 0;
  /// An architecture that archs() need not list because it is one of them spelt out
  /// further, as clang's target IDs are: `gfx90a:xnack+`. Its name comes back canonical.
  /// Empty: not one of this backend's. An error: one of them, badly spelt out.
  virtual llvm::Expected<std::optional<Arch>> parseArch(llvm::StringRef /*name*/) const {
    return std::nullopt;
  }
  /// Architectures of this machine's own devices, for the target `native`.
  virtual std::vector<std::string> nativeArchs() const { return {}; }
  /// Whether a target without `/waveN` means every legal wave or the default one alone.
  virtual bool everyWaveByDefault() const { return true; }
  /// A backend's tool problem worth a warning once a run ("ptxas not found: …"), or "".
  virtual std::string toolWarning(const Target &target) const { return ""; }
  /// Programs and files that this backend reads to compile for `target`, beside its own code:
  /// caches hash them. An empty path stands for one that is not there.
  virtual std::vector<std::string> toolFiles(const Target & /*target*/) const { return {}; }
  /// The variants that `target` means for this kernel, the target itself among them. More
  /// than one where `module` does what some devices have an instruction for and others
  /// need a loop for: the faster ones carry a variant feature. `module` is not changed.
  virtual std::vector<Target> variants(mlir::ModuleOp /*module*/, const Target &target) const {
    return {target};
  }
  /// Whether images for debuggers show variables; compile() gets no `simt.debug_value` if not.
  virtual bool showsVariables() const { return false; }
  /// The stages of compile() after which --dump-ir prints, in their order.
  virtual std::vector<StageInfo> stages() const { return {}; }
  /// Emits an error at the op for everything in `module` that `target` cannot do.
  virtual mlir::LogicalResult check(mlir::ModuleOp module, const Target &target) const = 0;
  /// Compiles the tasks of `module`, which it may change. Diagnostics on the kernel's source go
  /// to the context's handler, and the error is alreadyReported() (Errors.h).
  virtual llvm::Expected<Image> compile(mlir::ModuleOp module, const Target &target,
                                        const CompileOptions &options) const = 0;
  /// Assembly text of an image that compile() made.
  virtual llvm::Expected<std::string> disassemble(llvm::ArrayRef<char> image,
                                                  const Target &target) const = 0;
};

/// All backends of this build, in the order in which help lists them.
llvm::ArrayRef<const Backend *> allBackends();
/// The backend of that name, or null.
const Backend *findBackend(llvm::StringRef name);

} // namespace sextant
