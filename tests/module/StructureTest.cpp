// Structs in modules: where their members lie, against this machine's C++, and their text.
#include "loader/abi/Structure.h"
#include "tests/support/Catch.h"

#include <cstddef>

using namespace sextant;
using abi::Structure;
using abi::StructureLayout;
using abi::StructureMember;
using Type = abi::ScalarType;

namespace {

StructureMember elementOf(Type type, unsigned rows = 1, unsigned cols = 1) {
  return {"m", type, rows, cols};
}

Structure structOf(const std::vector<StructureMember> &members) { return {"S", members}; }

StructureMember nested(const std::vector<StructureMember> &members) {
  StructureMember member;
  member.name = "n";
  member.inner.push_back(structOf(members));
  return member;
}

/// A C++ type and the kernel's.
template <class T> StructureMember kernelType();
template <> StructureMember kernelType<bool>() { return elementOf(Type::Bool); }
template <> StructureMember kernelType<int16_t>() { return elementOf(Type::I16); }
template <> StructureMember kernelType<float>() { return elementOf(Type::F32); }
template <> StructureMember kernelType<double>() { return elementOf(Type::F64); }
template <> StructureMember kernelType<int8_t[3]>() { return elementOf(Type::I8, 3); }
template <> StructureMember kernelType<uint16_t[2][2]>() { return elementOf(Type::BF16, 2, 2); }
struct Pair {
  uint8_t a;
  uint16_t b;
};
template <> StructureMember kernelType<Pair>() {
  return nested({elementOf(Type::U8), elementOf(Type::F16)});
}
struct Deep {
  float v[3];
  struct {
    uint64_t a;
    bool b;
  } inner;
};
template <> StructureMember kernelType<Deep>() {
  return nested({elementOf(Type::F32, 3), nested({elementOf(Type::U64), elementOf(Type::Bool)})});
}

template <class A, class B, class C> struct Three {
  A a;
  B b;
  C c;
};

template <class A, class B, class C> void compare() {
  using S = Three<A, B, C>;
  const StructureLayout layout =
      layoutOf(structOf({kernelType<A>(), kernelType<B>(), kernelType<C>()}));
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

TEST_CASE("a layout knows the scalars and their unit") {
  const StructureLayout mixed =
      layoutOf(structOf({elementOf(Type::F32, 3), nested({elementOf(Type::U64)})}));
  CHECK(mixed.smallest == 4);
  CHECK(mixed.largest == 8);
  CHECK(mixed.scalars == 4);
  CHECK(mixed.unit == Type::U32);

  const StructureLayout same = layoutOf(
      structOf({elementOf(Type::F32, 3), nested({elementOf(Type::F32, 2)}), elementOf(Type::F32)}));
  CHECK(same.unit == Type::F32);
  CHECK(same.size == 24);
  CHECK(same.offsets == std::vector<uint64_t>{0, 12, 20});
  // Types of one size are several types, also where they stand in an inner struct.
  auto unit = [](const Structure &type) { return layoutOf(type).unit; };
  CHECK(unit(structOf({elementOf(Type::I32), elementOf(Type::F32), elementOf(Type::I32)})) ==
        Type::U32);
  CHECK(unit(structOf({nested({elementOf(Type::I16), elementOf(Type::F16)}),
                       elementOf(Type::U16)})) == Type::U16);
  CHECK(layoutOf(structOf({nested({elementOf(Type::I16), elementOf(Type::F16)})})).isMixed);
  CHECK(unit(structOf({elementOf(Type::F64), elementOf(Type::I64)})) == Type::U64);
  CHECK(unit(structOf({elementOf(Type::Bool), elementOf(Type::F64)})) == Type::U8);
}

TEST_CASE("members without scalars take no place") {
  const StructureLayout layout =
      layoutOf(structOf({elementOf(Type::Bool), nested({}), elementOf(Type::Bool)}));
  CHECK(layout.offsets == std::vector<uint64_t>{0, 1, 1});
  CHECK(layout.size == 2);
  CHECK(layout.unit == Type::Bool);
  CHECK(layoutOf(structOf({nested({})})).size == 0);
}

TEST_CASE("a struct's text is read as it is written") {
  for (const char *text : {"S{}", "Grain{kind:u8}", "A{a:f32x3,b:bf16x2x4,c:f64x1x3}",
                           "A{in:B{c:C{x:u1},y:i64},z:f16x1024}"}) {
    const std::optional<Structure> type = abi::structureOf(text);
    REQUIRE(type);
    CHECK(abi::textOf(*type) == text);
  }
  const Structure type = *abi::structureOf("A{in:B{c:u8},m:f32x2x3}");
  CHECK(type.members[0].inner[0].members[0].dtype == Type::U8);
  CHECK(type.members[1].rows == 2);
  CHECK(type.members[1].cols == 3);
}

TEST_CASE("text that describes no struct") {
  for (const char *text : {"",
                           "{}",
                           "A",
                           "A{",
                           "A}",
                           "A{a}",
                           "A{a:}",
                           "A{:f32}",
                           "A{a:f31}",
                           "A{a:f32,}",
                           "A{,}",
                           "A{a:f32}}",
                           "A{a:f32} ",
                           "A{a:f32x0}",
                           "A{a:f32x1025}",
                           "A{a:f32x}",
                           "A{a:f32x2x2x2}",
                           "A{a:f32x-1}",
                           "A{a:f32x2 }",
                           "A{a:f32x99999999999}",
                           "A{a:{b:f32}}",
                           "A{a:B{b:f32}",
                           "A{a:B:f32}"}) {
    INFO(text);
    CHECK(!abi::structureOf(text));
  }
  std::string deep = "x:f32";
  for (int level = 0; level < 33; ++level)
    deep = "x:A{" + deep + "}";
  CHECK(abi::structureOf("A{" + deep.substr(4, deep.size() - 5) + "}"));
  CHECK(!abi::structureOf("A{" + deep + "}"));
}
