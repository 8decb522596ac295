// Reads and writes files for the driver.
#include "driver/Environment.h"
#include "driver/Descriptor.h"
#include "frontend/spelling/Suggestion.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <istream>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace sextant {
namespace fs = std::filesystem;

Misspelling::Misspelling(Problem problem, const std::string &message, std::string option,
                         std::string word, const std::vector<std::string> &known,
                         const std::string &otherwise)
    : Refusal(problem, message, suggestion(word, known)), option(std::move(option)),
      word(std::move(word)), near(nearNames(this->word, known)) {
  if (fix.empty())
    fix = otherwise;
}

std::string resolvePath(const Environment &environment, const std::string &path) {
  if (environment.directory.empty())
    return path;
  return (fs::path(environment.directory) / path).string();
}

static fs::path fromRoot(const Environment &environment, const std::string &path) {
  std::error_code code;
  fs::path absolute = fs::absolute(resolvePath(environment, path), code);
  if (code)
    throw Refusal(Problem::FileUnreadable, "'" + path + "' leads nowhere: " + code.message(),
                  "run the command in a folder that exists");
  return absolute;
}

std::string absolutePath(const Environment &environment, const std::string &path) {
  return fromRoot(environment, path).lexically_normal().string();
}

std::string fileIdentity(const Environment &environment, const std::string &path) {
  const fs::path resolved = fromRoot(environment, path);
  // The name of a shell's pipe, such as /dev/fd/63, resolves to nothing.
  std::error_code code;
  const fs::path canonical = fs::weakly_canonical(resolved, code);
  return (code ? resolved.lexically_normal() : canonical).string();
}

