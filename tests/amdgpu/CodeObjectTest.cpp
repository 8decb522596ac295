// Code objects: the ELF header's flags, the metadata that a runtime reads, and the resources
// that are read from it.
#include "backends/Backend.h"
#include "backends/amdgpu/AmdArch.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/TargetParser/TargetParser.h"

#ifdef SEXTANT_HAVE_COMGR
#include <amd_comgr.h>
#endif

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

using namespace sextant;
namespace ELF = llvm::ELF;

namespace {

struct Compiler {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Compiler() { simt::loadDialects(context); }

  /// The text is for any wave size: `WAVE` stands for it.
  Image compile(std::string text, const Target &target) {
    size_t at = text.find("WAVE");
    text.replace(at, 4, std::to_string(target.wave));
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    const Backend &backend = *findBackend("amdgpu");
    REQUIRE(mlir::succeeded(backend.check(*module, target)));
    llvm::Expected<Image> image = backend.compile(*module, target, {});
    std::string error = image ? "" : "refused: " + llvm::toString(image.takeError());
    REQUIRE(error == "");
    return std::move(*image);
  }
};

const char *const kernels = R"(
module attributes {simt.wave = WAVE : i32} {
  func.func @first(%n: i32, %x: !simt.buffer<f32, global>, %flag: i1) attributes {simt.task = {block_dim = 192 : i32}} {
    %s = simt.shared "tile" : !simt.buffer<f32, shared, 200>
    %t = simt.thread_idx
    %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
    simt.store %v, %s[%t] : !simt.buffer<f32, shared, 200>, i32
    simt.barrier
    %w = simt.load %s[%n] : !simt.buffer<f32, shared, 200>, i32
    simt.store %w, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }
  func.func @second(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %g = simt.grid_dim
    simt.store %g, %x[%g] : !simt.buffer<i32, global>, i32
    return
  }
})";

struct Header {
  unsigned machine, abi, abiVersion, flags;
};

Header headerOf(const Image &image) {
  ELF::Elf64_Ehdr header;
  REQUIRE(image.bytes.size() > sizeof header);
  std::memcpy(&header, image.bytes.data(), sizeof header);
  return {header.e_machine, header.e_ident[ELF::EI_OSABI], header.e_ident[ELF::EI_ABIVERSION],
          header.e_flags};
}

/// The machine code as text.
std::string codeOf(const Image &image, const Target &target) {
  llvm::Expected<std::string> text = findBackend("amdgpu")->disassemble(image.bytes, target);
  REQUIRE(bool(text));
  return *text;
}

} // namespace

TEST_CASE("each processor's flags are in the ELF header, and its code can be shown", "[amdgpu]") {
  // LLVM's AMDGPU usage page, "AMDGPU ELF Header e_flags".
  static const std::map<std::string, unsigned> machines = {
      {"gfx900", 0x2c},          {"gfx906", 0x2f},          {"gfx908", 0x30},
      {"gfx90a", 0x3f},          {"gfx940", 0x40},          {"gfx942", 0x4c},
      {"gfx1010", 0x33},         {"gfx1030", 0x36},         {"gfx1031", 0x37},
      {"gfx1032", 0x38},         {"gfx1033", 0x39},         {"gfx1034", 0x3e},
      {"gfx1035", 0x3d},         {"gfx1036", 0x45},         {"gfx1100", 0x41},
      {"gfx1101", 0x46},         {"gfx1102", 0x47},         {"gfx1103", 0x44},
      {"gfx1150", 0x43},         {"gfx1151", 0x4a},         {"gfx1152", 0x55},
      {"gfx1200", 0x48},         {"gfx1201", 0x4e},         {"gfx9-generic", 0x51},
      {"gfx10-1-generic", 0x52}, {"gfx10-3-generic", 0x53}, {"gfx11-generic", 0x54},
      {"gfx12-generic", 0x59},   {"gfx950", 0x4f},          {"gfx9-4-generic", 0x5f}};
  Compiler compiler;
  for (const AmdArch &arch : amdArchs()) {
    for (unsigned wave : arch.arch.waves) {
      INFO(arch.arch.name << " wave" << wave);
      Image image = compiler.compile(kernels, {"amdgpu", arch.arch.name, {}, wave});
      CHECK(image.format == "hsaco");
      Header header = headerOf(image);
      CHECK(header.machine == 224);
      CHECK(header.abi == 64);
      CHECK(header.abiVersion == (arch.isGeneric ? 4u : 3u)); // code object v6, v5
      REQUIRE(machines.count(arch.arch.name) == 1);
      CHECK((header.flags & 0xff) == machines.at(arch.arch.name));
      CHECK((header.flags & 0x300) == (arch.hasXnack ? 0x100u : 0));   // any
      CHECK((header.flags & 0xc00) == (arch.hasSramecc ? 0x400u : 0)); // any
      CHECK((header.flags >> 24) == (arch.isGeneric ? 1u : 0));
      // Both kernels can be shown as text, to their ends.
      const std::string code = codeOf(image, {"amdgpu", arch.arch.name, {}, wave});
      CHECK(llvm::StringRef(code).count("s_endpgm") == 2);
      CHECK(code.find(".byte") == std::string::npos);
    }
  }
}

