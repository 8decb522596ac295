// Turns a syntax tree into kernels: names, types, compile-time evaluation, instantiation, inlining.
// Each kind of target needs a run of its own, unless the first one never asks what sets them apart.
#pragma once

#include "frontend/hir/Hir.h"
#include "frontend/spelling/Request.h"
#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Diagnostics.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sextant {

/// The facts of a target that analysis can depend on. Targets with equal facts share their kernels.
struct TargetFacts {
  unsigned wave = 32;             ///< lanes of a subgroup: a power of two, 1 to 64
  std::string backend = "cpu";    ///< `qd.cfg.arch`
  uint64_t sharedLimit = 1 << 16; ///< bytes of shared arrays that a block may have
  /// The generation of its matrix unit ("sm_80", "gfx90a"), as Backend::matrixUnit() has it; "": it
  /// has none that the library uses.
  std::string matrixUnit = {};

  auto operator<=>(const TargetFacts &) const = default;
};

/// One of them.
enum class Fact : uint8_t { Wave, Backend, SharedLimit, MatrixUnit };

/// Settings from outside the kernel file.
struct SemaOptions {
  TargetFacts target;
  /// Called whenever something depends on a fact of the target. Where it never is called with one,
  /// kernels and diagnostics are the same whatever that fact is, but for hir::Kernel::wave. May be
  /// null.
  std::function<void(Fact)> onFact;
  hir::Type defaultInt = hir::Type::I32;
  hir::Type defaultFloat = hir::Type::F32;
  bool asserts = false; ///< assertions are tested at run time
  bool checks = false;  ///< and so are indices, divisors, lanes, and convergence at barriers
  /// Arrays that launches pass have any number of scalars, and parallel loops any number of
  /// iterations: their positions, extents and counters are I64.
  bool largeArrays = false;
  /// For kernels that do not say it themselves, by `fast_math`: see hir::Kernel::fastMath.
  bool fastMath = false;
  /// A read of a field at a constant index outside of it reads what lies there, with a warning, and
  /// is not an error: the program that owns the field keeps that memory readable.
  bool outsideReads = false;
  /// Gradients that need what a kernel overwrites take it as an argument, `x.before`: the array as
  /// it was before the kernel. Otherwise they are refused.
  bool keepOverwritten = false;
  bool calls = false; ///< for debuggers: the HIR says which calls were inlined
  /// For debuggers that show every variable: locals know their variables, parameters of functions
  /// get locals of their own, and locals that nothing reads stay. Needs `calls`.
  bool variables = false;
  /// Module constants: the name, and the text of the value (`256`, `qd.f32`). They win over the
  /// file's assignments, and may name constants that the file does not assign.
  std::vector<std::pair<std::string, std::string>> constants;
  /// Requests such as `scan[dtype=qd.i32, n=256]`. A kernel without template or untyped parameters
  /// is always built once. Other kernels are built once for each request.
  std::vector<std::string> instantiations;
  /// For each instance, the members of struct arguments that stay arguments although nothing uses
  /// them, because other code of the kernel does.
  std::map<std::string, std::set<std::string>> keptMembers;
  /// Returns the parsed library module that implements a namespace ("subgroup", "block", "grid",
  /// "random"), or null if it has none. The callee owns the modules, which must outlive the sink.
  std::function<const ast::Module *(std::string_view name)> library;
  /// Returns the parsed user module for `from helpers import f` in `from` ("helpers"), or null if
  /// there is no such file. Ownership is the same.
  std::function<const ast::Module *(std::string_view name, const ast::Module &from)> import;
  /// Keeps a value's text from `constants` or `instantiations` as a file, since kernels may have
  /// positions in it. Ownership is the same. Without this function the text is dropped when the
  /// analysis ends.
  std::function<const SourceFile &(std::string text)> keepText;
  /// Called with each kernel before it is analysed, to show progress. May be null.
  std::function<void(std::string_view kernel)> onKernel;
  /// Called with each instance, and with the module constants that its analysis read, by the names
  /// that `constants` gives them. May be null; else analysis keeps book of what it reads.
  std::function<void(const std::string &instance, const std::set<std::string> &constants)> onReads;
  /// Called with each instance that is built for a request, and the request. May be null.
  std::function<void(const std::string &instance, const Request &request)> onRequest;
  /// Called with each kernel that has errors: the instance, and for `@qd.perf_dispatch` the
  /// implementation that has them. Where a request leads to no instance of its own, its name is the
  /// one after `as`, or the whole text. May be null.
  std::function<void(const std::string &instance, const std::string &implementation)> onLost;
};

/// Returns all kernels of a file that could be analysed. Those with errors are left out, and the
/// sink has the errors. A diagnostic names the kernels that it was found in.
std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink);

/// Returns the library's modules that implement a namespace of `qd` ("algorithms"). Constants that
/// they assign without an underscore may be given: `qd.algorithms.SORT_ITEMS`.
std::vector<std::string_view> libraryModules(std::string_view space);

/// Returns whether an expression over the file's names and the options' constants holds
/// (`TILE * ITEMS <= 4096`), or why it has no such value.
std::optional<bool> evaluateCondition(const ast::Module &module, const SemaOptions &options,
                                      const std::string &text, std::string &problem);

} // namespace sextant
