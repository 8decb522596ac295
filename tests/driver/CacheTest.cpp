// The cache of compiled images: the same module with and without it, what its key holds, and
// that nothing that happens to its folder fails a compilation.
#include "CommandLine.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace {

struct Use {
  unsigned hits, misses;
  bool operator==(const Use &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Use &use) {
  return out << use.hits << " hits, " << use.misses << " misses";
}

/// Two kernels, one of which reads a constant.
std::string source(const std::string &first = "x[i] + 1",
                   const std::string &second = "x[i] * SCALE", const std::string &head = "") {
  return head +
         "import quadrants as qd\n\nSCALE = 3\n\n"
         "@qd.kernel\ndef one(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
         "    for i in range(x.shape[0]):\n        x[i] = " +
         first +
         "\n\n@qd.kernel\ndef two(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
         "    for i in range(x.shape[0]):\n        x[i] = " +
         second + "\n";
}

/// A folder with kernels and a cache.
struct Cached {
  Workplace place;
  CommandResult last;

  explicit Cached(const std::string &text = source()) { place.write("k.py", text); }

  /// One target, where `more` names none.
  static void add(std::vector<std::string> &command, const std::vector<std::string> &more) {
    if (std::none_of(more.begin(), more.end(),
                     [](const std::string &one) { return one.starts_with("--targets"); }))
      command.push_back("--targets=x86-64-v3/wave8");
    command.insert(command.end(), more.begin(), more.end());
  }

  Use compile(std::vector<std::string> more = {}) {
    std::vector<std::string> command = {"compile", "k.py", "-v", "--cache-dir=cache"};
    add(command, more);
    last = place.good(command);
    Use use{};
    size_t at = last.err.find("cache: ");
    INFO(last.err);
    REQUIRE(at != std::string::npos);
    REQUIRE(std::sscanf(last.err.c_str() + at, "cache: %u hits, %u misses", &use.hits,
                        &use.misses) == 2);
    return use;
  }

  /// The module without a cache.
  std::string plain(std::vector<std::string> more = {}) {
    std::vector<std::string> command = {"compile", "k.py", "--no-cache", "-o", "plain.sxt"};
    add(command, more);
    place.good(command);
    return place.read("plain.sxt");
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (place.has("cache"))
      for (const auto &file : fs::recursive_directory_iterator(place.path("cache")))
        if (file.is_regular_file() && file.path().parent_path().filename() != "cache")
          files.push_back(file.path());
    return files;
  }
};

const std::string targets = "--targets=x86-64-v2/wave8,x86-64-v3/wave8,compute_90";

} // namespace

TEST_CASE("a module from the cache is the module without it", "[cache]") {
  Cached cached;
  std::string plain = cached.plain({targets});
  CHECK(cached.compile({targets}) == Use{0, 6});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.compile({targets, "-j7"}) == Use{6, 0});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.entries().size() == 6);
  // Another folder of sources, and another module of the same kernels, find them too.
  cached.place.write("deep/er/other.py", source());
  CommandResult other = cached.place.good(
      {"compile", "deep/er/other.py", "-v", "--cache-dir=cache", targets, "-o", "o.sxt"});
  CHECK(contains(other.err, "6 hits, 0 misses"));
}

TEST_CASE("packs of large images are kept, and not counted", "[cache]") {
  const auto text = [](const std::string &last) {
    return "import quadrants as qd\n\n@qd.kernel\n"
           "def f(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
           "    for i in range(x.shape[0]):\n"
           "        for k in qd.static(range(300)):\n"
           "            x[i + k] = x[i] * (k + 3) + x[i - k] // (k + 5)\n"
           "        x[i] = " +
           last + "\n";
  };
  const std::string target = "--targets=compute_90,compute_80";
  Cached cached(text("1"));
  const std::string plain = cached.plain({target});
  CHECK(cached.compile({target}) == Use{0, 2});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.entries().size() == 4); // an image and a pack for each target
  CHECK(cached.compile({target}) == Use{2, 0});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.entries().size() == 4);
  // Other code, and damage.
  cached.place.write("k.py", text("2"));
  CHECK(cached.compile({target}) == Use{0, 2});
  const std::string other = cached.place.read("k.sxt");
  CHECK(other != plain);
  CHECK(other == cached.plain({target}));
  for (const fs::path &entry : cached.entries())
    fs::resize_file(entry, fs::file_size(entry) - 1);
  CHECK(cached.compile({target}) == Use{0, 2});
  CHECK(cached.place.read("k.sxt") == other);
}

