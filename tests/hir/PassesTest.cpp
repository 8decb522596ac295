// Each pass by the text before and after it.
#include "frontend/hir/passes/Passes.h"
#include "tests/hir/text/Dump.h"
#include "tests/hir/text/Parse.h"
#include "tests/support/Catch.h"

using namespace sextant;

static hir::Draft parsed(const std::string &text) {
  std::string problem;
  hir::Draft draft = hir::parseDraft(text, problem);
  INFO(problem);
  REQUIRE(problem.empty());
  return draft;
}

/// The tasks' part of what `pass` makes of a draft with these lines.
static std::string tasksAfter(void (*pass)(hir::Draft &), const std::string &text) {
  hir::Draft draft = parsed(text);
  pass(draft);
  const std::string all = hir::dump(draft);
  return all.find("task") == std::string::npos ? "" : all.substr(all.find("task"));
}

TEST_CASE("guardReturns: a return leaves its task, and later tasks ask for the flag") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
local %returned.0 i32
)";
  CHECK(tasksAfter(hir::guardReturns, head + R"(returned %returned.0
task block 1 serial returns 7
  if (x[0] > 0)
    %returned.0 = 1
    leave 7
  x[1] = 5
task block 64 behind_return
  x[2] = 6
)") == R"(task block 1 serial returns 7
  %returned.0 = 0
  scope 7
    if (x[0] > 0)
      %returned.0 = 1
      leave 7
    x[1] = 5
task block 64 behind_return
  if (%returned.0 == 0)
    x[2] = 6
)");
  // Without a guarded return nothing changes.
  const std::string plain = "task block 64\n  x[2] = 6\n";
  CHECK(tasksAfter(hir::guardReturns, head + plain) == plain);
}

