// Types and constants of the head are known by their words, so that none is made twice.
#include "backends/vulkan/Parts.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sextant;
using spirv::Words;

static bool isTypeOrConstant(uint32_t op) {
  return (op >= spv::OpTypeVoid && op <= spv::OpTypeFunction) || op == spv::OpConstant;
}

ModuleHead::ModuleHead(ArrayRef<uint32_t> all, ArrayRef<uint32_t> &functions)
    : header(all.begin(), all.begin() + spirvHeaderWords) {
  functions = {};
  eachInstruction(all.drop_front(spirvHeaderWords), [&](uint32_t op, ArrayRef<uint32_t> one) {
    if (op == spv::OpFunction && functions.empty())
      functions = all.drop_front(size_t(one.data() - all.data()));
    if (!functions.empty())
      return;
    append_range(words, one);
    if (!isTypeOrConstant(op))
      return;
    const size_t idAt = op == spv::OpConstant ? 2 : 1;
    Words key(one.begin(), one.end());
    key.erase(key.begin() + ptrdiff_t(idAt));
    key.front() = op;
    known.emplace(std::move(key), one[idAt]);
  });
}

uint32_t ModuleHead::once(uint32_t op, ArrayRef<uint32_t> operands, size_t idAt) {
  Words key{op};
  append_range(key, operands);
  uint32_t &id = known[key];
  made = !id;
  if (made) {
    id = newId();
    key.erase(key.begin());
    key.insert(key.begin() + ptrdiff_t(idAt), id);
    append(words, op, key);
  }
  return id;
}

void ModuleHead::name(uint32_t id, StringRef letters) {
  Words operands{id};
  append_range(operands, textWords(letters));
  append(names, spv::OpName, operands);
}

Words ModuleHead::with(ArrayRef<uint32_t> functions) const {
  Words result = header;
  bool isAfter = false, hasNames = false; // capabilities; what comes before names
  eachInstruction(words, [&](uint32_t op, ArrayRef<uint32_t> one) {
    if (op != spv::OpCapability && !isAfter) {
      append_range(result, capabilities);
      append_range(result, extensions);
      isAfter = true;
    }
    const bool comesBefore = op == spv::OpCapability || op == spv::OpExtension ||
                             op == spv::OpExtInstImport || op == spv::OpMemoryModel ||
                             op == spv::OpEntryPoint || op == spv::OpExecutionMode ||
                             op == spv::OpString;
    if (!comesBefore && !hasNames) {
      append_range(result, names);
      hasNames = true;
    }
    append_range(result, one);
  });
  append_range(result, functions);
  return result;
}
