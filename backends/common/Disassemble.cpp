// Decodes the functions of a shared object with LLVM's MC layer.
#include "backends/common/Disassemble.h"
#include "backends/Errors.h"

#include "backends/common/Codegen.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;
using namespace sextant;

Expected<std::string> sextant::disassembleImage(ArrayRef<char> image,
                                                const InstructionSet &machine) {
  // Registers the target with LLVM, and its decoder.
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86Disassembler();
    LLVMInitializeAArch64Disassembler();
    LLVMInitializeAMDGPUDisassembler();
  });
  auto codegen = createTargetMachine(
      {.triple = machine.triple, .cpu = machine.cpu, .features = machine.features});
  if (!codegen)
    return codegen.takeError();
  const llvm::Target &target = (*codegen)->getTarget();
  std::unique_ptr<MCRegisterInfo> registers(target.createMCRegInfo(machine.triple));
  MCTargetOptions options;
  std::unique_ptr<MCAsmInfo> assembly(target.createMCAsmInfo(*registers, machine.triple, options));
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(machine.triple, machine.cpu, machine.features));
  std::unique_ptr<MCInstrInfo> instructions(target.createMCInstrInfo());
  MCContext context(Triple(machine.triple), assembly.get(), registers.get(), subtarget.get());
  std::unique_ptr<MCDisassembler> decoder(target.createMCDisassembler(*subtarget, context));
  unsigned dialect = machine.dialect.value_or(assembly->getAssemblerDialect());
  std::unique_ptr<MCInstPrinter> printer(target.createMCInstPrinter(
      Triple(machine.triple), dialect, *assembly, *instructions, *registers));
  if (!decoder || !printer)
    return fail("LLVM was built without a disassembler for " + machine.triple);

  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(image.data(), image.size()), "image"));
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->get());
  if (!elf)
    return fail("the image is not an ELF file");
  std::string text;
  raw_string_ostream out(text);
  // In the order of the code.
  auto address = [](const object::ELFSymbolRef &symbol) {
    return expectedToOptional(symbol.getAddress()).value_or(0);
  };
  SmallVector<object::ELFSymbolRef> symbols(elf->getDynamicSymbolIterators());
  llvm::sort(symbols, [&](const auto &a, const auto &b) { return address(a) < address(b); });
  for (const object::ELFSymbolRef &symbol : symbols) {
    if (symbol.getELFType() != ELF::STT_FUNC || symbol.getSize() == 0)
      continue;
    Expected<StringRef> name = symbol.getName();
    Expected<uint64_t> address = symbol.getAddress();
    Expected<object::section_iterator> section = symbol.getSection();
    if (!name || !address || !section)
      return fail("the image's symbols are damaged");
    if (*section == elf->section_end())
      continue;
    Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    uint64_t begin = *address - (*section)->getAddress();
    if (begin > contents->size() || symbol.getSize() > contents->size() - begin)
      return fail("the image's symbols are damaged");
    auto *data = reinterpret_cast<const uint8_t *>(contents->data());
    ArrayRef<uint8_t> code(data + begin, symbol.getSize());
    out << *name << ":\n";
    for (uint64_t offset = 0; offset < code.size();) {
      MCInst instruction;
      uint64_t size = 0;
      auto status = decoder->getInstruction(instruction, size, code.slice(offset),
                                            *address + offset, nulls());
      out << format("%8" PRIx64 ":", *address + offset);
      if (status == MCDisassembler::Fail)
        out << "\t.byte " << format("0x%02x", code[offset]);
      else
        printer->printInst(&instruction, *address + offset, "", *subtarget, out);
      out << "\n";
      offset += status == MCDisassembler::Fail ? std::max<uint64_t>(size, 1) : size;
    }
    out << "\n";
  }
  return text;
}
