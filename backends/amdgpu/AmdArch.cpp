// One row for each processor, least capable first, and the parser of target IDs.
#include "backends/amdgpu/AmdArch.h"
#include "backends/Errors.h"

#include "loader/abi/AmdProcessors.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sextant;

static const std::vector<unsigned> wide = {64}, both = {32, 64};

/// A processor of abi::amdProcessors(), or a generic one that covers several of them, with the
/// facts that only the compiler needs.
static AmdArch row(const char *name, unsigned isaVersion, const char *description,
                   bool major = false) {
  const abi::AmdProcessor &known = *abi::findAmdProcessor(name);
  return {.arch = {name, known.hasWave32() ? both : wide, description, major},
          .isaVersion = isaVersion,
          .hasSramecc = known.sramecc,
          .hasXnack = known.xnack,
          .isGeneric = StringRef(name) != known.name,
          .llvmName = name};
}

/// A processor that only later versions of LLVM know, with the number that they give it. It has the
/// instructions of `like` that this backend uses.
static AmdArch newRow(const char *name, unsigned machine, const char *like, unsigned isaVersion,
                      const char *description, bool major = false) {
  AmdArch arch = row(name, isaVersion, description, major);
  arch.llvmName = like;
  arch.machine = machine;
  return arch;
}

static const AmdArch table[] = {
    row("gfx9-generic", 9000, "any of gfx900, gfx902, gfx904, gfx906, gfx909, gfx90c"),
    row("gfx900", 9000, "Vega 10: RX Vega, MI25"),
    row("gfx906", 9006, "Vega 20: MI50, MI60, Radeon VII"),
    row("gfx908", 9008, "CDNA: MI100"),
    row("gfx90a", 9010, "CDNA 2: MI210, MI250", /*major=*/true),
    newRow("gfx9-4-generic", 0x5f, "gfx940", 9400, "any of gfx940 to gfx942 and gfx950"),
    row("gfx940", 9400, "CDNA 3: early MI300"),
    row("gfx942", 9402, "CDNA 3: MI300, MI325", /*major=*/true),
    newRow("gfx950", 0x4f, "gfx942", 9402, "CDNA 4: MI350, MI355", /*major=*/true),
    row("gfx10-1-generic", 10100, "any of gfx1010 to gfx1013"),
    row("gfx1010", 10100, "RDNA: RX 5700"),
    row("gfx10-3-generic", 10300, "any of gfx1030 to gfx1036"),
    row("gfx1030", 10300, "RDNA 2: RX 6800, RX 6900, PRO W6800", /*major=*/true),
    row("gfx1031", 10301, "RDNA 2: RX 6700"),
    row("gfx1032", 10302, "RDNA 2: RX 6600"),
    row("gfx1033", 10303, "RDNA 2: Steam Deck"),
    row("gfx1034", 10304, "RDNA 2: RX 6400, RX 6500"),
    row("gfx1035", 10305, "RDNA 2: Ryzen 6000's graphics"),
    row("gfx1036", 10306, "RDNA 2: Ryzen 7000's graphics"),
    row("gfx11-generic", 11003, "any of gfx1100 to gfx1103 and gfx1150 to gfx1152"),
    row("gfx1100", 11000, "RDNA 3: RX 7900, PRO W7800, PRO W7900", /*major=*/true),
    row("gfx1101", 11001, "RDNA 3: RX 7700, RX 7800, PRO W7700"),
    row("gfx1102", 11002, "RDNA 3: RX 7600"),
    row("gfx1103", 11003, "RDNA 3: Ryzen 7040's graphics"),
    row("gfx1150", 11500, "RDNA 3.5: Ryzen AI 300's graphics"),
    row("gfx1151", 11501, "RDNA 3.5: Ryzen AI Max"),
    row("gfx1152", 11502, "RDNA 3.5: Ryzen AI 300's smaller graphics"),
    row("gfx12-generic", 12000, "any of gfx1200 and gfx1201"),
    row("gfx1200", 12000, "RDNA 4: RX 9060"),
    row("gfx1201", 12001, "RDNA 4: RX 9070", /*major=*/true),
};

ArrayRef<AmdArch> sextant::amdArchs() { return table; }

StringRef AmdArch::matrixUnit() const {
  if (generation() >= 11)
    return generation() >= 12 ? "gfx12" : "gfx11";
  if (isaVersion >= 9400 && generation() == 9)
    return isGeneric ? "gfx9-4-generic" : "gfx942";
  for (StringRef name : {"gfx90a", "gfx908"})
    if (arch.name == name)
      return name;
  return "";
}

static std::string spell(const TargetId &id, const char *separator, bool signFirst) {
  std::string text;
  auto add = [&](const char *name, TargetId::Setting setting) {
    if (setting == TargetId::Any)
      return;
    const char *sign = setting == TargetId::On ? "+" : "-";
    text += separator;
    text += signFirst ? std::string(sign) + name : name + std::string(sign);
  };
  add("sramecc", id.sramecc);
  add("xnack", id.xnack);
  return text;
}

std::string TargetId::str() const { return arch->arch.name + spell(*this, ":", false); }

std::string TargetId::features(unsigned wave) const {
  // gfx9 has only waves of 64, and LLVM takes no feature for that.
  std::string text = spell(*this, ",", true);
  if (arch->generation() >= 10)
    text +=
        wave == 32 ? ",+wavefrontsize32,-wavefrontsize64" : ",-wavefrontsize32,+wavefrontsize64";
  return StringRef(text).ltrim(',').str();
}

Expected<std::optional<TargetId>> sextant::parseTargetId(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  const auto *row =
      llvm::find_if(table, [&](const AmdArch &arch) { return arch.arch.name == parts.front(); });
  if (row == std::end(table))
    return std::nullopt;
  TargetId id{row};
  SmallVector<std::string> known;
  if (row->hasSramecc)
    known.push_back("sramecc");
  if (row->hasXnack)
    known.push_back("xnack");
  for (StringRef part : drop_begin(parts)) {
    StringRef name = part.drop_back(!part.empty());
    if (!part.ends_with("+") && !part.ends_with("-"))
      return fail("'" + part + "' in target '" + text + "' must end in + or -, as in " +
                  row->arch.name + ":xnack+");
    if (name != "sramecc" && name != "xnack")
      return fail("unknown modifier '" + part + "' in target '" + text +
                  "': a target ID takes sramecc and xnack, each with + or -");
    if (!is_contained(known, name))
      return fail(row->arch.name + " has no " + name + " setting, which target '" + text +
                  "' asks for" + (known.empty() ? "" : "; it has " + join(known, " and ")));
    TargetId::Setting &setting = name == "xnack" ? id.xnack : id.sramecc;
    if (setting != TargetId::Any)
      return fail("target '" + text + "' sets " + name + " twice");
    setting = part.ends_with("+") ? TargetId::On : TargetId::Off;
  }
  return id;
}
