// The errors that backends return: errors with a text, and one without.
#pragma once

#include "llvm/Support/Error.h"

namespace sextant {

/// Makes an error with a text.
inline llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The error of a compilation that has sent its reasons to the context's diagnostics handler.
class AlreadyReported : public llvm::ErrorInfo<AlreadyReported> {
public:
  static inline char ID = 0;
  void log(llvm::raw_ostream &) const override {} // toString() gives ""
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

inline llvm::Error alreadyReported() { return llvm::make_error<AlreadyReported>(); }

} // namespace sextant
