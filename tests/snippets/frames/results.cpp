// snippet: loader-api.md cpp 1
SNIPPET

int main() {
  const sextant::Result<std::vector<float>> scaled = run({1, 2, 3});
  return scaled && *scaled == std::vector<float>{2, 4, 6} ? 0 : 1;
}
