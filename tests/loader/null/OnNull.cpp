// The contract on the null device.
#include "tests/loader/contract/Contract.h"

const sextant::test::Subject sextant::test::onNull = {
    .backend = "null", .hasGraphs = [] { return false; }, .hasNativeStreams = false};
