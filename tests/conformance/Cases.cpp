// The list of all cases of the conformance suite.
#include "tests/conformance/Harness.h"

namespace conformance {

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addBlockCases(cases);
  addAtomicCases(cases);
  addArithmeticCases(cases);
  addLanguageCases(cases);
  addLanguageRestCases(cases);
  addPageCases(cases);
  addBitCases(cases);
  addGridCases(cases);
  addLoopCases(cases);
  addConversionCases(cases);
  addCopyCases(cases);
  addHintCases(cases);
  addCallCases(cases);
  addWarpCases(cases);
  addClockCases(cases);
  addTargetCases(cases);
  addLightCases(cases);
  addTallyCases(cases);
  addRangeCases(cases);
  addMoreCases(cases);
  addMemberCases(cases);
  addGradientCases(cases);
  addStructCases(cases);
  addLinalgCases(cases);
  addTileCases(cases);
  addMatrixCases(cases);
  addAttentionCases(cases);
  addGraphCases(cases);
  addWideCases(cases);
  addRowCases(cases);
  addAxesCases(cases);
  addIndexedCases(cases);
  addLaunchesCases(cases);
  addRecordCases(cases);
  addImplementationCases(cases);
  addSharedVariableCases(cases);
  addSurfaceCases(cases);
  addNarrowCases(cases);
  addInverseCases(cases);
  addValueCases(cases);
  addSmallRealCases(cases);
  return cases;
}

} // namespace conformance
