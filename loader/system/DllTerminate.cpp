// The DLL's answer to an exception that nothing catches. It has a C++ library of its own
// (libstdc++), whose default writes the exception's type, for which it brings a demangler: 60 kB of
// a library whose functions let no exception out.
#include <cstdlib>

namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() { std::abort(); }
} // namespace __gnu_cxx
