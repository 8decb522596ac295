// Stops by the trap flag, and walks by Windows' tables. An exception clears the flag.
#include "tests/loader/frames/Steps.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <x86intrin.h>

namespace sextant::test {

static constexpr DWORD trapFlag = 0x100;
static Visitor *current;

/// Where a context has the registers, by DWARF's numbers.
static constexpr DWORD64 CONTEXT::*places[] = {
    &CONTEXT::Rax, &CONTEXT::Rdx, &CONTEXT::Rcx, &CONTEXT::Rbx, &CONTEXT::Rsi, &CONTEXT::Rdi,
    &CONTEXT::Rbp, &CONTEXT::Rsp, &CONTEXT::R8,  &CONTEXT::R9,  &CONTEXT::R10, &CONTEXT::R11,
    &CONTEXT::R12, &CONTEXT::R13, &CONTEXT::R14, &CONTEXT::R15};

static Registers registersOf(const CONTEXT &context) {
  Registers registers;
  for (size_t i = 0; i < registers.general.size(); ++i)
    registers.general[i] = context.*places[i];
  registers.pc = context.Rip;
  return registers;
}

static bool systemCaller(const Registers &registers, Registers &caller) {
  CONTEXT context{};
  context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
  for (size_t i = 0; i < registers.general.size(); ++i)
    context.*places[i] = registers.general[i];
  context.Rip = registers.pc;
  DWORD64 base = 0, frame = 0;
  void *data = nullptr;
  RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context.Rip, &base, nullptr);
  if (!function)
    return false;
  RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &data, &frame,
                   nullptr);
  caller = registersOf(context);
  return true;
}
const CallerOf systemCallerOf = systemCaller;

static LONG CALLBACK onStep(EXCEPTION_POINTERS *exception) {
  if (exception->ExceptionRecord->ExceptionCode != DWORD(EXCEPTION_SINGLE_STEP))
    return EXCEPTION_CONTINUE_SEARCH;
  if (current->visit(registersOf(*exception->ContextRecord)))
    exception->ContextRecord->EFlags |= trapFlag;
  else
    exception->ContextRecord->EFlags &= ~trapFlag;
  return EXCEPTION_CONTINUE_EXECUTION;
}

void stepThrough(const std::function<void()> &call, Visitor &visitor) {
  current = &visitor;
  void *handler = AddVectoredExceptionHandler(1, onStep);
  __writeeflags(__readeflags() | trapFlag);
  call();
  __writeeflags(__readeflags() & ~uint64_t(trapFlag));
  RemoveVectoredExceptionHandler(handler);
}

} // namespace sextant::test
