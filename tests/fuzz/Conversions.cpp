// Numbers of all threads: their types, and casts.
#include "tests/fuzz/Machine.h"

namespace fuzz {

Val Machine::lanesOf(Scalar type) const {
  Val value;
  value.kind = Val::Lanes;
  value.type = type;
  value.bits.assign(lanes, 0);
  value.taint.assign(lanes, 0);
  return value;
}

Val Machine::constant(__int128 integer) const {
  Val value;
  value.kind = Val::Int;
  value.integer = integer;
  return value;
}

int64_t Machine::constantInt(const Val &value) const {
  if (value.kind == Val::Int || value.kind == Val::Bool)
    return int64_t(value.integer);
  throw Unsupported("a value where a compile-time integer is needed");
}

Scalar Machine::typeOf(const Val &value) const {
  switch (value.kind) {
  case Val::Lanes:
    return value.type;
  case Val::Int:
    return Scalar::I32;
  case Val::Real:
    return Scalar::F32;
  case Val::Bool:
    return Scalar::U1;
  default:
    throw Unsupported("no number");
  }
}

Val Machine::runtime(const Val &value) const {
  if (value.kind == Val::Lanes || value.isTree())
    return value;
  Val result = lanesOf(typeOf(value));
  Bits bits;
  if (value.kind == Val::Real) {
    bits = fromDouble(Scalar::F32, value.real);
  } else {
    bits = Bits(value.integer);
    if (value.kind == Val::Int && value.integer != int32_t(value.integer))
      throw Unsupported("an integer literal that does not fit i32");
  }
  result.bits.assign(lanes, bits);
  return result;
}

void Machine::usable(const Val &value, const Mask &mask) const {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane] && value.taint[lane] & Open)
      throw Unspecified("the use of a value that the language leaves open");
}

Val Machine::cast(const Val &value, Scalar type, const Mask &mask) {
  if (value.kind == Val::List) {
    Val result = value;
    for (Val &item : result.items)
      item = cast(item, type, mask);
    return result;
  }
  if (value.kind == Val::Lanes && value.type == type)
    return value;
  if (value.isConst()) { // exactly
    Val result = lanesOf(type);
    Bits bits;
    if (value.kind == Val::Real)
      bits = isReal(type) ? fromDouble(type, value.real)
                          : convert(Scalar::F64, type, fromDouble(Scalar::F64, value.real));
    else if (isReal(type))
      bits = fromDouble(type, double(value.integer));
    else
      bits = type == Scalar::U1 ? value.integer != 0 : wrap(type, Bits(value.integer));
    result.bits.assign(lanes, bits);
    return result;
  }
  if (value.kind != Val::Lanes)
    throw Unsupported("a cast of no number");
  const Scalar from = value.type;
  Val result = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    if (value.taint[lane] & Open) { // is moved
      result.taint[lane] = Open;
      continue;
    }
    result.bits[lane] = convert(from, type, value.bits[lane]);
    if (isReal(type) && isReal(from))
      result.taint[lane] = value.taint[lane];
  }
  return result;
}

} // namespace fuzz
