// Writes all images of a module as files, FOLDER/BACKEND/KERNEL.TARGET, and prints how
// they are stored and how long one takes to decompress.
//
//   bench-images MODULE FOLDER
#include "loader/format/Reader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace sextant;

namespace {

template <class T> T need(module::Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "bench-images: %s\n", result.error().message.c_str());
  std::exit(1);
}

struct Backend {
  uint64_t images = 0, bytes = 0, stored = 0;
  std::vector<double> cold, warm; ///< microseconds
};

double medianOf(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Microseconds for one image: with a new reader, and again with the same one.
void measure(const std::string &path, uint32_t image, Backend &backend) {
  const auto reader = need(module::Reader::fromFile(path));
  auto once = [&] {
    const auto start = std::chrono::steady_clock::now();
    need(reader.image(image));
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    return time.count();
  };
  backend.cold.push_back(once());
  backend.warm.push_back(once());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench-images MODULE FOLDER\n");
    return 2;
  }
  namespace fs = std::filesystem;
  const auto reader = need(module::Reader::fromFile(argv[1]));
  std::map<std::string, Backend> backends;
  std::set<uint32_t> seen;
  for (uint32_t k = 0; k < reader.kernelCount(); ++k) {
    const module::Kernel kernel = need(reader.kernel(k));
    for (const module::Variant &variant : kernel.variants) {
      if (!seen.insert(variant.image).second)
        continue;
      std::string name = kernel.instance.substr(0, kernel.instance.find('[')) + "." +
                         str(variant.target).substr(variant.target.backend.size() + 1);
      std::replace(name.begin(), name.end(), '/', '-');
      const std::vector<std::byte> bytes = need(reader.image(variant.image));
      const fs::path folder = fs::path(argv[2]) / variant.target.backend;
      fs::create_directories(folder);
      std::ofstream(folder / name, std::ios::binary)
          .write(reinterpret_cast<const char *>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
      Backend &backend = backends[variant.target.backend];
      ++backend.images;
      backend.bytes += bytes.size();
      backend.stored += need(reader.imageInfo(variant.image)).storedBytes;
      measure(argv[1], variant.image, backend);
    }
  }
  std::printf("| backend | images | bytes | stored | first image, median µs | largest µs | again, "
              "median µs |\n|---|---|---|---|---|---|---|\n");
  for (auto &[name, backend] : backends) {
    const double cold = medianOf(backend.cold);
    std::printf("| %s | %lu | %lu | %lu | %.0f | %.0f | %.1f |\n", name.c_str(),
                (unsigned long)backend.images, (unsigned long)backend.bytes,
                (unsigned long)backend.stored, cold, backend.cold.back(), medianOf(backend.warm));
  }
  std::printf(
      "\n\"First image\": from a module that was just opened, its pack and all packs below it; "
      "\"again\": what a second\nimage of the same pack costs.\n");
  return 0;
}
