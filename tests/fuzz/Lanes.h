// Values of all threads of a block at once, and the memory that they are in.
#pragma once

#include "frontend/syntax/Ast.h"
#include "tests/fuzz/Values.h"

#include <memory>
#include <vector>

namespace fuzz {

namespace ast = sextant::ast;
__extension__ using Wide = __int128;

/// The threads of the block that take part.
using Mask = std::vector<uint8_t>;
bool any(const Mask &mask);

/// The known facts of a lane's value beside its bits.
enum Taint : uint8_t {
  Product = 1, ///< a rounded product: an addition of it may be an fma
  Open = 2,    ///< some value: it may be moved, not used
};

/// The last accesses of an element: by what thread, and when.
struct Touch {
  int64_t epoch = -1;
  int64_t thread = -1;    ///< number in the grid; -2: several
  int64_t otherTask = -1; ///< the task in which another block did
};
struct Cell {
  Touch read, write;
  uint8_t atomic = 0; ///< the kind of the last write, 0: plain
  bool defined = true;
  uint8_t taint = 0;
};
/// Shared memory holds some value at first.
inline Cell undefinedCell() {
  Cell cell;
  cell.defined = false;
  return cell;
}

/// Memory of scalars of one type: `width` of them for each index.
struct Array {
  Scalar type = Scalar::I32;
  std::vector<int64_t> shape;
  size_t width = 1;
  bool isFixed = false; ///< a local of the kernel that was read as a whole: it may not change
  std::vector<Bits> data;
  std::vector<Cell> cells;
};

struct Val;
/// Something that can be stored to, for each thread: an element of memory, or a number of a local.
struct Place {
  Array *array = nullptr;
  std::vector<size_t> index; ///< place of the element, or of the local among several
  std::vector<Val *> locals;
};

/// A value of all threads. Vectors, matrices (vectors of rows), tuples, records, arrays of them and
/// what can be stored to are trees with the same branches.
struct Val {
  enum Kind : uint8_t {
    None,
    Int,
    Real,
    Bool,
    Lanes,
    List,     ///< a tuple, a vector, a matrix
    Record,   ///< the members in their order
    Type,     ///< a number's; a vector's, matrix's or record's, whose items are types
    Function, ///< also a method, with what it is called on
    Memory,   ///< scalars; or, of an array of vectors or records, items that are memory
    Ref,      ///< a place
    Path,
    Range,
    Text
  };
  Kind kind = None;
  Wide integer = 0; ///< Int, Bool
  double real = 0;
  Scalar type = Scalar::I32; ///< Lanes, Type
  std::vector<Bits> bits;    ///< Lanes: one a thread
  std::vector<uint8_t> taint;
  std::vector<Val> items;
  bool isVector = false;                 ///< a List, Type or Memory that arithmetic goes through
  const ast::ClassDef *record = nullptr; ///< Record, or Type or Memory of one
  Array *array = nullptr;                ///< Memory
  size_t offset = 0;                     ///< Memory: among the scalars of an index
  std::shared_ptr<Place> place;          ///< Ref
  const ast::FunctionDef *function = nullptr;
  std::shared_ptr<Val> self; ///< the value, or places, that a method is called on
  std::string path;          ///< "qd.simt.block"; the Text

  bool isConst() const { return kind == Int || kind == Real || kind == Bool; }
  bool isNumber() const { return isConst() || kind == Lanes; }
  bool isTree() const { return kind == List || kind == Record; }
  bool isType(bool composite) const { return kind == Type && items.empty() != composite; }
};

/// Calls f for the leaves of a tree.
template <class V, class F> void eachLeaf(V &tree, F f) {
  if (!tree.isTree()) {
    f(tree);
    return;
  }
  for (auto &item : tree.items)
    eachLeaf(item, f);
}
/// The tree with each leaf replaced by what f makes of it.
template <class F> Val mapLeaves(const Val &tree, F f) {
  if (!tree.isTree())
    return f(tree);
  Val result = tree;
  for (Val &item : result.items)
    item = mapLeaves(item, f);
  return result;
}

} // namespace fuzz
