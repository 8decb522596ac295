// Template kernels that the file's own host code calls: they are built for what it passes, as far
// as the file says it.
#include "tests/sema/Dumps.h"

using namespace sextant;

namespace {

const char *const kernels = "x = qd.field(qd.f32, shape=4)\n"
                            "y = qd.field(qd.i32, shape=(2, 3))\n"
                            "N = 3\n"
                            "frame = 0\n"
                            "@qd.kernel\n"
                            "def fill(dst: qd.template(), n: qd.template(), v: qd.f32):\n"
                            "    for I in qd.grouped(dst):\n"
                            "        dst[I] = n * v\n"
                            "@qd.kernel\n"
                            "def line(dst: qd.template()):\n"
                            "    for i in dst:\n"
                            "        dst[i] = i\n"
                            "@qd.kernel\n"
                            "def plane(dst: qd.template(), src: qd.template()):\n"
                            "    for i, j in dst:\n"
                            "        dst[i, j] = src[i]\n";

struct Built {
  std::string names, messages;
};

/// The names of the instances of `kernel`, and what is said.
Built build(const std::string &hostCode, const std::string &kernel,
            std::vector<std::string> requests = {}) {
  test::Analysis analysis;
  analysis.options.instantiations = std::move(requests);
  analysis.runText(kernels + hostCode);
  Built built;
  for (const hir::Kernel &each : analysis.kernels)
    if (each.name == kernel)
      built.names += (built.names.empty() ? "" : " ") + each.instance;
  built.messages = analysis.errors();
  return built;
}

} // namespace

TEST_CASE("a call with fields and constants is an instance") {
  const std::pair<const char *, const char *> calls[] = {
      {"fill(x, 2, 0.5)\n", "fill_x_2"},
      {"fill(v=1.0, n=N, dst=y)\n", "fill_y_3"},
      {"fill(x, N + 1, 0.5)\nfill(y, 1, 0.5)\nfill(x, 4, 1.5)\n", "fill_x_4 fill_y_1"},
      {"def main():\n    x[0] = 1\n    for i in range(9):\n        fill(x, -1, i)\nmain()\n",
       "fill_x_m1"},
      {"class App:\n    def run(self, gui):\n        while gui.running:\n            fill(x, N, "
       "1)\n",
       "fill_x_3"},
      {"if __name__ == '__main__':\n    fill(x,\n         n=2, v=0.5)\n", "fill_x_2"},
      {"calls = [fill(x, 1, v) for v in range(3)]\n", "fill_x_1"},
  };
  for (const auto &[code, names] : calls) {
    const Built built = build(code, "fill");
    INFO(code << built.messages);
    CHECK(built.names == names);
    CHECK(built.messages.find("`fill`") == std::string::npos);
  }
}

TEST_CASE("what host code decides is a warning at the call") {
  const std::pair<const char *, const char *> calls[] = {
      {"def main(x):\n    fill(x, 2, 0.5)\n", "fill[dst=..., n=2]"},
      {"def main():\n    N = read()\n    fill(x, N, 0.5)\n", "fill[dst=x, n=...]"},
      {"def main():\n    for N in range(4):\n        fill(x, N, 0.5)\n", "fill[dst=x, n=...]"},
      {"while True:\n    fill(x, frame, 0.5)\n    frame += 1\n", "fill[dst=x, n=...]"},
      {"def main():\n    global frame\n    frame = 2\nfill(x, frame, 0.5)\n", "fill[dst=x, n=...]"},
      {"args = read()\nfill(*args)\n", "fill[dst=..., n=...]"},
      {"fill(read(), 1, 0.5)\n", "fill[dst=..., n=1]"},
      {"with open('f') as N:\n    fill(x, N, 0.5)\n", "fill[dst=x, n=...]"},
      {"def main():\n    (y, N), z = read()\n    fill(y, N, 0.5)\n", "fill[dst=..., n=...]"},
  };
  for (const auto &[code, request] : calls) {
    const Built built = build(code, "fill");
    INFO(code << built.messages);
    CHECK(built.names.empty());
    CHECK(test::has(built.messages, "`fill` is not built for this call"));
    CHECK(test::has(built.messages, std::string("--kernel '") + request + "'"));
  }
}

TEST_CASE("calls do not count where a build names instances, or kernels call") {
  CHECK(build("fill(x, 2, 0.5)\n", "fill", {"fill[dst=y, n=7]"}).names == "fill_field_7");
  const Built none = build("@qd.func\ndef f():\n    fill(x, 2, 0.5)\n", "fill");
  CHECK(none.names.empty());
  CHECK(test::has(none.messages, "no instantiation names it"));
}

