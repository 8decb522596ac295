// How the arrays of each Python type are read: a cache of types.
#include "Libraries.h"
#include "Array.h"

namespace sextant::python {
namespace {

struct Known {
  nb::object type; ///< a reference, so that no other type gets its address
  Library library;
};

/// Few types are arrays. The interpreter's lock guards the list.
std::vector<Known> &known() {
  static auto *list = new std::vector<Known>;
  return *list;
}

constexpr size_t mostTypes = 64; // a program that makes types does not fill the memory

/// True for a type and for classes that an application derives from it.
bool isA(nb::handle type, nb::handle base) {
  return PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type.ptr()),
                          reinterpret_cast<PyTypeObject *>(base.ptr())) != 0;
}

Library lookAt(nb::handle type) {
  if (attributeOf(type, "mask").is_valid() && attributeOf(type, "filled").is_valid())
    return {Library::Masked};
  if (isA(type, nb::type<Array>()))
    return {Library::OwnArray};
  if (isA(type, nb::type<Pointer>()))
    return {Library::OwnPointer};
  const nb::object capsule = attributeOf(type, "__dlpack_c_exchange_api__");
  if (!capsule.is_valid() || !PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return {};
  auto *api = static_cast<dlpack::ExchangeApi *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api && api->version.major != 1)
    api = api->previous;
  return api && api->view ? Library{Library::Exchange, api} : Library{};
}

} // namespace

Library libraryOf(nb::handle object) {
  const nb::handle type = object.type();
  std::vector<Known> &list = known();
  for (const Known &entry : list)
    if (entry.type.is(type))
      return entry.library;
  if (list.size() >= mostTypes)
    forgetLibraries();
  const Library library = lookAt(type);
  list.push_back({nb::borrow(type), library});
  return list.back().library;
}

void forgetLibraries() {
  std::vector<Known> old; // whose types may run Python code when they go
  old.swap(known());
}

nb::object keeperOf(nb::handle object) {
  if (libraryOf(object).kind == Library::OwnPointer)
    return own<Pointer>(object).owner;
  if (PyObject_CheckBuffer(object.ptr())) { // a memoryview keeps a bytearray from moving
    if (PyObject *view = PyMemoryView_FromObject(object.ptr()))
      return nb::steal(view);
    clearError();
  }
  return nb::borrow(object);
}

} // namespace sextant::python
