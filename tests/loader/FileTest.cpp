// A module file that becomes shorter while it is open: what can still be read works, all else
// is an error, and the rest of the program goes on.
#include "TestModule.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace sextant::test;

TEST_CASE("a module file is cut short while it is open") {
  const std::vector<std::byte> bytes = makeModule();
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("sextant-cut-" + std::to_string(getpid()) + ".sxt"))
                               .string();
  sxt_device *device = nullptr;
  need(sxt_device_open("cpu", &device));
  int worked = 0, failed = 0;
  for (unsigned part = 0; part <= 32; ++part) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    sxt_module *module = nullptr;
    sxt_program *program = nullptr;
    sxt_kernel *kernel = nullptr;
    need(sxt_module_open_file(path.c_str(), &module));
    need(sxt_program_create(module, device, nullptr, &program));
    REQUIRE(truncate(path.c_str(), long(bytes.size() * part / 32)) == 0);
    for (const char *name : {"saxpy", "empty", "only", "total"}) {
      const sxt_status status = sxt_program_kernel(program, name, &kernel);
      INFO(part << "/32: " << name << ": " << message());
      if (status == SXT_OK) {
        ++worked;
        if (std::string(name) == "empty")
          need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
      } else {
        ++failed;
        CHECK((status == SXT_ERROR_BAD_MODULE || status == SXT_ERROR_IO));
        // The reader names the file itself where it cannot be read.
        CHECK(message().starts_with("'" + path + "': "));
      }
    }
    sxt_program_release(program);
    sxt_module_release(module);
  }
  std::remove(path.c_str());
  CHECK(worked >= 4); // the whole file
  CHECK(failed > 50);
  sxt_device_release(device);
}
