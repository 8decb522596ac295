// Places, which can be assigned: how they are found (Places.cpp, Elements.cpp), read and written
// (Access.cpp).
#pragma once

#include "frontend/sema/Context.h"

#include <algorithm>

namespace sextant::sema {

/// Something that can be assigned.
struct Place {
  enum Kind : uint8_t {
    None,
    Local,
    Memory,
    Whole,   ///< an array itself
    Items,   ///< a tuple, of which an item may be a place
    Several, ///< components of a vector
    Record,  ///< a struct in memory, of which each member is a place
    Known,   ///< a part that is known when kernels are built: the only one of `items`
  } kind = None;
  VariablePtr variable;
  std::vector<size_t> members; ///< Local: the way through structs to the member
  std::vector<Value> path;     ///< Local: index of the component, if one is selected
  std::shared_ptr<const StructType> structure; ///< Record; Local, if it is a struct
  // Memory.
  std::shared_ptr<ArrayRef> array;
  hir::BufferRef buffer;
  ElementType element;      ///< the type of the selected element
  ExprRef index;            ///< the index of its first scalar
  ExprRef guard;            ///< true if it is inside of the array; null if that is not tested
  std::vector<Value> items; ///< Known; Items, unless they are parts
  std::vector<Place> parts; ///< Several, Record; Items, if they are in memory
  SourceRange at;
};

std::optional<Place> evalPlace(Context &cx, const ast::Expr &expr, bool forWrite);
/// Returns the value of a variable, or of a member of it. Place::path is left out.
const Value &localValue(const Place &place);
/// True if all that a value consists of is in locals: a tuple may have parts of compile time.
bool isInLocals(const Value &value);
bool isChanging(Context &cx, const Variable &variable);
/// Returns the memory of a variable that the threads of a parallel loop share.
Place sharedPlace(Variable &variable, SourceRange at);
/// The use of an element. SemaOptions::outsideReads holds for those that are only read. An address
/// may be outside of the array, so nothing is tested.
enum class Access : uint8_t { Write, Read, Address };
std::optional<Place> elementPlace(Context &cx, const std::shared_ptr<ArrayRef> &array,
                                  const Value &index, SourceRange at,
                                  Access access = Access::Write);
std::optional<Place> componentPlace(Context &cx, Place place, std::vector<Value> index,
                                    SourceRange at);
Value readPlace(Context &cx, const Place &place, SourceRange at, bool isVolatile = false,
                hir::Cache cache = hir::Cache::All);
void writePlace(Context &cx, const Place &place, const Value &value, SourceRange at,
                hir::Cache cache = hir::Cache::All);
Value indexMatrix(Context &cx, const Value &matrix, std::vector<Value> index, SourceRange at);
std::vector<Value> indexList(const Value &index);
/// Returns the index of an array's first element along an axis.
inline Exact firstIndex(const ArrayRef &array, size_t axis) {
  return array.first.empty() ? 0 : array.first[axis];
}
/// True for an array whose indices do not begin at 0.
inline bool beginsElsewhere(const Value &value) {
  return value.kind == Value::Array &&
         std::ranges::any_of(value.array->first, [](Exact index) { return index != 0; });
}
/// False after an error: an index in the text of a subscript is a real number.
bool areIntegers(Context &cx, const Value &index, const ast::Expr &text);
/// Returns an index as a scalar of an integer type; null after an error.
ExprRef indexScalar(Context &cx, const Value &value, SourceRange at);
/// Returns the number of a component, row by row, of one or two indices; null after an error.
ExprRef componentNumber(Context &cx, const std::vector<Value> &index, unsigned cols,
                        SourceRange at);
std::vector<unsigned> swizzle(std::string_view name);

} // namespace sextant::sema
