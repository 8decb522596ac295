// Reads signatures, and groups arguments whose names have dots.
#include "Signature.h"

#include <sextant/recording/kernel.hpp>

#include <algorithm>
#include <cinttypes>

namespace sextant::python {
namespace {

nb::object interned(std::string_view text) {
  PyObject *name = PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
  if (!name)
    throw nb::python_error();
  PyUnicode_InternInPlace(&name);
  return nb::steal(name);
}

std::vector<nb::object> split(std::string_view path) {
  std::vector<nb::object> names;
  while (true) {
    const size_t dot = path.find('.');
    names.push_back(interned(path.substr(0, dot)));
    if (dot == std::string_view::npos)
      return names;
    path.remove_prefix(dot + 1);
  }
}

} // namespace

dlpack::DataType inDlpack(sxt_dtype dtype) {
  static constexpr dlpack::TypeCode codes[] = {
      dlpack::Opaque,
#define SCALAR_TYPE(NAME, NUMBER, SHORT, LONG, KIND, BYTES, DIGITS, CPP, DLPACK) dlpack::DLPACK,
#include "loader/abi/ScalarTypes.def"
  };
  return {codes[dtype], static_cast<uint8_t>(8 * sxt_dtype_size(dtype)), 1};
}

Parameter::Parameter(const sxt_parameter_info &info)
    : name(info.name), kind(info.kind), dtype(info.dtype), ndim(info.ndim), rows(info.rows),
      cols(info.cols), structure(info.structure ? info.structure : ""), type(inDlpack(info.dtype)),
      scalarBytes(uint32_t(sxt_dtype_size(info.dtype))), members(abi::structureOf(structure)),
      interned(python::interned(info.name)) {}

Signature::Signature(sxt_module *from, size_t index) : module(from) {
  auto info = sized<sxt_kernel_info>();
  check(sxt_module_kernel(module, index, &info));
  kernel = info.name;
  function = info.function;
  doc = info.doc;
  const char *stream = "stream";
  for (size_t i = 0; i < info.argument_count; ++i) {
    auto parameter = sized<sxt_parameter_info>();
    check(sxt_module_argument(module, index, i, &parameter));
    const Parameter &added = parameters.emplace_back(parameter);
    sxt_argument argument = sxt_make_argument(added.kind, added.dtype);
    argument.ndim = added.ndim;
    argument.rows = added.rows;
    argument.cols = added.cols;
    blank.push_back(argument);

    std::vector<nb::object> path = split(added.name);
    const nb::object head = path.front();
    path.erase(path.begin());
    if (head.equal(nb::str("stream")))
      stream = "stream_";
    const bool isOfArgument = std::any_of(groups.begin(), groups.end(), [&](const Group &group) {
      return group.name.is(head) && group.members.empty();
    });
    if (path.empty() || isOfArgument) { // the gradient of an argument `x` is one, `x_grad`
      std::string name = added.name;
      std::replace(name.begin(), name.end(), '.', '_');
      groups.push_back({path.empty() ? head : interned(name.c_str()), i, {}});
      continue;
    }
    isFlat = false;
    auto known = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
      return group.name.is(head) && !group.members.empty();
    });
    if (known == groups.end())
      known = groups.insert(groups.end(), Group{head, 0, {}});
    known->members.push_back({i, std::move(path)});
  }
  streamName = interned(stream);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string &name = parameters[i].name;
    const size_t dot = name.rfind('.');
    const std::string_view ending = std::string_view(name).substr(dot < name.size() ? dot : 0);
    if (parameters[i].kind != SXT_ARGUMENT_ARRAY ||
        (ending != ".grad" && ending != ".dual" && ending != ".before"))
      continue;
    for (size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].kind == SXT_ARGUMENT_ARRAY && name.compare(0, dot, parameters[k].name) == 0)
        twins.emplace_back(i, k);
  }
  for (size_t i = 0; i < info.result_count; ++i) {
    auto result = sized<sxt_parameter_info>();
    check(sxt_module_result(module, index, i, &result));
    results.emplace_back(result);
  }
}

bool Signature::mayWrite(size_t parameter) const {
  if (writes.empty()) {
    const recording::Accesses accesses(module, kernel);
    for (const Parameter &each : parameters)
      writes.push_back(each.kind == SXT_ARGUMENT_ARRAY && accesses.writes("array", each.name));
  }
  return writes[parameter];
}

size_t Signature::find(nb::handle given) const {
  if (PyLong_Check(given.ptr())) {
    const int64_t index = int64From(given, "argument");
    if (index < 0 || uint64_t(index) >= parameters.size())
      raise(SXT_ERROR_OUT_OF_RANGE, "argument %" PRId64 " of kernel '%s', which takes %zu", index,
            kernel.c_str(), parameters.size());
    return size_t(index);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].interned.is(given) || parameters[i].interned.equal(given))
      return i;
  raise(SXT_ERROR_SIGNATURE, "kernel '%s' has no argument %s", kernel.c_str(),
        shown(given).c_str());
}

nb::object describe(const std::vector<Parameter> &parameters) {
  const nb::object make = nb::module_::import_("sextant._signatures").attr("Parameter");
  static constexpr const char *kinds[] = {"?", "array", "scalar", "matrix"};
  nb::list all;
  for (const Parameter &p : parameters) {
    const nb::object element = p.rows * p.cols == 1 ? nb::make_tuple()
                               : p.cols == 1        ? nb::make_tuple(p.rows)
                                                    : nb::make_tuple(p.rows, p.cols);
    all.append(make(p.name, kinds[p.kind <= SXT_ARGUMENT_MATRIX ? p.kind : 0],
                    sxt_dtype_name(p.dtype), p.ndim, element, p.structure));
  }
  return nb::tuple(all);
}

} // namespace sextant::python