TEST_CASE("a kernel that nothing calls gets a request that can be built") {
  const std::string messages = build("", "fill").messages;
  INFO(messages);
  CHECK(test::has(messages, "--kernel 'line[dst=x]'"));
  CHECK(test::has(messages, "--kernel 'plane[dst=y, src=x]'"));
  CHECK(test::has(messages, "--kernel 'fill[dst=..., n=...]'")); // `n` is not a field
}

namespace {

const char *const solar = "@qd.data_oriented\n"
                          "class Solar:\n"
                          "    def __init__(self, n, dt, path=None):\n"
                          "        self.n = n\n"
                          "        self.dt = dt\n"
                          "        self.path = path\n"
                          "        self.x = qd.field(qd.f32, shape=n)\n"
                          "        self.v = qd.field(qd.f32)\n"
                          "        qd.root.dense(qd.i, 2 * n).place(self.v)\n"
                          "    @qd.kernel\n"
                          "    def step(self):\n"
                          "        for i in self.x:\n"
                          "            self.x[i] += self.n * self.dt + self.v[2 * i]\n";

test::Analysis analysed(const std::string &hostCode) {
  test::Analysis analysis;
  analysis.runText(solar + hostCode);
  return analysis;
}

} // namespace

TEST_CASE("methods are built for the objects that host code makes") {
  const std::pair<const char *, const char *> programs[] = {
      {"sun = Solar(8, 0.5)\n", "sun_step"},
      {"def main():\n    sun = Solar(8, dt=0.5)\n    sun.step()\n", "sun_step"},
      {"Solar(8, 0.5).step()\n", "Solar_step"},
      {"def main(path):\n    sun = Solar(8, 0.5, path)\n", "sun_step"}, // no kernel reads path
  };
  for (const auto &[code, instance] : programs) {
    const test::Analysis analysis = analysed(code);
    INFO(code << analysis.errors());
    REQUIRE(analysis.kernels.size() == 1);
    const hir::Kernel &kernel = analysis.kernels[0];
    CHECK(kernel.instance == instance);
    CHECK(kernel.arguments.empty());
    REQUIRE(kernel.hidden.size() == 2);
    for (const hir::HiddenBuffer &field : kernel.hidden)
      CHECK(field.shape == std::vector<int64_t>{field.name.ends_with(".v") ? 16 : 8});
  }
}

TEST_CASE("objects that host code decides about are warned of, with what is known") {
  for (const char *code : {"def main(dt):\n    sun = Solar(8, dt)\n",
                           "def main():\n    sun = Solar(8, 0.5)\n    sun.dt = 3.0\n",
                           "def main(dt):\n    sun = Solar(8, 0.5)\n    sun.dt *= dt\n"}) {
    const test::Analysis analysis = analysed(code);
    INFO(code << analysis.errors());
    CHECK(analysis.kernels.empty());
    CHECK(analysis.errors().find("Solar.step[self.n=8, self.dt=..., self.") != std::string::npos);
  }
  // The text does not have the name of the member that changes.
  for (const char *code : {"def main(k, v):\n    sun = Solar(8, 0.5)\n    setattr(sun, k, v)\n",
                           "sun = Solar(8, 0.5)\nvars(sun).update(dt=3.0)\n",
                           "sun = Solar(8, 0.5)\nsun.__dict__['dt'] = 3.0\n"}) {
    const test::Analysis analysis = analysed(code);
    INFO(code << analysis.errors());
    CHECK(analysis.kernels.empty());
    CHECK(analysis.errors().find("Solar.step[self.n=..., self.dt=...") != std::string::npos);
  }
}

namespace {
/// Returns the value that the program's kernel stores into `o[0]`, or the messages.
std::string storedBy(const std::string &program) {
  test::Analysis analysis;
  analysis.runText("from host import compute\n" + program);
  const std::string text = analysis.dump();
  const size_t store = text.find("o[0] = ");
  return store == text.npos ? analysis.errors()
                            : text.substr(store + 7, text.find('\n', store) - store - 7);
}

/// The same of a method that stores `expression`.
std::string memberAfter(const std::string &init, const std::string &expression,
                        const std::string &call = "Box(3)") {
  return storedBy("@qd.data_oriented\nclass Box:\n"
                  "    def __init__(self, x, *more, **named):\n        " +
                  init +
                  "\n    @qd.kernel\n    def put(self, o: qd.types.ndarray(qd.i32, 1)):\n"
                  "        o[0] = " +
                  expression + "\nbox = " + call + "\n");
}
} // namespace

