// The cost of opening a module, with ten variants and with ten thousand, beside the bare
// system calls on the same file; then the use of one kernel of it, the first time (with
// opening) and again. Medians of runs in turn.
//
//   bench-module [repetitions]
#include "loader/format/Reader.h"
#include "loader/format/Select.h"
#include "loader/format/Tuning.h"
#include "packager/ModuleBuilder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sextant;

namespace {

void require(bool isTrue, const char *what) {
  if (isTrue)
    return;
  std::fprintf(stderr, "bench-module: %s failed\n", what);
  std::exit(1);
}

/// `kernels` kernels of ten variants each, every image different, 4 KiB.
std::vector<std::byte> moduleOf(unsigned kernels) {
  packager::ModuleBuilder builder("bench", "");
  const uint32_t source = builder.addSource("bench.py", {});
  const char *archs[] = {"sm_75", "sm_80",  "sm_86",  "sm_87",      "sm_89",
                         "sm_90", "sm_100", "sm_120", "compute_75", "compute_90"};
  for (unsigned k = 0; k < kernels; ++k) {
    module::Kernel kernel;
    kernel.name = "kernel";
    kernel.instance = "kernel_" + std::to_string(k);
    kernel.source = source;
    kernel.arguments = {{module::Argument::Array, "src", module::DType::F32, 1},
                        {module::Argument::Array, "out", module::DType::F32, 1}};
    module::Plan plan;
    plan.tasks.push_back({kernel.instance + "_t0", 128, false, false,
                          module::LaunchExpr{{{module::LaunchExpr::Param, 1}}}});
    const auto number = builder.addKernel(kernel);
    require(number.ok(), "addKernel");
    for (const char *arch : archs) {
      std::vector<std::byte> image(4096);
      for (size_t i = 0; i < image.size(); ++i)
        image[i] = static_cast<std::byte>((i * (k + 1) >> (arch[3] & 7)) ^ (i >> 5) ^ arch[4]);
      module::Variant variant;
      variant.target = {"cuda", arch, {}, 32};
      variant.image = builder.addImage(image);
      variant.format = "cubin";
      variant.resources.resize(1);
      require(builder.addVariant(*number, plan, variant).ok(), "addVariant");
    }
  }
  auto bytes = builder.build({.compression = packager::Compression::Fast});
  require(bytes.ok(), "build");
  return std::move(*bytes);
}

void bareOpen(const std::string &path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts{};
  require(descriptor >= 0 && fstat(descriptor, &facts) == 0, "open");
  const auto size = static_cast<size_t>(facts.st_size);
  void *address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  require(address != MAP_FAILED, "mmap");
  close(descriptor);
  require(*static_cast<const volatile unsigned char *>(address) == 0x89, "read");
  munmap(address, size);
}

/// Nanoseconds a call, the median of `repetitions` for each of the two, taken in turn.
std::pair<double, double> inTurn(unsigned repetitions, const std::function<void()> &ours,
                                 const std::function<void()> &peer) {
  auto once = [](const std::function<void()> &body) {
    constexpr unsigned calls = 64;
    const auto start = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < calls; ++i)
      body();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    return time.count() / calls;
  };
  std::vector<double> us, them;
  for (unsigned i = 0; i < repetitions; ++i) {
    us.push_back(once(ours));
    them.push_back(once(peer));
  }
  std::sort(us.begin(), us.end());
  std::sort(them.begin(), them.end());
  return {us[us.size() / 2], them[them.size() / 2]};
}

/// Prints what it takes to choose among 33 variants by what was measured on eight devices, beside
/// their selection. The last line is the device's.
void printChoice(unsigned repetitions) {
  const module::DeviceFacts device = *module::factsOf("sm_90");
  std::vector<module::Variant> variants;
  for (unsigned tile = 0; tile <= 32; ++tile) {
    module::Variant &variant = variants.emplace_back();
    variant.target = {"cuda", "sm_90", {}, 32};
    if (tile != 0)
      variant.target.features = {"ITEMS=4", "TILE=" + std::to_string(8 * tile)};
    variant.format = "cubin";
  }
  std::string text;
  for (unsigned number = 0; number < 8; ++number)
    text += "scan cuda:sm_90 cuda:sm_90+ITEMS=4+TILE=200/wave32 NVIDIA " + std::to_string(number) +
            "\n";
  const std::vector<module::Tuned> tuned = module::parseTuned(text);
  const std::vector<module::Verdict> verdicts = module::select(device, variants);
  const auto [chosen, selected] = inTurn(
      repetitions,
      [&] {
        const auto choice =
            module::chooseTuned(tuned, "scan", device, "NVIDIA 7", variants, verdicts);
        require(choice && variants[verdicts[choice->verdict].variant].target.features.size() == 2,
                "chooseTuned");
      },
      [&] { require(module::select(device, variants).size() == 33, "select"); });
  std::printf("\n%-38s %9.2f us\n%-38s %9.2f us\n", "choose a tuned variant among 33",
              chosen / 1000, "select among them", selected / 1000);
}

} // namespace

int main(int argc, char **argv) {
  const unsigned repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 101;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const module::DeviceFacts device = *module::factsOf("sm_90");
  std::printf("%-38s %12s %12s\n", "", "10 variants", "10000");
  std::vector<std::vector<double>> rows(6);
  for (unsigned kernels : {1u, 1000u}) {
    const std::string path =
        (folder / ("sextant-bench-" + std::to_string(getpid()) + "-" + std::to_string(kernels)))
            .string();
    require(packager::writeFile(path, moduleOf(kernels)).ok(), "writeFile");
    const auto [opened, bare] = inTurn(
        repetitions, [&] { require(module::Reader::fromFile(path).ok(), "fromFile"); },
        [&] { bareOpen(path); });
    const auto reader = module::Reader::fromFile(path);
    require(reader.ok(), "fromFile");
    auto select = [&](const module::Reader &from) {
      const auto kernel = from.kernel(*from.findKernel("kernel_0"));
      require(kernel.ok() && module::select(device, kernel->variants).front().usable, "select");
    };
    const auto [selectedFirst, decodedFirst] = inTurn(
        repetitions, [&] { select(*module::Reader::fromFile(path)); },
        [&] { require(module::Reader::fromFile(path)->image(0).ok(), "image"); });
    const auto [selected, decoded] = inTurn(
        repetitions, [&] { select(*reader); }, [&] { require(reader->image(0).ok(), "image"); });
    const double values[] = {opened, bare, selectedFirst, selected, decodedFirst, decoded};
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(values[i] / 1000);
    unlink(path.c_str());
  }
  const char *names[] = {"open and close a module",
                         "only open, mmap, munmap, close",
                         "open, find a kernel, pick a variant",
                         "find a kernel, pick a variant, again",
                         "open, one image of 4 KiB",
                         "the image again"};
  for (size_t i = 0; i < rows.size(); ++i)
    std::printf("%-38s %9.2f us %9.2f us\n", names[i], rows[i][0], rows[i][1]);
  printChoice(repetitions);
  return 0;
}
