// The shape of the trees, and what is left alone.
#include "frontend/syntax/Parser.h"
#include "frontend/syntax/Docstring.h"
#include "tests/support/Catch.h"
#include "tests/syntax/DumpAst.h"

using namespace sextant::test;

TEST_CASE("precedence and associativity are Python's") {
  CHECK(parseAndDump("a + b * c - d\n") == "{(- (+ a (* b c)) d)}");
  CHECK(parseAndDump("-a ** -b ** c") == "{(neg (** a (neg (** b c))))}");
  CHECK(parseAndDump("a | b ^ c & d << 1 + 2") == "{(| a (^ b (& c (<< d (+ 1 2)))))}");
  CHECK(parseAndDump("~a // b % c @ d / e") == "{(/ (@ (% (// (~ a) b) c) d) e)}");
  CHECK(parseAndDump("not a == b and c or d") == "{(or (and (not (a == b)) c) d)}");
  CHECK(parseAndDump("a < b <= c != d") == "{(a < b <= c != d)}");
  CHECK(parseAndDump("a not in b is not c") == "{(a not-in b is-not c)}");
  CHECK(parseAndDump("a if b else c if d else e") == "{(if b a (if d c e))}");
  CHECK(parseAndDump("1if a else 2") == "{(if a 1 2)}");
  CHECK(parseAndDump("(a + b) * c") == "{(* (+ a b) c)}");
  CHECK(parseAndDump("a & b == c") == "{((& a b) == c)}");
}

TEST_CASE("calls, subscripts, attributes") {
  CHECK(parseAndDump("f(1, *a, k=2, **m)") == "{(call f 1 *a k=2 **m)}");
  CHECK(parseAndDump("f()()[0].x") == "{(call (call f))[0].x}");
  CHECK(parseAndDump("a[i, j]; a[()]; a[None]; a[i,]") ==
        "{a[(tuple i j)]; a[(tuple)]; a[None]; a[(tuple i)]}");
  CHECK(parseAndDump("a[1:2:3, :, ::-1, b:]") == "{a[(tuple 1:2:3 _:_:_ _:_:(neg 1) b:_:_)]}");
  CHECK(parseAndDump("f(a for a in b)") == "{(call f <a generator expression>)}");
  CHECK(parseAndDump("[f(i) for i, j in qd.static(range(3)) if i if j]") ==
        "{(comp (call f i) (tuple i j) (call qd.static (call range 3)) i j)}");
  CHECK(parseAndDump("(1,); (); (1); [1, 2,]; [*a]") ==
        "{(tuple 1); (tuple); 1; (list 1 2); (list *a)}");
}

TEST_CASE("statements") {
  CHECK(parseAndDump("a = b = 1, 2\n") == "{set a b = (tuple 1 2)}");
  CHECK(parseAndDump("(a, b), *c = d") == "{set (tuple (tuple a b) *c) = d}");
  CHECK(parseAndDump("a: qd.i32 = 1\nb: int") == "{ann a : qd.i32 = 1; ann b : int = _}");
  CHECK(parseAndDump("a[0] //= 2; b.x >>= 1; c **= 2") ==
        "{aug // a[0] 2; aug >> b.x 1; aug ** c 2}");
  CHECK(parseAndDump("import a.b as c, d\nfrom ..x.y import (p as q, r,)\nfrom . import z\n"
                     "from m import *") ==
        "{import a.b:c d; from ..x.y p:q r; from . z; from m *}");
  CHECK(parseAndDump("assert a, 'm'\npass; pass\n") == "{assert a 'm'; pass; pass}");
}

TEST_CASE("a kernel's body is parsed") {
  CHECK(parseAndDump("@qd.kernel\n"
                     "def k(a: qd.types.ndarray(dtype=qd.f32, ndim=1), n: qd.i32 = 3) -> qd.i32:\n"
                     "    \"\"\"doc\"\"\"\n"
                     "    for i in range(n):  # comment\n"
                     "        if i == 0:\n"
                     "            continue\n"
                     "        elif i > 2: break\n"
                     "        else:\n"
                     "            a[i] += 1.5\n"
                     "    while True:\n"
                     "        pass\n"
                     "    else:\n"
                     "        n = 1\n"
                     "    return 1, 2\n") ==
        "{@qd.kernel def k(a: (call qd.types.ndarray dtype=qd.f32 ndim=1), n: qd.i32 = 3) -> "
        "qd.i32 {'doc'; for i in (call range n) {if (i == 0) {continue} else {if (i > 2) {break} "
        "else {aug + a[i] 1.5f}}}; while True {pass} else {set n = 1}; return (tuple 1 2)}}");
  CHECK(parseAndDump("@qd.func\ndef f(a, /, b, *, c, **d): return a\n") ==
        "{@qd.func def f(a, b, kw c, **d) {return a}}");
  CHECK(parseAndDump("from quadrants import kernel as jit\n@jit\ndef f(): return\n") ==
        "{from quadrants kernel:jit; @jit def f() {return _}}");
}

