// Stops by the trap flag, whose signal runs on a stack of its own.
#include "tests/loader/frames/Steps.h"

#include <csignal>
#include <ucontext.h>
#include <vector>
#include <x86intrin.h>

namespace sextant::test {

const CallerOf systemCallerOf = nullptr;

static constexpr long long trapFlag = 0x100;
static Visitor *current;

static void onTrap(int, siginfo_t *, void *context) {
  auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
  constexpr int numbers[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                             REG_R12, REG_R13, REG_R14, REG_R15};
  Registers registers;
  for (size_t i = 0; i < registers.general.size(); ++i)
    registers.general[i] = static_cast<uint64_t>(machine.gregs[numbers[i]]);
  registers.pc = static_cast<uint64_t>(machine.gregs[REG_RIP]);
  if (!current->visit(registers))
    machine.gregs[REG_EFL] &= ~trapFlag;
}

void stepThrough(const std::function<void()> &call, Visitor &visitor) {
  std::vector<char> memory(1 << 16);
  stack_t stack{}, before{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, &before);
  struct sigaction action{}, actionBefore{};
  action.sa_sigaction = onTrap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGTRAP, &action, &actionBefore);
  current = &visitor;
  __writeeflags(__readeflags() | trapFlag);
  call();
  __writeeflags(__readeflags() & ~static_cast<unsigned long long>(trapFlag));
  sigaction(SIGTRAP, &actionBefore, nullptr);
  sigaltstack(&before, nullptr);
}

} // namespace sextant::test
