// Where members of structs lie, against this machine's C++.
#include "frontend/sema/values/StructLayout.h"
#include "tests/support/Catch.h"

#include <cstddef>

using namespace sextant;
using hir::Type;
using sema::StructLayout;
using sema::StructType;
using sema::TypeValue;

namespace {

TypeValue elementOf(Type type, unsigned rows = 1, unsigned cols = 1) {
  TypeValue value;
  value.element = {type, rows, cols, rows * cols > 1, cols == 1};
  return value;
}

std::shared_ptr<const StructType> structOf(const std::vector<TypeValue> &members) {
  auto type = std::make_shared<StructType>();
  for (const TypeValue &member : members)
    type->members.push_back({"m" + std::to_string(type->members.size()), member, {}});
  return type;
}

TypeValue nested(const std::vector<TypeValue> &members) {
  TypeValue value;
  value.kind = TypeValue::Struct;
  value.structure = structOf(members);
  return value;
}

/// A C++ type and the kernel's.
template <class T> TypeValue kernelType();
template <> TypeValue kernelType<bool>() { return elementOf(Type::Bool); }
template <> TypeValue kernelType<int16_t>() { return elementOf(Type::I16); }
template <> TypeValue kernelType<float>() { return elementOf(Type::F32); }
template <> TypeValue kernelType<double>() { return elementOf(Type::F64); }
template <> TypeValue kernelType<int8_t[3]>() { return elementOf(Type::I8, 3); }
template <> TypeValue kernelType<uint16_t[2][2]>() { return elementOf(Type::BF16, 2, 2); }
struct Pair {
  uint8_t a;
  uint16_t b;
};
template <> TypeValue kernelType<Pair>() {
  return nested({elementOf(Type::U8), elementOf(Type::F16)});
}
struct Deep {
  float v[3];
  struct {
    uint64_t a;
    bool b;
  } inner;
};
template <> TypeValue kernelType<Deep>() {
  return nested({elementOf(Type::F32, 3), nested({elementOf(Type::U64), elementOf(Type::Bool)})});
}

template <class A, class B, class C> struct Three {
  A a;
  B b;
  C c;
};

template <class A, class B, class C> void compare() {
  using S = Three<A, B, C>;
  const StructLayout layout =
      layoutOf(*structOf({kernelType<A>(), kernelType<B>(), kernelType<C>()}));
  CHECK(layout.offsets == std::vector<uint64_t>{offsetof(S, a), offsetof(S, b), offsetof(S, c)});
  CHECK(layout.size == sizeof(S));
  CHECK(layout.largest == alignof(S));
}

#define MEMBER_TYPES bool, int16_t, float, double, int8_t[3], uint16_t[2][2], Pair, Deep
template <class A, class B, class... C> void compareThirds() { (compare<A, B, C>(), ...); }
template <class A, class... B> void compareSeconds() { (compareThirds<A, B, MEMBER_TYPES>(), ...); }
template <class... A> void compareAll() { (compareSeconds<A, MEMBER_TYPES>(), ...); }

} // namespace

TEST_CASE("every three members lie where C++ has them") { compareAll<MEMBER_TYPES>(); }

TEST_CASE("a layout knows the scalars") {
  const StructLayout mixed =
      layoutOf(*structOf({elementOf(Type::F32, 3), nested({elementOf(Type::U64)})}));
  CHECK(mixed.smallest == 4);
  CHECK(mixed.largest == 8);
  CHECK(mixed.scalars == 4);
  CHECK(!mixed.only);

  const StructLayout same = layoutOf(*structOf(
      {elementOf(Type::F32, 3), nested({elementOf(Type::F32, 2)}), elementOf(Type::F32)}));
  CHECK(same.only == Type::F32);
  CHECK(same.size == 24);
  CHECK(same.offsets == std::vector<uint64_t>{0, 12, 20});
  // Types of one size are several types.
  CHECK(!layoutOf(*structOf({elementOf(Type::I32), elementOf(Type::F32), elementOf(Type::I32)}))
             .only);
}

TEST_CASE("members without scalars take no place") {
  const StructLayout layout =
      layoutOf(*structOf({elementOf(Type::Bool), nested({}), elementOf(Type::Bool)}));
  CHECK(layout.offsets == std::vector<uint64_t>{0, 1, 1});
  CHECK(layout.size == 2);
  CHECK(layout.only == Type::Bool);
  CHECK(layoutOf(*structOf({nested({})})).size == 0);
}
