// lld keeps its state in globals and reads files. So this runs one link at a time, on temporary
// files.
#include "backends/common/Lld.h"
#include "backends/Errors.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

Expected<SmallVector<char, 0>> sextant::runLld(ArrayRef<char> object,
                                               ArrayRef<const char *> arguments) {
  SmallString<128> inputPath, outputPath;
  int input;
  if (std::error_code error = sys::fs::createTemporaryFile("sextant", "o", input, inputPath))
    return fail("cannot make a temporary file: " + error.message());
  FileRemover removeInput(inputPath);
  {
    raw_fd_ostream out(input, /*shouldClose=*/true);
    out.write(object.data(), object.size());
    out.close();
    if (out.has_error()) {
      std::string text = out.error().message();
      out.clear_error();
      return fail("cannot write " + inputPath + ": " + text);
    }
  }
  if (std::error_code error = sys::fs::createTemporaryFile("sextant", "so", outputPath))
    return fail("cannot make a temporary file: " + error.message());
  FileRemover removeOutput(outputPath);

  SmallVector<const char *> args{"ld.lld", "--threads=1",      "--build-id=none",
                                 "-o",     outputPath.c_str(), inputPath.c_str()};
  args.append(arguments.begin(), arguments.end());
  std::string text;
  raw_string_ostream messages(text);
  {
    static std::mutex oneAtATime;
    static bool isUsable = true;
    std::lock_guard lock(oneAtATime);
    if (!isUsable)
      return fail("lld failed earlier and cannot run again");
    lld::Result result = lld::lldMain(args, messages, messages, {{lld::Gnu, &lld::elf::link}});
    isUsable = result.canRunAgain;
    if (result.retCode)
      return fail("lld: " + text);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> image =
      MemoryBuffer::getFile(outputPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!image)
    return fail("cannot read " + outputPath + ": " + image.getError().message());
  return SmallVector<char, 0>((*image)->getBufferStart(), (*image)->getBufferEnd());
}
