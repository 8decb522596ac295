// The text of a draft, both ways.
#include "frontend/hir/Dump.h"
#include "frontend/hir/Parse.h"
#include "tests/support/Catch.h"

using namespace sextant;

static std::string problemOf(const std::string &text) {
  std::string problem;
  hir::parseDraft(text, problem);
  return problem;
}

TEST_CASE("every kind of expression and statement is read as it is written") {
  const std::string text = R"(draft k wave 32
param x f32 buffer
param x.shape0 i32
param n u64
hidden return return0 f64 x 1
hidden carry t i32 x 3
hidden schedule schedule u32 x 3
local %a.0 i32
local %b.1 f32 shown
local %v_0.2 i32
local %v_1.3 i32
local %p.4 u1
variable v %v_0.2 x 2
shared0 s f16 x 64
private0 q i8 x 9
returned %a.0
span loop in 0
span checkpoint in 1 -7
span fork in 0
span branch in 3
task block 1 serial returns 3
  %a.0 = 5
  %b.1 = -2.5:f32
  %b.1 = inf:f32
  %p.4 = true
  x[%a.0] = volatile x[(%a.0 + 1)]
  volatile x[0] = select(%p.4, %b.1, neg(%b.1))
  %a.0 = ((n == 18446744073709551615:u64) ? i32(n) : x.shape0)
  scope 3
    if (not(%p.4) & (%b.1 < 0:f32))
      leave 3
    else
      t[1] = bitcast<i32>(%b.1)
  atomic_add(carry2[1], %a.0)
task block 128 full waits behind_return in 2
  for %a.0 = 0 to x.shape0 step -2
    while (thread_idx != lane)
      %a.0 = {
        %v_0.2 = {
          barrier
        } 3
        shared0[0] = f16(1)
      } (%v_0.2 >>> 2)
    private0[0] = i8(-7)
  %a.0 = atomic_cas(carry2[0], 1, %a.0)
  %a.0 = shuffle_xor(popcnt(n), 1)
  %p.4 = (any<5>(%p.4) | all<2>((ballot(%p.4) == match<4>(u32(%a.0)))))
  %a.0 = reduce_all_max<5>(inclusive_add<3>(exclusive_xor<5>(reduce_min<5>(%a.0))))
  %a.0 = barrier_count(%p.4)
  subgroup_barrier
  fence device
  check %p.4 site 2, i64(%a.0), 4:i64
  block_idx
  x@i16[%a.0] = i16(x@u64[(%a.0 + 1)])
  volatile x@i32[0] = (%p.4 ? x@i32[2] : n@i32[1])
  %a.0 = atomic_cas(carry2@u32[0], 1:u32, atomic_max(x@u32[3], 7:u32))
)";
  std::string problem;
  const hir::Draft draft = hir::parseDraft(text, problem);
  REQUIRE(problem == "");
  CHECK(hir::dump(draft) == text);
  // Types are worked out from the operands.
  const auto &body = draft.tasks[1].task.body;
  auto valueOf = [&](size_t i) -> const hir::Expr & {
    return *std::get<hir::Assign>(body[i].node).value;
  };
  CHECK(valueOf(1).type == hir::Type::I32);
  CHECK(valueOf(3).type == hir::Type::Bool);
  CHECK(std::get<hir::Shuffle>(valueOf(2).node).value->type == hir::Type::I32);
}

TEST_CASE("text that is no draft is refused with its line") {
  const std::string start = "draft k wave 8\nlocal %a.0 i32\ntask block 1\n";
  CHECK(problemOf("kernel k wave 8\n") == "line 1: expected `draft`");
  CHECK(problemOf(start + "  %a.0 = %b.1\n") == "line 4: there is no local 1");
  CHECK(problemOf(start + "  %a.0 = (1 plus 2)\n") == "line 4: `plus` is no operator");
  CHECK(problemOf(start + "  y[0] = 1\n") == "line 4: there is no buffer `y`");
  CHECK(problemOf(start + "  %a.0 = f31(1)\n") ==
        "line 4: `f31` is nothing that an expression can begin with");
  CHECK(problemOf(start + "  (1 + 2) = 1\n") == "line 4: nothing can be assigned to this");
  CHECK(problemOf(start + "  if %a.0\n        leave 1\n") == "line 5: unexpected indentation");
  CHECK(problemOf("draft k wave 8\nlocal %a.0 f31\n") == "line 2: `f31` is no type");
  CHECK(problemOf("draft k wave 8\nnonsense\n") == "line 2: `nonsense` begins no line of a draft");
}
