// Cubins of many small PTX texts by few runs of ptxas.
#pragma once

#include "backends/cuda/Toolkit.h"

#include <vector>

namespace sextant {

/// True if the text is one that assembleMany() is for: small, and only entries.
bool isPlain(llvm::StringRef ptx);

/// Assembles each text. The results are what runPtxas() returns for it, whatever the others are.
/// \param request its text is not used
std::vector<llvm::Expected<PtxasResult>> assembleMany(const PtxasRequest &request,
                                                      llvm::ArrayRef<llvm::StringRef> texts);

} // namespace sextant
