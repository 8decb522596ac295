// Uses each part of sextant.hpp and tape.hpp once, in the mode that is compiled: headers.sh
// compiles it in every standard, with every warning. What the calls do is tested by WrapperTest and
// ResultTest.
#include "sextant/sextant.hpp"
#include "sextant/tape.hpp"

#include <vector>

using Results = std::tuple<int32_t, sextant::Vector<float, 2>>;

/// As generated headers write it.
class Typed : public sextant::TypedKernel {
public:
  using TypedKernel::TypedKernel;
  sextant::Result<void> operator()(const sextant::Stream &stream,
                                   sextant::ArrayView<float, 1> x) const {
    return this->launch(stream, x);
  }
  sextant::Result<Results> both(const sextant::Stream &stream,
                                sextant::ArrayView<float, 1> x) const {
    return this->template callAll<Results>(stream, x);
  }
  class Step : public sextant::GraphStep {
  public:
    using GraphStep::GraphStep;
    sextant::Result<void> set_x(sextant::ArrayView<float, 1> value) const {
      return sextant::GraphStep::set(0, value);
    }
  };
  sextant::Result<sextant::PreparedLaunch> prepare(sextant::ArrayView<float, 1> x) const {
    return this->template prepareAs<sextant::PreparedLaunch>(x);
  }
  sextant::Result<Step> addTo(sextant::Graph &graph, sextant::ArrayView<float, 1> x) const {
    return this->template addAs<Step>(graph, x);
  }
};

#ifdef SEXTANT_THROWS

/// A computation and its gradient.
std::vector<float> record(const sextant::Module &module, const sextant::Program &program,
                          const sextant::Device &device, const sextant::Array<float> &x,
                          const sextant::Array<float, 0> &loss) {
  const sextant::DifferentiableKernel step(module, program, "step");
  const sextant::Stream stream = device.createStream();
  sextant::Tape tape(device);
  std::vector<float> slope(static_cast<size_t>(x.size()));
  tape.setGradient(loss, loss);
  tape.checkpoint(step.hasGradient() ? 3 : 2, [&](int64_t) { tape.launch(step, stream, x, 0.5f); });
  tape.overwrites(stream, x);
  tape.zero(stream);
  tape.backward(stream);
  tape.backward(stream, loss);
  step.kernel()(stream, tape.gradient(stream, x), 0.5f);
  tape.readGradient(stream, x.view(), sextant::Span<float>(slope));
  tape.reset();
  return slope;
}

float use(const std::vector<float> &values) {
  const sextant::Device device = sextant::Device::open("cpu");
  const sextant::Stream stream = device.createStream();
  sextant::Array<float> x(device, values), y(device, 3);
  sextant::Array<int32_t, 2> matrix(device, {3, 4});
  sextant::Array<int32_t> list(device, {1, 2, 3});
  x.write(values);
  const sextant::Event event(device);
  event.record(stream);
  const bool isReady = event.ready();
  sextant::Program program(sextant::Module::open("x.sxt"), device);
  sextant::Kernel kernel = program.kernel("a");
  kernel(stream, 1.0f, x, matrix, true, uint8_t{3}, sextant::Half{});
  sextant::GraphStatus status = kernel.start(stream, x);
  while (status.yielded)
    status = kernel.resume(stream, status.checkpoint, x);
  const double sum = kernel.call<double>(stream, 2);
  std::vector<int32_t> counts(3);
  program.read("counts", counts);
  program.write("counts", counts);
  program.measure("a", stream, x);
  const auto shared = std::make_shared<const sextant::LazyProgram>(
      sextant::Program(sextant::Module::open("x.sxt"), device), 2);
  const Typed typed(shared, 1, "b");
  typed(stream, x);
  const Results both = typed.both(stream, x);
  typed.prepare(x).enqueue(stream);
  const sextant::ArrayView<float, 2> field = program.global<float, 2>("field");
  sextant::PreparedLaunch prepared(kernel, 2.0f, x);
  prepared.set(0, 3.0f);
  prepared.enqueue(stream);
  sextant::Graph graph(device);
  graph.set(graph.launch(kernel, 2.0f, x), 0, 1.0f);
  graph.add(typed, x).set_x(x);
  graph.clear(y.view());
  graph.copy(y.view(), x.view());
  graph.enqueue(stream);
  return y.read()[0] + static_cast<float>(sum) + std::get<1>(both)[0] +
         static_cast<float>(field.size()) + (isReady ? 1.0f : 0.0f);
}

