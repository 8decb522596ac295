// snippet: algorithms.md cpp 1
// compiled: building its module takes minutes; tests/algorithms runs these calls
INCLUDES

int main() {
  sextant::Device device = sextant::Device::open();
  sextant::Stream stream = device.defaultStream();
  sextant::Array<uint32_t> keys(device, 8), values(device, 8), in(device, 8), out(device, 8);
  sextant::Array<int32_t> flags(device, 8);
  sextant::Array<int32_t> count(device, 1);
  SNIPPET
}
