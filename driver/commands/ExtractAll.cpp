#include "driver/commands/ExtractAll.h"
#include "driver/commands/FileName.h"
#include "driver/commands/ModuleFile.h"
#include "loader/format/Hash.h"
#include "loader/format/families/Family.h"
#include "packager/Json.h"
#include "packager/Pattern.h"
#include "packager/Sign.h"
#include "packager/Words.h"

#include <filesystem>
#include <map>
#include <unistd.h>

namespace sextant {
namespace {
namespace fs = std::filesystem;

struct Use {
  std::string kernel;
  module::Target target;
};

/// An image of the module, and the variants that use it.
struct ImageFile {
  std::string name, format;
  std::vector<Use> uses;
};

/// The images by number.
std::map<uint32_t, ImageFile> planFiles(const module::Reader &reader,
                                        const packager::Pattern &pattern) {
  std::map<uint32_t, ImageFile> files;
  for (const module::Kernel &kernel : allKernels(reader))
    for (const module::Variant &variant : kernel.variants)
      if (pattern.names(kernel, variant.target)) {
        ImageFile &file = files[variant.image];
        file.format = variant.format;
        file.uses.push_back({kernel.instance, variant.target});
      }
  for (auto &[image, file] : files) {
    std::string number = std::to_string(image);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
    file.name = fileName(number + "-" + file.uses.front().kernel + "." +
                             module::str(file.uses.front().target),
                         extensionOf(file.format));
  }
  return files;
}

void putFile(packager::JsonWriter &json, const ImageFile &file, std::span<const std::byte> bytes) {
  json.beginObject().member("file", file.name).member("format", file.format);
  json.member("bytes", uint64_t(bytes.size()));
  json.member("xxh3", packager::hex(module::hash128(bytes)));
  json.member("sha256", packager::hex(packager::sha256(bytes))).key("variants").beginArray();
  for (const Use &use : file.uses) {
    json.beginObject().member("kernel", use.kernel).member("target", module::str(use.target));
    json.member("backend", use.target.backend).member("arch", use.target.arch);
    json.member("wave", use.target.wave).endObject();
  }
  json.endArray().endObject();
}

/// A folder that is deleted with this object, unless it got its name.
class NewFolder {
public:
  NewFolder(const Environment &environment, std::string path)
      : environment(environment), path(std::move(path)),
        beside(this->path + ".tmp" + std::to_string(static_cast<long>(getpid()))) {
    std::error_code code;
    if (fs::exists(resolvePath(environment, this->path), code))
      throw Refusal(Problem::FileExists, "'" + this->path + "' is there already",
                    "name a new folder with -o");
    makeFolder(environment, beside);
  }
  NewFolder(const NewFolder &) = delete;
  ~NewFolder() {
    std::error_code code;
    fs::remove_all(resolvePath(environment, beside), code);
  }
  const std::string &name() const { return beside; }
  void finish() {
    std::error_code code;
    fs::rename(resolvePath(environment, beside), resolvePath(environment, path), code);
    if (code)
      throw Refusal(Problem::FileUnwritable,
                    "cannot make the folder '" + path + "': " + code.message());
  }

private:
  const Environment &environment;
  std::string path, beside;
};

} // namespace

std::string extensionOf(const std::string &format) {
  const module::ImageFormat *known = module::findFormat(format);
  return known ? known->extension : format;
}

std::span<const std::byte> fileBytes(const packager::Extracted &image) {
  std::span<const std::byte> bytes = image.bytes;
  const module::ImageFormat *format = module::findFormat(image.format);
  if (format && format->isText && !bytes.empty() && bytes.back() == std::byte(0))
    bytes = bytes.first(bytes.size() - 1);
  return bytes;
}

int extractAll(const module::Reader &reader, const std::string &kernel, const std::string &target,
               const std::string &output, bool isJson, Environment &environment) {
  if (output.empty())
    throw Refusal(Problem::OptionNeedsAnother, "--all needs a folder", "name one with -o");
  packager::Pattern pattern;
  pattern.kernel = kernel.empty() ? "*" : kernel;
  pattern.target = target.empty() ? "*" : target;
  const std::map<uint32_t, ImageFile> files = planFiles(reader, pattern);
  pattern.text = pattern.kernel + "@" + pattern.target;
  if (const module::Status status = packager::checkPatterns(allKernels(reader), {&pattern, 1});
      !status.ok())
    refuse(status, Problem::VariantNotInModule);
  if (files.empty()) // the named ones were refused
    throw Refusal(Problem::VariantNotInModule, "no variant is '" + pattern.text + "'",
                  "the module has " + packager::listSome(packager::targetsOf(allKernels(reader))));
  NewFolder folder(environment, output);
  packager::JsonWriter json;
  json.beginDocument().key("images").beginArray();
  auto put = [&](uint32_t number, const module::EachImage &image) -> module::Status {
    const auto file = files.find(number);
    if (file == files.end())
      return {};
    const packager::Extracted one{require(image.read()), file->second.format, {}, {}};
    const std::span<const std::byte> bytes = fileBytes(one);
    writeFile(environment, folder.name() + "/" + file->second.name,
              {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    putFile(json, file->second, bytes);
    return {};
  };
  if (const module::Status status = reader.forEachImage(put); !status.ok())
    refuse(status);
  json.endArray().endObject();
  writeFile(environment, folder.name() + "/manifest.json", json.str());
  folder.finish();
  if (isJson)
    environment.out << json.str();
  else
    environment.out << output << ": " << files.size() << " images and manifest.json\n";
  return 0;
}

} // namespace sextant
