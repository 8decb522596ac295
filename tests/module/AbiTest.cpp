// The contract of compiler and loader: places in the argument block, bindings, packed values. The
// expected numbers are written by hand, as a C compiler lays the struct out.
#include "loader/abi/BindingLayout.h"
#include "tests/support/Catch.h"

#include <array>
#include <cstddef>
#include <cstring>

using namespace sextant::abi;

namespace {

Argument array(ScalarType type, unsigned ndim) { return {Argument::Array, "a", type, ndim}; }
Argument scalar(ScalarType type) { return {Argument::Scalar, "s", type}; }
Argument matrix(ScalarType type, unsigned rows, unsigned cols) {
  return {Argument::Matrix, "m", type, 0, rows, cols};
}
Hidden hidden(ScalarType type) { return {Hidden::Return, "return0", type}; }

std::vector<uint32_t> offsetsOf(const BlockLayout &layout) {
  std::vector<uint32_t> offsets;
  for (const Param &param : layout.params)
    offsets.push_back(param.offset);
  return offsets;
}

using List = std::vector<uint32_t>;
using enum ScalarType;

} // namespace

TEST_CASE("the argument block is a C struct") {
  const Argument arguments[] = {
      scalar(Bool),      // 0
      array(F32, 2),     // 8, extents 16 and 20
      scalar(U8),        // 24
      scalar(I16),       // 26
      scalar(F64),       // 32
      matrix(F16, 3, 1), // 40, 42, 44
      matrix(I64, 1, 2), // 48, 56
      array(U8, 0),      // 64
      scalar(I32),       // 72
  };
  const Hidden buffers[] = {hidden(I8), hidden(F64)}; // 80, 88
  const BlockLayout layout = layoutOf(arguments, buffers);
  CHECK(offsetsOf(layout) == List{0, 8, 16, 20, 24, 26, 32, 40, 42, 44, 48, 56, 64, 72, 80, 88});
  CHECK(layout.firstParam == List{0, 1, 4, 5, 6, 7, 10, 12, 13, 14, 15});
  CHECK(layout.size == 96);
  CHECK(layout.params[1].kind == Param::Buffer);
  CHECK(layout.params[1].dtype == F32);
  CHECK(layout.params[1].size == 8);
  CHECK(layout.params[2].kind == Param::Value);
  CHECK(layout.params[2].dtype == I32);
  CHECK(layout.params[7].dtype == F16);
  CHECK(layout.params[7].size == 2);
  CHECK(layout.params[14].kind == Param::Buffer);
  CHECK(layout.params[14].dtype == I8);
}

TEST_CASE("the argument block as this compiler lays it out") {
  struct Block {
    uint8_t flag;
    void *pointer;
    int32_t extent;
    int16_t narrow;
    double wide;
    uint8_t last;
    void *buffer;
  };
  const Argument arguments[] = {scalar(Bool), array(I32, 1), scalar(I16), scalar(F64), scalar(U8)};
  const Hidden buffers[] = {hidden(F32)};
  const BlockLayout layout = layoutOf(arguments, buffers);
  CHECK(offsetsOf(layout) == List{offsetof(Block, flag), offsetof(Block, pointer),
                                  offsetof(Block, extent), offsetof(Block, narrow),
                                  offsetof(Block, wide), offsetof(Block, last),
                                  offsetof(Block, buffer)});
  CHECK(layout.size == sizeof(Block));
}

TEST_CASE("argument blocks at their edges") {
  CHECK(layoutOf({}, {}).size == 0);
  const Argument one[] = {scalar(U8)};
  CHECK(layoutOf(one, {}).size == 8); // a multiple of 8
  const Argument matrices[] = {matrix(F32, 2, 2), scalar(U8), matrix(U16, 2, 1)};
  const BlockLayout layout = layoutOf(matrices, {});
  CHECK(offsetsOf(layout) == List{0, 4, 8, 12, 16, 18, 20});
  CHECK(layout.size == 24);
}

TEST_CASE("buffers are bindings, values are packed to 4 or 8 bytes") {
  const Argument arguments[] = {
      scalar(U8),    // block 0, packed 0
      array(F32, 2), // block 8, binding 0; extents 16 and 20, packed 4 and 8
      scalar(F64),   // block 24, packed 16
      scalar(F16),   // block 32, packed 24
      array(I64, 0), // block 40, binding 1
      scalar(I16),   // block 48, packed 28
      scalar(U64),   // block 56, packed 32
      scalar(Bool),  // block 64, packed 40
  };
  const Hidden buffers[] = {hidden(F32)}; // block 72, binding 2
  const BindingLayout layout(layoutOf(arguments, buffers));
  CHECK(layout.buffers == List{8, 40, 72});
  List from, to, sizes;
  for (const BindingLayout::Value &value : layout.values) {
    from.push_back(value.from);
    to.push_back(value.to);
    sizes.push_back(value.size);
  }
  CHECK(from == List{0, 16, 20, 24, 32, 48, 56, 64});
  CHECK(to == List{0, 4, 8, 16, 24, 28, 32, 40});
  CHECK(sizes == List{1, 4, 4, 8, 2, 2, 8, 1});
  CHECK(layout.valueBytes == 44);

  std::array<unsigned char, 80> block;
  for (size_t i = 0; i < block.size(); ++i)
    block[i] = static_cast<unsigned char>(i + 1);
  CHECK(layout.address(block.data(), 0) == 0x100f0e0d0c0b0a09u);
  CHECK(layout.address(block.data(), 2) == 0x504f4e4d4c4b4a49u);
  std::array<std::byte, 44> packed;
  packed.fill(std::byte{0xee});
  layout.pack(block.data(), packed.data());
  const unsigned char expected[44] = {1, 0,  0,  0,  17, 18, 19, 20, 21, 22, 23, 24, 0, 0,  0,
                                      0, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 0,  0, 49, 50,
                                      0, 0,  57, 58, 59, 60, 61, 62, 63, 64, 65, 0,  0, 0};
  CHECK(std::memcmp(packed.data(), expected, sizeof expected) == 0);
}

TEST_CASE("up to 128 bytes are push constants") {
  CHECK(BindingPlaces::mostPushBytes == 128);
  BindingPlaces places;
  for (unsigned i = 0; i < 32; ++i)
    CHECK(places.addValue(4) == 4 * i);
  CHECK(places.valueBytes() == 128);
  CHECK(places.addBuffer() == 0);
  CHECK(places.addBuffer() == 1);
  CHECK(places.buffers() == 2);
}

TEST_CASE("scalar types: sizes and names") {
  const std::pair<const char *, unsigned> types[] = {
      {"u1", 1},  {"i8", 1},  {"i16", 2},  {"i32", 4},    {"i64", 8},
      {"u8", 1},  {"u16", 2}, {"u32", 4},  {"u64", 8},    {"f16", 2},
      {"f32", 4}, {"f64", 8}, {"bf16", 2}, {"f8e4m3", 1}, {"f8e5m2", 1}};
  CHECK(std::size(types) == scalarTypeEnd - 1);
  for (const auto &[name, size] : types) {
    INFO(name);
    const std::optional<ScalarType> type = scalarTypeOf(name);
    REQUIRE(type);
    CHECK(nameOf(*type) == name);
    CHECK(sizeOf(*type) == size);
  }
  CHECK(nameOf(static_cast<ScalarType>(0)) == "?");
  CHECK(sizeOf(static_cast<ScalarType>(200)) == 1);
  CHECK(!scalarTypeOf("?"));
  CHECK(!scalarTypeOf("bfloat16")); // the long name is the kernel language's
}
