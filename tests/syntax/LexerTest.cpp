// Literals, lines and indentation.
#include "frontend/syntax/Lexer.h"
#include "tests/support/Catch.h"
#include "tests/syntax/DumpAst.h"

#include <cmath>
#include <limits>

using namespace sextant;
using sextant::test::errorsOf;
using sextant::test::parseAndDump;

namespace {

std::vector<Token> lex(std::string_view text, std::string *messages = nullptr) {
  static std::vector<std::unique_ptr<SourceFile>> files; // tokens point into them
  files.push_back(std::make_unique<SourceFile>("t.py", std::string(text)));
  DiagnosticSink sink;
  auto tokens = tokenize(*files.back(), sink);
  for (const Diagnostic &d : sink.diagnostics())
    if (messages)
      *messages += d.message + "\n";
  CHECK((messages || !sink.hasErrors()));
  return tokens;
}

std::string kinds(std::string_view text) {
  std::string out;
  for (const Token &token : lex(text))
    out += "nIfjsoN>< "[int(token.kind)];
  return out;
}

} // namespace

TEST_CASE("integers keep their exact value") {
  CHECK(lex("18446744073709551615")[0].integer == 0xFFFFFFFFFFFFFFFFu);
  CHECK_FALSE(lex("18446744073709551615")[0].tooBig);
  CHECK(lex("18446744073709551616")[0].tooBig);
  CHECK(lex("0x_Dead_beef")[0].integer == 0xDEADBEEF);
  CHECK(lex("0b1010")[0].integer == 10);
  CHECK(lex("0o777")[0].integer == 511);
  CHECK(lex("1_000_000")[0].integer == 1000000);
  CHECK(lex("00")[0].integer == 0);
}

TEST_CASE("reals round once, as Python's") {
  CHECK(lex("0.1")[0].real == 0.1);
  CHECK(lex("1e308")[0].real == 1e308);
  CHECK(lex("1e999")[0].real == std::numeric_limits<double>::infinity());
  CHECK(lex("1e-999")[0].real == 0);
  CHECK(lex("5e-324")[0].real == 5e-324);
  CHECK(lex(".5")[0].real == 0.5);
  CHECK(lex("5.")[0].real == 5);
  CHECK(lex("1_0.0_1e+0_2")[0].real == 1001);
  CHECK(lex("1.0e30")[0].real == 1.0e30);
  CHECK(lex("3.j")[0].kind == TokenKind::Imaginary);
}

TEST_CASE("malformed numbers say what is wrong") {
  CHECK(errorsOf("x = 012") ==
        "1:5 a decimal number cannot start with 0; an octal one is written 0o12");
  CHECK(errorsOf("x = 1__0") == "1:5 underscore in a number has to stand between two digits");
  CHECK(errorsOf("x = 0x") == "1:5 number has no digits after its base prefix");
  CHECK(errorsOf("x = 0b12") == "1:5 '2' cannot follow a number");
  CHECK(errorsOf("x = 10px") == "1:5 'px' cannot follow a number");
  CHECK(errorsOf("x = 1.5f") == "1:5 'f' cannot follow a number");
}

TEST_CASE("strings") {
  CHECK(lex("'a\\n\\x41\\u00e9\\'\\101'")[0].string == "a\nA\xC3\xA9'A");
  CHECK(lex("r'a\\n'")[0].string == "a\\n");
  CHECK(lex("'''a\n'b''\n'''")[0].string == "a\n'b''\n");
  CHECK(lex("f'{a[\"x\"]}'")[0].fields.size() == 1);
  CHECK(lex("b'x'")[0].unread == "a string of bytes");
  CHECK(kinds("rb'x' Rb\"y\" u'z' f'{x!r:{w}}' f'{a['q']}' f'{{'") == "ssssssN ");
  CHECK(parseAndDump("'a' \"b\"\n") == "{'ab'}");
  CHECK(errorsOf("x = 'abc\ny = 1") == "1:5 this string is not closed before the end of its line");
  CHECK(errorsOf("x = '''abc\ny = 1") ==
        "1:5 this string is not closed before the end of the file");
}

