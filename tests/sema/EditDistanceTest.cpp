// Distances that are worked out by hand.
#include "frontend/spelling/EditDistance.h"
#include "tests/support/Catch.h"

using sextant::editDistance;

TEST_CASE("how far names are apart") {
  CHECK(editDistance("", "") == 0);
  CHECK(editDistance("", "abc") == 3);
  CHECK(editDistance("abc", "") == 3);
  CHECK(editDistance("same", "same") == 0);
  CHECK(editDistance("kitten", "sitting") == 3); // k to s, e to i, a g more
  CHECK(editDistance("sitting", "kitten") == 3);
  CHECK(editDistance("flaw", "lawn") == 2);   // without f, with n
  CHECK(editDistance("range", "rnage") == 1); // letters that change places are one edit
  CHECK(editDistance("abcdef", "azced") == 3);
  CHECK(editDistance("Cuda", "cuda") == 1); // who does not mind letters' case makes them alike
  CHECK(editDistance("sm_86", "sm_89") == 1);
}
