// Arrays of structs in memory, `layout=qd.Layout.AOS`: one array, of which each member is a part.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Returns true for the value of `qd.Layout.AOS`.
bool isInterleavedLayout(const Value &layout);

/// The element of such an array, which applications see: a vector of as many scalars as the struct
/// has, if they are of one type. Otherwise a vector of unsigned integers as wide as the smallest
/// scalar, which cover the struct with its padding (abi::StructureLayout). nullopt where it has no
/// scalars or too many: for a field after a warning, since kernels mean the same without; for an
/// argument after an error.
std::optional<ElementType> interleavedElement(Context &cx, const StructType &type, bool isField,
                                              SourceRange at);

/// The array of structs over an array of such vectors.
std::shared_ptr<ArrayRef> interleavedOver(const std::shared_ptr<const StructType> &type,
                                          const std::shared_ptr<ArrayRef> &whole);

} // namespace sextant::sema
