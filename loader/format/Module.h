// What a module says, as plain values: the packager fills them in, the reader
// returns them. How they lie in the file is Format.h's business.
//
// They mirror what sema and the backends produce without including them: the
// format is a leaf of standard C++ that both the compiler and the loader use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::module {

//===--- Signatures --------------------------------------------------------===//

/// Scalar types. The numbers are those of the file and of the C interface
/// (`sxt_dtype`); 0 is no type.
enum class DType : uint8_t {
  Bool = 1, ///< one byte, 0 or 1
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
};

inline constexpr unsigned dtypeEnd = 13; ///< one past the last

/// Bytes of one scalar in memory.
unsigned sizeOf(DType type);
/// "u1", "i32", "f64", …, as the kernel language spells them.
std::string_view nameOf(DType type);

/// One argument as the application passes it.
struct Argument {
  enum Kind : uint8_t {
    Array = 1,
    Scalar = 2,
    Matrix = 3, ///< by value, row-major; vectors have cols = 1
  } kind = Scalar;
  std::string name;
  DType dtype = DType::I32;
  unsigned ndim = 0;           ///< arrays: dimensions
  unsigned rows = 1, cols = 1; ///< element shape of arrays, shape of a matrix

  bool operator==(const Argument &) const = default;
};

/// A buffer that the loader supplies after the arguments: one a device and
/// module (fields), or one a launch (returns, carried locals, the record of a fault).
struct Hidden {
  enum Role : uint8_t { Field = 1, Return = 2, Carry = 3, Fault = 4 } role = Field;
  /// Of the field or local; returns: "return" + number; faults: the texts of the sites that
  /// may record one, a line each.
  std::string name;
  DType dtype = DType::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< fields: extents; rows and cols are the element's
  unsigned rows = 1, cols = 1;
  /// Fields: which of ModuleInfo::globals. Kernels that name the same global
  /// share the buffer. The builder fills it in.
  uint32_t global = noGlobal;
  /// Fields, for the builder alone: the source that defines it, where that is not the kernel's.
  uint32_t source = noGlobal;

  static constexpr uint32_t noGlobal = 0xffffffffu;
  static constexpr uint64_t faultWords = 8; ///< scalars of a fault's record, each u32
  bool operator==(const Hidden &) const = default;
};

//===--- Launches ----------------------------------------------------------===//

/// An integer expression over a kernel's parameters, in reverse Polish order over
/// a stack of i64, without wrapping: see Launch.cpp. `Param` counts the parameters of `layoutOf`.
struct LaunchExpr {
  enum Op : uint8_t {
    Constant = 1, ///< pushes value
    Param = 2,    ///< pushes the scalar parameter number value, sign- or zero-extended
    Add = 3,
    Sub = 4,
    Mul = 5,
    FloorDiv = 6, ///< rounds to minus infinity
    Mod = 7,      ///< takes the divisor's sign
    Min = 8,
    Max = 9,
    Neg = 10,
  };
  struct Item {
    Op op = Constant;
    int64_t value = 0;
    bool operator==(const Item &) const = default;
  };
  std::vector<Item> items;
  bool operator==(const LaunchExpr &) const = default;
};

/// One hardware kernel of a kernel.
struct Task {
  std::string symbol;      ///< its name in the image
  unsigned blockDim = 1;   ///< threads a block; 1 for serial tasks
  bool serial = false;     ///< one block of one thread
  bool fullBlocks = false; ///< iterations must be a multiple of blockDim
  /// The grid is ceil(iterations / blockDim); 0 iterations: nothing is launched.
  /// Absent: the loader picks the grid (not serial), or one block (serial).
  std::optional<LaunchExpr> iterations;
  bool operator==(const Task &) const = default;
};

/// How the variants of one wave size are launched: the tasks in order, and the
/// hidden buffers that they share. Wave sizes whose plans are equal share one.
struct Plan {
  std::vector<Hidden> hidden;
  std::vector<Task> tasks;
  bool operator==(const Plan &) const = default;
};

//===--- Variants ----------------------------------------------------------===//

/// What an image is built for, written `backend:arch[+feature…]/waveN`.
struct Target {
  std::string backend;               ///< "cpu", "cuda", …
  std::string arch;                  ///< "x86-64-v3", "sm_90", "compute_90", …
  std::vector<std::string> features; ///< variant features, sorted
  unsigned wave = 32;                ///< lanes a subgroup
  bool operator==(const Target &) const = default;
};
std::string str(const Target &target);

