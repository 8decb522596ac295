// Views: parts of an array of one dimension, which kernels make of a `qd.BufferView`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Returns the `size` elements of an array from `offset` on, as an array. Poison after an error.
Value viewOf(Context &cx, const std::shared_ptr<ArrayRef> &array, const Value &offset,
             const Value &size, SourceRange at);
/// `view[2:6]`, as Python has it for bounds that are not negative. Poison after an error.
Value sliceOfView(Context &cx, const std::shared_ptr<ArrayRef> &array, const Value &slice,
                  SourceRange at);
/// Returns the same elements, with indices from 0 on.
std::shared_ptr<ArrayRef> countedFrom0(const std::shared_ptr<ArrayRef> &array);

} // namespace sextant::sema