#else

bool record(const sextant::Module &module, const sextant::Program &program,
            const sextant::Device &device, const sextant::Array<float> &x,
            const sextant::Array<float, 0> &loss) {
  const auto step = sextant::DifferentiableKernel::create(module, program, "step");
  auto tape = sextant::Tape::create(device, false);
  const sextant::Stream stream;
  if (!step || !tape || !tape->setGradient(x, x))
    return false;
  const auto run = [&](int64_t) { return tape->launch(*step, stream, x, 0.5f); };
  std::vector<float> slope(static_cast<size_t>(x.size()));
  return tape->checkpoint(3, run, {8, 2}) && tape->checkpoint(1, [](int64_t) {}) &&
         tape->overwrites(stream, x.view()) && tape->zero(stream) && tape->backward(stream) &&
         tape->backward(stream, loss) && tape->gradient(stream, loss).has_value() &&
         tape->readGradient(stream, x, sextant::Span<float>(slope)) && tape->size() > 0 &&
         tape->mostKeptBytes() >= tape->keptBytes();
}

sextant::Result<float> use(const std::vector<float> &values) {
  const auto device = sextant::Device::open("cpu");
  if (!device)
    return device.error();
  const sextant::Stream stream = device->defaultStream();
  const auto x = sextant::Array<float>::create(*device, values);
  const auto y = sextant::Array<float>::create(*device, 3);
  const auto matrix = sextant::Array<int32_t, 2>::create(*device, {3, 4});
  const auto list = sextant::Array<int32_t>::create(*device, {1, 2, 3});
  if (!x || !y || !matrix || !list)
    return sextant::Error(SXT_ERROR_OUT_OF_MEMORY, "no memory");
  const sextant::Result<sextant::Program> program =
      sextant::Module::open("x.sxt").and_then([&device](const sextant::Module &module) {
        return sextant::Program::create(module, *device);
      });
  const sextant::Kernel kernel = program->kernel("a").value_or(sextant::Kernel());
  if (const auto launched = kernel(stream, 1.0f, *x, *matrix, true, sextant::Half{}); !launched)
    return launched.error();
  const sextant::Result<double> sum = kernel.call<double>(stream, 2);
  std::vector<int32_t> counts(3);
  if (!program->read("counts", counts) || !program->write("counts", counts))
    return 0.0f;
  auto again = sextant::Program::create(*sextant::Module::open("x.sxt"), *device);
  const auto shared = std::make_shared<const sextant::LazyProgram>(*std::move(again), 2);
  const Typed typed(shared, 1, "b");
  const auto both = typed.both(stream, *x);
  if (auto launch = typed.prepare(*x); !launch || !launch->enqueue(stream))
    return 0.0f;
  auto prepared = sextant::PreparedLaunch::create(kernel, 2.0f, *x);
  auto graph = sextant::Graph::create(*device);
  if (!prepared || !prepared->set(0, 3.0f) || !prepared->enqueue(stream) || !graph ||
      !graph->clear(y->view()) || !graph->copy(y->view(), x->view()) || !graph->enqueue(stream))
    return 0.0f;
#if defined(__cpp_lib_expected)
  const std::expected<sextant::Device, sextant::Error> expected = sextant::Device::open("cpu");
  const std::expected<void, sextant::Error> done = x->write(values);
  if (!expected || !done)
    return 0.0f;
#endif
  return y->read().transform([&](const std::vector<float> &read) {
    return read[0] + static_cast<float>(sum.value()) + std::get<1>(*both)[0];
  });
}

#endif