TEST_CASE("a target ID's settings are in the ELF header", "[amdgpu]") {
  Compiler compiler;
  auto flags = [&](const char *arch, unsigned wave) {
    return headerOf(compiler.compile(kernels, {"amdgpu", arch, {}, wave})).flags & 0xf00;
  };
  CHECK(flags("gfx90a:xnack+", 64) == (0x300 | 0x400));
  CHECK(flags("gfx90a:xnack-", 64) == (0x200 | 0x400));
  CHECK(flags("gfx90a:sramecc+:xnack-", 64) == (0x200 | 0xc00));
  CHECK(flags("gfx942:sramecc-:xnack+", 64) == (0x300 | 0x800));
  CHECK(flags("gfx1010:xnack+", 32) == 0x300);
  CHECK(flags("gfx9-generic:xnack-", 64) == 0x200);
  // And in the metadata, for the runtime.
  Image image = compiler.compile(kernels, {"amdgpu", "gfx942:sramecc-:xnack+", {}, 64});
  std::string bytes(image.bytes.data(), image.bytes.size());
  CHECK(bytes.find("amdgcn-amd-amdhsa--gfx942:sramecc-:xnack+") != std::string::npos);
}

TEST_CASE("processors that LLVM does not know get code under their own name", "[amdgpu]") {
  Compiler compiler;
  for (auto [name, like] : {std::pair("gfx950", "gfx942"), std::pair("gfx9-4-generic", "gfx940")})
    for (std::string settings : {"", ":sramecc-:xnack+"}) {
      INFO(name << settings);
      const Target target{"amdgpu", name + settings, {}, 64},
          other{"amdgpu", like + settings, {}, 64};
      const Image image = compiler.compile(kernels, target),
                  known = compiler.compile(kernels, other);
      const std::string bytes(image.bytes.data(), image.bytes.size());
      CHECK(bytes.find("amdgcn-amd-amdhsa--" + target.arch) != std::string::npos);
      CHECK(bytes.find(like) == std::string::npos);
      // All other flags are those of the known processor; a generic one has its version.
      const unsigned version = llvm::StringRef(name).ends_with("generic") ? 1u << 24 : 0;
      CHECK((headerOf(image).flags & ~0xffu) == ((headerOf(known).flags & ~0xffu) | version));
      // The code is the same, and has no matrix of xf32 and no 8-bit real, which CDNA 4 lacks or
      // reads otherwise.
      const std::string code = codeOf(image, target);
      CHECK(code == codeOf(known, other));
      for (const char *absent : {"xf32", "fp8", "bf8"})
        CHECK(code.find(absent) == std::string::npos);
    }
}

