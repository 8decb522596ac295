// Loads an image: writes it to an anonymous file (memfd) and opens that with dlopen, so that the
// system's loader relocates it and looks up its symbols. An image may leave undefined only
// functions of libm and libmvec, which are loaded before the first image.
#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Debuggers.h"
#include "loader/devices/cpu/Pool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mutex>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace sextant::loader {
namespace {

#if defined(__x86_64__)
constexpr uint16_t hostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t hostMachine = EM_AARCH64;
#else
constexpr uint16_t hostMachine = EM_NONE;
#endif

class ElfImage : public LoadedImage {
public:
  explicit ElfImage(Pool &pool) : pool(pool) {}
  ~ElfImage() override {
    gdb.reset();
    if (library)
      dlclose(library);
    if (file >= 0)
      close(file);
  }
  sxt_status load(std::span<const std::byte> bytes);
  sxt_status findTask(const module::Task &task, const module::BlockLayout & /*layout*/,
                      const module::Resources &resources, LoadedTask &loaded) override {
    void *symbol = dlsym(library, task.symbol.c_str());
    if (!symbol)
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has no function '%s'", task.symbol.c_str());
    // Without the size, a task with shared arrays would write through null.
    if (resources.sharedBytes < 0)
      return fail(SXT_ERROR_BAD_MODULE,
                  "the CPU image does not say how much shared memory task '%s' needs",
                  task.symbol.c_str());
    SXT_TRY(pool.reserveScratch(static_cast<size_t>(resources.sharedBytes)));
    loaded = {symbol, task.blockDim, static_cast<uint32_t>(resources.sharedBytes), 0, task.waits};
    return SXT_OK;
  }

  // The file stays open as long as the library. Its number is part of the library's name, and the
  // system's loader would take a second image of the same name for the first.
  int file = -1;

private:
  Pool &pool;
  void *library = nullptr;
  std::optional<GdbImage> gdb;
};

void loadMathLibraries() {
  static const bool loaded = [] {
    // The library is never closed. If there is no libmvec, images that need it fail to load with
    // the name of the missing function.
    for (const char *name : {"libm.so.6", "libmvec.so.1"})
      if (!dlopen(name, RTLD_NOW | RTLD_GLOBAL))
        log(SXT_LOG_INFO, "%s", dlerror());
    return true;
  }();
  (void)loaded;
}

/// Makes a file without a name, and marks it as executable on systems that require that.
int anonymousFile() {
  constexpr unsigned executable = 0x10; // MFD_EXEC, since Linux 6.3
  int file = memfd_create("sextant-image", MFD_CLOEXEC | executable);
  if (file < 0 && errno == EINVAL)
    file = memfd_create("sextant-image", MFD_CLOEXEC);
  return file;
}

bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

} // namespace

const char *elfProblem(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return "is no ELF file";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_machine != hostMachine)
    return "is no 64-bit shared object of this machine";
  auto inside = [](uint64_t offset, uint64_t size, uint64_t begin, uint64_t length) {
    return offset >= begin && size <= length && offset - begin <= length - size;
  };
  const uint64_t table = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || !inside(header.e_phoff, table, 0, bytes.size()))
    return "is cut short";
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (table)
    std::memcpy(segments.data(), bytes.data() + header.e_phoff, table);
  bool hasDynamic = false;
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_LOAD &&
        (!inside(segment.p_offset, segment.p_filesz, 0, bytes.size()) ||
         segment.p_memsz < segment.p_filesz))
      return "is cut short";
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type != PT_DYNAMIC)
      continue;
    for (const Elf64_Phdr &load : segments)
      hasDynamic |= load.p_type == PT_LOAD &&
                    inside(segment.p_vaddr, segment.p_memsz, load.p_vaddr, load.p_memsz);
  }
  return hasDynamic ? nullptr : "is no shared object";
}

sxt_status ElfImage::load(std::span<const std::byte> bytes) {
  // GDB sees libraries that the system loads. It gets this image by the JIT interface, and would
  // have it twice if the sections were here as well.
  const bool isDebugged = hasDebugInfo(bytes);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (isDebugged)
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  if (!writeAll(file, std::as_bytes(std::span(&header, 1))) ||
      !writeAll(file, bytes.subspan(sizeof header))) {
    int error = errno;
    return fail(error == ENOSPC || error == ENOMEM ? SXT_ERROR_OUT_OF_MEMORY : SXT_ERROR_DEVICE,
                "cannot write the CPU image to memory: %s", std::strerror(error));
  }
  // A debugger opens libraries by the same name. With "self" in it, the name would mean the
  // debugger's own file of that number, which may be a pipe that it then waits for.
  const std::string number = "/fd/" + std::to_string(file);
  library = dlopen(("/proc/" + std::to_string(getpid()) + number).c_str(), RTLD_NOW | RTLD_LOCAL);
  errno = 0;
  if (!library) // processes have other numbers where /proc is of another namespace
    library = dlopen(("/proc/self" + number).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library) {
    link_map *map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
      tellPerf(bytes, map->l_addr);
      if (isDebugged)
        gdb.emplace(bytes, map->l_addr);
    }
    return SXT_OK;
  }
  const bool memory = errno == ENOMEM;
  const char *why = dlerror();
  return fail(memory ? SXT_ERROR_OUT_OF_MEMORY : SXT_ERROR_DEVICE,
              "the system cannot load the CPU image: %s", why ? why : "unknown reason");
}

sxt_status loadElfImage(Pool &pool, std::span<const std::byte> bytes,
                        std::unique_ptr<LoadedImage> &image) {
  if (const char *problem = elfProblem(bytes))
    return fail(SXT_ERROR_BAD_MODULE, "the CPU image %s", problem);
  loadMathLibraries();
  auto made = std::make_unique<ElfImage>(pool);
  int file = anonymousFile();
  if (file < 0)
    return fail(SXT_ERROR_DEVICE, "cannot make a file in memory for the CPU image: %s",
                std::strerror(errno));
  made->file = file;
  SXT_TRY(made->load(bytes));
  image = std::move(made);
  return SXT_OK;
}

} // namespace sextant::loader
