// Patterns by which the command line names part of a module: some kernels, some targets.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"

namespace sextant::packager {

/// `TARGET`, `KERNEL@TARGET`, or `kernel:KERNEL` for all of its targets.
///
/// TARGET is a pattern of module::matches ("cuda", "sm_90", "amdgpu:gfx1100/wave32", "/wave8").
/// KERNEL is an instance's name, or a kernel's name for all of its instances. In both, `*` stands
/// for any text and `?` for any letter.
struct Pattern {
  std::string text;
  std::string kernel = "*", target = "*";

  bool isAnyTarget() const { return target == "*"; }
  bool namesKernel(const module::Kernel &one) const;
  bool namesTarget(const module::Target &one) const;
  bool names(const module::Kernel &one, const module::Target &of) const {
    return namesKernel(one) && namesTarget(of);
  }
};

/// InvalidInput: a part is empty.
module::Result<Pattern> parsePattern(std::string_view text);
module::Result<std::vector<Pattern>> parsePatterns(const std::vector<std::string> &texts);

/// Returns true if `text` matches `glob`, in which `*` stands for any text and `?` for any letter.
bool matchesGlob(std::string_view glob, std::string_view text);

/// Checks that each pattern names a variant or a refusal of some kernel. NotFound: the message
/// lists what there is, and suggests the nearest.
module::Status checkPatterns(std::span<const module::Kernel> kernels,
                             std::span<const Pattern> patterns);

/// Returns "a, b, c and 7 more": the first `most` of `list`.
std::string listSome(const std::vector<std::string> &list, size_t most = 8);
/// listSome(), followed by a suggestion if there is one.
std::string listNear(const std::vector<std::string> &list, const std::string &near);
/// The kernels' names by listNear(), with what is nearest to `wanted`.
std::string kernelsNear(std::span<const module::Kernel> kernels, std::string_view wanted);
/// Returns each target of the kernels' variants and refusals once, in canonical order.
std::vector<std::string> targetsOf(std::span<const module::Kernel> kernels);

} // namespace sextant::packager