TEST_CASE("resources are read from the metadata", "[amdgpu]") {
  Compiler compiler;
  for (auto [arch, wave] :
       {std::pair("gfx90a", 64u), std::pair("gfx1100", 32u), std::pair("gfx1100", 64u),
        std::pair("gfx12-generic", 32u), std::pair("gfx9-4-generic", 64u)}) {
    INFO(arch << " wave" << wave);
    Image image = compiler.compile(kernels, {"amdgpu", arch, {}, wave});
    REQUIRE(image.tasks.size() == 2);
    const TaskResources &first = image.tasks[0], &second = image.tasks[1];
    CHECK(first.task == "first");
    CHECK(first.sharedBytes == 800);
    CHECK(second.sharedBytes == 0);
    for (const TaskResources &task : image.tasks) {
      CHECK(task.registers > 0);
      CHECK(task.registers < 32);
      CHECK(task.scalarRegisters > 0);
      CHECK(task.spillBytes == 0);
      CHECK(task.stackBytes == 0);
    }
    bool isCdna = llvm::StringRef(arch).starts_with("gfx9");
    CHECK(second.occupancy == (isCdna ? 8 : 16));
    // Ten blocks of six waves fill 60 of the places of four SIMD units.
    CHECK(first.occupancy == (isCdna ? 8 : wave == 32 ? 15 : 16));
  }
}

TEST_CASE("line information names the source, and only where it is asked for", "[amdgpu]") {
  Compiler compiler;
  std::string text = kernels;
  text.replace(text.find("WAVE"), 4, "32");
  for (bool lineInfo : {false, true}) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &compiler.context, "some-kernels.mlir");
    REQUIRE(module);
    CompileOptions options;
    options.verifyStages = true;
    options.lineInfo = lineInfo;
    options.optLevel = lineInfo ? 0 : 3; // and unoptimised code is code too
    llvm::Expected<Image> image =
        findBackend("amdgpu")->compile(*module, {"amdgpu", "gfx1100", {}, 32}, options);
    REQUIRE(bool(image));
    std::string bytes(image->bytes.data(), image->bytes.size());
    CHECK((bytes.find("some-kernels.mlir") != std::string::npos) == lineInfo);
    CHECK((bytes.find(".debug_line") != std::string::npos) == lineInfo);
  }
}

TEST_CASE("the same module gives the same bytes", "[amdgpu]") {
  Compiler first, second;
  Target target{"amdgpu", "gfx942", {}, 64};
  CHECK(first.compile(kernels, target).bytes == second.compile(kernels, target).bytes);
}

TEST_CASE("registers limit how many waves a SIMD unit holds", "[amdgpu]") {
  // A sum of 200 values that are all read before the first is used, and read again.
  std::string text = "module attributes {simt.wave = WAVE : i32} {\n"
                     "func.func @many(%x: !simt.buffer<f32, global>) attributes {simt.task = "
                     "{block_dim = 64 : i32}} {\n%t = simt.thread_idx\n";
  const int count = 200;
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "%c" + n + " = arith.constant " + std::to_string(64 * i) + " : i32\n%i" + n +
            " = arith.addi %t, %c" + n + " : i32\n%v" + n + " = simt.load volatile %x[%i" + n +
            "] : !simt.buffer<f32, global>, i32\n";
  }
  for (int i = count; i-- > 0;) {
    std::string n = std::to_string(i);
    text += "simt.store volatile %v" + n + ", %x[%i" + n + "] : !simt.buffer<f32, global>, i32\n";
  }
  text += "return\n}\n}\n";
  Compiler compiler;
  Image image = compiler.compile(text, {"amdgpu", "gfx1030", {}, 32});
  CHECK(image.tasks[0].registers > 192);
  CHECK(image.tasks[0].registers <= 256);
  CHECK(image.tasks[0].occupancy == 4); // 1024 registers, steps of 16: 208 to 256 each
}

#ifdef SEXTANT_HAVE_COMGR
namespace {

struct Node {
  amd_comgr_metadata_node_t handle{};
  Node() = default;
  Node(const Node &) = delete;
  ~Node() {
    if (handle.handle)
      amd_comgr_destroy_metadata(handle);
  }
};

std::string textOf(amd_comgr_metadata_node_t map, const char *key) {
  Node value;
  if (amd_comgr_metadata_lookup(map, key, &value.handle) != AMD_COMGR_STATUS_SUCCESS)
    return "absent";
  size_t size = 0;
  REQUIRE(amd_comgr_get_metadata_string(value.handle, &size, nullptr) == AMD_COMGR_STATUS_SUCCESS);
  std::string text(size, '\0');
  REQUIRE(amd_comgr_get_metadata_string(value.handle, &size, text.data()) ==
          AMD_COMGR_STATUS_SUCCESS);
  return text.c_str();
}

} // namespace

