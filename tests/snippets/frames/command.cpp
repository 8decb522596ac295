// snippet: command.md cpp 1
INCLUDES

struct Arrays {
  sextant::Device on = sextant::Device::open();
  sextant::Array<float> x{on, std::vector<float>(8, 3)}, y{on, std::vector<float>(8, 1)};
};

int main() {
  Arrays arrays;
  sextant::Array<float> &x = arrays.x, &y = arrays.y;
  SNIPPET
  return y.read() == std::vector<float>(8, 7) ? 0 : 1;
}