TEST_CASE("computeAgain: tasks compute values of arguments themselves") {
  const std::string head = R"(draft k wave 32
param n i32
param x f32 buffer
local %s.0 f32
local %t.1 f32
local %u.2 f32
)";
  // t is of s, which is of n. The first task keeps its own, which `prune` removes.
  CHECK(tasksAfter(hir::computeAgain, head + R"(task block 1 serial
  %s.0 = (1:f32 / f32(n))
  %t.1 = (%s.0 * 2:f32)
task block 64
  x[0] = (%t.1 + %s.0)
task block 64
  x[1] = %t.1
)") == R"(task block 1 serial
  %s.0 = (1:f32 / f32(n))
  %t.1 = (%s.0 * 2:f32)
task block 64
  %s.3 = (1:f32 / f32(n))
  %t.4 = (%s.3 * 2:f32)
  x[0] = (%t.4 + %s.3)
task block 64
  %s.5 = (1:f32 / f32(n))
  %t.6 = (%s.5 * 2:f32)
  x[1] = %t.6
)");
  // A serial task's copy is not a variable that later tasks may know.
  CHECK(tasksAfter(hir::computeAgain, head + R"(task block 1 serial
  %s.0 = f32(n)
task block 1 serial
  %u.2 = (%s.0 + 1:f32)
task block 64
  x[0] = %u.2
)") == R"(task block 1 serial
  %s.0 = f32(n)
task block 1 serial
  %s.3 = f32(n)
  %u.2 = (%s.3 + 1:f32)
task block 64
  x[0] = %u.2
)");
  // A value that is read from memory, assigned twice or under a condition, of a function that takes
  // long, or read in an earlier task, stays carried.
  for (const char *first : {"  %s.0 = x[3]\n", "  %s.0 = f32(n)\n  %s.0 = 2:f32\n",
                            "  if (n > 0)\n    %s.0 = f32(n)\n", "  %s.0 = sin(f32(n))\n"}) {
    const std::string tasks =
        "task block 1 serial\n" + std::string(first) + "task block 64\n  x[1] = %s.0\n";
    CHECK(tasksAfter(hir::computeAgain, head + tasks) == tasks);
  }
  const std::string early = "task block 64\n  x[0] = %s.0\ntask block 1 serial\n  %s.0 = f32(n)\n"
                            "task block 64\n  x[1] = %s.0\n";
  CHECK(tasksAfter(hir::computeAgain, head + early) == early);
}

TEST_CASE("prune: what nothing reads goes, and what has an effect stays") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
local %a.0 i32
local %b.1 i32
local %c.2 i32
)";
  // b is only read by a's value, and a by nothing: both go, over two rounds.
  CHECK(tasksAfter(hir::prune, head + R"(task block 64
  %b.1 = x[0]
  %a.0 = (%b.1 + 1)
  %c.2 = atomic_add(x[1], 4)
  %c.2 = volatile x[3]
  if (x[2] > 0)
    %a.0 = 5
  scope 2
    %a.0 = 6
)") == R"(task block 64
  atomic_add(x[1], 4)
  volatile x[3]
)");
  // A later task's read keeps it; a serial task of which nothing is left goes.
  CHECK(tasksAfter(hir::prune, head + R"(task block 1 serial
  %a.0 = 3
task block 1 serial
  %b.1 = 4
task block 64
  x[0] = %a.0
)") == R"(task block 1 serial
  %a.0 = 3
task block 64
  x[0] = %a.0
)");
  // Used as memory, all components of a variable are kept.
  CHECK(tasksAfter(hir::prune, head + R"(variable v %b.1 x 2
task block 64
  %b.1 = 1
  %c.2 = 2
  %a.0 = 3
  atomic_add(carry1[x[0]], 1)
)") == R"(task block 64
  %b.1 = 1
  %c.2 = 2
  atomic_add(carry1[x[0]], 1)
)");
}

TEST_CASE("prune: what debuggers show stays in the only task, and makes no task") {
  const std::string head = "draft k wave 32\nparam x i32 buffer\nlocal %a.0 i32 shown\n";
  CHECK(tasksAfter(hir::prune, head + "task block 64\n  %a.0 = 3\n") ==
        "task block 64\n  %a.0 = 3\n");
  CHECK(tasksAfter(hir::prune,
                   head + "task block 1 serial\n  %a.0 = 3\ntask block 64\n  x[0] = 1\n") ==
        "task block 64\n  x[0] = 1\n");
}

TEST_CASE("dropArguments: members that nothing uses go, and the others move up") {
  // Arguments 0 to 3: a (a buffer and an extent), n, m, b (a buffer and an extent).
  hir::Draft draft = parsed(R"(draft k wave 32
param a i32 buffer
param a.shape0 i32
param n i32
param m i32
param b i32 buffer
param b.shape0 i32
hidden return return0 i32 x 1
task block 64
  b[b.shape0] = n
)");
  auto array = [](const char *name) {
    hir::Argument argument;
    argument.kind = hir::Argument::Array;
    argument.name = name;
    argument.dtype = hir::Type::I32;
    argument.ndim = 1;
    return argument;
  };
  auto number = [](const char *name) {
    hir::Argument argument;
    argument.name = name;
    return argument;
  };
  draft.kernel.arguments = {array("a"), number("n"), number("m"), array("b")};
  draft.tasks[0].task.iterations =
      hir::LaunchExpr{{{hir::LaunchExpr::Param, 5}, {hir::LaunchExpr::Constant, 5}}};
  draft.members = {0, 1, 3}; // m is not a member
  hir::dropArguments(draft);
  std::string names;
  for (const hir::Argument &argument : draft.kernel.arguments)
    names += argument.name + " ";
  CHECK(names == "n m b ");
  names.clear();
  for (const hir::Param &param : draft.kernel.params)
    names += param.name + " ";
  CHECK(names == "n m b b.shape0 ");
  const hir::LaunchExpr wanted{{{hir::LaunchExpr::Param, 3}, {hir::LaunchExpr::Constant, 5}}};
  CHECK(draft.tasks[0].task.iterations == wanted);
  const hir::Store &store = std::get<hir::Store>(draft.tasks[0].task.body[0].node);
  CHECK(store.buffer.index == 2);
  CHECK(std::get<hir::ParamRead>(store.index->node).param == 3);
  CHECK(std::get<hir::ParamRead>(store.value->node).param == 0);
}

TEST_CASE("makeOwnCopies: an iteration reads what it stored itself") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
local %a.0 i32
local %b.1 i32
local %c.2 i32
variable v %b.1 x 2
)";
  auto after = [&](const std::string &tasks) {
    return tasksAfter(hir::makeOwnCopies, head + tasks);
  };
  // A component that each iteration stores first is its own; the other one is shared.
  CHECK(after(R"(task block 64
  carry1[0] = x[0]
  x[1] = (carry1[0] + carry1[1])
  carry1[1] = 4
)") == R"(task block 64
  %b.3 = x[0]
  x[1] = (%b.3 + carry1[1])
  carry1[1] = 4
)");
  // The component that a later task reads is stored there, too.
  CHECK(after(R"(task block 64
  carry0[0] = x[0]
  x[1] = carry0[0]
task block 1 serial
  x[2] = %a.0
)") == R"(task block 64
  %a.3 = x[0]
  carry0[0] = %a.3
  x[1] = %a.3
task block 1 serial
  x[2] = %a.0
)");
  // An assignment to a variable that is shared is a store.
  CHECK(after(R"(task block 64
  %a.0 = x[0]
  x[1] = carry0[0]
  x[2] = carry1[0]
  %b.1 = 4
)") == R"(task block 64
  %a.3 = x[0]
  x[1] = %a.3
  x[2] = carry1[0]
  %b.1 = 4
)");
  // Nothing is its own that is not stored on each way, or that tells threads of each other.
  for (const std::string task : {R"(task block 64
  if (x[0] > 0)
    carry0[0] = 1
  x[1] = carry0[0]
)",
                                 R"(task block 64
  carry0[0] = 1
  x[1] = volatile carry0[0]
)",
                                 R"(task block 64
  carry0[0] = 1
  barrier
  x[1] = carry0[0]
)",
                                 R"(task block 64
  carry1[0] = 1
  x[1] = carry1[x[0]]
)"})
    CHECK(after(task) == task);
}

TEST_CASE("carryLocals: what a task leaves for a later one goes through memory") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
local %a.0 i32
local %b.1 i32
)";
  hir::Draft draft = parsed(head + R"(task block 1 serial
  %a.0 = x[0]
  %b.1 = 2
  x[5] = %b.1
task block 64
  x[thread_idx] = %a.0
task block 1 serial
  %a.0 = (%a.0 + 1)
task block 1 serial
  x[1] = %a.0
)");
  hir::carryLocals(draft);
  CHECK(hir::dump(draft) == R"(draft k wave 32
param x i32 buffer
hidden carry a i32 x 1
local %a.0 i32
local %b.1 i32
task block 1 serial
  %a.0 = x[0]
  %b.1 = 2
  x[5] = %b.1
  a[0] = %a.0
task block 64
  %a.0 = a[0]
  x[thread_idx] = %a.0
task block 1 serial
  %a.0 = a[0]
  %a.0 = (%a.0 + 1)
  a[0] = %a.0
task block 1 serial
  %a.0 = a[0]
  x[1] = %a.0
)");
}

