// Opening does no work that grows with the number of kernels, variants or images:
// all pages but the header's are out of reach while it runs.
#include "loader/format/Format.h"
#include "loader/format/Reader.h"
#include "tests/module/Sample.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::test;

TEST_CASE("opening touches only the header") {
  packager::ModuleBuilder builder("sextant", "");
  const uint32_t source = builder.addSource("k.py", {});
  for (unsigned i = 0; i < 1000; ++i) {
    const uint32_t kernel = *builder.addKernel(totalKernel(source, "k" + std::to_string(i)));
    for (unsigned sm = 0; sm < 10; ++sm)
      need(builder.addVariant(kernel, totalPlan(32),
                              variantFor({"cuda", "sm_" + std::to_string(80 + sm), {}, 32},
                                         builder.addImage(bytesOf(std::to_string(i * 10 + sm))),
                                         "cubin")));
  }
  const auto built = builder.build();
  REQUIRE(built.ok());
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t size = (built->size() + page - 1) / page * page;
  REQUIRE(size > 20 * page);
  // The header is the last thing on a page: what follows it is out of reach.
  auto *shifted = static_cast<std::byte *>(
      mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(shifted != MAP_FAILED);
  std::byte *start = shifted + page - sizeof(format::Header);
  std::memcpy(start, built->data(), built->size());
  REQUIRE(mprotect(shifted + page, size, PROT_NONE) == 0);
  const auto reader = Reader::fromMemory({start, built->size()}); // a fault if it reads on
  REQUIRE(reader.ok());
  CHECK(reader->kernelCount() == 1000);
  CHECK(reader->imageCount() == 10000);
  REQUIRE(mprotect(shifted + page, size, PROT_READ) == 0);
  CHECK(reader->verify().ok());
  munmap(shifted, size + page);
}