TEST_CASE("of what __init__ unpacks, only the unknown items are unknown") {
  const std::pair<const char *, std::vector<std::pair<const char *, const char *>>> programs[] = {
      {"self.a, self.b = x, compute()", {{"a", "3"}, {"b", ""}}},
      {"(self.a, self.b), self.c = (1, compute()), 2", {{"a", "1"}, {"b", ""}, {"c", "2"}}},
      {"self.a = self.b, self.c = 4, compute()", {{"a[0]", ""}, {"b", "4"}, {"c", ""}}},
      {"self.a, *self.b, self.c = 1, 5, 6, compute(), 7", {{"a", "1"}, {"b[0]", ""}, {"c", "7"}}},
      {"self.a, *self.b = compute(), 5, 6", {{"a", ""}, {"b[1]", "6"}}},
      {"[self.a, self.b] = [*(8, compute())]", {{"a", "8"}, {"b", ""}}},
      {"pair = 9, compute(); self.a, self.b = pair", {{"a", "9"}, {"b", ""}}},
      {"pair = 9, compute(); self.a = pair[0]; self.b = pair[-1]", {{"a", "9"}, {"b", ""}}},
      {"y, z = x, compute(); self.a = y + 1; self.b = z", {{"a", "4"}, {"b", ""}}},
      {"self.a, self.b = (x, 1) if x else (compute(), 2)", {{"a", "3"}, {"b", "1"}}},
  };
  for (const auto &[init, members] : programs)
    for (const auto &[member, value] : members) {
      const std::string found = memberAfter(init, "self." + std::string(member));
      INFO(init << "\n" << member << ": " << found);
      if (*value)
        CHECK(found == value);
      else
        CHECK(found.find("has no value when kernels are built") != found.npos);
    }
  CHECK(memberAfter("self.a, self.b = more", "self.a", "Box(1, 2, compute())") == "2");
  CHECK(memberAfter("self.a, self.b = more", "self.b", "Box(1, 2, compute())").find("no value") !=
        std::string::npos);
}

TEST_CASE("what host code computes decides nothing in __init__") {
  for (const char *value :
       {"1 if n is None else 2", "1 if n == 3 else 2", "1 if n != 3 else 2", "n in (1, 2)",
        "[n, 1] == [2, 1]", "not (n is None)", "n and 3", "{'a': n} == {'a': 1}"})
    CHECK(memberAfter("n = compute(); self.a = " + std::string(value), "self.a")
              .find("no value when kernels are built") != std::string::npos);
  CHECK(memberAfter("n = compute()\n        if n is None:\n            x = 4\n        self.a = x",
                    "self.a")
            .find("no value when kernels are built") != std::string::npos);
}

TEST_CASE("of what a module unpacks, only the unknown items are unknown") {
  auto stored = [](const std::string &module, const std::string &expression) {
    return storedBy(module + "@qd.kernel\ndef k(o: qd.types.ndarray(qd.i32, 1)):\n    o[0] = " +
                    expression + "\n");
  };
  const std::string program = "A, *B = compute(), 6, 7\n*C, D = 1, compute(), 3\n"
                              "(E, F), *G = (7, compute()), 8, 9\nH, I = (4, 5, 6)\n";
  for (const auto &[name, value] : std::vector<std::pair<const char *, const char *>>{
           {"B[1]", "7"}, {"D", "3"}, {"E", "7"}, {"G[0]", "8"}})
    CHECK(stored(program, name) == value);
  for (const char *name : {"A", "C[0]", "F", "H"})
    CHECK(stored(program, name).find("has no value when kernels are built") != std::string::npos);
}

namespace {
const char *const otherFile =
    "import quadrants as qd\nSCALE = 4\n"
    "@qd.func\ndef scaled(v):\n    return v * SCALE\n"
    "@qd.data_oriented\nclass Grid:\n"
    "    def __init__(self, n, step=0.5):\n"
    "        self.n = n\n        self.step = step\n        self.x = qd.field(qd.i32, shape=n)\n"
    "    def refine(self):\n        self.step = self.step / 2\n"
    "    @qd.kernel\n    def put(self):\n        for i in self.x:\n"
    "            self.x[i] = scaled(self.n)\n"
    "    @qd.kernel\n    def move(self):\n        for i in self.x:\n"
    "            self.x[i] = int(self.step)\n";

/// The kernels of a program beside that file, as text; and what is said.
std::string builtBeside(const std::string &program, const std::string &other = otherFile) {
  test::Analysis analysis;
  analysis.helpers = {{"other", other}};
  analysis.runText(program);
  return analysis.dump() + analysis.errors();
}
} // namespace