TEST_CASE("carryLocals: what a round of a loop leaves for the next one goes through memory") {
  hir::Draft draft = parsed(R"(draft k wave 32
param x i32 buffer
hidden schedule schedule u32 x 6
local %sum.0 i32
local %fresh.1 i32
local %own.2 i32
local %late.3 i32
span loop in 0
task block 1 serial in 1
  %fresh.1 = x[0]
  x[1] = %late.3
task block 64 in 1
  %own.2 = (%own.2 + %fresh.1)
  x[thread_idx] = %own.2
task block 1 serial in 1
  if (x[2] > 0)
    %late.3 = 1
  %sum.0 = (%sum.0 + 1)
task block 1 serial
  x[3] = %sum.0
)");
  hir::carryLocals(draft);
  // `fresh` is written before it is read in each round, and `own` belongs to each thread.
  const std::string all = hir::dump(draft);
  CHECK(all.substr(all.find("hidden carry")) == R"(hidden carry sum i32 x 1
hidden carry fresh i32 x 1
hidden carry late i32 x 1
local %sum.0 i32
local %fresh.1 i32
local %own.2 i32
local %late.3 i32
span loop in 0
task block 1 serial in 1
  %fresh.1 = fresh[0]
  %late.3 = late[0]
  %fresh.1 = x[0]
  x[1] = %late.3
  fresh[0] = %fresh.1
task block 64 in 1
  %fresh.1 = fresh[0]
  %own.2 = (%own.2 + %fresh.1)
  x[thread_idx] = %own.2
task block 1 serial in 1
  %sum.0 = sum[0]
  %late.3 = late[0]
  if (x[2] > 0)
    %late.3 = 1
  %sum.0 = (%sum.0 + 1)
  sum[0] = %sum.0
  late[0] = %late.3
task block 1 serial
  %sum.0 = sum[0]
  x[3] = %sum.0
)");
}

