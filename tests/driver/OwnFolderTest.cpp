// A folder of which nothing is used that others could have put there: owners and modes, links,
// pipes, sizes, and locks that others hold.
#include "tests/support/Catch.h"

#include "driver/cache/OwnFolder.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace sextant;
using namespace std::chrono_literals;

namespace {

/// A folder `cache` in a temporary one.
struct Place {
  fs::path base, cache;
  Place() {
    std::string pattern = fs::temp_directory_path() / "sextant-own-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()));
    base = pattern;
    cache = base / "cache";
    REQUIRE(OwnFolder(cache, OwnFolder::Missing::IsMade).isOpen());
  }
  ~Place() { fs::remove_all(base); }

  OwnFolder open() const { return OwnFolder(cache); }
};

void write(const fs::path &path, const std::string &text) { std::ofstream(path) << text; }

std::string textOf(const fs::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void setMode(const fs::path &path, mode_t mode) { REQUIRE(chmod(path.c_str(), mode) == 0); }

/// Gives a file to another user, which only root can.
bool giveAway(const fs::path &path) { return lchown(path.c_str(), 65534, 65534) == 0; }

} // namespace

TEST_CASE("a folder in which others can write is not opened") {
  const Place place;
  for (const mode_t mode : {0775, 0757, 0777, 01777}) {
    setMode(place.cache, mode);
    const OwnFolder folder = place.open();
    CHECK(!folder.isOpen());
    CHECK(folder.trouble().isDistrust);
    CHECK(folder.trouble().fix.find("chmod -R go-w") == 0);
    CHECK(folder.replace("a", "x") != 0);
    CHECK(fs::is_empty(place.cache));
  }
  for (const mode_t mode : {0755, 0700, 0750}) {
    setMode(place.cache, mode);
    CHECK(place.open().isOpen());
  }
  // Nor one in it, nor a file.
  for (const char *name : {"ab", "cd"})
    REQUIRE(place.open().sub(name, OwnFolder::Missing::IsMade).replace("file", "text") == 0);
  setMode(place.cache / "ab", 0777);
  setMode(place.cache / "cd" / "file", 0666);
  CHECK(place.open().sub("ab").trouble().isDistrust);
  CHECK(!place.open().sub("cd").open("file"));
}

TEST_CASE("made folders and files are the owner's, whatever the umask says") {
  const mode_t before = umask(0);
  const Place place;
  const OwnFolder sub = place.open().sub("ab", OwnFolder::Missing::IsMade);
  CHECK(sub.replace("file", "text") == 0);
  CHECK(sub.read("file", 4) == "text");
  CHECK(sub.lock("lock", 0s).isOpen());
  umask(before);
}

TEST_CASE("folders and files of another user are not opened") {
  const Place place;
  if (geteuid() != 0)
    return; // only root can give files away
  REQUIRE(place.open().sub("ab", OwnFolder::Missing::IsMade).replace("file", "text") == 0);
  REQUIRE(giveAway(place.cache / "ab" / "file"));
  CHECK(!place.open().sub("ab").open("file"));
  CHECK(!place.open().sub("ab").remove("file"));
  REQUIRE(giveAway(place.cache / "ab"));
  CHECK(place.open().sub("ab").trouble().isDistrust);
  REQUIRE(giveAway(place.cache));
  CHECK(place.open().trouble().isDistrust);
  CHECK(place.open().trouble().what.find("belongs to another user (65534)") != std::string::npos);
}

TEST_CASE("links and pipes are not followed, opened or removed") {
  const Place place;
  const fs::path precious = place.base / "precious";
  fs::create_directory(precious);
  write(precious / "file", "mine");
  fs::create_symlink(precious, place.cache / "ab");
  fs::create_symlink(precious / "file", place.cache / "link");
  REQUIRE(mkfifo((place.cache / "pipe").c_str(), 0600) == 0);
  const OwnFolder folder = place.open();
  CHECK(!folder.sub("ab").isOpen());
  CHECK(!folder.sub("ab", OwnFolder::Missing::IsMade).isOpen());
  CHECK(!folder.sub("ab", OwnFolder::Missing::IsMade).trouble().what.empty());
  for (const char *name : {"link", "pipe", "ab"}) {
    CHECK(!folder.find(name));
    CHECK(!folder.open(name));
    CHECK(folder.read(name, 100).empty());
    CHECK(!folder.remove(name));
    CHECK(!folder.lock(name, 0s).isOpen());
    CHECK(fs::exists(fs::symlink_status(place.cache / name)));
  }
  // Writing takes the name, and leaves what the link named.
  CHECK(folder.replace("link", "new") == 0);
  CHECK(folder.read("link", 3) == "new");
  CHECK(textOf(precious / "file") == "mine");
  // The user may name the folder itself by a link.
  fs::create_directory_symlink(place.cache, place.base / "named");
  CHECK(OwnFolder(place.base / "named").isOpen());
}

TEST_CASE("sizes are looked at before bytes") {
  const Place place;
  const OwnFolder folder = place.open();
  REQUIRE(folder.replace("file", "12345") == 0);
  CHECK(folder.read("file", 5) == "12345");
  CHECK(folder.read("file", 4).empty());
  const std::optional<OwnFile> file = folder.open("file");
  REQUIRE(file);
  CHECK(file->bytes() == 5);
  CHECK(file->read(2) == "12");
  CHECK(file->read(100) == "345");
}

TEST_CASE("a lock that another holds is not waited for without end") {
  const Place place;
  const OwnFolder folder = place.open();
  {
    const Descriptor held = folder.lock("lock", 0s);
    REQUIRE(held.isOpen());
    CHECK(!place.open().lock("lock", 30ms).isOpen());
  }
  CHECK(folder.lock("lock", 0s).isOpen());
}