TEST_CASE("without a folder there is no cache", "[cache]") {
  Cached cached;
  CommandResult result = cached.place.good({"compile", "k.py", "-v"});
  CHECK(contains(result.err, "cache: none\n"));
  CHECK(cached.place.list() == std::vector<std::string>{"k.py", "k.sxt"});
}

TEST_CASE("comments, other kernels and lines that move cause no misses", "[cache]") {
  Cached cached;
  CHECK(cached.compile() == Use{0, 2});
  cached.place.write("k.py", source("x[i] + 1  # as was asked for", "x[i] * SCALE",
                                    "# A comment\n# of two lines.\n"));
  CHECK(cached.compile() == Use{2, 0});
  std::string fromCache = cached.place.read("k.sxt");
  CHECK(fromCache == cached.plain());
  cached.place.write("k.py", source("x[i] + 2"));
  CHECK(cached.compile() == Use{1, 1});
  fromCache = cached.place.read("k.sxt");
  CHECK(fromCache == cached.plain());
}

TEST_CASE("each thing that shapes the code is part of the key", "[cache]") {
  Cached cached;
  CHECK(cached.compile() == Use{0, 2});
  CHECK(cached.compile({"-O1"}) == Use{0, 2});
  CHECK(cached.compile({"-g"}) == Use{0, 2});
  CHECK(cached.compile({"--check"}) == Use{0, 2});
  CHECK(cached.compile({"--targets=cpu:x86-64-v2/wave8"}) == Use{0, 2});
  CHECK(cached.compile({"--targets=cpu:x86-64-v2/wave16"}).misses == 2);
  CHECK(cached.compile({"--const=SCALE=4"}) == Use{1, 1}); // that of one kernel only
  // Options that only shape the file cause none.
  CHECK(cached.compile({"-o", "other.sxt", "--compress=fast", "-j3", "--emit-header"}) ==
        Use{2, 0});
}

TEST_CASE("with line tables and checks, lines belong to the key", "[cache]") {
  Cached cached;
  CHECK(cached.compile({"-g"}) == Use{0, 2});
  cached.place.write("k.py", source("x[i] + 1", "x[i] * SCALE", "# A line more.\n"));
  CHECK(cached.compile({"-g"}) == Use{0, 2});
  std::string fromCache = cached.place.read("k.sxt");
  CHECK(fromCache == cached.plain({"-g"}));
  // Checks have the lines in the module, beside the code.
  CHECK(cached.compile({"--check"}) == Use{0, 2});
  cached.place.write("k.py", source("x[i] + 1", "x[i] * SCALE", "# One\n# and another.\n"));
  cached.compile({"--check"});
  fromCache = cached.place.read("k.sxt");
  CHECK(fromCache == cached.plain({"--check"}));
}

TEST_CASE("ptxas is part of the key, by its content", "[cache]") {
  Cached cached;
  // A stand-in that writes its own name as the cubin.
  auto install = [&](const std::string &name) {
    cached.place.write(name, "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; "
                             "done\nprintf 'cubin of " +
                                 name + "' >\"$out\"\n");
    fs::permissions(cached.place.path(name), fs::perms::owner_all);
    setenv("SEXTANT_PTXAS", cached.place.path(name).c_str(), 1);
  };
  std::optional<std::string> before;
  if (const char *value = std::getenv("SEXTANT_PTXAS"))
    before = value;
  install("ptxas-a");
  CHECK(cached.compile({"--targets=sm_90"}) == Use{0, 2});
  std::string first = cached.place.read("k.sxt");
  install("ptxas-b");
  CHECK(cached.compile({"--targets=sm_90"}) == Use{0, 2});
  CHECK(cached.place.read("k.sxt") != first);
  install("ptxas-a");
  CHECK(cached.compile({"--targets=sm_90"}) == Use{2, 0});
  CHECK(cached.place.read("k.sxt") == first);
  if (before)
    setenv("SEXTANT_PTXAS", before->c_str(), 1);
  else
    unsetenv("SEXTANT_PTXAS");
}

