// Stand-ins for libobjc, Foundation and Metal of macOS in one library, for tests on Linux of the
// messages that the loader sends there. Metal's objects do their work through the stand-in for the
// loader's table (tests/simulators/metal/FakeMetal.h), whose failures and records serve here too. A
// message that Apple's documentation forbids ends the program. These functions are exported beside
// those of libobjc.
#pragma once

extern "C" {
/// For adoption: retained objects, to be given back by objc_release.
void *fakeObjcDevice(unsigned ordinal);
void *fakeObjcQueue(unsigned ordinal);
void objc_release(void *object);
/// The major version of macOS that processes see from now on; 15 at first.
void fakeObjcSystem(int major);
/// From now on (1), misuses do not end the program.
void fakeObjcCatch(int catching);
/// Returns what was caught since the last call; "" if nothing was.
const char *fakeObjcCaught(void);
/// True if the last library was compiled with fast math.
int fakeObjcFastMath(void);
/// The `index`th method of all classes; null past the last one.
const char *fakeObjcMethod(int index, const char **className, const char **encoding);
}
