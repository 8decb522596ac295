// snippet: README.md cpp 1
INCLUDES
#include <cstdio>

int main() {
  const std::vector<float> xs = {1, 2, 3}, ys = {10, 20, 30};
  const int n = 3;
  SNIPPET
  return result == std::vector<float>{12, 24, 36} ? 0 : 1;
}
