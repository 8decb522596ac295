// From a syntax tree to kernels: names, types, compile-time evaluation,
// instantiation, inlining. One run a wave size.
#pragma once

#include "frontend/hir/Hir.h"
#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Diagnostics.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sextant {

/// What a build may set from outside the kernel file.
struct SemaOptions {
  unsigned wave = 32; ///< lanes of a subgroup: a power of two, 1 to 64
  hir::Type defaultInt = hir::Type::I32;
  hir::Type defaultFloat = hir::Type::F32;
  bool asserts = false; ///< assertions are tested at run time
  bool checks = false;  ///< and so are indices, divisors, lanes, and convergence at barriers
  bool calls = false;   ///< for debuggers: the HIR says which calls were inlined
  /// For debuggers that show every variable: locals know theirs, parameters of functions get
  /// locals of their own, and what is never read stays. Needs `calls`.
  bool variables = false;
  /// Module constants: name and text of the value (`256`, `qd.f32`). They win over what the
  /// file assigns, and may name constants that it does not.
  std::vector<std::pair<std::string, std::string>> constants;
  /// Requests such as `scan[dtype=qd.i32, n=256]`. A kernel without template or untyped
  /// parameters is always built once; the others once for each request.
  std::vector<std::string> instantiations;
  /// The parsed library module behind a namespace ("subgroup", "block", "grid", "random"), or
  /// null where it has none. Modules are owned by the callee and outlive the sink.
  std::function<const ast::Module *(std::string_view name)> library;
  /// The parsed user module that `from helpers import f` in `from` means ("helpers"), or null
  /// where there is no such file. Same ownership.
  std::function<const ast::Module *(std::string_view name, const ast::Module &from)> import;
  /// Keeps a value's text from `constants` or `instantiations` as a file: kernels may have
  /// positions in it. Same ownership. Without it the text goes when the analysis ends.
  std::function<const SourceFile &(std::string text)> keepText;
  /// Told of each kernel before it is analysed, to show progress. May be null.
  std::function<void(std::string_view kernel)> onKernel;
};

/// All kernels of a file that could be analysed; those with errors are left out and
/// the sink has the errors.
std::vector<hir::Kernel> analyze(const ast::Module &module, const SemaOptions &options,
                                 DiagnosticSink &sink);

} // namespace sextant
