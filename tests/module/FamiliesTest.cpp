// The target families and the words of features, each compared with a list written by hand.
#include "loader/format/families/Family.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <string>

using namespace sextant;
using namespace sextant::module;

TEST_CASE("families: names of code and of devices, formats, files") {
  std::string text;
  for (const Family *family : families()) {
    text += std::string(family->name) + " on " + family->device + ":";
    for (const ImageFormat &format : family->formats)
      text +=
          std::string(" ") + format.name + " ." + format.extension + (format.isText ? " text" : "");
    text += family->version ? std::string("; version ") + family->version + "\n" : "\n";
    CHECK(findFamily(family->name) == family);
    CHECK(family->hasAnyWave == (family == &vulkanFamily));
  }
  CHECK(text == "cpu on cpu: elf .so\n"
                "cuda on cuda: cubin .cubin ptx .ptx text\n"
                "amdgpu on hip: hsaco .hsaco\n"
                "vulkan on vulkan: spirv .spv; version 1.3\n"
                "metal on metal: msl .metal text; version 3.0\n");
  CHECK(!findFamily("hip"));
  CHECK(!findFormat("dxil"));
  CHECK(findFormat("msl")->extension == std::string("metal"));
}

TEST_CASE("words of features: those of usual devices first, each group sorted, none twice") {
  CHECK(abi::wordOf(abi::VulkanFeature::Float16) == std::string("float16"));
  CHECK(abi::wordOf(abi::VulkanFeature::Storage8) == std::string("storage8"));
  CHECK(abi::wordOf(abi::VulkanFeature::SubgroupVote) == std::string("subgroup-vote"));
  CHECK(abi::wordOf(abi::VulkanFeature::Float16Atomics) == std::string("float16-atomics"));
  CHECK(abi::wordOf(abi::VulkanFeature::Float64InfNan) == std::string("float64-inf-nan"));
  CHECK(abi::wordOf(abi::VulkanFeature::SharedFloat64MinMaxAtomics) ==
        std::string("shared-float64-minmax-atomics"));
  for (const Family *family : families()) {
    INFO(family->name);
    const auto key = [](const abi::FeatureWord &row) {
      return std::pair(row.presence != abi::Presence::Usual, std::string(row.word));
    };
    CHECK(std::is_sorted(family->features.begin(), family->features.end(),
                         [&](const abi::FeatureWord &left, const abi::FeatureWord &right) {
                           return key(left) < key(right);
                         }));
    CHECK(std::adjacent_find(family->features.begin(), family->features.end(),
                             [](const abi::FeatureWord &left, const abi::FeatureWord &right) {
                               return std::string(left.word) == right.word;
                             }) == family->features.end());
    CHECK(std::is_sorted(family->numbers.begin(), family->numbers.end(),
                         [](const NumberWord &left, const NumberWord &right) {
                           return std::string(left.name) < right.name;
                         }));
  }
  CHECK(vulkanFamily.features.size() == 40);
  CHECK(metalFamily.features.size() == 3);
}
