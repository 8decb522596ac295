// The harness: parse, compile, load, call.
#include "tests/cpu/Harness.h"

#include "backends/cpu/Cpu.h"
#include "backends/cpu/Target.h"
#include "frontend/ir/SimtDialect.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <map>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace sextant;

namespace cputest {

const char *transformFirst = nullptr;

/// In two calls, as a pool of threads would.
static void callTwice(const Call &call) {
  call.task(call.args, call.shared, 0, call.grid / 2, call.grid);
  call.task(call.args, call.shared, call.grid / 2, call.grid, call.grid);
}
void (*callTask)(const Call &call) = callTwice;

static bool canEmulate() {
  return llvm::sys::findProgramByName("qemu-aarch64") &&
         llvm::sys::fs::exists(CPU_TEST_AARCH64_RUNNER);
}

std::vector<Variant> variants(std::vector<unsigned> waves) {
  if (waves.empty())
    waves = {4, 8, 16, 32, 64};
  std::vector<Variant> all;
  for (const cpu::Machine &machine : cpu::machines())
    if (cpu::runsHere(machine) || (!machine.isX86 && canEmulate()))
      for (unsigned wave : waves)
        all.push_back({machine.arch.name, wave});
  return all;
}

std::string forWave(std::string text, unsigned wave) {
  auto replace = [&](const std::string &name, unsigned value) {
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(value));
  };
  replace("$LOG", llvm::Log2_32(wave));
  replace("$W", wave);
  return text;
}

namespace {

struct Build {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string problem;
  Image image;
};

sextant::Target targetOf(const Variant &variant) {
  sextant::Target target;
  target.backend = "cpu";
  target.arch = variant.arch;
  target.wave = variant.wave;
  return target;
}

Build build(const std::string &text, const Variant &variant) {
  Build result;
  result.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(*result.context);
  mlir::ScopedDiagnosticHandler handler(result.context.get(), [&](mlir::Diagnostic &diagnostic) {
    result.problem += diagnostic.str() + "\n";
    return mlir::success();
  });
  std::string source = "module attributes {simt.wave = " + std::to_string(variant.wave) + " : i32" +
                       (variant.isFast ? ", simt.fast_math" : "") + "} {\n" +
                       forWave(text, variant.wave) + "\n}";
  result.module = mlir::parseSourceString<mlir::ModuleOp>(source, result.context.get());
  if (!result.module) {
    result.problem += "the text does not parse";
    return result;
  }
  sextant::Target target = targetOf(variant);
  CompileOptions options;
  options.verifyStages = true;
  if (const char *prefix = std::getenv("CPU_TEST_SAVE"))
    options.saveTemps = prefix;
  if (transformFirst && mlir::failed(simt::findPass(transformFirst)->run(*result.module, "")))
    return result;
  if (mlir::failed(cpuBackend().check(*result.module, target)))
    return result;
  llvm::Expected<Image> image = cpuBackend().compile(*result.module, target, options);
  if (!image)
    result.problem += llvm::toString(image.takeError());
  else
    result.image = std::move(*image);
  return result;
}

/// The argument block: pointers and scalars in order, naturally aligned.
std::vector<uint8_t> packArgs(const std::vector<Arg> &args, const std::vector<void *> &pointers) {
  std::vector<uint8_t> block;
  for (size_t i = 0; i < args.size(); ++i) {
    size_t size = args[i].isArray ? 8 : args[i].bytes.size();
    block.resize(llvm::alignTo(block.size(), size));
    const void *from =
        args[i].isArray ? static_cast<const void *>(&pointers[i]) : args[i].bytes.data();
    block.insert(block.end(), static_cast<const uint8_t *>(from),
                 static_cast<const uint8_t *>(from) + size);
  }
  block.resize(block.size() + 8);
  return block;
}

void runHere(const Image &image, std::vector<Arg> &args, unsigned grid) {
  int file = memfd_create("image", 0);
  REQUIRE(write(file, image.bytes.data(), image.bytes.size()) == ssize_t(image.bytes.size()));
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  INFO((library ? "" : dlerror()));
  REQUIRE(library);
  using Task = void (*)(const void *, void *, uint32_t, uint32_t, uint32_t);
  auto task = reinterpret_cast<Task>(dlsym(library, "task"));
  REQUIRE(task);
  // Arrays end at a page that cannot be touched: a stray lane's access is caught.
  std::vector<void *> pointers(args.size());
  std::vector<std::pair<void *, size_t>> mappings;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].isArray)
      continue;
    size_t page = 4096, size = llvm::alignTo(args[i].bytes.size() + 64, page);
    auto *base = static_cast<uint8_t *>(
        mmap(nullptr, size + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base, page, PROT_NONE);
    mprotect(base + page + size, page, PROT_NONE);
    uint8_t *data = base + page + size - args[i].bytes.size();
    std::memcpy(data, args[i].bytes.data(), args[i].bytes.size());
    pointers[i] = data;
    mappings.push_back({base, size + 2 * page});
  }
  std::vector<uint8_t> block = packArgs(args, pointers);
  int shared = std::max(0, image.tasks[0].sharedBytes);
  void *scratch = aligned_alloc(64, llvm::alignTo(shared + 64, 64));
  std::memset(scratch, 0xa5, shared + 64);
  link_map *mapped = nullptr;
  REQUIRE(dlinfo(library, RTLD_DI_LINKMAP, &mapped) == 0);
  callTask({{image.bytes.begin(), image.bytes.end()},
            mapped->l_addr,
            task,
            block.data(),
            scratch,
            grid});
  free(scratch);
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].isArray)
      std::memcpy(args[i].bytes.data(), pointers[i], args[i].bytes.size());
  for (auto [base, size] : mappings)
    munmap(base, size);
  dlclose(library);
  close(file);
}

