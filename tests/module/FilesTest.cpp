// Modules in files that change while they are in use: an error each time, never a signal.
#include "loader/format/Format.h"
#include "loader/system/File.h"
#include "tests/module/Patient.h"
#include "tests/module/Sample.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace sextant;
using namespace sextant::module;
using namespace sextant::test;

namespace {

namespace fs = std::filesystem;

/// A file that is gone after the test.
struct TemporaryFile {
  const std::string path;

  explicit TemporaryFile(const char *name)
      : path((fs::temp_directory_path() / (std::to_string(getpid()) + name)).string()) {}
  ~TemporaryFile() { fs::remove(path); }
  void write(const Bytes &bytes) const {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
};

/// Returns true if everything of the module is still to be had. What is not says Truncated.
bool isWhole(const Reader &reader) {
  std::vector<Status> statuses{reader.verify()};
  auto note = [&](const auto &result) { statuses.push_back(result ? Status{} : result.error()); };
  note(reader.info());
  note(reader.findKernel("total"));
  for (uint32_t i = 0; i < reader.kernelCount(); ++i)
    note(reader.kernel(i));
  for (uint32_t i = 0; i < reader.imageCount(); ++i)
    note(reader.image(i));
  bool whole = true;
  for (const Status &status : statuses) {
    INFO(status.message);
    REQUIRE((status.ok() || status.code == Code::Truncated));
    whole &= status.ok();
  }
  return whole;
}

} // namespace

TEST_CASE("a file that is cut short while in use gives errors") {
  const Bytes bytes = sampleModule(), old = oldSample().bytes;
  const TemporaryFile file("-cut.sxt");
  for (const Bytes *module : {&bytes, &old})
    for (size_t size = 0; size < module->size(); size += 7) {
      file.write(*module);
      const auto reader = Reader::fromFile(file.path);
      REQUIRE(reader.ok());
      REQUIRE(truncate(file.path.c_str(), static_cast<off_t>(size)) == 0);
      REQUIRE(!isWhole(*reader));
    }
  file.write(bytes);
  const auto reader = Reader::fromFile(file.path);
  REQUIRE(reader->image(0).ok()); // kept, with the entries that lead to it read again
  REQUIRE(truncate(file.path.c_str(), 200) == 0);
  CHECK(reader->kernelCount() == 2);
  const uint64_t end = Patient{bytes}.header().infoOffset + Patient{bytes}.header().infoBytes;
  CHECK(reader->info().error().message == "the module's file was cut short while in use: it had " +
                                              std::to_string(bytes.size()) +
                                              " bytes, now it ends before " + std::to_string(end) +
                                              "; replace files by renaming, and copy it again");
  file.write(bytes); // whole again: so is what is read from now on
  CHECK(isWhole(*reader));
}

TEST_CASE("a file that is replaced by a rename stays what it was") {
  const TemporaryFile file("-renamed.sxt");
  file.write(sampleModule());
  const auto reader = Reader::fromFile(file.path);
  REQUIRE(reader.ok());
  need(packager::writeFile(file.path, checkedModule()));
  CHECK(isWhole(*reader));
  CHECK(reader->findKernel("total").ok());
  const Reader copy = *reader;
  fs::remove(file.path);
  CHECK(isWhole(copy));
}

TEST_CASE("a file that is written over gives errors or what it held") {
  const TemporaryFile file("-over.sxt");
  const Bytes bytes = sampleModule();
  file.write(bytes);
  const auto reader = Reader::fromFile(file.path);
  file.write(Bytes(bytes.size(), std::byte{0x55}));
  CHECK(reader->verify().message == about("the info record", "its hash does not match"));
  CHECK(reader->findKernel("total").error().code == Code::Corrupt);
  CHECK(reader->image(0).error().code == Code::Corrupt);
}

TEST_CASE("a file that is not regular is refused without waiting") {
  const TemporaryFile pipe("-pipe.sxt");
  REQUIRE(mkfifo(pipe.path.c_str(), 0600) == 0);
  CHECK(Reader::fromFile(pipe.path).error().message ==
        "'" + pipe.path + "' is not a regular file; pass the path of a module");
  CHECK(Reader::fromFile("/").error().message ==
        "'/' is not a regular file; pass the path of a module");
  CHECK(Reader::fromFile("/no/such.sxt").error().message ==
        "cannot open '/no/such.sxt': No such file or directory");
  const TemporaryFile empty("-empty.sxt");
  empty.write({});
  CHECK(Reader::fromFile(empty.path).error().message ==
        "'" + empty.path + "': truncated module: 0 bytes are less than a header; copy it again");
}

TEST_CASE("nothing waits for the reader of a pipe that is in place of perf's map") {
  const TemporaryFile pipe("-perf.map");
  REQUIRE(mkfifo(pipe.path.c_str(), 0600) == 0);
  CHECK(sextant::system::appendToFile(pipe.path, "1000 10 kernel\n") ==
        "No such device or address");
}

TEST_CASE("a file of holes does not make the reader allocate its size") {
  // Sound hashes, a terabyte of nothing, and an info record and frames that claim it.
  const TemporaryFile file("-holes.sxt");
  Patient patient{sampleModule()};
  const uint64_t size = uint64_t(1) << 40;
  patient.edit<Header>(0, [&](Header &h) {
    h.fileBytes = size;
    h.tableBytes = size;
    h.infoBytes = ~0u;
  });
  for (uint32_t i = 0; i < patient.header().packCount; ++i)
    patient.edit<PackEntry>(patient.packEntryAt(i),
                            [&](PackEntry &e) { e.storedBytes = size - e.offset; });
  patient.hashAgain();
  file.write(patient.bytes);
  REQUIRE(truncate(file.path.c_str(), static_cast<off_t>(size)) == 0);
  const auto reader =
      Reader::fromFile(file.path, {.maxImageBytes = 1 << 20, .maxRecordBytes = ~0ull});
  REQUIRE(reader.ok());
  CHECK(reader->info().error().message ==
        "a part of the module has 4294967295 bytes, the limit is 1048576; raise the limit if you "
        "trust the module");
  CHECK(reader->kernel(0).error().code == Code::TooLarge);
  CHECK(reader->image(0).error().code == Code::TooLarge);
  CHECK(reader->verify().code == Code::TooLarge);
}

TEST_CASE("the system says why a file cannot be written") {
  CHECK(packager::writeFile("/no/such.sxt", {}).message ==
        "cannot write '/no/such.sxt': No such file or directory");
  CHECK(packager::writeFile("/tmp", {}).message == "cannot write '/tmp': Is a directory");
}

TEST_CASE("a file that cannot be read any more is an error") {
  const std::string path = std::string(SEXTANT_GOLDEN_DIR) + "/v1.1.sxt";
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC); // the number that the reader will get
  close(next);
  const auto reader = Reader::fromFile(path);
  REQUIRE(reader.ok());
  const int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(dup2(folder, next) == next); // which no bytes can be read from
  close(folder);
  CHECK(reader->info().error().message == "cannot read the module: Is a directory");
  CHECK(reader->info().error().code == Code::Io);
}
