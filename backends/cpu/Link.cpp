// Links with lld.
#include "backends/cpu/Link.h"
#include "backends/Errors.h"
#include "backends/common/Lld.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sextant;

/// An image is all that its code needs, on any system.
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
    if (*flags & object::SymbolRef::SF_Undefined)
      return fail("the generated code calls '" + *name +
                  "', which no image has: this is a bug of the compiler, please report it");
  }
  return Error::success();
}

Expected<SmallVector<char, 0>> cpu::linkShared(ArrayRef<char> object, const Machine &machine,
                                               bool keepSymbols) {
  if (Error error = checkUndefined(object))
    return error;
  // Systems for Arm have pages of up to 64 KiB, in which segments lie apart. The file stays as
  // short as for small pages. The dynamic section stays writable, since glibc before 2.35 writes to
  // it, which loaders of before call.
  SmallVector<const char *> arguments{"-m",
                                      machine.emulation.c_str(),
                                      "-shared",
                                      "--hash-style=gnu",
                                      "-Bsymbolic",
                                      "--eh-frame-hdr", // the loader finds the frames by it
                                      "-znorelro",
                                      "-znoseparate-code",
                                      "-zmax-page-size=65536"};
  // A debugger that gets the image from memory has to relocate what it reads.
  arguments.push_back(keepSymbols ? "--emit-relocs" : "--strip-all");
  return runLld(object, arguments);
}
