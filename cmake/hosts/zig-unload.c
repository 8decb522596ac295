// The part of unloading a shared library for Linux that Zig's start files leave out:
// run the functions that atexit and destructors of static objects have registered for it. Without
// that, they would run at the program's end, where the library is no longer mapped.
//
// Source: Itanium C++ ABI, 3.3.6.3 "Termination"; GCC's crtbeginS.o does this for others.
extern char __dso_handle;
void __cxa_finalize(void *library);

__attribute__((destructor)) static void finalize(void) { __cxa_finalize(&__dso_handle); }