TEST_CASE("damaged entries are compiled again", "[cache]") {
  Cached cached;
  cached.compile({targets});
  std::string plain = cached.place.read("k.sxt");
  std::vector<fs::path> entries = cached.entries();
  REQUIRE(entries.size() == 6);
  // Cut to each kind of length, grown, or one byte wrong.
  fs::resize_file(entries[0], 0);
  fs::resize_file(entries[1], 7);
  fs::resize_file(entries[2], fs::file_size(entries[2]) - 1);
  std::ofstream(entries[3], std::ios::app) << "x";
  {
    std::fstream file(entries[4], std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(100);
    char byte = static_cast<char>(file.get());
    file.seekp(100);
    file.put(static_cast<char>(byte ^ 1));
  }
  CHECK(cached.compile({targets}) == Use{1, 5});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.compile({targets}) == Use{6, 0});
  CHECK(cached.place.read("k.sxt") == plain);
}

TEST_CASE("an entry under another's name is not used", "[cache]") {
  // `x[i] + 1` and `x[i] * SCALE`, each where the other should be: whole, and wrong.
  Cached cached;
  const std::string plain = cached.plain();
  CHECK(cached.compile() == Use{0, 2});
  const std::vector<fs::path> entries = cached.entries();
  REQUIRE(entries.size() == 2);
  fs::copy_file(entries[0], entries[1], fs::copy_options::overwrite_existing);
  CHECK(cached.compile() == Use{1, 1});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.compile() == Use{2, 0});
  CHECK(cached.place.read("k.sxt") == plain);
  fs::rename(entries[0], cached.place.path("kept"));
  fs::rename(entries[1], entries[0]);
  fs::rename(cached.place.path("kept"), entries[1]);
  CHECK(cached.compile() == Use{0, 2});
  CHECK(cached.place.read("k.sxt") == plain);
}

TEST_CASE("a thing that is not a file in an entry's place is not used", "[cache]") {
  Cached cached;
  const std::string plain = cached.plain();
  CHECK(cached.compile() == Use{0, 2});
  const std::vector<fs::path> entries = cached.entries();
  REQUIRE(entries.size() == 2);
  // A pipe, whose reader would wait for a writer; a file that has more bytes than there is memory.
  fs::remove(entries[0]);
  REQUIRE(mkfifo(entries[0].c_str(), 0600) == 0);
  fs::resize_file(entries[1], uint64_t(1) << 42);
  CHECK(cached.compile() == Use{0, 2});
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.compile() == Use{2, 0});
  // The counts.
  fs::remove(cached.place.path("cache/totals"));
  REQUIRE(mkfifo(cached.place.path("cache/totals").c_str(), 0600) == 0);
  CHECK(cached.compile() == Use{2, 0});
}

TEST_CASE("a cache in which others can write is not used", "[cache]") {
  Cached cached;
  const std::string plain = cached.plain();
  CHECK(cached.compile() == Use{0, 2});
  fs::permissions(cached.place.path("cache"), fs::perms::group_write | fs::perms::others_write,
                  fs::perm_options::add);
  CHECK(cached.compile() == Use{0, 2});
  CHECK(contains(cached.last.err, "warning: the cache is not used: others than its owner can "
                                  "write to '" +
                                      cached.place.path("cache") + "'"));
  CHECK(cached.place.read("k.sxt") == plain);
  CHECK(cached.entries().size() == 2);
  for (const char *action : {"--stats", "--trim", "--clear"}) {
    const CommandResult result = cached.place.run({"cache", action, "--cache-dir=cache"});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "the cache is not used: others than its owner can write"));
  }
  CHECK(cached.entries().size() == 2);
  fs::permissions(cached.place.path("cache"), fs::perms::group_write | fs::perms::others_write,
                  fs::perm_options::remove);
  CHECK(cached.compile() == Use{2, 0});
}

