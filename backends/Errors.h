// The errors that backends return: texts, and the one without a text.
#pragma once

#include "llvm/Support/Error.h"

namespace sextant {

/// An error with a text.
inline llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The error of a compilation whose reasons went to the context's diagnostics handler.
class AlreadyReported : public llvm::ErrorInfo<AlreadyReported> {
public:
  static inline char ID = 0;
  void log(llvm::raw_ostream &) const override {} // toString() gives ""
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

inline llvm::Error alreadyReported() { return llvm::make_error<AlreadyReported>(); }

} // namespace sextant
