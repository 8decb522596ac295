// Gives variables back the values that they had when it was made.
#pragma once

#include <tuple>
#include <utility>

namespace sextant::sema {

template <class... Each> class Restored {
public:
  explicit Restored(Each &...each) : variables(each...), before(each...) {}
  Restored(const Restored &) = delete;
  Restored &operator=(const Restored &) = delete;
  ~Restored() { variables = std::move(before); }

private:
  std::tuple<Each &...> variables;
  std::tuple<Each...> before;
};

} // namespace sextant::sema
