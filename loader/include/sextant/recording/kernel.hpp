// A kernel with its gradient, and what its module says of the memory that both use: for
// recording.hpp. It needs sextant.h only, so it is the same in both modes of sextant.hpp.
#pragma once

#include "sextant/sextant.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::recording {

/// Memory of a device, from one address to before another one.
struct Range {
  uint64_t begin = 0, end = 0;

  uint64_t size() const { return end - begin; }
  bool isEmpty() const { return begin >= end; }
  bool contains(const Range &other) const { return begin <= other.begin && other.end <= end; }
  /// The part that two ranges share, which may be empty.
  Range shared(const Range &other) const {
    return {begin > other.begin ? begin : other.begin, end < other.end ? end : other.end};
  }
  bool overlaps(const Range &other) const { return !shared(other).isEmpty(); }
  friend bool operator==(const Range &a, const Range &b) {
    return a.begin == b.begin && a.end == b.end;
  }
  friend bool operator<(const Range &a, const Range &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  }
};

inline bool isReal(sxt_dtype dtype) {
  return dtype == SXT_DTYPE_F16 || dtype == SXT_DTYPE_BF16 || dtype == SXT_DTYPE_F8E4M3 ||
         dtype == SXT_DTYPE_F8E5M2 || dtype == SXT_DTYPE_F32 || dtype == SXT_DTYPE_F64;
}

/// Stores where an array lies.
inline sxt_status placeOf(const sxt_argument &array, Range &range) {
  uint64_t begin = array.offset_bytes, base = 0;
  if (array.value.buffer)
    if (sxt_status status = sxt_buffer_address(array.value.buffer, &base))
      return status;
  begin += base;
  uint64_t bytes = uint64_t(sxt_dtype_size(sxt_dtype(array.dtype))) * array.rows * array.cols;
  for (uint32_t i = 0; i < array.ndim && i < SXT_MAX_DIMS; ++i)
    bytes *= uint64_t(array.shape[i]);
  range = {begin, begin + bytes};
  return SXT_OK;
}

/// Tells how a kernel uses memory. If the module does not say it, it may do anything.
struct Access {
  bool isRead = true, isWritten = true;
  bool isNeeded = true; ///< the gradient reads it
  bool isKept = false;  ///< the gradient takes it as it was before the launch, too
};

struct Parameter {
  std::string name;
  sxt_argument_kind kind = SXT_ARGUMENT_SCALAR;
  sxt_dtype dtype = SXT_DTYPE_I32;
  bool hasGradient = false;
  Access access;
};

struct Field {
  std::string name;
  sxt_dtype dtype = SXT_DTYPE_I32;
  bool hasGradient = false; ///< the field `name`.grad
  Access access;
};

/// Memory that one launch uses.
struct Use {
  static constexpr size_t noParameter = ~size_t(0);
  Range range;
  Access access;
  std::string name;
  sxt_dtype dtype = SXT_DTYPE_I32;
  bool hasGradient = false;
  size_t parameter = noParameter; ///< else it is a field's
};

/// The lines of the attachment `sextant.accesses` that are about one kernel.
class Accesses {
public:
  Accesses(sxt_module *module, const std::string &kernel) {
    const void *data = nullptr;
    size_t size = 0;
    if (sxt_module_attachment(module, "sextant.accesses", &data, &size) != SXT_OK)
      return;
    std::string_view text(static_cast<const char *>(data), size);
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
      if (line.substr(0, line.find('\t')) != kernel)
        continue;
      known = true;
      if (line.size() > kernel.size())
        lines.emplace(line.substr(kernel.size() + 1));
    }
  }
  /// Returns true if the module says something of the kernel.
  bool isKnown() const { return known; }
  bool reads(const char *kind, const std::string &name) const {
    return !known || lines.count(std::string("reads\t") + kind + "\t" + name) != 0;
  }
  bool writes(const char *kind, const std::string &name) const {
    return !known || lines.count(std::string("writes\t") + kind + "\t" + name) != 0;
  }

private:
  bool known = false;
  std::set<std::string> lines;
};

class Kernel {
public:
  /// An argument of the gradient: that of the kernel, what that was before the launch, its
  /// gradient, or the gradient of a result.
  struct Source {
    enum Kind : uint8_t { Argument, Before, Gradient, Result } kind = Argument;
    size_t parameter = 0;
    sxt_parameter_info result{};
  };

  /// Reads what the module says. The module and the program stay the caller's.
  sxt_status open(sxt_module *module, sxt_program *of, const char *wanted) {
    program = of;
    size_t index = 0, ofGradient = 0;
    sxt_kernel_info info = sized<sxt_kernel_info>(), derivative = sized<sxt_kernel_info>();
    if (sxt_status status = sxt_module_find_kernel(module, wanted, &index))
      return status;
    if (sxt_status status = sxt_module_kernel(module, index, &info))
      return status;
    name = info.name;
    function = info.function;
    const bool isThere =
        sxt_module_find_kernel(module, (name + "_grad").c_str(), &ofGradient) == SXT_OK &&
        sxt_module_kernel(module, ofGradient, &derivative) == SXT_OK &&
        derivative.function == function + ".grad";
    Parameters infos;
    if (sxt_status status = readParameters(module, index, info.argument_count, infos))
      return status;
    for (const sxt_parameter_info &each : infos)
      parameters.push_back({each.name, each.kind, each.dtype, false, {}});
    if (isThere) {
      if (sxt_status status = sxt_program_kernel(program, derivative.name, &gradient))
        return status;
      if (sxt_status status = readParameters(module, ofGradient, derivative.argument_count, infos))
        return status;
      for (const sxt_parameter_info &each : infos)
        addSource(each);
    }
    const Accesses own(module, name), ofReverse(module, isThere ? derivative.name : name);
    for (Parameter &each : parameters)
      each.access = {own.reads("array", each.name), own.writes("array", each.name),
                     isThere && ofReverse.reads("array", each.name), each.access.isKept};
    return readFields(module, own, ofReverse);
  }