TEST_CASE("gateTasks: tasks look at the schedule's words first") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
hidden schedule schedule u32 x 1
)";
  // A loop in a loop asks only for the inner one.
  CHECK(tasksAfter(hir::gateTasks, head + R"(span loop in 0
span loop in 1
task block 1 serial
  x[0] = 1
task block 64 in 1
  x[1] = 1
task block 64 in 2
  x[2] = 1
)") == R"(task block 1 serial
  x[0] = 1
task block 64 in 1
  if (schedule[3] != 0:u32)
    x[1] = 1
task block 64 in 2
  if (schedule[4] != 0:u32)
    x[2] = 1
)");
  // With checkpoints, all tasks ask if the launch is where it has to be.
  CHECK(tasksAfter(hir::gateTasks, head + R"(span checkpoint in 0 7
span loop in 0
span checkpoint in 2 8
task block 1 serial
  x[0] = 1
task block 64 in 1
  x[1] = 1
task block 64 in 3
  x[2] = 1
)") == R"(task block 1 serial
  if (schedule[2] == 0:u32)
    x[0] = 1
task block 64 in 1
  if ((schedule[2] == 0:u32) | (schedule[0] == 1:u32))
    x[1] = 1
task block 64 in 3
  if ((schedule[3] != 0:u32) & ((schedule[2] == 0:u32) | (schedule[0] == 2:u32)))
    x[2] = 1
)");
}

TEST_CASE("writeSchedule: the spans' tasks, as those that are left are numbered") {
  hir::Draft draft = parsed(R"(draft k wave 32
param x i32 buffer
hidden schedule schedule u32 x 1
span loop in 0
span fork in 1
span branch in 2
span branch in 2
span checkpoint in 0 -7
task block 64
  x[0] = 1
task block 64 in 3
  x[1] = 1
task block 64 in 3
  x[2] = 1
task block 1 serial in 1
  x[3] = 1
task block 1 serial in 5
  x[4] = 1
)");
  hir::writeSchedule(draft);
  CHECK(draft.kernel.hidden[0].name == "loop 1 4\nfork 1 3\nbranch 1 3\ncheckpoint 4 5 -7\n");
  CHECK(draft.kernel.hidden[0].count == 6); // three words, and three for the loop
}

TEST_CASE("carryLocals: threads that change a variable do so in memory") {
  hir::Draft draft = parsed(R"(draft k wave 32
param x i32 buffer
local %v_0.0 i32
local %v_1.1 i32
local %v_0.2 i32
variable v %v_0.0 x 2
task block 1 serial
  %v_0.0 = 10
  %v_1.1 = 20
  %v_0.2 = 1
task block 64
  atomic_add(carry0[(thread_idx % 2)], %v_1.1)
  %v_0.2 = %v_0.0
task block 1 serial
  x[0] = (%v_0.0 + %v_1.1)
  x[1] = %v_0.2
)");
  hir::carryLocals(draft);
  // Two variables of one name get two buffers.
  CHECK(hir::dump(draft) == R"(draft k wave 32
param x i32 buffer
hidden carry v i32 x 2
hidden carry v_0 i32 x 1
local %v_0.0 i32
local %v_1.1 i32
local %v_0.2 i32
variable v %v_0.0 x 2
task block 1 serial
  %v_0.0 = 10
  %v_1.1 = 20
  %v_0.2 = 1
  v[0] = %v_0.0
  v[1] = %v_1.1
  v_0[0] = %v_0.2
task block 64
  atomic_add(v[(thread_idx % 2)], v[1])
  v_0[0] = v[0]
task block 1 serial
  %v_0.0 = v[0]
  %v_1.1 = v[1]
  %v_0.2 = v_0[0]
  x[0] = (%v_0.0 + %v_1.1)
  x[1] = %v_0.2
)");
}

TEST_CASE("renumber: each task has the locals and arrays that it uses, in order of use") {
  const hir::Kernel kernel = hir::renumber(parsed(R"(draft k wave 32
param x i32 buffer
hidden field f i32 x 4
local %a.0 i32
local %b.1 f32
local %c.2 i32
shared0 s i32 x 64
shared1 t f32 x 32
private0 p i32 x 3
task block 64
  %c.2 = f[0]
  shared1[%c.2] = 1:f32
  %a.0 = %c.2
task block 32
  for %a.0 = 0 to 3
    shared1[0] = shared1[1]
    shared0[0] = private0[%a.0]
)"));
  CHECK(hir::dump(kernel) == R"(kernel k wave 32
param x i32 buffer
param f i32 buffer
task k_t0 block 64
  shared0 t f32 x 32
  %c.0 = f[0]
  shared0[%c.0] = 1:f32
  %a.1 = %c.0
task k_t1 block 32
  shared0 t f32 x 32
  shared1 s i32 x 64
  private0 p i32 x 3
  for %a.0 = 0 to 3
    shared0[0] = shared0[1]
    shared1[0] = private0[%a.0]
)");
}

TEST_CASE("lowerSmallReals: values are their bits, and f32's arithmetic is rounded") {
  hir::Kernel kernel = hir::renumber(parsed(R"(draft k wave 32
param x bf16 buffer
hidden field f bf16 x 4
local %a.0 bf16
shared0 s bf16 x 64
task block 64
  %a.0 = x[0]
  shared0[0] = neg(%a.0)
  f[1] = abs(%a.0)
  x[1] = (%a.0 + 0.1:bf16)
)"));
  hir::lowerSmallReals(kernel);
  CHECK(kernel.hidden[0].type == hir::Type::BF16); // applications are told this
  // 0.1 is 0x3dcd, 15821.
  CHECK(hir::dump(kernel) == R"(kernel k wave 32
param x u16 buffer
param f u16 buffer
task k_t0 block 64
  shared0 s u16 x 64
  %a.0 = x[0]
  shared0[0] = (%a.0 ^ 32768:u16)
  f[1] = (%a.0 & 32767:u16)
  x[1] = {
    %real.1 = bitcast<u32>((bitcast<f32>((u32(%a.0) << 16:u32)) + bitcast<f32>((15821:u32 << 16:u32))))
  } u16((select(((%real.1 & 2147483647:u32) > 2139095040:u32), (%real.1 | 4194304:u32), ((%real.1 + 32767:u32) + ((%real.1 >>> 16:u32) & 1:u32))) >>> 16:u32))
)");
}

TEST_CASE("lowerSmallReals: a bf16 in a buffer of another type is a u16 there") {
  hir::Kernel kernel = hir::renumber(parsed(R"(draft k wave 32
param x u8 buffer
local %a.0 bf16
task block 64
  %a.0 = x@bf16[3]
  x@bf16[4] = neg(%a.0)
  %a.0 = atomic_exchange(x@bf16[1], %a.0)
  x@f32[1] = 2:f32
)"));
  hir::lowerSmallReals(kernel);
  CHECK(hir::dump(kernel) == R"(kernel k wave 32
param x u8 buffer
task k_t0 block 64
  %a.0 = x@u16[3]
  x@u16[4] = (%a.0 ^ 32768:u16)
  %a.0 = atomic_exchange(x@u16[1], %a.0)
  x@f32[1] = 2:f32
)");
}

TEST_CASE("lowerSmallReals: an atomic is a loop of compare-and-swaps, an exchange is one of bits") {
  hir::Kernel kernel = hir::renumber(parsed(R"(draft k wave 32
param x bf16 buffer
local %a.0 bf16
task block 64
  scope 4
    %a.0 = atomic_exchange(x[1], x[2])
  atomic_max(x[0], %a.0)
)"));
  hir::lowerSmallReals(kernel);
  CHECK(hir::dump(kernel) == R"(kernel k wave 32
param x u16 buffer
task k_t0 block 64
  scope 4
    %a.0 = atomic_exchange(x[1], x[2])
  {
    %real.1 = 0
    %real.2 = bitcast<f32>((u32(%a.0) << 16:u32))
    %real.3 = atomic_or(x[%real.1], 0:u16)
    scope 5
      while true
        %real.5 = atomic_cas(x[%real.1], %real.3, {
          %real.4 = bitcast<u32>((bitcast<f32>((u32(%real.3) << 16:u32)) max %real.2))
        } u16((select(((%real.4 & 2147483647:u32) > 2139095040:u32), (%real.4 | 4194304:u32), ((%real.4 + 32767:u32) + ((%real.4 >>> 16:u32) & 1:u32))) >>> 16:u32)))
        if (%real.5 == %real.3)
          leave 5
        %real.3 = %real.5
  } %real.3
)");
}

TEST_CASE("placeVariables: many components lie in memory, few are chosen among") {
  const std::string head = R"(draft k wave 32
param x i32 buffer
local %i.0 i32
local %a_0.1 i32
local %a_1.2 i32
local %a_2.3 i32
)";
  std::string many = head;
  for (int k = 4; k < 14; ++k)
    many += "local %b_" + std::to_string(k - 4) + "." + std::to_string(k) + " f32\n";
  many += "variable a %a_0.1 x 3\nvariable b %b_0.4 x 10\n";
  // Few: an index outside reads the last one and writes none.
  CHECK(tasksAfter(hir::placeVariables, many + R"(task block 64
  variable1[x[0]] = x[1]
  x[2] = variable1[%i.0]
  %a_1.2 = 5
)") == R"(task block 64
  %chosen.14 = x[0]
  %chosen.15 = x[1]
  %a_0.1 = select((%chosen.14 == 0), %chosen.15, %a_0.1)
  %a_1.2 = select((%chosen.14 == 1), %chosen.15, %a_1.2)
  %a_2.3 = select((%chosen.14 == 2), %chosen.15, %a_2.3)
  x[2] = {
    %chosen.16 = %i.0
  } select((%chosen.16 == 0), %a_0.1, select((%chosen.16 == 1), %a_1.2, %a_2.3))
  %a_1.2 = 5
)");
  // Many, in the task that indexes them; in the other one they stay locals.
  CHECK(tasksAfter(hir::placeVariables, many + R"(task block 64
  variable4[%i.0] = 1.5:f32
  %b_3.7 = (variable4[x[0]] + %b_9.13)
task block 32
  %b_3.7 = 2:f32
)") == R"(task block 64
  %chosen.14 = %i.0
  if (u32(%chosen.14) < 10:u32)
    private0[%chosen.14] = 1.5:f32
  private0[3] = (private0[i32((u32(x[0]) min 9:u32))] + private0[9])
task block 32
  %b_3.7 = 2:f32
)");
}
