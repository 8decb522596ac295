// Arrays whose elements do not lie side by side, `layout=((0, 4, 10), (1, 5, 2))`: other data lies
// between them, axes lie in blocks, or vectors lie where only their scalars are aligned. Memory
// that another library laid out is so; kernels use it in place, scalar by scalar.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// True for the value of such a `layout`: a level is an axis, its extent, and the scalars from one
/// index to the next. A dictionary has those of a struct's members.
bool isLevelsLayout(const Value &layout);

/// Reads them. \param structure of the elements, or null. Returns false after an error.
bool levelsOf(Context &cx, const Value &layout, const StructType *structure, int ndim,
              Levels &levels, SourceRange at);

/// The type of the memory that such an array lies in: scalars, in one dimension.
TypeValue wholeType(const ElementType &element);

/// The number of scalars from the first to the last one of the array.
Exact scalarsOf(const std::vector<Level> &levels, const ElementType &element);

/// The array over that memory.
std::shared_ptr<ArrayRef> levelsOver(const ElementType &element, const std::vector<Level> &levels,
                                     int ndim, const std::shared_ptr<ArrayRef> &whole);

/// True if it has such a layout, or a member of its structs has.
bool hasLevels(const ArrayRef &array);

} // namespace sextant::sema
