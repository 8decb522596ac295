// Random divergent control flow through the cpu backend, compared thread by
// thread with a walk over the hir: what masks and early exits must get right.
// The first argument of the environment variable SEXTANT_FUZZ is the number of
// programs (default 40), the second the first seed.
#include "backends/Backend.h"
#include "frontend/irgen/Irgen.h"
#include "tests/ir/HirWalk.h"
#include "tests/ir/RandomTeam.h"
#include "tests/support/Catch.h"

#include "mlir/IR/Diagnostics.h"

#include <cstdlib>
#include <dlfcn.h>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace hb;

namespace {

/// A loaded image; its one task.
class LoadedTask {
public:
  LoadedTask(llvm::ArrayRef<char> image, const std::string &name) {
    int file = memfd_create("image", 0);
    REQUIRE(write(file, image.data(), image.size()) == ssize_t(image.size()));
    std::string path = "/proc/self/fd/" + std::to_string(file);
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    close(file);
    if (!library)
      FAIL(dlerror());
    run = reinterpret_cast<Run *>(dlsym(library, name.c_str()));
    REQUIRE(run);
  }
  ~LoadedTask() { dlclose(library); }

  using Run = void(const void *, void *, uint32_t, uint32_t, uint32_t);
  Run *run = nullptr;

private:
  void *library = nullptr;
};

struct Arguments {
  int32_t *memory;
  int32_t running;
};

} // namespace

static std::vector<int32_t> memoryOf(const Layout &layout, unsigned seed) {
  std::vector<int32_t> memory(16 * layout.threads());
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = int32_t((i * 2654435761u + seed) >> 13) % 9 - 4;
  return memory;
}

/// Compiles and runs `kernel`'s task over `memory`.
static void runOnCpu(const hir::Kernel &kernel, const Target &target, const Layout &layout,
                     std::vector<int32_t> &memory) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = generate(kernel, context);
  REQUIRE(module);
  const Backend *backend = findBackend("cpu");
  REQUIRE(mlir::succeeded(backend->check(*module, target)));
  llvm::Expected<Image> image = backend->compile(*module, target, CompileOptions());
  if (!image)
    FAIL("compile: " << toString(image.takeError()));
  LoadedTask task(image->bytes, kernel.tasks[0].name);
  alignas(64) static char shared[65536];
  Arguments arguments{memory.data(), int32_t(layout.running)};
  task.run(&arguments, shared, 0, layout.blocks, layout.blocks);
}

/// False where some thread runs too long to be compared.
static bool compareAlone(unsigned seed, const Target &target, Layout layout) {
  hir::Kernel k = RandomProgram(seed, layout).make();
  k.wave = target.wave;
  std::vector<int32_t> expected = memoryOf(layout, seed), computed = expected;
  for (unsigned block = 0; block < layout.blocks; ++block)
    for (unsigned thread = 0; thread < layout.blockDim; ++thread)
      if (!hirwalk::run(k.tasks[0], expected,
                        {int32_t(thread), int32_t(block), int32_t(layout.running)}))
        return false;
  runOnCpu(k, target, layout, computed);
  REQUIRE(computed == expected);
  return true;
}

static bool compareTeam(unsigned seed, const Target &target, Layout layout) {
  hir::Kernel k = RandomTeam(seed, layout, target.wave).make();
  std::vector<int32_t> expected = memoryOf(layout, seed), computed = expected;
  for (unsigned block = 0; block < layout.blocks; ++block)
    if (!hirwalk::runTeam(k.tasks[0], target.wave, expected, block, layout.running))
      return false;
  runOnCpu(k, target, layout, computed);
  REQUIRE(computed == expected);
  return true;
}

namespace {

struct Variant {
  const char *arch;
  unsigned wave;
};

/// How many programs, and the first seed.
struct Budget {
  unsigned programs = 40, first = 0;

  Budget() {
    if (const char *text = std::getenv("SEXTANT_FUZZ"))
      std::istringstream(text) >> programs >> first;
  }
};

} // namespace

static std::vector<Variant> variantsHere() {
  std::vector<Variant> variants{{"x86-64-v2", 4}, {"x86-64-v3", 8}, {"x86-64-v3", 32}};
  if (__builtin_cpu_supports("avx512vl"))
    variants.push_back({"x86-64-v4", 16});
  return variants;
}

TEST_CASE("divergent control flow on vectors") {
  Budget budget;
  std::vector<Variant> variants = variantsHere();
  unsigned compared = 0;
  for (unsigned seed = budget.first; seed < budget.first + budget.programs; ++seed) {
    const Variant &variant = variants[seed % variants.size()];
    Layout layout;
    layout.blockDim = std::vector<unsigned>{1, 24, 32, 64}[seed / 4 % 4];
    layout.blocks = 3;
    layout.running = layout.threads() - std::min(seed % 7, layout.threads());
    layout.interleaved = seed / 2 % 2;
    INFO("seed = " << seed << ", " << variant.arch << " wave " << variant.wave << ", block of "
                   << layout.blockDim);
    compared += compareAlone(seed, Target{"cpu", variant.arch, {}, variant.wave}, layout);
  }
  CHECK(compared >= budget.programs / 4);
}

TEST_CASE("threads that work together") {
  Budget budget;
  std::vector<Variant> variants = variantsHere();
  variants.push_back({"x86-64-v3", 64});
  unsigned compared = 0;
  for (unsigned seed = budget.first; seed < budget.first + budget.programs; ++seed) {
    const Variant &variant = variants[seed % variants.size()];
    Layout layout;
    layout.blockDim = variant.wave * (1 + seed / 5 % 3);
    layout.blocks = 2;
    layout.running = layout.threads();
    layout.interleaved = seed / 2 % 2;
    INFO("seed = " << seed << ", " << variant.arch << " wave " << variant.wave << ", block of "
                   << layout.blockDim);
    compared += compareTeam(seed, Target{"cpu", variant.arch, {}, variant.wave}, layout);
  }
  CHECK(compared >= budget.programs / 4);
}
