// Each problem that the lexer or the parser finds (frontend/problems/Problems.def) is raised by a
// snippet here.
#include "frontend/syntax/Parser.h"
#include "tests/support/Catch.h"

#include <algorithm>

using namespace sextant;

namespace {

struct Snippet {
  Problem problem;
  std::string text;
};

std::string times(const std::string &text, unsigned count) {
  std::string all;
  for (unsigned k = 0; k < count; ++k)
    all += text;
  return all;
}

/// A kernel with these lines, which have to be indented.
std::string body(const std::string &lines) { return "@qd.kernel\ndef k(n):\n" + lines; }

/// A kernel with this line.
std::string line(const std::string &text) { return body("    " + text + "\n"); }

const Snippet snippets[] = {
    // The lexer's.
    {Problem::BackslashNotLast, line("a = n + \\ 1")},
    {Problem::BracketClosesNothing, line("a = n)")},
    {Problem::BracketNotClosed, line("a = (n")},
    {Problem::BracketsMismatched, line("a = (n[1)")},
    {Problem::CharacterNotPython, line("a = n ? 1 : 2")},
    {Problem::CharacterNotPython, line("a = n \x01 2")},
    {Problem::IndentationUnmatched, body("    if n:\n            a = 1\n        a = 2\n")},
    {Problem::NestingTooDeep, line("a = " + times("(", 201) + "n" + times(")", 201))},
    {Problem::NumberMalformed, line("a = 1__0")},
    {Problem::NumberMalformed, line("a = 0x")},
    {Problem::NumberMalformed, line("a = 017")},
    {Problem::NumberMalformed, line("a = 1.0f")},
    {Problem::StringNotClosed, line("a = 'n")},
    {Problem::StringNotClosed, line("a = '''n")},
    {Problem::TabsAndSpacesMixed, body("    if n:\n\ta = 1\n")},
    {Problem::TextNotUtf8, line("a = '\xE9'")},
    {Problem::TextNotUtf8, line("a = n # \xE9")},
    {Problem::TextNotUtf8, line("gr\xF6\xDF = n")},

    // Files and blocks.
    {Problem::BlockMissing, body("    if n:\n    a = 1\n")},
    {Problem::BranchWithoutStatement, line("else: pass")},
    {Problem::DefinitionInsideFunction, line("class A: pass")},
    {Problem::DefinitionInsideFunction, line("def g(): pass")},
    {Problem::DefinitionInsideFunction, body("    @qd.func\n    def g(): pass\n")},
    {Problem::ElifsTooMany, body("    if n: pass\n" + times("    elif n: pass\n", 4001))},
    {Problem::FileTooLarge, times("#", (64u << 20) + 1)},
    {Problem::IndentationUnexpected, body("    a = 1\n        b = 2\n")},
    {Problem::JumpOutsideLoop, line("break")},
    {Problem::JumpOutsideLoop, line("continue")},
    {Problem::NestingTooDeep, line("a = " + times("n ** ", 300) + "n")},
    {Problem::ReturnOutsideFunction, "return 1\n"},
    {Problem::StatementNotInKernels, line("raise n")},
    {Problem::StatementNotInKernels, line("a = 1; del a")},

    // Something is missing.
    {Problem::ClosingBracketExpected, line("a = (n 1)")},
    {Problem::ClosingBracketExpected, line("a = n[1 2]")},
    {Problem::ClosingBracketExpected, line("a = [n 1]")},
    {Problem::ClosingBracketExpected, line("a = f(n 1)")},
    {Problem::ColonExpected, line("if n = 1: pass")},
    {Problem::ColonExpected, body("    if n: pass\n    else if n: pass\n")},
    {Problem::DefinitionExpected, "@qd.kernel\nA = 1\n"},
    {Problem::ElseExpected, line("a = 1 if n")},
    {Problem::EndOfLineExpected, line("a = n n")},
    {Problem::EndOfLineExpected, "@qd.kernel 1\ndef k():\n    pass\n"},
    {Problem::ExpressionExpected, line("a = n +")},
    {Problem::ExpressionExpected, line("a = n[]")},
    {Problem::ExpressionExpected, line("a =")},
    {Problem::ImportExpected, "from math pi\n"},
    {Problem::InExpected, line("for i of n: pass")},
    {Problem::InExpected, line("a = [i for i of n]")},
    {Problem::NameExpected, line("a = n.is")},
    {Problem::NameExpected, "@qd.kernel\ndef k(is): pass\n"},
    {Problem::NameExpected, "import 3\n"},
    {Problem::NameExpected, "from math import pi as 3\n"},
    {Problem::ParametersExpected, "@qd.kernel\ndef k: pass\n"},

    // Something stands where it cannot.
    {Problem::ArgumentTwice, line("a = f(n=1, n=2)")},
    {Problem::ExpressionTooLong, line("a = n" + times(" + n", 1000))},
    {Problem::NamedExpressionAsStatement, line("a := n")},
    {Problem::NamedExpressionOfNoName, line("a = (n[0] := 1)")},
    {Problem::OperatorNotPython, line("a = n && n")},
    {Problem::OperatorNotPython, line("n++")},
    {Problem::ParameterTwice, "@qd.kernel\ndef k(n, n): pass\n"},
    {Problem::ParameterWithoutDefault, "@qd.kernel\ndef k(n=1, m): pass\n"},
    {Problem::PositionalAfterKeyword, line("a = f(n=1, 2)")},
    {Problem::TargetNotAssignable, line("n + 1 = 2")},
    {Problem::WithNotOneCall, line("with n as m: pass")},
};

std::vector<Problem> problemsOf(const std::string &text) {
  const SourceFile file("k.py", text);
  DiagnosticSink sink;
  parse(file, sink);
  std::vector<Problem> found;
  for (const Diagnostic &diagnostic : sink.diagnostics())
    found.push_back(diagnostic.problem);
  return found;
}

} // namespace

TEST_CASE("the first problem of a snippet is the one that it is for") {
  for (const Snippet &snippet : snippets) {
    INFO(problemName(snippet.problem) << "\n" << snippet.text.substr(0, 200));
    const std::vector<Problem> found = problemsOf(snippet.text);
    REQUIRE(!found.empty());
    CHECK(problemName(found.front()) == problemName(snippet.problem));
  }
}

TEST_CASE("each problem that the lexer or the parser finds is raised by a snippet") {
  for (unsigned number = 0; number < problemCount(); ++number) {
    INFO(problemName(Problem(number)));
    if (phaseOf(Problem(number)) == Phase::Syntax)
      CHECK(std::any_of(std::begin(snippets), std::end(snippets), [&](const Snippet &snippet) {
        return snippet.problem == Problem(number);
      }));
  }
}
