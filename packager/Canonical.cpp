#include "packager/Canonical.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sextant::packager {

using module::Hidden;
using module::Kernel;
using module::Plan;
using module::Variant;

namespace {

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }

/// Compares texts, with runs of digits as numbers. Texts that differ never compare equal.
int compareNames(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!isDigit(a[i]) || !isDigit(b[j])) {
      if (a[i] != b[j])
        return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
      ++i, ++j;
      continue;
    }
    auto number = [](std::string_view text, size_t &at) {
      while (at + 1 < text.size() && text[at] == '0' && isDigit(text[at + 1]))
        ++at;
      const size_t first = at;
      while (at < text.size() && isDigit(text[at]))
        ++at;
      return text.substr(first, at - first);
    };
    const std::string_view x = number(a, i), y = number(b, j);
    if (x.size() != y.size())
      return x.size() < y.size() ? -1 : 1;
    if (const int order = x.compare(y); order != 0)
      return order;
  }
  if (i < a.size() || j < b.size())
    return i < a.size() ? 1 : -1;
  return a.compare(b);
}

/// Sorts `items`, which are all different, and returns the new number of each.
template <class Item, class Less>
std::vector<uint32_t> sortAndNumber(std::vector<Item> &items, Less less) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return less(items[a], items[b]); });
  std::vector<Item> sorted;
  std::vector<uint32_t> numbers(items.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    numbers[order[i]] = i;
    sorted.push_back(std::move(items[order[i]]));
  }
  items = std::move(sorted);
  return numbers;
}

void sortPlans(Kernel &kernel) {
  std::vector<Plan> plans;
  std::vector<uint32_t> numbers(kernel.plans.size(), Hidden::noGlobal);
  for (Variant &variant : kernel.variants) {
    uint32_t &number = numbers[variant.plan];
    if (number == Hidden::noGlobal) {
      number = static_cast<uint32_t>(plans.size());
      plans.push_back(std::move(kernel.plans[variant.plan]));
    }
    variant.plan = number;
  }
  if (plans.empty() && !kernel.plans.empty()) {
    Plan returns;
    for (const Hidden &buffer : kernel.plans.front().hidden)
      if (buffer.role == Hidden::Return)
        returns.hidden.push_back(buffer);
    if (!returns.hidden.empty())
      plans.push_back(std::move(returns));
  }
  kernel.plans = std::move(plans);
}

} // namespace

bool comesBefore(const module::Target &a, const module::Target &b) {
  if (a.backend != b.backend)
    return a.backend < b.backend;
  if (const int order = compareNames(a.arch, b.arch); order != 0)
    return order < 0;
  return std::tie(a.features, a.wave) < std::tie(b.features, b.wave);
}

void canonicalize(module::ModuleInfo &info, std::vector<Kernel> &kernels) {
  const std::vector<uint32_t> sources =
      sortAndNumber(info.sources, [](const auto &a, const auto &b) { return a.path < b.path; });
  for (module::Global &global : info.globals)
    global.source = sources[global.source];
  const std::vector<uint32_t> globals =
      sortAndNumber(info.globals, [](const auto &a, const auto &b) {
        return std::tie(a.source, a.name) < std::tie(b.source, b.name);
      });
  for (Kernel &kernel : kernels) {
    kernel.source = sources[kernel.source];
    for (Plan &plan : kernel.plans)
      for (Hidden &buffer : plan.hidden)
        if (buffer.role == Hidden::Field)
          buffer.global = globals[buffer.global];
    std::sort(kernel.variants.begin(), kernel.variants.end(),
              [](const Variant &a, const Variant &b) { return comesBefore(a.target, b.target); });
    std::sort(kernel.refusals.begin(), kernel.refusals.end(), [](const auto &a, const auto &b) {
      if (comesBefore(a.target, b.target) || comesBefore(b.target, a.target))
        return comesBefore(a.target, b.target);
      return a.reason < b.reason;
    });
    sortPlans(kernel);
  }
  std::sort(kernels.begin(), kernels.end(), [](const Kernel &a, const Kernel &b) {
    if (a.source != b.source)
      return a.source < b.source;
    return compareNames(a.instance, b.instance) < 0;
  });
}

} // namespace sextant::packager
