// Tests what is derived from the members of nodes: copies, and walks over operands.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Uses.h"
#include "tests/hir/Everything.h"
#include "tests/hir/text/Dump.h"
#include "tests/hir/text/Parse.h"
#include "tests/support/Catch.h"

#include <set>

using namespace sextant;

namespace {

/// Calls `visit` for each expression of a block, and `visitStmt` for each statement, those inside
/// of others too.
void forEachNode(
    hir::Block &block, const std::function<void(hir::Expr &)> &visit,
    const std::function<void(hir::Stmt &)> &visitStmt = [](hir::Stmt &) {}) {
  const std::function<void(hir::Block &)> visitBlock = [&](hir::Block &inner) {
    forEachNode(inner, visit, visitStmt);
  };
  const std::function<void(hir::Expr &)> visitExpr = [&](hir::Expr &expr) {
    visit(expr);
    forEachOperand(expr, visitExpr, visitBlock);
  };
  for (hir::Stmt &stmt : block) {
    visitStmt(stmt);
    forEachOperand(stmt, visitExpr, visitBlock);
  }
}

hir::Draft everyNode() {
  std::string problem;
  hir::Draft draft = hir::parseDraft(everything, problem);
  REQUIRE(problem == "");
  return draft;
}

template <class Enum> void checkWords(const char *first, const char *last) {
  const auto all = words(Enum());
  CHECK(std::string(all.front()) == first);
  CHECK(std::string(all.back()) == last);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  for (const char *word : all)
    CHECK(std::string(hir::wordOf(*hir::fromWord<Enum>(word))) == word);
}

} // namespace

TEST_CASE("the text that tests use has every node") {
  hir::Draft draft = everyNode();
  std::set<size_t> expressions, statements;
  for (hir::DraftTask &each : draft.tasks)
    forEachNode(
        each.task.body, [&](hir::Expr &expr) { expressions.insert(expr.node.index()); },
        [&](hir::Stmt &stmt) { statements.insert(stmt.node.index()); });
  CHECK(expressions.size() == std::variant_size_v<decltype(hir::Expr::node)>);
  CHECK(statements.size() == std::variant_size_v<decltype(hir::Stmt::node)>);
}

TEST_CASE("the copy of any expression is the same code at the same place") {
  hir::Draft draft = everyNode();
  const SourceFile file("k.py", "some text\n");
  for (hir::DraftTask &each : draft.tasks)
    forEachNode(each.task.body, [&](hir::Expr &expr) {
      expr.at = {SourceRange{&file, 2, 5}, 7};
      const hir::ExprPtr copy = hir::clone(expr);
      CHECK(hir::dump(*copy) == hir::dump(expr));
      CHECK(copy->type == expr.type);
      CHECK(copy->at.begin == 2);
      CHECK(copy->at.call == 7);
    });
}

TEST_CASE("operands are walked in the order of their evaluation") {
  hir::Draft draft = everyNode();
  auto operandsOf = [](auto &code) {
    std::string text;
    hir::forEachOperand(
        code, [&](hir::Expr &operand) { text += hir::dump(operand) + "; "; },
        [&](hir::Block &block) { text += std::to_string(block.size()) + " statements; "; });
    return text;
  };
  hir::Block &first = draft.tasks[0].task.body, &second = draft.tasks[1].task.body;
  CHECK(operandsOf(first[5]) == "0; select(%.4, %.1, neg(%.1)); "); // a store
  CHECK(operandsOf(*std::get<hir::Store>(first[5].node).value) == "%.4; %.1; neg(%.1); ");
  CHECK(operandsOf(first[7]) == "1 statements; ");
  CHECK(operandsOf(std::get<hir::Scope>(first[7].node).body[0]) ==
        "(not(%.4) & (%.1 < 0:f32)); 1 statements; 1 statements; ");
  CHECK(operandsOf(second[0]) == "0; param1; 2 statements; ");
  CHECK(operandsOf(*std::get<hir::Assign>(second[1].node).value) == "0; 1; %.0; ");
  CHECK(operandsOf(second[8]) == "%.4; i64(%.0); 4:i64; "); // a check
}

TEST_CASE("whatever node accesses a buffer, the buffer is found") {
  hir::Draft draft = everyNode();
  unsigned inStatements = 0, inExpressions = 0;
  for (hir::DraftTask &each : draft.tasks) {
    for (hir::Stmt &stmt : each.task.body)
      inStatements += hir::bufferOf(stmt) != nullptr;
    forEachNode(each.task.body, [&](hir::Expr &expr) { inExpressions += !!hir::bufferOf(expr); });
  }
  CHECK(inStatements == 5);
  CHECK(inExpressions == 12);
}

TEST_CASE("each enumerator has a word of its own") {
  checkWords<hir::Cache>("all", "async");
  checkWords<hir::UnaryOp>("neg", "ffs");
  checkWords<hir::BinaryOp>("+", "!=");
  checkWords<hir::Combine>("add", "exchange");
  checkWords<hir::Id>("thread_idx", "block_dim");
  checkWords<hir::ShuffleKind>("index", "broadcast");
  checkWords<hir::BarrierReduceKind>("all", "count");
  checkWords<hir::FenceScope>("subgroup", "device");
  checkWords<hir::HiddenBuffer::Role>("", "shift");
  CHECK(std::string(hir::wordOf(hir::HiddenBuffer::Schedule)) == "schedule");
  CHECK(std::string(hir::wordOf(hir::LaunchExpr::Mod)) == "%");
}
