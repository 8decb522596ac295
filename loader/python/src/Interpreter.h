// The interpreter's lock, and values that come from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sextant::python {

namespace nb = nanobind;

/// Lets other Python threads run while it exists. A daemon thread whose interpreter has ended
/// meanwhile stops for good where it would take the lock again; see ThreadEnd.cpp.
class Unlocked {
public:
  Unlocked() : state(PyEval_SaveThread()) {}
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;
  ~Unlocked() { PyEval_RestoreThread(state); }

private:
  PyThreadState *state;
};

/// Texts that kernels printed to this thread and that wait for deliverPrints(). See Prints.cpp.
std::vector<std::string> takePrints();
/// Adds texts that another thread took.
void keepPrints(std::vector<std::string> texts);
/// Hands the texts to the function of set_print(). Its errors go to stderr. Throws what is not an
/// error, as SystemExit: the rest of the texts waits for the next call.
void deliverPrints();
/// The same for destructors: everything that the function raises goes to stderr.
void deliverPrintsAtEnd() noexcept;

/// Reads an integer. Throws if it is not one, or does not fit.
int64_t int64From(nb::handle given, const char *what);
/// Reads an integer that is not negative.
uint64_t unsignedFrom(nb::handle given, const char *what, unsigned bits = 64);
/// Reads a text for the loader, whose texts end at the first NUL. Throws if it is not a str, has a
/// NUL, or is not Unicode.
std::string stringFrom(nb::handle given, const char *what);
/// The text of an optional argument. `text` holds it; null for None.
const char *stringFrom(nb::handle given, const char *what, std::string &text);

/// A str in UTF-8, with what is not Unicode escaped. Never fails.
std::string utf8(nb::handle text);
/// An object as messages show it: what repr() says, shortened. Its errors are not the message's.
std::string shown(nb::handle object);
/// The name of an object's type, for messages. Its errors are not the message's.
std::string typeName(nb::handle object);
std::string nameOf(nb::handle type);

[[noreturn]] void failUnmade(nb::handle object);

/// The object of ours that a Python object of its type holds. Throws if it has none: it came from
/// `__new__`, for example by copy.copy(), and not from a constructor.
template <class Type> Type &own(nb::handle object) {
  if (!nb::inst_ready(object)) [[unlikely]]
    failUnmade(object);
  return *nb::inst_ptr<Type>(object);
}

/// Reads an attribute. Empty if the object has none of that name. Throws what else it raises.
nb::object attributeOf(nb::handle object, const char *name);
nb::object attributeOf(nb::handle object, nb::handle name);

/// Throws the Python exception that a library has set. One that failed without saying why has set
/// none.
[[noreturn]] void throwPending();

/// Makes nanobind's casts that fail TypeErrors.
void translateCasts();
/// Clears an error that the caller can do without. Throws what is not an error: SystemExit,
/// KeyboardInterrupt and others that are not of `Exception`.
void clearError();
/// Clears the exception of a conversion if it says that the value is of the wrong kind. Throws
/// others, which are the caller's.
void clearMismatch();
/// Returns false, with an ImportError, in interpreters other than the main one: the extension's
/// state is the process's.
bool requireMainInterpreter();

} // namespace sextant::python
