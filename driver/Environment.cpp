// Reads and writes files for the driver, and suggests spellings.
#include "driver/Environment.h"

#include "frontend/spelling/EditDistance.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <istream>
#include <iterator>
#include <memory>
#include <unistd.h>
#include <vector>

namespace sextant {
namespace fs = std::filesystem;

std::string resolvePath(const Environment &environment, const std::string &path) {
  if (environment.directory.empty())
    return path;
  return (fs::path(environment.directory) / path).string();
}

std::string fileIdentity(const Environment &environment, const std::string &path) {
  const fs::path resolved = fs::absolute(resolvePath(environment, path));
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
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

std::string reason() { return std::strerror(errno); }

std::string readAll(const std::string &resolved, const std::string &path) {
  FileHandle file(std::fopen(resolved.c_str(), "rb"));
  if (!file)
    throw Refusal(Problem::FileUnreadable, "cannot read '" + path + "': " + reason());
  std::string text;
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
    text.append(buffer, count);
  if (std::ferror(file.get()))
    throw Refusal(Problem::FileUnreadable, "cannot read '" + path + "': " + reason());
  return text;
}

/// Binary output on a terminal is useless, and may upset it.
void writeOutput(const Environment &environment, std::string_view bytes) {
  if (environment.outIsTerminal && bytes.find('\0') != std::string_view::npos)
    throw Refusal(Problem::OutputIsStream, "standard output is a terminal, and this is no text",
                  "name a file, or write to a pipe: -o - | …");
  environment.out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
  if (!environment.out)
    throw Refusal(Problem::FileUnwritable, "cannot write to standard output");
}
} // namespace

std::string readFile(const Environment &environment, const std::string &path) {
  if (isStream(environment, path))
    return readStream(environment, path);
  std::string resolved = resolvePath(environment, path);
  std::error_code code;
  if (fs::is_directory(resolved, code))
    throw Refusal(Problem::FileUnreadable, "cannot read '" + path + "': it is a folder");
  return readAll(resolved, path);
}

const std::string &readStream(const Environment &environment, const std::string &path) {
  auto [known, isNew] = environment.streams->try_emplace(path);
  if (isNew && path != "-")
    known->second = readAll(resolvePath(environment, path), path);
  else if (isNew && environment.in)
    known->second.assign(std::istreambuf_iterator<char>(*environment.in), {});
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
  std::FILE *file = std::fopen(beside.c_str(), "wb");
  if (!file)
    throw Refusal(Problem::FileUnwritable, "cannot write '" + path + "': " + reason());
  bool good = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int saved = good ? 0 : errno;
  if (std::fclose(file) != 0 && good) {
    good = false;
    saved = errno;
  }
  if (good && !inPlace && std::rename(beside.c_str(), resolved.c_str()) != 0) {
    good = false;
    saved = errno;
  }
  if (!good) {
    if (!inPlace)
      std::remove(beside.c_str());
    throw Refusal(Problem::FileUnwritable, "cannot write '" + path + "': " + std::strerror(saved));
  }
}

void makeFolder(const Environment &environment, const std::string &path) {
  std::error_code code;
  fs::create_directories(resolvePath(environment, path), code);
  if (code)
    throw Refusal(Problem::FileUnwritable,
                  "cannot make the folder '" + path + "': " + code.message());
}

std::string pageName(const std::string &page) { return page + " (in share/doc/sextant, or docs/)"; }

std::string suggestion(std::string_view name, const std::vector<std::string> &candidates) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(name, candidate);
    if (distance <= std::max<size_t>(2, name.size() / 3))
      near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::string text;
  for (size_t index = 0; index < near.size() && index < 3; ++index)
    text += (index == 0 ? "did you mean '" : " or '") + near[index].second + "'";
  return text.empty() ? text : text + "?";
}

} // namespace sextant