TEST_CASE("lines") {
  CHECK(kinds("a\nb\n") == "nNnN ");
  CHECK(kinds("a\r\nb\rc") == "nNnNnN ");
  CHECK(kinds("\xEF\xBB\xBF"
              "a") == "nN ");
  CHECK(kinds("a = (b +\n   # comment\n\n c)\n") == "noononoN ");
  CHECK(kinds("a = 1 + \\\n  2\n") == "noIoIN ");
  CHECK(kinds("\n\n  # c\n   \na") == "nN ");
  CHECK(kinds("if a:\n    b\n\n  # odd comment\n    c\nd") == "nnoN>nNnN<nN ");
  CHECK(kinds("if a:\n\tb\n\tif c:\n\t\td\n") == "nnoN>nNnnoN>nN<< ");
  CHECK(kinds("") == " ");
  CHECK(kinds("\f\na") == "nN ");
  CHECK(kinds("if a:\n  b") == "nnoN>nN< ");
}

TEST_CASE("indentation errors") {
  CHECK(errorsOf("if a:\n        b\n    c\n") ==
        "3:1 this line's indentation matches no block around it");
  CHECK(errorsOf("if a:\n        b\n\tc\n") ==
        "3:1 tabs and spaces are mixed so that the indentation depends on the tab width");
  CHECK(errorsOf("a = 1\n  b = 2\nc = 3\n") ==
        "2:3 this line is indented, but no block starts here");
  std::string deep;
  for (int i = 0; i < 150; ++i)
    deep += std::string(i, ' ') + "if a:\n";
  CHECK(errorsOf(deep).find("blocks are nested more than 100 deep") != std::string::npos);
}

TEST_CASE("brackets") {
  CHECK(errorsOf("x = (1,\ny = 2\n").find("1:5 '(' is never closed") == 0);
  CHECK(errorsOf("x = f(1,\ndef g(): pass\ny = +\n") ==
        "1:6 '(' is never closed\n3:6 expected an expression, found the end of the line");
  CHECK(errorsOf("x = 1)") == "1:6 ')' closes nothing");
  CHECK(errorsOf("x = (1]").find("1:7 ']' closes nothing") != std::string::npos);
  CHECK(errorsOf("x = [(1]\ny = 1") == "1:6 '(' is closed by ']'");
}

TEST_CASE("bytes that are not text") {
  CHECK(errorsOf("x = '\xFF'") == "1:6 this byte is not UTF-8 text");
  CHECK(errorsOf("# \xC3\x28\n") == "1:3 this byte is not UTF-8 text");
  CHECK(errorsOf("\xE9 = 1") == "1:1 this byte is not UTF-8 text");
  // A surrogate, an overlong form, beyond U+10FFFF.
  for (const char *text : {"# \xED\xA0\x80", "# \xE0\x80\x80", "# \xF4\x90\x80\x80"})
    CHECK(errorsOf(text).starts_with("1:3 this byte is not UTF-8 text"));
  CHECK(errorsOf("\xC3\xA9 = 1") == "");
  CHECK(errorsOf(std::string("x = \0 1", 7)).find("1:5 control character 0x00") == 0);
  CHECK(errorsOf("x = $y").find("1:5 '$' is not part of any Python token") == 0);
  // A byte order mark, a zero-width joiner, a no-break space, a mark of a direction, in UTF-8.
  for (const char *hidden : {"\xEF\xBB\xBF", "\xE2\x80\x8D", "\xC2\xA0", "\xE2\x80\xAE"})
    for (const std::string &text : {"x = a" + std::string(hidden) + "b",
                                    "x = y" + std::string(hidden), hidden + std::string("x = 1")}) {
      INFO(text);
      const bool isMark = text.starts_with("\xEF\xBB\xBF"); // the file's
      CHECK((errorsOf(text).find("is not part of any Python token") == std::string::npos) ==
            isMark);
    }
  CHECK(errorsOf("\xC3\xA9t\xC3\xA9 = 'a\xE2\x80\x8D'  # \xE2\x80\x8D").empty());
  CHECK(errorsOf("x = a \\ b").find("1:7 a backslash joins lines only") == 0);
}