TEST_CASE("host code is left alone") {
  CHECK(parseAndDump("try:\n  import numpy as np\nexcept E as e:\n  np = None\nelse:\n  pass\n"
                     "finally:\n  pass\nN = 2") == "{<try numpy np e np>; set N = 2}");
  CHECK(parseAndDump("if __name__ == '__main__':\n    main()\nelif x: y = 1\nelse:\n    z = 2\n") ==
        "{<if z>}");
  CHECK(parseAndDump("with open(f) as g, h:\n    print(g, file=h)\n") == "{<with g>}");
  CHECK(parseAndDump("async def f():\n    await g()\n") == "{<async f>}");
  CHECK(parseAndDump("match x:\n    case [1, *_]: pass\nmatch = 1\nmatch.x(1)\n") ==
        "{<match>; set match = 1; (call match.x 1)}");
  CHECK(parseAndDump("def main(argv=sys.argv, *a: int):\n    try:\n        raise X from y\n"
                     "    except: pass\nx = 1") ==
        "{def main(argv = sys.argv, *a: int) <opaque>; set x = 1}");
  CHECK(parseAndDump("@pytest.fixture\ndef f():\n    with a: yield b\n    raise c\nx = 1\n") ==
        "{@pytest.fixture def f() <opaque>; set x = 1}");
  CHECK(parseAndDump("x = lambda a, b=(1, 2): a if b else {1: [2]}\ny = {k: v for k, v in z}\n"
                     "(w := 3)\nprint(f\"{x['a']!r:>{w}} {{\", end='')\nz = 3j; del z\n") ==
        "{set x = <a lambda>; set y = (comp k: v (tuple k v) z); "
        "(name w 3); (call print f'{x['a']:>{w}} {' end=''); "
        "set z = <an imaginary number>; <del>}");
  CHECK(parseAndDump("type X = int\ntype(x)\nx = [a for b in c for d in e]\n") ==
        "{<type>; (call type x); set x = (comp a b c d e)}");
}

TEST_CASE("classes have members and methods, and host code that is left alone") {
  CHECK(parseAndDump("@dataclass\nclass A:\n    x: int = 3\n") ==
        "{@dataclass class A() {ann x : int = 3}}");
  CHECK(parseAndDump("class A(B, metaclass=M):\n    \"\"\"doc\"\"\"\n    x = lambda: 0\n"
                     "    def f(self): yield 1\nN = 1\n") ==
        "{class A(B) {'doc'; set x = <a lambda>; def f(self) <opaque>}; set N = 1}");
  CHECK(parseAndDump("@qd.data_oriented\nclass A(a.B):\n    @qd.kernel\n"
                     "    def step(self): self.x[0] = 1\n    if x:\n        y = 2\n"
                     "    z: dict = {1, 2}\n    del w\n") ==
        "{@qd.data_oriented class A(a.B) {@qd.kernel def step(self) {set self.x[0] = 1}; <if y>; "
        "ann z : dict = <a set>; <del>}}");
  // On one line, and what does not parse, is host code as a whole.
  CHECK(parseAndDump("class A: x = 1\nclass B(*c, **d):\n    x = 1\nN = 1\n") ==
        "{<class A>; <class B x>; set N = 1}");
  CHECK(parseAndDump("class A:\n    class B:\n        x: int\n    x = 1\n") ==
        "{class A() {class B() {ann x : int = _}; set x = 1}}");
}

TEST_CASE("dictionaries") {
  CHECK(parseAndDump("x = {}\ny = {'a': 1, b: [2],}\n") ==
        "{set x = {}; set y = {'a': 1, b: (list 2)}}");
  auto called = [](const std::string &text) { return parseAndDump("x = " + text + "\n"); };
  CHECK(called("{1, 2}") == "{set x = <a set>}");
  CHECK(called("{1}") == "{set x = <a set>}");
  CHECK(called("{a for a in c}") == "{set x = <a set comprehension>}");
  CHECK(called("{a: b for a in c}") == "{set x = (comp a: b a c)}");
  CHECK(called("{a: b for a in c if d for e in f}") == "{set x = (comp a: b a c d e f)}");
  CHECK(called("{a: b async for a in c}") ==
        "{set x = <an asynchronous dictionary comprehension>}");
  CHECK(called("{**a}") == "{set x = {**a}}");
  CHECK(called("{a: b, **c, d: e}") == "{set x = {a: b, **c, d: e}}");
  CHECK(called("{**a for a in c}") ==
        "{set x = <a dictionary comprehension>}"); // not Python either
}