template <typename T> void put(std::ofstream &out, T value) {
  out.write(reinterpret_cast<const char *>(&value), sizeof(T));
}

/// A socket to tests/cpu/Runner.c under the emulator, started at the first use. It ends with this
/// process.
int emulator() {
  static const int socket = [] {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    const char *command[] = {"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu",
                             CPU_TEST_AARCH64_RUNNER, nullptr};
    pid_t child;
    REQUIRE(posix_spawnp(&child, command[0], &actions, nullptr, const_cast<char **>(command),
                         environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    return ends[0];
  }();
  return socket;
}

/// Through tests/cpu/Runner.c, by files.
void runEmulated(const Image &image, std::vector<Arg> &args, unsigned grid) {
  llvm::SmallString<128> prefix;
  REQUIRE(!llvm::sys::fs::createUniqueDirectory("sextant-cpu", prefix));
  std::string base = prefix.str().str(), library = base + "/image.so", data = base + "/data";
  {
    std::ofstream out(library, std::ios::binary);
    out.write(image.bytes.data(), image.bytes.size());
    std::ofstream file(data, std::ios::binary);
    put<uint32_t>(file, args.size());
    put<uint32_t>(file, grid);
    put<uint32_t>(file, std::max(0, image.tasks[0].sharedBytes));
    for (const Arg &arg : args) {
      put<uint32_t>(file, arg.isArray);
      put<uint32_t>(file, arg.bytes.size());
      file.write(reinterpret_cast<const char *>(arg.bytes.data()), arg.bytes.size());
    }
  }
  int status = -1;
  REQUIRE(send(emulator(), base.data(), base.size(), MSG_NOSIGNAL) == ssize_t(base.size()));
  REQUIRE(recv(emulator(), &status, sizeof status, 0) == sizeof status);
  REQUIRE(status == 0);
  std::ifstream in(data, std::ios::binary);
  for (Arg &arg : args)
    if (arg.isArray)
      in.read(reinterpret_cast<char *>(arg.bytes.data()), arg.bytes.size());
  REQUIRE(in.good());
  llvm::sys::fs::remove_directories(prefix);
}

} // namespace

/// Tests run the same text with arguments of many sizes, so the last images are kept.
static const Image &imageOf(const std::string &text, const Variant &variant) {
  static std::map<std::array<std::string, 3>, Image> kept;
  constexpr size_t most = 256;
  const std::array<std::string, 3> key{transformFirst ? transformFirst : "", variant.str(), text};
  if (auto found = kept.find(key); found != kept.end())
    return found->second;
  Build made = build(text, variant);
  INFO(made.problem);
  REQUIRE(!made.image.bytes.empty());
  if (kept.size() == most)
    kept.clear();
  return kept[key] = std::move(made.image);
}

void run(const std::string &text, const Variant &variant, std::vector<Arg> &args, unsigned grid) {
  run(imageOf(text, variant), variant, args, grid);
}

void run(const Image &image, const Variant &variant, std::vector<Arg> &args, unsigned grid) {
  if (cpu::runsHere(*cpu::findMachine(variant.arch)))
    runHere(image, args, grid);
  else
    runEmulated(image, args, grid);
}

std::string compileError(const std::string &text, const Variant &variant) {
  Build made = build(text, variant);
  return made.image.bytes.empty() ? made.problem : "";
}

std::string assembly(const std::string &text, const Variant &variant) {
  Build made = build(text, variant);
  INFO(made.problem);
  REQUIRE(!made.image.bytes.empty());
  auto listing = cpuBackend().disassemble(made.image.bytes, targetOf(variant));
  REQUIRE(bool(listing));
  return *listing;
}

} // namespace cputest
