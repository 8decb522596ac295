// The contract on Metal.
#include "tests/loader/contract/Contract.h"

const sextant::test::Subject sextant::test::onMetal = {
    .backend = "metal", .hasGraphs = [] { return false; }, .hasNativeStreams = true};
