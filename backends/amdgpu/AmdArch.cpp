// One row a processor, least capable first; target IDs.
#include "backends/amdgpu/AmdArch.h"
#include "backends/Errors.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sextant;

static const std::vector<unsigned> wide = {64}, both = {32, 64};

// Name, wave sizes, description, major; version for ocml, sramecc, xnack, generic.
static const AmdArch table[] = {
    {{"gfx9-generic", wide, "any of gfx900, gfx902, gfx904, gfx906, gfx909, gfx90c"},
     9000,
     false,
     true,
     true},
    {{"gfx900", wide, "Vega 10: RX Vega, MI25"}, 9000, false, true},
    {{"gfx906", wide, "Vega 20: MI50, MI60, Radeon VII"}, 9006, true, true},
    {{"gfx908", wide, "CDNA: MI100"}, 9008, true, true},
    {{"gfx90a", wide, "CDNA 2: MI210, MI250", true}, 9010, true, true},
    {{"gfx940", wide, "CDNA 3: early MI300"}, 9400, true, true},
    {{"gfx942", wide, "CDNA 3: MI300, MI325", true}, 9402, true, true},
    {{"gfx10-1-generic", both, "any of gfx1010 to gfx1013"}, 10100, false, true, true},
    {{"gfx1010", both, "RDNA: RX 5700"}, 10100, false, true},
    {{"gfx10-3-generic", both, "any of gfx1030 to gfx1036"}, 10300, false, false, true},
    {{"gfx1030", both, "RDNA 2: RX 6800, RX 6900, PRO W6800", true}, 10300},
    {{"gfx1031", both, "RDNA 2: RX 6700"}, 10301},
    {{"gfx1032", both, "RDNA 2: RX 6600"}, 10302},
    {{"gfx1033", both, "RDNA 2: Steam Deck"}, 10303},
    {{"gfx1034", both, "RDNA 2: RX 6400, RX 6500"}, 10304},
    {{"gfx1035", both, "RDNA 2: Ryzen 6000's graphics"}, 10305},
    {{"gfx1036", both, "RDNA 2: Ryzen 7000's graphics"}, 10306},
    {{"gfx11-generic", both, "any of gfx1100 to gfx1103 and gfx1150 to gfx1152"},
     11003,
     false,
     false,
     true},
    {{"gfx1100", both, "RDNA 3: RX 7900, PRO W7800, PRO W7900", true}, 11000},
    {{"gfx1101", both, "RDNA 3: RX 7700, RX 7800, PRO W7700"}, 11001},
    {{"gfx1102", both, "RDNA 3: RX 7600"}, 11002},
    {{"gfx1103", both, "RDNA 3: Ryzen 7040's graphics"}, 11003},
    {{"gfx1150", both, "RDNA 3.5: Ryzen AI 300's graphics"}, 11500},
    {{"gfx1151", both, "RDNA 3.5: Ryzen AI Max"}, 11501},
    {{"gfx1152", both, "RDNA 3.5: Ryzen AI 300's smaller graphics"}, 11502},
    {{"gfx12-generic", both, "any of gfx1200 and gfx1201"}, 12000, false, false, true},
    {{"gfx1200", both, "RDNA 4: RX 9060"}, 12000},
    {{"gfx1201", both, "RDNA 4: RX 9070", true}, 12001},
};

ArrayRef<AmdArch> sextant::amdArchs() { return table; }

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
  // gfx9 has waves of 64 alone and takes no feature for it.
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
