// Images in processes that may not make what they wrote executable.
//
//   hardened mdwe      refused by prctl(PR_SET_MDWE): the image's code is mapped from a file
//   hardened nothing   a filter refuses that, too: the error says so
//
// Exits with 77 where the system has no such rule.
#include "tests/loader/elf/Draft.h"

#include "loader/devices/cpu/ElfImage.h"
#include "loader/devices/cpu/Pool.h"

#include <cerrno>
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace sextant;
using namespace sextant::loader;

namespace {

bool refuseNewCode() {
  constexpr int setMdwe = 65, refuseExecGain = 1; // since Linux 6.3
  return prctl(setMdwe, refuseExecGain, 0, 0, 0) == 0;
}

/// No files in memory.
bool refuseFiles() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(steps), steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int wrong(const std::string &what) {
  std::printf("%s\n", what.c_str());
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  const bool runs = argc == 2 && std::string(argv[1]) == "mdwe";
  if (!refuseNewCode() || (!runs && !refuseFiles())) {
    std::printf("skipped: this system has no such rule\n");
    return 77;
  }
  Pool pool;
  std::unique_ptr<LoadedImage> image;
  const sxt_status status = loadElfImage(pool, test::Draft().done(), image);
  const std::string message = status == SXT_OK ? "" : sxt_last_error_message();
  if (!runs)
    return status == SXT_ERROR_DEVICE &&
                   message.starts_with("the system does not let this process run code from memory: "
                                       "Permission denied; allow that")
               ? 0
               : wrong("no such error: " + message);
  module::Task task;
  task.symbol = "task";
  LoadedTask loaded;
  if (status != SXT_OK || image->findTask(task, {}, {-1, -1, -1, 0}, loaded) != SXT_OK)
    return wrong("the image does not load: " + message);
  const int result = reinterpret_cast<int (*)()>(loaded.function)();
  return result == 42 ? 0 : wrong("the image returns " + std::to_string(result));
}