bool isStream(const Environment &environment, const std::string &path) {
  std::error_code code;
  const fs::file_status status = fs::status(resolvePath(environment, path), code);
  return path == "-" ||
         (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

namespace {
/// The most that is read of a stream: a device such as /dev/zero has no end.
constexpr size_t mostOfStream = size_t(1) << 28;
/// How long a pipe with a name may lack somebody at its other end, in milliseconds.
constexpr int longestAlone = 2000;

std::string reason() { return std::strerror(errno); }

Refusal unreadable(const std::string &path, const std::string &why, const std::string &fix = {}) {
  return {Problem::FileUnreadable, "cannot read '" + path + "': " + why, fix};
}
Refusal endless(const std::string &path) {
  return unreadable(path,
                    "it is a stream of more than " + std::to_string(mostOfStream >> 20) + " MiB",
                    "name a file");
}

std::string readAll(const std::string &resolved, const std::string &path) {
  // Opening a pipe does not wait for who writes to it.
  const Descriptor file(open(resolved.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts{};
  if (!file.isOpen() || fstat(file.get(), &facts) != 0)
    throw unreadable(path, reason());
  if (S_ISDIR(facts.st_mode))
    throw unreadable(path, "it is a folder");
  const size_t most = std::max(mostOfStream, static_cast<size_t>(facts.st_size));
  std::string text;
  if (S_ISREG(facts.st_mode)) {
    requireMemory(static_cast<uint64_t>(facts.st_size), Problem::FileUnreadable, "'" + path + "'");
    text.reserve(static_cast<size_t>(facts.st_size));
  }
  char buffer[1 << 16];
  for (bool isConnected = !S_ISFIFO(facts.st_mode);;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got > 0) {
      if (text.size() + static_cast<size_t>(got) > most)
        throw endless(path);
      text.append(buffer, static_cast<size_t>(got));
      isConnected = true;
    } else if (got == 0 && isConnected) {
      return text;
    } else if (got == 0 || errno == EAGAIN) {
      pollfd ready{file.get(), POLLIN, 0};
      if (poll(&ready, 1, got == 0 ? longestAlone : -1) == 0)
        throw unreadable(path, "it is a pipe, and nobody writes to it");
      isConnected = true;
    } else if (errno != EINTR) {
      throw unreadable(path, reason());
    }
  }
}

std::string readInput(std::istream &in, const std::string &path) {
  std::string text;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
    if (text.size() + static_cast<size_t>(in.gcount()) > mostOfStream)
      throw endless(path);
    text.append(buffer, static_cast<size_t>(in.gcount()));
  }
  return text;
}

/// Opens a device or a pipe for writing.
Descriptor openStream(const std::string &resolved) {
  for (int waited = 0;; waited += 20) {
    Descriptor file(open(resolved.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.isOpen())
      (void)fcntl(file.get(), F_SETFL, O_WRONLY); // writes wait for the reader
    // ENXIO: nobody reads from the pipe yet.
    if (file.isOpen() || errno != ENXIO || waited >= longestAlone)
      return file;
    (void)poll(nullptr, 0, 20);
  }
}

/// Binary output on a terminal is useless, and may upset it.
void writeOutput(const Environment &environment, std::string_view bytes) {
  if (environment.outIsTerminal && bytes.find('\0') != std::string_view::npos)
    throw Refusal(Problem::OutputIsStream, "standard output is a terminal, and this is not text",
                  "name a file, or write to a pipe: -o - | …");
  environment.out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
  if (!environment.out)
    throw Refusal(Problem::FileUnwritable, "cannot write to standard output");
}
} // namespace

void requireMemory(uint64_t bytes, Problem problem, const std::string &what) {
  const uint64_t here =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // Limits of the process count, too.
  void *room = mmap(nullptr, std::max<uint64_t>(bytes, 1), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room != MAP_FAILED)
    munmap(room, std::max<uint64_t>(bytes, 1));
  if (bytes > here || room == MAP_FAILED)
    throw Refusal(problem, what + " takes " + std::to_string(bytes) +
                               " bytes, and this machine's memory has " + std::to_string(here));
}

std::string readFile(const Environment &environment, const std::string &path) {
  if (isStream(environment, path))
    return readStream(environment, path);
  return readAll(resolvePath(environment, path), path);
}

const std::string &readStream(const Environment &environment, const std::string &path) {
  auto [known, isNew] = environment.streams->try_emplace(path);
  if (isNew && path != "-")
    known->second = readAll(resolvePath(environment, path), path);
  else if (isNew && environment.in)
    known->second = readInput(*environment.in, path);
  return known->second;
}

void writeFile(const Environment &environment, const std::string &path, std::string_view bytes) {
  if (path == "-")
    return writeOutput(environment, bytes);
  std::string resolved = resolvePath(environment, path);
  std::error_code code;
  if (fs::is_directory(resolved, code) || path.ends_with('/'))
    throw Refusal(Problem::FileUnwritable, "cannot write '" + path + "': it is a folder",
                  "name a file in it");
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty())
    makeFolder(environment, folder.string());
  // A device or a pipe (/dev/stdout) is written in place.
  bool inPlace = isStream(environment, path);
  std::string beside =
      inPlace ? resolved : resolved + ".tmp" + std::to_string(static_cast<long>(getpid()));
  Descriptor file =
      inPlace ? openStream(resolved)
              : Descriptor(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.isOpen())
    throw Refusal(Problem::FileUnwritable,
                  "cannot write '" + path +
                      "': " + (inPlace && errno == ENXIO ? "nobody reads from it" : reason()));
  int failure = file.write(bytes);
  if (const int late = file.close(); !failure)
    failure = late;
  if (!failure && !inPlace && std::rename(beside.c_str(), resolved.c_str()) != 0)
    failure = errno;
  if (failure && !inPlace)
    std::remove(beside.c_str());
  if (failure)
    throw Refusal(Problem::FileUnwritable,
                  "cannot write '" + path + "': " + std::strerror(failure));
}

void makeFolder(const Environment &environment, const std::string &path) {
  std::error_code code;
  fs::create_directories(resolvePath(environment, path), code);
  if (code)
    throw Refusal(Problem::FileUnwritable,
                  "cannot make the folder '" + path + "': " + code.message());
}

std::string pageName(const std::string &page) { return page + " (in share/doc/sextant, or docs/)"; }

} // namespace sextant
