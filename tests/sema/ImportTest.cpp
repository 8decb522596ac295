// Names that come from other files: by `from x import *`, and from files with errors.
#include "tests/sema/Dumps.h"

using namespace sextant;
using test::has;

TEST_CASE("every star import counts, and the last one that has a name binds it") {
  test::Analysis analysis;
  analysis.helpers["first"] = "A = 11\nB = 12\n";
  analysis.helpers["second"] = "from first import *\nfrom third import *\nB = 22\n";
  analysis.helpers["third"] = "from second import *\nC = 33\n"; // each other
  const std::string text =
      test::dumpOf(analysis, "from first import *\nfrom second import *\nfrom third import *\n"
                             "@qd.kernel\n"
                             "def k(x: qd.types.ndarray(qd.i32, 1)):\n"
                             "    x[0] = A * 10000 + B * 100 + C\n");
  CHECK(has(text, "112233"));
}

TEST_CASE("a name of a file with errors is one error at its use") {
  test::Analysis analysis;
  analysis.helpers["broken"] = "value = 1\n\ndef f(:\n    pass\n";
  analysis.runText("import broken\n"
                   "@qd.kernel\n"
                   "def k(x: qd.types.ndarray(qd.i32, 1)):\n"
                   "    x[0] = broken.value\n");
  INFO(analysis.errors());
  CHECK(analysis.sink.errorCount() == 2); // the file's, and that of the use
  CHECK(has(analysis.errors(), "`value` comes from 'broken.py', which has errors"));
}

TEST_CASE("a kernel that a class inherits reads the names of its own file") {
  test::Analysis analysis;
  analysis.options.instantiations = {"Derived.k[self.n=4]"};
  analysis.helpers["base"] = "import quadrants as qd\nSCALE = 3\n"
                             "@qd.data_oriented\nclass Base:\n"
                             "    def __init__(self, n):\n        self.n = n\n"
                             "    @qd.kernel\n"
                             "    def k(self, x: qd.types.ndarray(qd.i32, 1)):\n"
                             "        for i in range(self.n):\n            x[i] = SCALE\n";
  analysis.runText("from base import Base\nSCALE = 100\n"
                   "@qd.data_oriented\nclass Derived(Base):\n    pass\n");
  INFO(analysis.errors());
  CHECK(analysis.dump().find("] = 3") != std::string::npos);
  CHECK(analysis.dump().find("100") == std::string::npos);
}
