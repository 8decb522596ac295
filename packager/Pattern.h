// What the command line calls a part of a module by: some kernels, some targets.
#pragma once

#include "loader/format/Module.h"
#include "loader/format/Result.h"

namespace sextant::packager {

/// `TARGET`, `KERNEL@TARGET`, or `kernel:KERNEL` for all of its targets.
///
/// TARGET is as module::matches takes it ("cuda", "sm_90", "amdgpu:gfx1100/wave32", "/wave8");
/// KERNEL is an instance's name, or a kernel's for all of its instances. In both `*` stands for
/// any text and `?` for any letter.
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

/// Whether `text` is `glob` with something in place of each `*` and a letter for each `?`.
bool matchesGlob(std::string_view glob, std::string_view text);

/// "a, b, c and 7 more": the first `most` of `list`.
std::string listSome(const std::vector<std::string> &list, size_t most = 8);
/// Each target that a variant or refusal of the kernels has, once, in canonical order.
std::vector<std::string> targetsOf(std::span<const module::Kernel> kernels);

} // namespace sextant::packager
