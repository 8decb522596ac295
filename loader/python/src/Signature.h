// A kernel's parameters and results, read from the module once.
#pragma once

#include "Common.h"
#include "Dlpack.h"

#include "loader/abi/Structure.h"

#include <optional>

namespace sextant::python {

/// A scalar type in DLPack's terms.
dlpack::DataType inDlpack(sxt_dtype dtype);

/// One argument as the loader counts them, or one result.
struct Parameter {
  std::string name; ///< with dots: "state.mass"
  sxt_argument_kind kind = SXT_ARGUMENT_SCALAR;
  sxt_dtype dtype = SXT_DTYPE_F32;
  uint32_t ndim = 0, rows = 1, cols = 1;
  std::string structure; ///< "" or as sxt_parameter_info has it

  // These follow from those above.
  dlpack::DataType type{};
  uint32_t scalarBytes = 4;
  std::optional<abi::Structure> members; ///< a struct's members
  nb::object interned;                   ///< the name

  explicit Parameter(const sxt_parameter_info &info);
};

/// One parameter as a call writes it: an argument, or an object with members that are arguments.
struct Group {
  struct Member {
    size_t argument;
    std::vector<nb::object> path; ///< names below the object
  };
  nb::object name;
  size_t argument = 0;         ///< if there are no members
  std::vector<Member> members; ///< an object's members
};

struct Signature {
  std::string kernel; ///< its name
  std::string function, doc;
  std::vector<Parameter> parameters, results;
  std::vector<Group> groups;
  bool isFlat = true; ///< each group is one argument, in order
  nb::object
      streamName; ///< the keyword of the stream: "stream", or "stream_" if a parameter is called so
  std::vector<sxt_argument> blank; ///< the parts that are the same in each launch
  /// Arrays that have the shape of another one: `x.grad`, `x.dual` and `x.before`, and `x`.
  std::vector<std::pair<size_t, size_t>> twins;

  Signature(sxt_module *module, size_t index);
  /// Returns false for arrays that the kernel only reads, if the module says so.
  bool mayWrite(size_t parameter) const;
  /// The argument with that name or number. Throws if there is none.
  size_t find(nb::handle indexOrName) const;

private:
  sxt_module *module;
  mutable std::vector<bool> writes; ///< one a parameter; read when asked for
};

/// Returns `sextant.Parameter` objects.
nb::object describe(const std::vector<Parameter> &parameters);

} // namespace sextant::python
