// Gives each argument of a call its value: positions, keywords, members of objects.
#include "Program.h"

#include <algorithm>

namespace sextant::python {

Values::Values(const Signature &signature, nb::handle positions, nb::handle keywords)
    : signature(signature), values(fewValues) {
  const size_t count = signature.parameters.size();
  if (count > few) {
    manyValues.resize(count);
    values = manyValues.data();
  }
  const auto given = size_t(PyTuple_Size(positions.ptr()));
  if (given > signature.groups.size())
    raise(SXT_ERROR_SIGNATURE, "kernel '%s' takes %zu arguments, given %zu",
          signature.kernel.c_str(), signature.groups.size(), given);
  for (size_t i = 0; i < given; ++i) {
    const nb::handle value = PyTuple_GetItem(positions.ptr(), Py_ssize_t(i));
    if (signature.isFlat)
      values[i] = value;
    else
      takeGroup(signature.groups[i], value);
  }
  if (keywords.is_valid()) {
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(keywords.ptr(), &at, &name, &value))
      takeKeyword(name, value);
  }
  for (size_t i = 0; i < count; ++i)
    if (!values[i].is_valid()) [[unlikely]]
      failMissing();
}

void Values::set(size_t argument, nb::handle value) {
  if (values[argument].is_valid())
    raise(SXT_ERROR_SIGNATURE, "kernel '%s': argument '%s' is given twice",
          signature.kernel.c_str(), signature.parameters[argument].name.c_str());
  values[argument] = value;
}

/// A member of an object, a value of a dict, or an item of a list, whose name is its number. Null,
/// with Python's error, if there is none.
static PyObject *memberOf(nb::handle of, nb::handle name) {
  if (PyDict_Check(of.ptr()))
    return PyObject_GetItem(of.ptr(), name.ptr());
  const Py_UCS4 first = PyUnicode_ReadChar(name.ptr(), 0);
  if (first < '0' || first > '9')
    return PyObject_GetAttr(of.ptr(), name.ptr());
  const nb::object number = nb::steal(PyNumber_Long(name.ptr()));
  return number ? PyObject_GetItem(of.ptr(), number.ptr()) : nullptr;
}

void Values::takeGroup(const Group &group, nb::handle value) {
  if (group.members.empty())
    return set(group.argument, value);
  for (const Group::Member &member : group.members) {
    nb::object at = nb::borrow(value);
    for (const nb::object &name : member.path) {
      PyObject *next = memberOf(at, name);
      if (!next) {
        clearMismatch();
        raise(SXT_ERROR_SIGNATURE, "kernel '%s', argument '%s': a %s has no member %s",
              signature.kernel.c_str(), signature.parameters[member.argument].name.c_str(),
              typeName(at).c_str(), shown(name).c_str());
      }
      at = nb::steal(next);
    }
    set(member.argument, at);
    members.push_back(std::move(at));
  }
}

void Values::takeKeyword(nb::handle name, nb::handle value) {
  const auto matches = [&](const auto &same) {
    for (const Group &group : signature.groups)
      if (same(group.name)) {
        takeGroup(group, value);
        return true;
      }
    if (same(signature.streamName)) {
      streamValue = value;
      return true;
    }
    return false;
  };
  // Names in code are interned: comparing addresses finds them.
  if (matches([&](const nb::object &known) { return known.is(name); }) ||
      matches([&](const nb::object &known) { return known.equal(name); }))
    return;
  for (size_t i = 0; i < signature.parameters.size(); ++i) // "state.mass"
    if (signature.parameters[i].interned.equal(name))
      return set(i, value);
  std::string all;
  for (const Parameter &parameter : signature.parameters)
    all += (all.empty() ? "" : ", ") + parameter.name;
  raise(SXT_ERROR_SIGNATURE, "kernel '%s' has no argument %s; it has %s", signature.kernel.c_str(),
        shown(name).c_str(), all.empty() ? "none" : all.c_str());
}

void Values::failMissing() const {
  std::string missing;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (!values[i].is_valid())
      missing += (missing.empty() ? "'" : ", '") + signature.parameters[i].name + "'";
  raise(SXT_ERROR_SIGNATURE, "kernel '%s': no value for %s", signature.kernel.c_str(),
        missing.c_str());
}

} // namespace sextant::python
