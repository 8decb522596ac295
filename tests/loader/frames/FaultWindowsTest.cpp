// An access violation inside of a task: its handler walks from there to the thread's first
// function, through the function that called the task.
#include "tests/loader/frames/Images.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

using namespace sextant;
using namespace sextant::test;

namespace {

void *page;         // that a task may not write yet
DWORD64 walked[64]; // the instructions, from the task's on
unsigned count;
bool isWhole; // the walk ended where the thread began

LONG CALLBACK onFault(EXCEPTION_POINTERS *exception) {
  if (exception->ExceptionRecord->ExceptionCode != DWORD(EXCEPTION_ACCESS_VIOLATION) ||
      exception->ExceptionRecord->ExceptionInformation[1] != reinterpret_cast<ULONG_PTR>(page))
    return EXCEPTION_CONTINUE_SEARCH;
  CONTEXT context = *exception->ContextRecord;
  for (count = 0; context.Rip != 0 && count < std::size(walked); ++count) {
    walked[count] = context.Rip;
    DWORD64 base = 0, frame = 0;
    void *data = nullptr;
    RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context.Rip, &base, nullptr);
    if (!function)
      break;
    RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &data, &frame,
                     nullptr);
  }
  isWhole = context.Rip == 0;
  DWORD before = 0;
  VirtualProtect(page, 4096, PAGE_READWRITE, &before);
  return EXCEPTION_CONTINUE_EXECUTION;
}

/// A caller whose own frame is found by a register that the task saves.
[[gnu::noinline]] void callWith(loader::CpuTask task, size_t bytes) {
  auto *shared = static_cast<volatile char *>(__builtin_alloca(bytes));
  shared[0] = 1;
  task(&page, const_cast<char *>(shared), 0, 0, 0);
  shared[1] = 2;
}

RUNTIME_FUNCTION *functionAt(DWORD64 address) {
  DWORD64 base = 0;
  return RtlLookupFunctionEntry(address, &base, nullptr);
}

} // namespace

TEST_CASE("a handler of exceptions walks from inside of a task to the thread's beginning") {
  page = VirtualAlloc(nullptr, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
  REQUIRE(page);
  DWORD64 begin = 0;
  {
    FramesImage image(SEXTANT_TEST_TASKS);
    begin = reinterpret_cast<DWORD64>(image.task("writes"));
    CHECK(functionAt(begin));
    void *handler = AddVectoredExceptionHandler(1, onFault);
    callWith(image.task("writes"), 100);
    RemoveVectoredExceptionHandler(handler);
  }
  CHECK(*static_cast<int32_t *>(page) == 42);
  CHECK(walked[0] > begin);
  REQUIRE(count >= 3);
  CHECK(functionAt(walked[1]) == functionAt(reinterpret_cast<DWORD64>(&callWith)));
  CHECK(isWhole);
  // The image is gone, and so is what the system knew of it.
  CHECK(!functionAt(begin));
  VirtualFree(page, 0, MEM_RELEASE);
}
