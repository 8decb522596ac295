#include "driver/host/InstanceName.h"

#include "frontend/spelling/Suggestion.h"

#include <algorithm>

namespace sextant {

std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances,
                          const Requests &requests) {
  if (std::find(instances.begin(), instances.end(), name) != instances.end())
    return name;
  const Request wanted = parseRequest(name);
  const std::string text = wanted.problem.empty() ? canonicalText(wanted) : "";
  for (const auto &[instance, request] : requests)
    if (!text.empty() && canonicalText(parseRequest(request)) == text &&
        (wanted.instance.empty() || wanted.instance == instance))
      return instance;
  return name;
}

std::string instancesNear(const std::string &name, const std::vector<std::string> &instances,
                          const Requests &requests) {
  const std::string kernel = name.substr(0, name.find('['));
  if (kernel == name)
    return suggestion(name, instances);
  std::vector<std::string> built;
  for (const auto &[instance, request] : requests)
    if (request.starts_with(kernel + "["))
      built.push_back(request);
  const Request wanted = parseRequest(name);
  std::string near = suggestion(wanted.problem.empty() ? canonicalText(wanted) : name, built);
  if (built.empty() || !near.empty())
    return near;
  constexpr size_t most = 8;
  std::string list;
  for (size_t k = 0; k < std::min(most, built.size()); ++k)
    list += (k == 0 ? "it was built for " : ", ") + built[k];
  return list + (built.size() > most ? ", …" : "");
}

} // namespace sextant