TEST_CASE("comgr reads the same from the metadata", "[amdgpu][comgr]") {
  Compiler compiler;
  for (auto [arch, wave] : {std::pair("gfx942", 64u), std::pair("gfx1030", 32u),
                            std::pair("gfx1030", 64u), std::pair("gfx1201", 32u)}) {
    INFO(arch << " wave" << wave);
    Image image = compiler.compile(kernels, {"amdgpu", arch, {}, wave});
    amd_comgr_data_t data{};
    REQUIRE(amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data) ==
            AMD_COMGR_STATUS_SUCCESS);
    REQUIRE(amd_comgr_set_data(data, image.bytes.size(), image.bytes.data()) ==
            AMD_COMGR_STATUS_SUCCESS);
    {
      Node root, list;
      REQUIRE(amd_comgr_get_data_metadata(data, &root.handle) == AMD_COMGR_STATUS_SUCCESS);
      REQUIRE(amd_comgr_metadata_lookup(root.handle, "amdhsa.kernels", &list.handle) ==
              AMD_COMGR_STATUS_SUCCESS);
      size_t count = 0;
      REQUIRE(amd_comgr_get_metadata_list_size(list.handle, &count) == AMD_COMGR_STATUS_SUCCESS);
      REQUIRE(count == 2);
      for (size_t i = 0; i < count; ++i) {
        Node kernel, arguments;
        REQUIRE(amd_comgr_index_list_metadata(list.handle, i, &kernel.handle) ==
                AMD_COMGR_STATUS_SUCCESS);
        const TaskResources &task = image.tasks[i];
        CHECK(textOf(kernel.handle, ".name") == task.task);
        CHECK(textOf(kernel.handle, ".symbol") == task.task + ".kd");
        CHECK(textOf(kernel.handle, ".vgpr_count") == std::to_string(task.registers));
        CHECK(textOf(kernel.handle, ".sgpr_count") == std::to_string(task.scalarRegisters));
        CHECK(textOf(kernel.handle, ".group_segment_fixed_size") ==
              std::to_string(task.sharedBytes));
        CHECK(textOf(kernel.handle, ".private_segment_fixed_size") == "0");
        CHECK(textOf(kernel.handle, ".wavefront_size") == std::to_string(wave));
        CHECK(textOf(kernel.handle, ".max_flat_workgroup_size") == (i == 0 ? "192" : "64"));
        // Parameters lie as the loader packs them: 4 + 4 unused, 8, 1; then, where the grid's
        // size is read, one hidden argument of interest among those of 256 bytes.
        REQUIRE(amd_comgr_metadata_lookup(kernel.handle, ".args", &arguments.handle) ==
                AMD_COMGR_STATUS_SUCCESS);
        size_t parameters = 0;
        REQUIRE(amd_comgr_get_metadata_list_size(arguments.handle, &parameters) ==
                AMD_COMGR_STATUS_SUCCESS);
        static const char *const offsets[2][3] = {{"0", "8", "16"}, {"0", "8", nullptr}};
        CHECK((i == 0 ? parameters == 3 : parameters >= 2));
        for (size_t p = 0; p < 3 && offsets[i][p]; ++p) {
          Node argument;
          REQUIRE(amd_comgr_index_list_metadata(arguments.handle, p, &argument.handle) ==
                  AMD_COMGR_STATUS_SUCCESS);
          CHECK(textOf(argument.handle, ".offset") == offsets[i][p]);
        }
        CHECK(textOf(kernel.handle, ".kernarg_segment_size") == (i == 0 ? "20" : "264"));
      }
    }
    amd_comgr_release_data(data);
  }
}
#else
TEST_CASE("comgr reads the same from the metadata", "[amdgpu][comgr]") {
  WARN("skipped: no comgr (package libamd-comgr-dev)");
}
#endif
