// Reads keys, and writes secrets.
#include "driver/commands/KeyFiles.h"
#include "driver/Descriptor.h"
#include "driver/commands/ModuleFile.h"
#include "packager/Sign.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sextant {

packager::SecretKey readSecretKey(const Environment &environment, const std::string &path) {
  module::Result<packager::SecretKey> key = packager::parseSecretKey(readFile(environment, path));
  if (!key)
    throw Refusal(Problem::KeyUnreadable, "'" + path + "': " + key.error().message);
  return *key;
}

module::PublicKey readPublicKey(const Environment &environment, const std::string &path) {
  module::Result<module::PublicKey> key = packager::parsePublicKey(readFile(environment, path));
  if (!key)
    throw Refusal(Problem::KeyUnreadable, "'" + path + "': " + key.error().message);
  return *key;
}

module::Trust trustIn(const Environment &environment, const std::vector<std::string> &paths) {
  module::Trust trust{&packager::crypto(), {}};
  for (const std::string &path : paths)
    trust.keys.push_back(readPublicKey(environment, path));
  return trust;
}

namespace {

/// A file that is deleted with this object.
struct NewFile {
  std::string path;
  Descriptor descriptor;

  explicit NewFile(const std::string &where)
      : path(where),
        descriptor(open(where.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;
  ~NewFile() {
    if (descriptor.isOpen())
      unlink(path.c_str());
  }
};

} // namespace

void writeSecret(const Environment &environment, const std::string &path, std::string_view text,
                 bool replace) {
  const std::string full = resolvePath(environment, path);
  auto problem = [&](int number) {
    return Refusal(Problem::FileUnwritable,
                   "cannot write '" + path + "': " + std::strerror(number));
  };
  // A device or a pipe would be replaced by a file.
  if (isStream(environment, path))
    throw Refusal(Problem::OutputIsStream, "'" + path + "' is a stream, and a key is a file",
                  "name a file");
  const NewFile file(full + "." + std::to_string(getpid()));
  if (!file.descriptor.isOpen())
    throw problem(errno);
  if (const int failure = file.descriptor.write(text))
    throw problem(failure);
  if (fsync(file.descriptor.get()) != 0)
    throw problem(errno);
  if (replace) {
    if (rename(file.path.c_str(), full.c_str()) != 0)
      throw problem(errno);
  } else if (link(file.path.c_str(), full.c_str()) != 0) {
    if (errno == EEXIST)
      throw Refusal(Problem::FileExists, "'" + path + "' exists",
                    "pass another name, or --force to lose that key");
    throw problem(errno);
  }
}

} // namespace sextant
