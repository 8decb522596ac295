// The contract on the CPU.
#include "tests/loader/contract/Contract.h"

const sextant::test::Subject sextant::test::onCpu = {
    .backend = "cpu", .hasGraphs = [] { return false; }, .hasNativeStreams = false};