TEST_CASE("methods of classes of other files are built for the objects that a file makes") {
  // Names in the method are those of its file. `step` changes there, too.
  for (const std::string program :
       {"from other import Grid\ng = Grid(8)\n", "from other import Grid as G\ng = G(8)\n",
        "from other import *\ng = Grid(8)\n", "import other\ng = other.Grid(8)\n",
        "import other as o\ndef main():\n    g = o.Grid(8)\n    g.put()\n",
        "SCALE = 5\nfrom other import Grid\n@qd.data_oriented\nclass Mine(Grid):\n    pass\n"
        "g = Mine(8)\n"}) {
    const std::string built = builtBeside(program);
    INFO(program << built);
    CHECK(test::has(built, "kernel g_put"));
    CHECK(test::has(built, "] = 32"));
    CHECK(test::has(built, "g.x"));
    CHECK(!test::has(built, "kernel g_move"));
    CHECK(test::has(built, "is not built for this object: `step` has no value"));
  }
  const std::string changed = builtBeside("from other import Grid\ng = Grid(8)\ng.n = 9\n");
  CHECK(!test::has(changed, "kernel g_put"));
  CHECK(test::has(changed, "compile 'other.py' with this file, and name an instance there, as in "
                           "--kernel 'other.py:Grid.put["));
  // A name of the function is not the module's.
  CHECK(!test::has(builtBeside("from other import Grid\ndef main(Grid):\n    g = Grid(8)\n"),
                   "kernel g_put"));
  // Other calls of imported names make nothing, and cause no message.
  CHECK(builtBeside("import other, os\nfrom window import Window\nother.scaled(3)\n"
                    "Window(other.SCALE)\nos.path.join('a', 'b')\n") == "");
}

TEST_CASE("arrays that host code makes are arguments of the methods that use them") {
  const std::string program =
      "from host import size\n@qd.data_oriented\nclass Box:\n    def __init__(self, n):\n"
      "        self.x = qd.ndarray(qd.f32, shape=(n, n))\n"
      "        self.v = qd.Vector.ndarray(3, qd.f32, 8)\n"
      "        self.m = qd.Matrix.ndarray(2, 3, dtype=qd.i32, shape=(4,))\n"
      "        self.w = qd.ndarray(qd.types.vector(2, qd.f64), (n, 2), needs_grad=True)\n"
      "        self.u = qd.ndarray(qd.f32, n)\n"
      "        self.all = [qd.ndarray(qd.i8, (n,)) for _ in range(2)]\n"
      "    @qd.kernel\n    def put(self):\n        for i in range(2):\n";
  const std::tuple<const char *, const char *, unsigned, unsigned, unsigned> members[] = {
      {"self.x[i, i] = 1", "self.x", 2, 1, 1},       {"self.v[i] = 1", "self.v", 1, 3, 1},
      {"self.m[i] = 1", "self.m", 1, 2, 3},          {"self.w[i, i] = 1", "self.w", 2, 2, 1},
      {"self.all[1][i] = 1", "self.all.1", 1, 1, 1},
  };
  for (const auto &[code, name, ndim, rows, cols] : members) {
    test::Analysis analysis;
    analysis.runText(program + "            " + code + "\nbox = Box(size())\n");
    INFO(analysis.errors());
    REQUIRE(analysis.kernels.size() == 1);
    REQUIRE(analysis.kernels[0].arguments.size() == 1);
    const hir::Argument &argument = analysis.kernels[0].arguments[0];
    CHECK(argument.name == name);
    CHECK(argument.ndim == ndim);
    CHECK(argument.rows == rows);
    CHECK(argument.cols == cols);
  }
  // `n` may be a number or a tuple.
  test::Analysis analysis;
  analysis.runText(program + "            self.u[i] = 1\nbox = Box(size())\n");
  CHECK(analysis.kernels.empty());
  CHECK(
      test::has(analysis.errors(), "self.x=ndarray(f32, 2), self.v=ndarray(vector(3, f32), 1), "));
  CHECK(test::has(analysis.errors(), "`u` has no value"));
}
