// Names that come by `from x import *`.
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
