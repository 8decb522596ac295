// Atomics whose old value nobody reads: PTX has `atom` for them, of which ptxas makes RED,
// which waits for no answer. What it made is read from the machine code: instructions are 16
// bytes from sm_70 on, with the operation in the lowest 12 bits.
#include "backends/Backend.h"
#include "backends/cuda/Toolkit.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

#include <set>

using namespace sextant;

namespace {

/// As nvdisasm 13.5 names them, for sm_75 to sm_120. Reals of sm_90 on have a RED of their own.
const std::set<unsigned> reds = {0x98e, 0x9a6};
const std::set<unsigned> atoms = {0x3a8, 0x9a8, 0x3a9, 0x9a9}; // ATOMG, and its compare-and-swap

struct Counts {
  unsigned red = 0, atom = 0;
};

Counts operations(llvm::ArrayRef<char> cubin, llvm::StringRef task) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(cubin.data(), cubin.size()), "cubin"), false);
  REQUIRE(bool(file));
  Counts counts;
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    if (llvm::cantFail(section.getName()) != ".text." + task.str())
      continue;
    llvm::StringRef code = llvm::cantFail(section.getContents());
    for (size_t at = 0; at + 16 <= code.size(); at += 16) {
      unsigned operation = llvm::support::endian::read16le(code.data() + at) & 0xfff;
      counts.red += reds.count(operation);
      counts.atom += atoms.count(operation);
    }
  }
  return counts;
}

constexpr const char *text = R"(
module attributes {simt.wave = 32 : i32} {
  func.func @unread(%p: !simt.buffer<i32, global>, %q: !simt.buffer<f64, global>,
                    %r: !simt.buffer<i64, global>, %s: !simt.buffer<f32, global>,
                    %v: i32, %d: f64, %l: i64, %f: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %0 = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i32, global>, i32
    %1 = simt.atomic_rmw addf %d, %q[%t] : !simt.buffer<f64, global>, i32
    %2 = simt.atomic_rmw minu %l, %r[%t] : !simt.buffer<i64, global>, i32
    %3 = simt.atomic_rmw addf %f, %s[%t] : !simt.buffer<f32, global>, i32
    %4 = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  func.func @read(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %0 = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i32, global>, i32
    %1 = simt.atomic_rmw exchange %v, %p[%0] : !simt.buffer<i32, global>, i32
    %2 = simt.atomic_cas %1, %v, %p[%1] : !simt.buffer<i32, global>, i32
    simt.store %2, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
})";

} // namespace

TEST_CASE("an atomic whose old value is not read is a RED", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  for (const char *arch : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    INFO(arch);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    llvm::Expected<Image> image = findBackend("cuda")->compile(*module, {"cuda", arch, {}, 32}, {});
    REQUIRE(bool(image));
    Counts unread = operations(image->bytes, "unread"), read = operations(image->bytes, "read");
    CHECK(unread.red == 5);
    CHECK(unread.atom == 0);
    CHECK(read.red == 0);
    CHECK(read.atom == 3);
  }
}
