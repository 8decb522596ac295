// The arrays and fields that kernels read and write, as a module tells it to tapes of gradients.
#pragma once

#include "frontend/hir/Hir.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace sextant {

/// Collects accesses of a module's kernels. A kernel may differ between targets: what one of them
/// does counts.
class Accesses {
public:
  /// \param source the number of the kernel's file
  void add(const hir::Kernel &kernel, size_t source);
  /// The attachment `packager::accessesAttachment`, which docs/module-format.md describes: of the
  /// files in which a kernel has a gradient. Empty if no kernel has one.
  std::string text() const;

private:
  struct Access {
    bool isRead = false, isWritten = false;
  };
  using Memory = std::pair<std::string, std::string>; ///< "array" or "field", and its name
  using Kernel = std::pair<size_t, std::string>;      ///< a file, and an instance
  std::map<Kernel, std::map<Memory, Access>> kernels;
  std::set<size_t> withGradients; ///< files
};

} // namespace sextant
