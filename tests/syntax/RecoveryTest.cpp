// Errors: their places and words, several a run, and no runaway recursion.
#include "tests/support/Catch.h"
#include "tests/syntax/DumpAst.h"

#include <algorithm>

using namespace sextant::test;

TEST_CASE("several errors in one run, each at its place") {
  CHECK(errorsOf("@qd.kernel\n"
                 "def k(a):\n"
                 "    x = 1 +\n"
                 "    for i in range(3)\n"
                 "        y = = 2\n"
                 "    if x = 3:\n"
                 "        z = (1, 2\n"
                 "    return x\n"
                 "@qd.kernel\n"
                 "def m(a, a):\n"
                 "    pass\n"
                 "    3 = x\n") ==
        "3:12 expected an expression, found the end of the line\n"
        "4:22 expected ':' after the head of 'for', found the end of the line\n"
        "5:13 expected an expression, found '='\n"
        "6:10 expected ':' after the condition of 'if', found '='\n"
        "7:13 '(' is never closed\n"
        "10:10 the parameter 'a' is named twice\n"
        "12:5 cannot assign to a constant");
}

TEST_CASE("what kernels cannot hold is an error there, and only there") {
  CHECK(errorsOf("@qd.kernel\n"
                 "def k():\n"
                 "    try:\n"
                 "        x = 1\n"
                 "    except E:\n"
                 "        pass\n"
                 "    with a as b: pass\n"
                 "    class A: pass\n"
                 "    @qd.func\n"
                 "    def f(): pass\n"
                 "    def g():\n"
                 "        raise x\n"
                 "    global y\n"
                 "    raise z\n"
                 "    match x:\n"
                 "        case 1: pass\n"
                 "    del x\n"
                 "    x = lambda: 0\n") ==
        "3:5 kernels have no exceptions\n"
        "7:12 'with' of a kernel takes one call, and gives no name\n"
        "8:5 a class cannot be defined in a kernel\n"
        "9:5 a function or class cannot be defined inside a kernel\n"
        "11:5 a function cannot be defined inside a kernel\n"
        "13:5 module constants are read-only in a kernel\n"
        "14:5 kernels have no exceptions\n"
        "15:5 'match' is not part of the kernel language\n"
        "17:5 names cannot be deleted in a kernel");
}

TEST_CASE("habits from other languages get their Python spelling") {
  CHECK(errorsOf("@qd.func\ndef f(a):\n    if a && b:\n        pass\n    a++\n    else if a:\n"
                 "        pass\n    if a:\n        pass\n    else if b:\n        pass\n") ==
        "3:10 Python has no '&&'\n"
        "5:6 Python has no '++'\n"
        "6:5 'else' belongs to no statement before it\n"
        "10:10 expected ':' after 'else', found the keyword 'if'");
}

TEST_CASE("misplaced statements") {
  CHECK(
      errorsOf("return 1\nbreak\n@qd.func\ndef f():\n    continue\n") ==
      "1:1 'return' outside a function\n2:1 'break' outside a loop\n5:5 'continue' outside a loop");
  CHECK(errorsOf("@qd.func\ndef f():\nx = 1\n") ==
        "3:1 expected an indented block after the head of 'def'");
  CHECK(errorsOf("@qd.func\nx = 1\n") ==
        "2:1 expected 'def' or 'class' after a decorator, found 'x'");
  CHECK(errorsOf("f(a=1, 2)") == "1:8 a positional argument cannot follow a keyword argument");
  CHECK(errorsOf("f(a=1, a=2)") == "1:8 the keyword argument 'a' is given twice");
  CHECK(errorsOf("f(1 2)").find("1:5 expected ')' to close the call, found '2'") == 0);
  CHECK(errorsOf("a = 1 b = 2").find("1:7 expected the end of the statement, found 'b'") == 0);
  CHECK(errorsOf("f() = 1") == "1:1 cannot assign to a call");
  CHECK(errorsOf("a, b += 1") == "1:1 cannot assign to a tuple here");
  CHECK(errorsOf("x = for").find("1:5 expected an expression, found the keyword 'for'") == 0);
}

TEST_CASE("deep nesting is an error, not a crash") {
  auto has = [](const std::string &text, const char *what) {
    return errorsOf(text).find(what) != std::string::npos;
  };
  const size_t many = 100000;
  CHECK(has("x = " + std::string(many, '('), "brackets are nested more than 200 deep"));
  CHECK(has("x = " + std::string(300, '(') + "1" + std::string(300, ')'), "deep"));
  CHECK(has("x = " + std::string(many, '-') + "1", "nested more than 200 deep"));
  std::string nots, powers, elses, sums, calls, elifs = "@qd.func\ndef f():\n    if a: pass\n";
  for (size_t i = 0; i < many; ++i) {
    nots += "not ";
    powers += "2**";
    elses += "1 if a else ";
    sums += "a + ";
    calls += "()";
    elifs += "    elif a: pass\n";
  }
  CHECK(has("x = " + nots + "1", "nested more than 200 deep"));
  CHECK(has("x = " + powers + "1", "nested more than 200 deep"));
  CHECK(has("x = " + elses + "1", "nested more than 200 deep"));
  CHECK(has("x = " + sums + "1", "longer than 1000 operations"));
  CHECK(has("x = f" + calls, "longer than 1000 operations"));
  CHECK(has(elifs, "this chain has more than 4000 'elif'"));
  CHECK(errorsOf("x = " + sums.substr(0, 900 * 4) + "1").empty());
}

TEST_CASE("a file that is not a kernel file stops after some errors") {
  std::string noise;
  for (int i = 0; i < 1000; ++i)
    noise += "\x01\x02 $ ?\n";
  std::string errors = errorsOf(noise);
  CHECK(std::count(errors.begin(), errors.end(), '\n') < 60);
}

TEST_CASE("no prefix or suffix of a kernel crashes") {
  const std::string kernel =
      "import quadrants as qd\n@qd.kernel\ndef k(a: qd.types.ndarray(dtype=qd.f32, "
      "ndim=1), n: int = 3) -> qd.i32:\n    '''doc'''\n    for i in range(n):\n"
      "        x, y = f(a[i, :2], *b, k=-1 ** 2) if a[i] < 3 <= n else (0, [1])\n"
      "        while x and not y:\n            a[i] += 0x1F\n        else: break\n"
      "    return f\"{x['a']}\"\n";
  for (size_t i = 0; i < kernel.size(); ++i) {
    parseAndDump(kernel.substr(0, i));
    parseAndDump(kernel.substr(i));
    std::string changed = kernel;
    for (char c : {'(', ')', ':', '\n', '\'', ' ', '=', '\t', '\\', '{'}) {
      changed[i] = c;
      parseAndDump(changed);
    }
  }
}