TEST_CASE("assignments in expressions") {
  CHECK(parseAndDump("y = (x := 3) + x\n") == "{set y = (+ (name x 3) x)}");
  CHECK(parseAndDump("@qd.func\ndef g():\n    if n := f(a := 1): pass\n") ==
        "{@qd.func def g() {if (name n (call f (name a 1))) {pass}}}");
  CHECK(errorsOf("(x[0] := 3)\n") == "1:2 ':=' assigns a name, and nothing else");
  CHECK(errorsOf("x := 3\n") == "1:1 ':=' is part of an expression, and no statement by itself");
}

TEST_CASE("f-strings have texts and values in turn") {
  CHECK(parseAndDump("x = f'a{b}c{d[1]:.3f}'\n") == "{set x = f'a{b}c{d[1]:.3f}'}");
  CHECK(parseAndDump("x = f'{{{a + 1}}}' \"b\" rf'{c}'\n") == "{set x = f'{{(+ a 1)}}b{c}'}");
  CHECK(parseAndDump("x = f'plain {{}}'\n") == "{set x = 'plain {}'}");
  CHECK(parseAndDump("x = f'{f(a, b=\"}\")}'\n") == "{set x = f'{(call f a b='}')}'}");
  CHECK(parseAndDump("x = f\"\"\"{a}\n{b, c}\"\"\"\n") == "{set x = f'{a}\n{(tuple b c)}'}");
  CHECK(parseAndDump("x = f'{a = }{b!r}'\n") == "{set x = f'a = {a}{b}'}");
  // Parts that kernels cannot use are kept as one string: other conversions, nothing.
  for (const char *text : {"f'{a!q}'", "f'{}'", "f'{a b}'", "b'{a}'"})
    CHECK(parseAndDump("x = " + std::string(text) + "\n") == "{set x = <string>}");
}

TEST_CASE("source ranges cover what they name") {
  sextant::SourceFile file("t.py", "x = foo(a, b=1)[2] + y\n");
  sextant::DiagnosticSink sink;
  auto module = sextant::parse(file, sink);
  auto textOf = [&](sextant::SourceRange at) {
    return std::string(file.text().substr(at.begin, at.end - at.begin));
  };
  auto &assign = std::get<sextant::ast::Assign>(module->body[0]->node);
  CHECK(textOf(module->body[0]->at) == "x = foo(a, b=1)[2] + y");
  CHECK(textOf(assign.value->at) == "foo(a, b=1)[2] + y");
  auto &sum = std::get<sextant::ast::Binary>(assign.value->node);
  CHECK(textOf(sum.lhs->at) == "foo(a, b=1)[2]");
  CHECK(textOf(sum.opAt) == "+");
  auto &call =
      std::get<sextant::ast::Call>(std::get<sextant::ast::Subscript>(sum.lhs->node).value->node);
  CHECK(textOf(call.keywords[0].at) == "b=1");
}

TEST_CASE("docstrings are what inspect.cleandoc makes of them") {
  auto doc = [](const std::string &body) {
    const sextant::SourceFile file("k.py", "@qd.kernel\ndef k():\n" + body);
    sextant::DiagnosticSink sink;
    auto module = sextant::parse(file, sink);
    CHECK(!sink.hasErrors());
    return sextant::docstringOf(std::get<sextant::ast::FunctionDef>(module->body[0]->node));
  };
  // As Python 3.11 prints them, but for blanks at the ends of lines.
  CHECK(doc("    '''One line.'''\n    pass\n") == "One line.");
  CHECK(doc("    '''  Padded.  \n\n      deeper\n    base\n\n    '''\n") ==
        "Padded.\n\n  deeper\nbase");
  CHECK(doc("    '''\n    First below.\n\n\tTab.\n    '''\n") == "First below.\n\n    Tab.");
  CHECK(doc("    'a' ' b'\n") == "a b");
  CHECK(doc("    '''caf\xc3\xa9\\n  next'''\n") == "caf\xc3\xa9\nnext");
  CHECK(doc("    pass\n    '''late'''\n").empty());
  CHECK(doc("    ''\n").empty());
  CHECK(doc("    f'{1}'\n").empty());
  CHECK(doc("    'nul\\0here'\n") == "nulhere");
}
