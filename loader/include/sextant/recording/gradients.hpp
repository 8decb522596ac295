// The memory of gradients.
#pragma once

#include "sextant/recording/copies.hpp"

namespace sextant::recording {

/// Where the gradient of an array lies.
struct GradientPlace {
  uint64_t address = 0;
  sxt_dtype dtype = SXT_DTYPE_F32;
  std::shared_ptr<sxt_buffer> memory; ///< null: the memory is not the recording's
};

/// The gradients of arrays, which are found by the arrays' memory: one for each piece of memory
/// that arrays share. Such a gradient lies in memory of its own, as the arrays lie in theirs.
class Gradients {
public:
  explicit Gradients(std::shared_ptr<Pool> of) : pool(std::move(of)) {}

  /// A launch takes this array, and has a gradient by it.
  void expect(const Range &array, sxt_dtype dtype) { expected.insert({array, dtype}); }
  /// A field, whose gradient is a field.
  void expectField(const Range &field, const Range &gradient, sxt_dtype dtype) {
    for (Gradient &each : all)
      if (each.kind == Gradient::OfField && each.array == field) {
        each.place.address = gradient.begin;
        return;
      }
    all.push_back({field, Gradient::OfField, {gradient.begin, dtype, nullptr}});
  }
  /// Uses memory of the application from now on, if none is used yet. Its content stays.
  sxt_status give(const Range &array, sxt_dtype dtype, uint64_t address, std::string &why) {
    for (Gradient &each : all)
      if (each.array.overlaps(array)) {
        if (!(each.array == array) || each.kind == Gradient::OfField)
          return fail(why, "the array shares its gradient with others");
        each = {array, Gradient::Given, {address, dtype, nullptr}};
        return SXT_OK;
      }
    all.push_back({array, Gradient::Given, {address, dtype, nullptr}});
    return SXT_OK;
  }
  /// Stores where the gradient of an array lies. One that is new is zero.
  sxt_status find(const Range &array, sxt_stream *stream, GradientPlace &place, std::string &why) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Gradient &each) { return each.array.overlaps(array); });
    if (found == all.end()) {
      if (sxt_status status = make(array, stream, why))
        return status;
      found = std::prev(all.end());
    }
    if (!found->array.contains(array))
      return fail(why, "the array shares memory with one whose gradient is in use already");
    place = found->place;
    place.address += array.begin - found->array.begin;
    return SXT_OK;
  }
  /// Sets the gradient of memory to zero, as far as it has one.
  sxt_status clear(const Range &array, sxt_stream *stream) const {
    for (const Gradient &each : all)
      if (const Range part = each.array.shared(array); !part.isEmpty()) {
        const uint64_t begin = each.place.address + (part.begin - each.array.begin);
        if (sxt_status status = fill({begin, begin + part.size()}, 0, stream))
          return status;
      }
    return SXT_OK;
  }
  /// Sets all but those of the application to zero.
  sxt_status zero(sxt_stream *stream, bool alsoGiven) const {
    for (const Gradient &each : all)
      if (alsoGiven || each.kind != Gradient::Given)
        if (sxt_status status = clear(each.array, stream))
          return status;
    return SXT_OK;
  }
  /// Sets the gradient of an array to one.
  sxt_status one(const Range &array, sxt_stream *stream, std::string &why) {
    GradientPlace place;
    if (sxt_status status = find(array, stream, place, why))
      return status;
    const Range gradient{place.address, place.address + array.size()};
    switch (place.dtype) {
    case SXT_DTYPE_F16:
      return fill(gradient, 0x3c00, stream, 2);
    case SXT_DTYPE_BF16:
      return fill(gradient, 0x3f80, stream, 2);
    case SXT_DTYPE_F8E4M3:
      return fill(gradient, 0x38, stream, 1);
    case SXT_DTYPE_F8E5M2:
      return fill(gradient, 0x3c, stream, 1);
    case SXT_DTYPE_F32:
      return fill(gradient, 0x3f800000, stream, 4);
    case SXT_DTYPE_F64:
      break;
    default:
      return fail(why, "the array's type has no gradients");
    }
    // Patterns of fills have at most 4 bytes.
    const std::vector<double> ones(size_t(array.size() / sizeof(double)), 1.0);
    sxt_buffer *memory = nullptr;
    if (sxt_status status = sxt_buffer_wrap(pool->device, place.address, array.size(), &memory))
      return status;
    const sxt_status status =
        sxt_buffer_write(memory, 0, ones.data(), ones.size() * sizeof(double), stream);
    sxt_buffer_release(memory);
    return status;
  }
  void forget() {
    all.clear();
    expected.clear();
  }

private:
  struct Gradient {
    Range array;
    enum Kind : uint8_t { Made, Given, OfField } kind;
    GradientPlace place;
  };
  static sxt_status fail(std::string &why, const char *reason) {
    why = reason;
    return SXT_ERROR_INVALID_ARGUMENT;
  }
  /// Makes the gradient of an array, and of those that share memory with it.
  sxt_status make(const Range &array, sxt_stream *stream, std::string &why) {
    Gradient made{array, Gradient::Made, {}};
    Range &whole = made.array;
    for (bool grows = true; grows;) {
      grows = false;
      for (const auto &[range, type] : expected)
        if (whole.overlaps(range) && !whole.contains(range)) {
          whole = {std::min(whole.begin, range.begin), std::max(whole.end, range.end)};
          grows = true;
        }
    }
    bool isKnown = false;
    for (const auto &[range, type] : expected)
      if (whole.overlaps(range)) {
        if (isKnown && made.place.dtype != type)
          return fail(why, "arrays of different types share memory");
        made.place.dtype = type;
        isKnown = true;
      }
    if (!isKnown) {
      why = "no recorded launch has a gradient by this array";
      return SXT_ERROR_NOT_FOUND;
    }
    // Arrays keep their alignment, which is at most 256 bytes.
    const uint64_t before = whole.begin % 256;
    sxt_buffer *memory = nullptr;
    if (sxt_status status = sxt_buffer_create(pool->device, before + whole.size(), &memory))
      return status;
    made.place.memory.reset(memory, sxt_buffer_release);
    if (sxt_status status = sxt_buffer_address(memory, &made.place.address))
      return status;
    made.place.address += before;
    const Range gradient{made.place.address, made.place.address + whole.size()};
    if (sxt_status status = fill(gradient, 0, stream))
      return status;
    all.push_back(std::move(made));
    return SXT_OK;
  }
  sxt_status fill(const Range &range, uint32_t pattern, sxt_stream *stream,
                  size_t bytes = 1) const {
    sxt_buffer *memory = nullptr;
    if (sxt_status status = sxt_buffer_wrap(pool->device, range.begin, range.size(), &memory))
      return status;
    const sxt_status status = sxt_buffer_fill(memory, 0, range.size(), &pattern, bytes, stream);
    sxt_buffer_release(memory);
    return status;
  }
  std::shared_ptr<Pool> pool;
  std::set<std::pair<Range, sxt_dtype>> expected;
  std::vector<Gradient> all; ///< their arrays do not overlap
};

} // namespace sextant::recording
