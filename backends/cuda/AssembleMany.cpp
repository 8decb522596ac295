// Texts go to ptxas together, and its cubin is cut. Where that fails, a text is assembled by
// itself, so that its errors are its own.
#include "backends/cuda/AssembleMany.h"

#include "backends/cuda/JointCubin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sextant;

/// In larger texts, starting ptxas takes the smaller part of the time.
static constexpr size_t mostBytes = 16 * 1024;
/// The fewest texts for which a joint run, and one of one text to compare with, take less time.
static constexpr size_t fewest = 4;

bool sextant::isPlain(StringRef ptx) {
  static constexpr StringRef others[] = {".func",    ".extern",        ".shared .align",
                                         "\n.const", "\n.global",      ".visible .global",
                                         "\n.file",  ".visible .const"};
  return ptx.size() <= mostBytes &&
         none_of(others, [&](StringRef word) { return ptx.contains(word); });
}

static SmallVector<StringRef> entriesOf(StringRef ptx) {
  SmallVector<StringRef> names;
  for (StringRef rest = ptx.split(".entry ").second; !rest.empty();
       rest = rest.split(".entry ").second)
    names.push_back(rest.take_until([](char letter) { return letter == '(' || isSpace(letter); }));
  return names;
}

/// The part of ptxas's log that is about these entries.
static std::string logOf(StringRef log, ArrayRef<StringRef> entries) {
  static constexpr StringLiteral begin = "Compiling entry function '";
  std::string own;
  for (StringRef rest = log.split(begin).second; !rest.empty();) {
    const auto [part, others] = rest.split(begin);
    if (is_contained(entries, part.split('\'').first))
      own += (begin + part + "\n").str();
    rest = others;
  }
  return own;
}

namespace {

struct Text {
  size_t number; ///< among all
  StringRef ptx;
  SmallVector<StringRef> entries;
};

} // namespace

/// The texts that one run of ptxas can take, since their names differ. One without an entry, of a
/// kernel that does nothing, has nothing by which to find what is its own.
static std::vector<Text> textsOfOneRun(ArrayRef<StringRef> texts) {
  std::vector<Text> together;
  StringSet<> names;
  for (const auto &[number, ptx] : enumerate(texts)) {
    Text text{number, ptx, entriesOf(ptx)};
    if (!text.entries.empty() &&
        none_of(text.entries, [&](StringRef name) { return names.contains(name); }))
      together.push_back(text);
    names.insert(text.entries.begin(), text.entries.end());
  }
  return together;
}

/// Runs ptxas on texts together until all of them are such as can be cut from its cubin. Drops the
/// others.
static std::optional<PtxasResult> assembleJointly(PtxasRequest request, std::vector<Text> &texts) {
  while (texts.size() >= fewest) {
    SmallVector<StringRef> ptx(map_range(texts, [](const Text &text) { return text.ptx; }));
    request.texts = ptx;
    Expected<PtxasResult> joint = runPtxas(request);
    if (!joint) {
      consumeError(joint.takeError());
      return std::nullopt;
    }
    const std::optional<JointCubin> cubin = JointCubin::read(joint->cubin);
    if (!cubin)
      return std::nullopt;
    if (cubin->unknown().empty())
      return std::move(*joint);
    erase_if(texts, [&](const Text &text) {
      return any_of(text.entries,
                    [&](StringRef entry) { return is_contained(cubin->unknown(), entry); });
    });
  }
  return std::nullopt;
}

std::vector<Expected<PtxasResult>> sextant::assembleMany(const PtxasRequest &request,
                                                         ArrayRef<StringRef> texts) {
  const auto alone = [&](StringRef text) {
    PtxasRequest one = request;
    one.texts = text;
    return runPtxas(one);
  };
  std::vector<std::optional<PtxasResult>> cut(texts.size());
  std::vector<Text> together = textsOfOneRun(texts);
  if (const std::optional<PtxasResult> joint = assembleJointly(request, together)) {
    const JointCubin cubin = *JointCubin::read(joint->cubin);
    for (const Text &text : together)
      cut[text.number] = PtxasResult{cubin.cut(text.entries), logOf(joint->log, text.entries)};
    // Another version of ptxas may lay its files out in another way.
    const Text &first = together.front();
    if (Expected<PtxasResult> check = alone(first.ptx);
        !check || check->cubin != cut[first.number]->cubin) {
      consumeError(check.takeError());
      cut.assign(texts.size(), std::nullopt);
    }
  }
  std::vector<Expected<PtxasResult>> results;
  for (const auto &[number, text] : enumerate(texts))
    results.push_back(cut[number] ? Expected<PtxasResult>(std::move(*cut[number])) : alone(text));
  return results;
}
