// lld, in this process.
#include "backends/cpu/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace sextant;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The image may refer to libm and libmvec; a call of a compiler's own support
/// library would not resolve at load time.
static Error checkUndefined(ArrayRef<char> object) {
  StringRef bytes(object.data(), object.size());
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "object"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags ? Error::success() : flags.takeError(),
                        name ? Error::success() : name.takeError());
    if ((*flags & object::SymbolRef::SF_Undefined) && name->starts_with("__"))
      return fail("the generated code needs " + *name + ", which no library supplies");
  }
  return Error::success();
}

Expected<SmallVector<char, 0>> cpu::linkShared(ArrayRef<char> object, const Machine &machine,
                                               bool keepSymbols) {
  if (Error error = checkUndefined(object))
    return error;
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

  SmallVector<const char *> args{"ld.lld",
                                 "-m",
                                 machine.emulation.c_str(),
                                 "-shared",
                                 "--threads=1",
                                 "--build-id=none",
                                 "--hash-style=gnu",
                                 "-Bsymbolic",
                                 "-znorelro",
                                 "-znoseparate-code",
                                 "-zmax-page-size=4096",
                                 "-o",
                                 outputPath.c_str(),
                                 inputPath.c_str()};
  if (!keepSymbols)
    args.push_back("--strip-all");
  std::string text;
  raw_string_ostream messages(text);
  {
    // lld keeps its state in globals.
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
