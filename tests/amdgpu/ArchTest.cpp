// Target IDs, the table of processors beside LLVM's own, and devices of a made-up machine.
#include "backends/Targets.h"
#include "backends/amdgpu/AmdArch.h"
#include "backends/amdgpu/NativeDevices.h"
#include "tests/support/Catch.h"

#include "llvm/TargetParser/TargetParser.h"

#include <filesystem>
#include <fstream>

using namespace sextant;

namespace {

/// The targets' texts joined by blanks, or "error: " and the message.
std::string expand(const std::string &text) {
  llvm::Expected<std::vector<Target>> targets = parseTargets({text}, allBackends());
  if (!targets)
    return "error: " + llvm::toString(targets.takeError());
  std::string joined;
  for (const Target &target : *targets)
    joined += (joined.empty() ? "" : " ") + target.str();
  return joined;
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the table agrees with LLVM's processors", "[amdgpu]") {
  CHECK(amdArchs().size() == 30);
  for (const AmdArch &arch : amdArchs()) {
    INFO(arch.arch.name);
    llvm::AMDGPU::GPUKind kind = llvm::AMDGPU::parseArchAMDGCN(arch.llvmName);
    CHECK(kind != llvm::AMDGPU::GK_NONE);
    unsigned features = llvm::AMDGPU::getArchAttrAMDGCN(kind);
    CHECK(arch.hasXnack == bool(features & llvm::AMDGPU::FEATURE_XNACK));
    CHECK(arch.hasSramecc == bool(features & llvm::AMDGPU::FEATURE_SRAMECC));
    CHECK((arch.arch.waves.front() == 32) == bool(features & llvm::AMDGPU::FEATURE_WAVE32));
    CHECK((arch.arch.waves.size() == 2) == (arch.generation() >= 10));
    llvm::AMDGPU::IsaVersion isa = llvm::AMDGPU::getIsaVersion(arch.llvmName);
    CHECK(arch.isaVersion == isa.Major * 1000 + isa.Minor * 100 + isa.Stepping);
    // LLVM 19 has no processor of a name that stands for another's code.
    CHECK((arch.machine != 0) ==
          (llvm::AMDGPU::parseArchAMDGCN(arch.arch.name) == llvm::AMDGPU::GK_NONE));
    CHECK(arch.isGeneric == llvm::StringRef(arch.arch.name).ends_with("generic"));
  }
}

TEST_CASE("the major processors are those that the tests run, and gfx950", "[amdgpu]") {
  CHECK(expand("amdgpu:all-major") ==
        "amdgpu:gfx90a/wave64 amdgpu:gfx942/wave64 amdgpu:gfx950/wave64 amdgpu:gfx1030/wave32 "
        "amdgpu:gfx1030/wave64 "
        "amdgpu:gfx1100/wave32 amdgpu:gfx1100/wave64 amdgpu:gfx1201/wave32 amdgpu:gfx1201/wave64");
  CHECK(expand("amdgpu") == expand("amdgpu:all-major"));
}

TEST_CASE("target IDs are canonical", "[amdgpu]") {
  CHECK(expand("gfx90a") == "amdgpu:gfx90a/wave64");
  CHECK(expand("gfx90a:xnack+") == "amdgpu:gfx90a:xnack+/wave64");
  CHECK(expand("gfx90a:xnack+:sramecc-") == "amdgpu:gfx90a:sramecc-:xnack+/wave64");
  CHECK(expand("amdgpu:gfx90a:xnack-:sramecc+/wave64") == "amdgpu:gfx90a:sramecc+:xnack-/wave64");
  CHECK(expand("gfx1010:xnack-/wave32,gfx9-generic:xnack+") ==
        "amdgpu:gfx1010:xnack-/wave32 amdgpu:gfx9-generic:xnack+/wave64");
  CHECK(expand("gfx90a:xnack+,gfx90a:xnack+/wave64") == "amdgpu:gfx90a:xnack+/wave64");
  CHECK(expand("gfx90a:xnack++x/wave64") == "amdgpu:gfx90a:xnack++x/wave64"); // a feature, x
}

TEST_CASE("bad target IDs say what is wrong", "[amdgpu]") {
  CHECK(contains(expand("gfx90a:xnack"), "'xnack' in target 'gfx90a:xnack' must end in + or -"));
  CHECK(contains(expand("gfx90a:tgsplit+"), "unknown modifier 'tgsplit+'"));
  CHECK(contains(expand("gfx90a:+"), "unknown modifier '+'"));
  CHECK(contains(expand("gfx90a:"), "'' in target 'gfx90a:' must end in + or -"));
  CHECK(contains(expand("gfx1100:xnack+"), "gfx1100 has no xnack setting"));
  CHECK(contains(expand("gfx900:sramecc+"),
                 "gfx900 has no sramecc setting, which target 'gfx900:sramecc+' asks for; it has "
                 "xnack"));
  CHECK(contains(expand("gfx90a:xnack+:xnack-"), "sets xnack twice"));
  CHECK(contains(expand("gfx90a:xnack+foo"), "must end in + or -"));
  CHECK(contains(expand("amdgpu:gfx951"), "unknown target 'amdgpu:gfx951'"));
  CHECK(contains(expand("amdgpu:gfx90A:xnack+"), "unknown target"));
  CHECK(contains(expand("gfx90a/wave32"), "gfx90a has no wave of 32 lanes, but 64"));
}

TEST_CASE("settings and wave size are LLVM features", "[amdgpu]") {
  auto features = [](const char *text, unsigned wave) {
    llvm::Expected<std::optional<TargetId>> id = parseTargetId(text);
    REQUIRE(bool(id));
    REQUIRE(id->has_value());
    return (*id)->features(wave);
  };
  CHECK(features("gfx942", 64) == "");
  CHECK(features("gfx942:xnack+:sramecc-", 64) == "-sramecc,+xnack");
  CHECK(features("gfx1100", 32) == "+wavefrontsize32,-wavefrontsize64");
  CHECK(features("gfx1010:xnack-", 64) == "-xnack,-wavefrontsize32,+wavefrontsize64");
}

TEST_CASE("devices are read from the driver's folder", "[amdgpu]") {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / "sextant-amdgpu-topology";
  fs::remove_all(folder);
  CHECK(nativeAmdArchs(folder.string()).empty());
  auto node = [&](const char *number, const char *version) {
    fs::create_directories(folder / "nodes" / number);
    std::ofstream(folder / "nodes" / number / "properties")
        << "cpu_cores_count 0\nsimd_count 304\ngfx_target_version " << version
        << "\nvendor_id 4098\n";
  };
  node("0", "0"); // a CPU
  node("1", "90010");
  node("2", "90010");
  node("3", "110000");
  node("4", "100306");
  node("5", "90012"); // gfx90c, by the generic processor
  node("6", "110503");
  node("7", "80003"); // too old
  node("8", "rubbish");
  fs::create_directories(folder / "nodes" / "9"); // no properties
  CHECK(nativeAmdArchs(folder.string()) ==
        std::vector<std::string>{"gfx90a", "gfx1100", "gfx1036", "gfx9-generic", "gfx11-generic"});
  fs::remove_all(folder);
}