TEST_CASE("with a secret, only its holders' entries count", "[cache]") {
  Cached cached;
  cached.place.write("secret", std::string(16, 's'));
  cached.place.write("other", std::string(16, 'o'));
  const auto useWith = [&](const std::string &secret) {
    const Surroundings around{.variables = {{"SEXTANT_CACHE_REMOTE_SECRET", secret}}};
    std::vector<std::string> command = {"compile", "k.py", "-v", "--cache-dir=cache"};
    Cached::add(command, {});
    const CommandResult result = cached.place.run(command, around);
    REQUIRE(result.status == 0);
    Use use{};
    REQUIRE(std::sscanf(result.err.c_str() + result.err.find("cache: "),
                        "cache: %u hits, %u misses", &use.hits, &use.misses) == 2);
    return use;
  };
  CHECK(cached.compile() == Use{0, 2});
  CHECK(useWith("secret") == Use{0, 2});
  CHECK(useWith("secret") == Use{2, 0});
  CHECK(useWith("other") == Use{0, 2});
  CHECK(cached.compile() == Use{0, 2});
}

TEST_CASE("clearing and trimming follow no links", "[cache]") {
  Cached cached;
  cached.compile();
  cached.place.write("precious/abcdef", "mine");
  cached.place.write("precious/tmp-1", "mine");
  cached.place.write("totals", "mine");
  fs::last_write_time(cached.place.path("precious/tmp-1"),
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  const fs::path cache = cached.place.path("cache");
  fs::path group = cache / "ab";
  for (const char *name : {"ac", "ad"}) // which the two entries cannot have taken all
    if (fs::exists(group))
      group = cache / name;
  fs::create_directory_symlink(cached.place.path("precious"), group);
  fs::remove(cache / "totals");
  fs::create_symlink(cached.place.path("totals"), cache / "totals");
  fs::create_symlink(cached.place.path("totals"), cache / "remote-failed");
  cached.place.good({"cache", "--trim", "--cache-dir=cache", "--cache-size=1"});
  cached.place.good({"cache", "--clear", "--cache-dir=cache"});
  CHECK(cached.compile() == Use{0, 2});
  CHECK(cached.place.read("precious/abcdef") == "mine");
  CHECK(cached.place.read("precious/tmp-1") == "mine");
  CHECK(cached.place.read("totals") == "mine");
}

TEST_CASE("what fails is not stored", "[cache]") {
  Cached cached("import quadrants as qd\n\n@qd.kernel\n"
                "def f(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):\n"
                "    for i in range(x.shape[0]):\n        x[i] = x[i] * 2.0\n");
  for (int round = 0; round < 2; ++round) {
    CommandResult result = cached.place.run(
        {"compile", "k.py", "--cache-dir=cache", "--targets=metal:3.0", "-o", "k.sxt"});
    CHECK(result.status == 1);
    CHECK(contains(result.err, "f64"));
    CHECK(cached.entries().empty());
  }
  // A refusal beside code: the code is stored, and the warning said each time.
  for (int round = 0; round < 2; ++round) {
    CHECK(cached.compile({"--targets=x86-64-v2/wave8,metal:3.0", "--allow-missing"}).hits ==
          unsigned(round));
    CHECK(contains(cached.last.err, "kernel f: not built for metal:3.0"));
  }
  CHECK(cached.entries().size() == 1);
}

TEST_CASE("the folder keeps its limit, and what was used last", "[cache]") {
  Cached cached;
  auto scale = [](int value) { return "--const=SCALE=" + std::to_string(value); };
  cached.compile({scale(100)}); // kernels one and two, and old from now on
  for (const fs::path &entry : cached.entries())
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(2));
  uint64_t bytes = 0;
  for (const fs::path &entry : cached.entries())
    bytes += (fs::file_size(entry) + 4095) / 4096 * 4096;
  const uint64_t limit = 5 * bytes / 2; // five kernels
  for (int value = 101; value < 112; ++value) {
    cached.compile({scale(value), "--cache-size=" + std::to_string(limit)});
    CHECK(contains(cached.last.err, "1 hits, 1 misses")); // kernel one, each time
    uint64_t now = 0;
    for (const fs::path &entry : cached.entries())
      now += (fs::file_size(entry) + 4095) / 4096 * 4096;
    CHECK(now <= limit);
  }
  CHECK(cached.compile({scale(111)}) == Use{2, 0});
  CHECK(cached.compile({scale(100)}) == Use{1, 1}); // that one went first
  // It still compiles with a cache of no size at all.
  CHECK(cached.compile({scale(120), "--cache-size=1"}).misses == 1);
  CHECK(cached.entries().empty());
}

