// The text of a draft, both ways.
#include "tests/hir/Everything.h"
#include "tests/hir/text/Dump.h"
#include "tests/hir/text/Parse.h"
#include "tests/support/Catch.h"

using namespace sextant;

static std::string problemOf(const std::string &text) {
  std::string problem;
  hir::parseDraft(text, problem);
  return problem;
}

TEST_CASE("every kind of expression and statement is read as it is written") {
  std::string problem;
  const hir::Draft draft = hir::parseDraft(everything, problem);
  REQUIRE(problem == "");
  CHECK(hir::dump(draft) == everything);
  // Types are worked out from the operands.
  const auto &body = draft.tasks[1].task.body;
  auto valueOf = [&](size_t i) -> const hir::Expr & {
    return *std::get<hir::Assign>(body[i].node).value;
  };
  CHECK(valueOf(1).type == hir::Type::I32);
  CHECK(valueOf(3).type == hir::Type::Bool);
  CHECK(std::get<hir::Shuffle>(valueOf(2).node).value->type == hir::Type::I32);
}

TEST_CASE("text that is not a draft is refused with its line") {
  const std::string start = "draft k wave 8\nlocal %a.0 i32\ntask block 1\n";
  CHECK(problemOf("kernel k wave 8\n") == "line 1: expected `draft`");
  CHECK(problemOf(start + "  %a.0 = %b.1\n") == "line 4: there is no local 1");
  CHECK(problemOf(start + "  %a.0 = (1 plus 2)\n") == "line 4: `plus` is not an operator");
  CHECK(problemOf(start + "  y[0] = 1\n") == "line 4: there is no buffer `y`");
  CHECK(problemOf(start + "  %a.0 = f31(1)\n") ==
        "line 4: `f31` is nothing that an expression can begin with");
  CHECK(problemOf(start + "  (1 + 2) = 1\n") == "line 4: nothing can be assigned to this");
  CHECK(problemOf(start + "  if %a.0\n        leave 1\n") == "line 5: unexpected indentation");
  CHECK(problemOf("draft k wave 8\nlocal %a.0 f31\n") == "line 2: `f31` is not a type");
  CHECK(problemOf("draft k wave 8\nnonsense\n") == "line 2: `nonsense` begins no line of a draft");
}