  /// Returns true if the kernel changes numbers that have a derivative.
  bool writesReals() const {
    for (const Parameter &each : parameters)
      if (each.kind == SXT_ARGUMENT_ARRAY && isReal(each.dtype) && each.access.isWritten)
        return true;
    for (const Field &each : fields)
      if (isReal(each.dtype) && each.access.isWritten)
        return true;
    return false;
  }

  /// Stores the memory that a launch with these arguments uses.
  sxt_status usesOf(const sxt_argument *arguments, size_t count, std::vector<Use> &uses) const {
    for (size_t i = 0; i < count && i < parameters.size(); ++i) {
      const Parameter &each = parameters[i];
      Range range;
      if (each.kind != SXT_ARGUMENT_ARRAY || arguments[i].kind != SXT_ARGUMENT_ARRAY)
        continue;
      if (sxt_status status = placeOf(arguments[i], range))
        return status;
      if (!range.isEmpty())
        uses.push_back({range, each.access, each.name, each.dtype, each.hasGradient, i});
    }
    for (const Field &each : fields) {
      Range range;
      if (sxt_status status = placeOfField(each.name, range))
        return status;
      uses.push_back({range, each.access, each.name, each.dtype, each.hasGradient});
    }
    return SXT_OK;
  }

  /// Stores where a field lies, which the application may move.
  sxt_status placeOfField(const std::string &field, Range &range) const {
    sxt_buffer *buffer = nullptr;
    sxt_global_info info = sized<sxt_global_info>();
    if (sxt_status status = sxt_program_global(program, field.c_str(), &info))
      return status;
    if (sxt_status status = sxt_program_global_buffer(program, field.c_str(), &buffer))
      return status;
    if (sxt_status status = sxt_buffer_address(buffer, &range.begin))
      return status;
    range.end = range.begin + info.size_bytes;
    return SXT_OK;
  }

  /// The gradient of a result: 0, because a result is a number of the host.
  sxt_argument gradientOf(const sxt_parameter_info &result) const {
    return result.kind == SXT_ARGUMENT_MATRIX
               ? sxt_make_matrix(zeros.data(), result.dtype, result.rows, result.cols)
               : sxt_make_scalar(result.dtype, zeros.data(), sxt_dtype_size(result.dtype));
  }

  sxt_program *program = nullptr;
  sxt_kernel *gradient = nullptr; ///< null: the module has none
  std::string name, function;
  std::vector<Parameter> parameters;
  std::vector<Field> fields;   ///< those that it uses
  std::vector<Source> sources; ///< the gradient's arguments

private:
  std::vector<double> zeros; ///< as many as a result has

  template <class Info> static Info sized() {
    Info info{};
    info.struct_size = sizeof info;
    return info;
  }
  using Parameters = std::vector<sxt_parameter_info>;

  static sxt_status readParameters(sxt_module *module, size_t index, size_t count,
                                   Parameters &infos) {
    infos.assign(count, sized<sxt_parameter_info>());
    for (size_t i = 0; i < count; ++i)
      if (sxt_status status = sxt_module_argument(module, index, i, &infos[i]))
        return status;
    return SXT_OK;
  }
  /// The gradient's arguments are found by their names: those of the kernel, `x.before`, `x.grad`,
  /// and else those of results.
  void addSource(const sxt_parameter_info &info) {
    for (size_t k = 0; k < parameters.size(); ++k) {
      Parameter &each = parameters[k];
      if (each.name == info.name)
        return sources.push_back({Source::Argument, k, {}});
      if (each.name + ".before" == info.name) {
        each.access.isKept = true;
        return sources.push_back({Source::Before, k, {}});
      }
      if (each.name + ".grad" == info.name) {
        each.hasGradient = true;
        return sources.push_back({Source::Gradient, k, {}});
      }
    }
    sources.push_back({Source::Result, 0, info});
    zeros.resize(std::max(zeros.size(), size_t(info.rows) * info.cols));
  }
  sxt_status readFields(sxt_module *module, const Accesses &own, const Accesses &ofReverse) {
    size_t count = 0;
    if (sxt_status status = sxt_module_global_count(module, &count))
      return status;
    std::set<std::string> all;
    std::vector<sxt_global_info> infos(count, sized<sxt_global_info>());
    for (size_t i = 0; i < count; ++i) {
      if (sxt_status status = sxt_module_global(module, i, &infos[i]))
        return status;
      all.insert(infos[i].name);
    }
    for (const sxt_global_info &info : infos) {
      const std::string field = info.name;
      const bool hasGradient = all.count(field + ".grad") != 0;
      const bool isGradient = field.size() > 5 &&
                              field.compare(field.size() - 5, 5, ".grad") == 0 &&
                              all.count(field.substr(0, field.size() - 5)) != 0;
      const Access access{own.reads("field", field), own.writes("field", field),
                          gradient && ofReverse.reads("field", field), false};
      // A gradient is not what the kernel uses: the gradient's launch adds to it.
      if (!isGradient && (access.isRead || access.isWritten || access.isNeeded))
        fields.push_back({field, info.dtype, hasGradient, access});
    }
    return SXT_OK;
  }
};

} // namespace sextant::recording