/// What the toolchain told about one task of one image; -1 where it did not.
struct Resources {
  int32_t registers = -1;       ///< a thread; AMD: vector registers
  int32_t spillBytes = -1;      ///< a thread, spill loads and stores
  int32_t stackBytes = -1;      ///< a thread; AMD: scratch
  int32_t sharedBytes = -1;     ///< a block; CUDA: past 48 KiB all of it comes with the launch
  int32_t scalarRegisters = -1; ///< a wave, where the hardware has them
  int32_t occupancy = -1;       ///< waves of this code that a SIMD unit holds at most
  bool operator==(const Resources &) const = default;
};

/// A kernel's code for one target.
struct Variant {
  Target target;
  uint32_t plan = 0;                     ///< of Kernel::plans
  uint32_t image = 0;                    ///< of the module's images
  std::string format;                    ///< of the image: "elf", "cubin", "ptx"
  std::vector<std::string> requirements; ///< device features it needs, sorted
  std::vector<Resources> resources;      ///< one a task of the plan
  bool operator==(const Variant &) const = default;
};

/// A target that was asked for and cannot run the kernel.
struct Refusal {
  Target target;
  std::string reason; ///< one line, as the compiler said it
  bool operator==(const Refusal &) const = default;
};

//===--- Kernels and modules -----------------------------------------------===//

struct Kernel {
  std::string name;     ///< as written in the source
  std::string instance; ///< name plus what it was instantiated with; unique in the module
  std::string doc;      ///< its docstring, without the indentation; no part of the ABI
  uint32_t source = 0;  ///< of ModuleInfo::sources
  uint64_t abiHash = 0; ///< abiHashOf(*this)
  std::vector<Argument> arguments;
  std::vector<Plan> plans;
  std::vector<Variant> variants; ///< the compiler writes them sorted by target
  std::vector<Refusal> refusals;
  bool operator==(const Kernel &) const = default;
};

/// A source file that kernels came from, or that those imported.
struct Source {
  std::string path;               ///< as the command line or the import gave it
  std::array<uint8_t, 16> hash{}; ///< XXH3-128 of its bytes, canonical (big-endian) order
  bool operator==(const Source &) const = default;
};

/// A field: memory that all kernels of one source share, one copy a device and
/// loaded module, all zero at first.
struct Global {
  std::string name;
  uint32_t source = 0; ///< whose field; names are unique within a source
  DType dtype = DType::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< extents, without the element's
  unsigned rows = 1, cols = 1;
  bool operator==(const Global &) const = default;
};

/// What holds for the whole module.
struct ModuleInfo {
  std::string compiler; ///< name and version of what wrote it
  std::string options;  ///< the options that shaped the code, as text
  std::vector<Source> sources;
  std::vector<Global> globals;
  bool operator==(const ModuleInfo &) const = default;
};

//===--- Derived facts -----------------------------------------------------===//

/// One entry of the argument block.
struct Param {
  enum Kind : uint8_t { Buffer, Value } kind = Value;
  DType dtype = DType::I32;
  uint32_t offset = 0; ///< bytes from the block's start
  uint32_t size = 0;   ///< bytes: 8 for buffers
};

/// The argument block: for each argument an array's pointer then its extents
/// (I32), a scalar, or a matrix's scalars; then one pointer a hidden buffer. Each
/// entry is aligned to its size.
struct BlockLayout {
  std::vector<Param> params;
  uint32_t size = 0;                ///< bytes, a multiple of 8
  std::vector<uint32_t> firstParam; ///< one an argument, then one a hidden buffer
};
BlockLayout layoutOf(std::span<const Argument> arguments, std::span<const Hidden> hidden);

/// The return values among a plan's hidden buffers, in order.
std::vector<const Hidden *> returnsOf(const Plan &plan);
/// All plans of a kernel return the same: a caller does not know which variant runs.
bool sameReturns(std::span<const Hidden *const> a, std::span<const Hidden *const> b);

/// Hash of what a caller of the kernel relies on: its arguments (kinds, names,
/// types, dims, shapes, in order) and its return values. Generated headers carry it.
uint64_t abiHashOf(const Kernel &kernel);

/// The deepest stack that a launch expression may need.
inline constexpr unsigned maxLaunchDepth = 32;
/// Why `expr` is not a launch expression of a kernel whose arguments have these parameters,
/// followed by so many hidden buffers (stack discipline, operators, indices of scalar
/// integers), or "".
std::string checkLaunchExpr(const LaunchExpr &expr, std::span<const Param> params,
                            uint64_t buffers);
/// The expression's value; `params` holds one i64 a parameter (buffers: anything).
/// Absent: a division by zero, or an expression that checkLaunchExpr refuses.
std::optional<int64_t> evaluate(const LaunchExpr &expr, std::span<const int64_t> params);

} // namespace sextant::module
