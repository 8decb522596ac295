// The end of daemon threads. Before 3.14, Python ends a daemon thread that asks for the lock of an
// interpreter that ends by pthread_exit(), and glibc then unwinds the thread's stack. Frames of C++
// cannot be unwound so: destructors would use Python without its lock, and a `noexcept` or a
// `catch (...)` ends the process. As in 3.14, the thread sleeps until the process ends instead.
//
// Each such frame of the extension, nanobind's included, has this personality routine, which the
// linker puts in front of the C++ runtime's (--wrap). The unwinder calls it before it enters a
// frame's destructors and handlers, so nothing that calls Python needs to know of it.
#include <unwind.h>

#include <chrono>
#include <thread>

extern "C" {
_Unwind_Reason_Code personality(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                _Unwind_Exception *exception,
                                _Unwind_Context *context) __asm__("__wrap___gxx_personality_v0");
_Unwind_Reason_Code
runtimesPersonality(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                    _Unwind_Exception *exception,
                    _Unwind_Context *context) __asm__("__real___gxx_personality_v0");
}

_Unwind_Reason_Code personality(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                _Unwind_Exception *exception, _Unwind_Context *context) {
  while (actions & _UA_FORCE_UNWIND)
    std::this_thread::sleep_for(std::chrono::hours(1));
  return runtimesPersonality(version, actions, kind, exception, context);
}