TEST_CASE("a folder that cannot be written is one warning", "[cache]") {
  Cached cached;
  std::string plain = cached.plain({targets});
  cached.place.write("cache", "a file");
  CHECK(cached.compile({targets}) == Use{0, 6});
  CHECK(cached.place.read("k.sxt") == plain);
  size_t first = cached.last.err.find("warning: the cache stores nothing");
  CHECK(first != std::string::npos);
  CHECK(first == cached.last.err.rfind("warning:"));
  CHECK(contains(cached.last.err, "--cache-dir or SEXTANT_CACHE_DIR"));
}

TEST_CASE("sextant cache shows, trims and clears", "[cache]") {
  Cached cached;
  cached.compile({targets});
  cached.compile({targets});
  std::string text = cached.place.good({"cache", "--cache-dir=cache"}).out;
  CHECK(contains(text, "entries  6\n"));
  CHECK(contains(text, "hits     6\n"));
  CHECK(contains(text, "misses   6\n"));
  // Half-written entries of compilers that died; the young one may be in use.
  fs::path folder = cached.entries().front().parent_path();
  for (const char *name : {"tmp-1-A", "tmp-2-B"})
    std::ofstream(folder / name) << "half";
  fs::last_write_time(folder / "tmp-1-A", fs::file_time_type::clock::now() - std::chrono::hours(2));
  text = cached.place.good({"cache", "--trim", "--cache-dir=cache", "--cache-size=8K"}).out;
  CHECK((contains(text, "entries  1\n") || contains(text, "entries  2\n")));
  CHECK(!fs::exists(folder / "tmp-1-A"));
  CHECK(fs::exists(folder / "tmp-2-B"));
  // A file that is not the cache's stays.
  cached.place.write("cache/notes.txt", "mine");
  cached.place.write("cache/ab/notes.txt", "mine");
  text = cached.place.good({"cache", "--clear", "--cache-dir=cache"}).out;
  CHECK(contains(text, "entries  0\n"));
  CHECK(contains(text, "hits     0\n"));
  CHECK(cached.place.has("cache/notes.txt"));
  CHECK(cached.place.has("cache/ab/notes.txt"));
  CommandResult result = cached.place.run({"cache", "--trim", "--clear", "--cache-dir=cache"});
  CHECK(result.status == 1);
}

TEST_CASE("sizes and folders that are not valid", "[cache]") {
  Cached cached;
  for (const char *size : {"many", "-1", "2X", "K", "9999999999999G", "1 G"}) {
    CommandResult result =
        cached.place.run({"compile", "k.py", "--cache-dir=c", std::string("--cache-size=") + size});
    INFO(size);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "--cache-size: '" + std::string(size) + "' is not a size"));
    CHECK(!cached.place.has("k.sxt"));
  }
  CHECK(contains(cached.place.good({"cache", "--cache-dir=c", "--cache-size=3MiB"}).out,
                 "0 bytes of 3.0 MiB"));
  CommandResult none = cached.place.run({"cache"});
  CHECK(none.status == 1);
  CHECK(none.err == "sextant: error: no cache is named\n"
                    "  help: set SEXTANT_CACHE_DIR, or say --cache-dir FOLDER\n");
  none = cached.place.run({"cache", "--no-cache", "--cache-dir=c"});
  CHECK(none.status == 1);
  CHECK(none.err == "sextant: error: --no-cache leaves `sextant cache` nothing to do\n"
                    "  help: leave it out\n");
  cached.place.write("file", "no folder");
  for (const char *action : {"--stats", "--trim", "--clear"}) {
    none = cached.place.run({"cache", action, "--cache-dir=file"});
    CHECK(none.status == 1);
    CHECK(none.err == "sextant: error: the cache '" + cached.place.path("file") +
                          "' is not a folder\n"
                          "  help: name another by --cache-dir or SEXTANT_CACHE_DIR\n");
  }
}
