// Tiles, `qd.simt.Tile16x16` and Tile32x32: what assignments mean that have one on either side. The
// rest of them is in the kernel language, library/tile.py.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

struct Place;

bool isTile(const Value &value);
bool isTile(const Place &place);

/// Returns true for `tile[:] = …`.
bool assignsTile(Context &cx, const ast::Assign &node);
/// `tile[:] = array[row0:row1, col0:col1]`, or another tile.
void assignTile(Context &cx, const ast::Assign &node, SourceRange at);
/// `tile -= qd.outer(a, b)`, and `+=`.
void changeTile(Context &cx, const Place &place, const ast::AugAssign &node, SourceRange at);
/// `array[row0:row1, col0:col1] = tile`. Returns false if the target is not a slice of an array.
bool storeTile(Context &cx, const ast::Expr &target, const Value &tile, SourceRange at);
/// The value of `array[row0:row1, col]`: the thread's element.
Value loadColumn(Context &cx, const Value &array, const std::vector<Value> &index, SourceRange at);

} // namespace sextant::sema
