// The record of faults. A kernel that was built with assertions or checks writes it when one fails;
// this file reads and reports it. The compiler's side, with the record's layout, is
// frontend/ir/transforms/ExpandChecks.cpp.
#include "loader/Program.h"
#include "loader/format/Text.h"

using namespace sextant;
using namespace sextant::loader;

namespace {

struct FaultRecord {
  uint32_t count; ///< checks that failed
  uint32_t site;  ///< the first one's site, from 1
  uint32_t block, thread;
  uint32_t values[2][2]; ///< for the site's text; low halves first
};
static_assert(sizeof(FaultRecord) == 4 * module::Hidden::faultWords);

/// The text of a check, with the values in their places.
std::string textOf(std::string_view sites, const FaultRecord &record) {
  for (uint32_t i = 1; i < record.site && !sites.empty(); ++i)
    sites.remove_prefix(std::min(sites.find('\n'), sites.size() - 1) + 1);
  std::string text;
  for (char c : sites.substr(0, sites.find('\n')))
    if (c == '\1' || c == '\2') {
      const uint32_t *value = record.values[c - '\1'];
      text += std::to_string(static_cast<int64_t>(uint64_t(value[1]) << 32 | value[0]));
    } else {
      text += c;
    }
  return text.empty() ? "a check failed at a place that the module does not tell" : text;
}

} // namespace

sxt_status sextant::loader::clearFaults(const sxt_kernel &kernel, sxt_stream &stream,
                                        uint64_t temporary) {
  return stream.impl->fill(temporary + kernel.faultOffset, 0, 4, sizeof(FaultRecord));
}

sxt_status sextant::loader::reportFaults(const sxt_kernel &kernel, sxt_stream &stream,
                                         uint64_t temporary) {
  FaultRecord record{};
  SXT_TRY(stream.readNow(&record, temporary + kernel.faultOffset, sizeof record));
  if (!record.site)
    return SXT_OK;
  std::string more =
      record.count > 1 ? module::message("; %u checks failed in all", record.count) : "";
  return fail(SXT_ERROR_KERNEL_FAULT, "kernel '%s': %s (block %u, thread %u)%s",
              kernel.record->instance.c_str(), textOf(kernel.faults->name, record).c_str(),
              record.block, record.thread, more.c_str());
}
