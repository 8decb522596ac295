// Elements of memory, and who may touch them when.
#include "tests/fuzz/Machine.h"

namespace fuzz {

Place Machine::placeIn(Array &array, const Val &index, const Mask &mask) {
  Place at;
  at.array = &array;
  const std::vector<Val> indices = index.kind == Val::List ? index.items : std::vector<Val>{index};
  if (!array.shape.empty() && indices.size() != array.shape.size()) // a single one: x[None]
    throw Unsupported("another number of indices");
  at.index.assign(lanes, 0);
  for (size_t axis = 0; axis < array.shape.size(); ++axis) {
    const Val i = runtime(indices[axis]);
    if (isReal(i.type))
      throw Unsupported("a real index");
    usable(i, mask);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!mask[lane])
        continue;
      if (i.bits[lane] >= uint64_t(array.shape[axis]))
        throw Unspecified("an index out of bounds");
      at.index[lane] = at.index[lane] * size_t(array.shape[axis]) + i.bits[lane];
    }
  }
  return at;
}

/// Another access since the task began, that no barrier of this block orders.
void Machine::touchRead(Cell &cell, unsigned lane) {
  const int64_t thread = blockIndex * blockDim + lane;
  const Touch &write = cell.write;
  if (write.epoch >= taskEpoch &&
      (write.epoch == epoch ? write.thread != thread : write.epoch < blockEpoch))
    throw Unspecified("a race: an element is read that another thread writes");
  if (write.otherTask == taskNumber)
    throw Unspecified("a race: an element is read that another block writes");
  if (!cell.defined)
    throw Unspecified("shared memory is read before it is written");
  Touch &read = cell.read;
  if (read.epoch >= taskEpoch && read.epoch < blockEpoch)
    read.otherTask = taskNumber;
  read.thread = read.epoch == epoch && read.thread != thread ? -2 : thread;
  read.epoch = epoch;
}

void Machine::touchWrite(Cell &cell, unsigned lane, uint8_t kind) {
  const int64_t thread = blockIndex * blockDim + lane;
  Touch &write = cell.write;
  const bool commutes = kind && cell.atomic == kind;
  auto races = [&](const Touch &touch) {
    return touch.otherTask == taskNumber ||
           (touch.epoch >= taskEpoch &&
            (touch.epoch == epoch ? touch.thread != thread : touch.epoch < blockEpoch));
  };
  if (races(cell.read))
    throw Unspecified("a race: an element is written that another thread reads");
  if (!commutes && races(write))
    throw Unspecified("a race: an element is written that another thread writes");
  if (write.epoch >= taskEpoch && write.epoch < blockEpoch)
    write.otherTask = taskNumber;
  write.thread = write.epoch == epoch && write.thread != thread ? -2 : thread;
  write.epoch = epoch;
  cell.atomic = kind;
}

Val Machine::load(const Place &place, const Mask &mask) {
  if (!place.array) {
    Val value = lanesOf(place.locals[0]->type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!mask[lane])
        continue;
      const Val &local = *place.locals[place.index.empty() ? 0 : place.index[lane]];
      value.bits[lane] = local.bits[lane];
      value.taint[lane] = local.taint[lane];
    }
    return value;
  }
  Val value = lanesOf(place.array->type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    Cell &cell = place.array->cells[place.index[lane]];
    touchRead(cell, lane);
    value.bits[lane] = place.array->data[place.index[lane]];
    value.taint[lane] = cell.taint;
  }
  return value;
}

void Machine::store(const Place &place, const Val &source, const Mask &mask) {
  if (!source.isNumber())
    throw Unsupported("a store of what is not a number");
  if (!place.array) {
    const Val value = cast(source, place.locals[0]->type, mask);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!mask[lane])
        continue;
      Val &local = *place.locals[place.index.empty() ? 0 : place.index[lane]];
      local.bits[lane] = value.bits[lane];
      local.taint[lane] = value.taint[lane];
    }
    return;
  }
  if (place.array->isFixed)
    throw Unspecified("a local of the kernel is read where threads may change it");
  const Val value = cast(source, place.array->type, mask);
  usable(value, mask);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    Cell &cell = place.array->cells[place.index[lane]];
    touchWrite(cell, lane, 0);
    cell.defined = true;
    cell.taint = value.taint[lane];
    place.array->data[place.index[lane]] = value.bits[lane];
  }
}

/// Kinds: 1 add, 2 sub, 3 and, 4 or, 5 xor, 6 min, 7 max, 8 mul, 9 exchange. One whose old value
/// is used, or whose result depends on the order, has to be the only one.
Val Machine::atomic(uint8_t kind, const Place &place, const Val &source, const Mask &mask,
                    bool used) {
  static constexpr Op ops[] = {Op::Add, Op::Add, Op::Sub, Op::And, Op::Or,
                               Op::Xor, Op::Min, Op::Max, Op::Mul};
  const Scalar type = place.array ? place.array->type : place.locals[0]->type;
  if (isReal(type) && kind >= 3 && kind <= 5)
    throw Unsupported("a bit operation on reals");
  const Val value = cast(source, type, mask);
  usable(value, mask);
  if (!place.array) { // a thread's own: no other sees it
    Val own = load(place, mask);
    store(place, kind == 9 ? value : compute(ops[kind], own, value, mask), mask);
    return own;
  }
  if (place.array->isFixed)
    throw Unspecified("a local of the kernel is read where threads may change it");
  const bool alone = used || kind == 9 || (isReal(type) && kind != 6 && kind != 7);
  Val old = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    Cell &cell = place.array->cells[place.index[lane]];
    Bits &element = place.array->data[place.index[lane]];
    if (!cell.defined)
      throw Unspecified("shared memory is updated before it is written");
    if (alone && (cell.taint | value.taint[lane]) & Product)
      throw Unspecified("a sum of a rounded product, which may be an fma");
    if (alone)
      touchRead(cell, lane);
    touchWrite(cell, lane, alone ? 0 : kind == 2 ? 1 : kind);
    old.bits[lane] = element;
    old.taint[lane] = cell.taint;
    cell.taint = kind == 9 || kind == 6 || kind == 7 ? uint8_t(cell.taint | value.taint[lane]) : 0;
    if (kind == 8 && isReal(type) && roundsProduct(type, element, value.bits[lane]))
      cell.taint = Product;
    element =
        kind == 9 ? value.bits[lane] : fuzz::compute(ops[kind], type, element, value.bits[lane]);
  }
  return old;
}

/// The same of each component; yields the old ones.
Val Machine::atomicAll(uint8_t kind, const Val &places, const Val &value, const Mask &mask,
                       bool used) {
  if (places.kind == Val::Ref) {
    if (!value.isNumber())
      throw Unsupported("an update of a number by what is not one");
    return atomic(kind, *places.place, value, mask, used);
  }
  const bool fills = value.isNumber();
  if (!places.isTree() || (!fills && value.items.size() != places.items.size()))
    throw Unsupported("an update of another shape");
  Val old = places;
  for (size_t i = 0; i < places.items.size(); ++i)
    old.items[i] = atomicAll(kind, places.items[i], fills ? value : value.items[i], mask, used);
  return old;
}

} // namespace fuzz
