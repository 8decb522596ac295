// An allocator that fails on demand: this program's operator new and, outside of sanitizers'
// builds, malloc and its family, for the program and every library in it.
#pragma once

namespace sextant::test {

/// From now on the `nth` allocation (0: the first) that this thread makes while it is inside of
/// a FailingScope fails: once, or that one and all that follow.
void failAllocation(long nth, bool allThatFollow);
/// None fails any more.
void failNoAllocation();
/// Allocations of this thread within FailingScopes since failAllocation() or failNoAllocation().
long allocationsCounted();
/// True if one was refused since.
bool allocationFailed();
/// Allocations of the whole process that are not freed yet.
long allocationsAlive();

/// Code under test, as opposed to the test's own.
struct FailingScope {
  FailingScope();
  ~FailingScope();
};

} // namespace sextant::test

extern "C" {
/// Around what is neither: the stand-ins for drivers call these where a program has them.
void sextantTestEnterDriver(void);
void sextantTestLeaveDriver(void);
}
