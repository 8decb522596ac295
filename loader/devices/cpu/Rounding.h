// The floating-point environment of kernels on a thread of the application's.
#pragma once

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace sextant::loader {

/// While one exists, the thread computes under the default environment; then under its own again,
/// with the exceptions that it had. On x86-64 that is the environment of vector instructions, which
/// kernels and libm's functions use: saving the x87's too takes 0.2 us.
class DefaultRounding {
public:
  DefaultRounding(const DefaultRounding &) = delete;
  DefaultRounding &operator=(const DefaultRounding &) = delete;
#if defined(__x86_64__)
  DefaultRounding() { _mm_setcsr(0x1f80); }
  ~DefaultRounding() { _mm_setcsr(before); }

private:
  const unsigned before = _mm_getcsr();
#else
  DefaultRounding() {
    std::fegetenv(&before);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultRounding() { std::fesetenv(&before); }

private:
  std::fenv_t before;
#endif
};

} // namespace sextant::loader
