// snippet: loader-api.md cpp 2
INCLUDES

int main() {
  const std::vector<float> values = {1, 2, 3};
  SNIPPET
  return result == std::vector<float>{2, 4, 6} ? 0 : 1;
}
