// Prepared launches: checked once, changed in place, queued many times.
#include "Launch.h"
#include "Tape.h"

namespace sextant::python {

std::shared_ptr<Launch> prepare(std::shared_ptr<Kernel> kernel, nb::args positions,
                                nb::kwargs keywords) {
  (void)kernel->program->open();
  const Signature &signature = *kernel->signature;
  const Values values(signature, positions, keywords);
  if (!values.stream().is_none())
    raise(SXT_ERROR_SIGNATURE, "a launch is prepared for any stream: give it to enqueue()");
  Arguments arguments(signature, kernel->device(), nullptr, kernel->program->usesFields);
  auto launch = std::make_shared<Launch>();
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  check(sxt_launch_create(kernel->handle, arguments.data(), arguments.size(),
                          launch->handle.place()));
  for (size_t i = 0; i < arguments.size(); ++i)
    launch->keeper.add(arguments.objectOf(i).is_valid() ? keeperOf(arguments.objectOf(i))
                                                        : nb::object());
  launch->library = arguments.library();
  launch->kernel = std::move(kernel);
  return launch;
}

void Launch::setOne(size_t index, const sxt_argument &argument) {
  check(sxt_launch_set_argument(handle.get(), index, &argument));
}

void Launch::set(size_t index, nb::handle value) {
  const Signature &signature = *kernel->signature;
  const Parameter &parameter = signature.parameters[index];
  if (parameter.kind == SXT_ARGUMENT_SCALAR) {
    sxt_argument argument = signature.blank[index];
    std::string why;
    if (readScalar(parameter.dtype, value, argument.value.bits, why)) [[likely]] {
      if (!isReal(parameter.dtype))
        ++work;
      return setOne(index, argument);
    }
  }
  ++work;
  Arguments arguments(signature, kernel->device(), nullptr, kernel->program->usesFields);
  arguments.convert(index, value);
  setOne(index, arguments.data()[index]);
  if (parameter.kind == SXT_ARGUMENT_ARRAY) {
    keeper.replace(index, keeperOf(value));
    if (arguments.library())
      library = arguments.library();
  }
}

Stream &streamOf(Device &device, const dlpack::ExchangeApi *library) {
  if (!library || device.family == Device::Cpu || device.family == Device::Other)
    return device.defaultStream;
  void *native = nullptr;
  const dlpack::Device place = device.inDlpack();
  if (library->currentStream(place.type, place.id, &native) != 0)
    throwPending();
  return device.streamOf(native);
}

void Launch::enqueue(nb::handle stream) {
  refuseRecording("prepared launches");
  (void)kernel->program->open();
  queuePrepared(kernel->device(), library, streamFrom(kernel->device(), stream),
                kernel->program->usesFields, keeper, brief, work,
                [&](sxt_stream *in) { return sxt_launch_enqueue(handle.get(), in); });
}

void bindLaunches(nb::module_ &module) {
  nb::class_<Launch>(module, "Launch", nb::is_weak_referenceable(),
                     "A prepared launch: kernel.prepare(…) makes it. It keeps its arrays alive. "
                     "One thread uses it at a "
                     "time.")
      .def(
          "set",
          [](Launch &self, nb::handle argument, nb::handle value) {
            const Turn turn(self.isInUse, "launch");
            self.set(self.kernel->signature->find(argument), value);
          },
          nb::arg("argument"), nb::arg("value"),
          "Replaces an argument, by its number in kernel.parameters or its name. Launches that are "
          "queued keep\n"
          "theirs, and after an error so does this one.")
      .def(
          "enqueue",
          [](Launch &self, nb::handle stream) {
            const Turn turn(self.isInUse, "launch");
            self.enqueue(stream);
          },
          nb::arg("stream") = nb::none(),
          "Queues the launch. Without a stream it goes where a call of the kernel would, and on "
          "the CPU it waits.")
      .def(
          "vary",
          [](Launch &self, nb::args arguments) {
            const Turn turn(self.isInUse, "launch");
            std::vector<size_t> varying;
            for (nb::handle argument : arguments)
              varying.push_back(self.kernel->signature->find(argument));
            self.varying = std::move(varying);
          },
          "Names the arguments that run() sets, by number or name.")
      .def(
          "run",
          [](Launch &self, nb::handle values, nb::handle stream) {
            const Turn turn(self.isInUse, "launch");
            if (!PyTuple_Check(values.ptr()) ||
                size_t(PyTuple_Size(values.ptr())) != self.varying.size())
              raise(SXT_ERROR_SIGNATURE,
                    "run() expects a tuple of %zu values, for the arguments of vary()",
                    self.varying.size());
            for (size_t i = 0; i < self.varying.size(); ++i)
              self.set(self.varying[i], PyTuple_GetItem(values.ptr(), Py_ssize_t(i)));
            self.enqueue(stream);
          },
          nb::arg("values"), nb::arg("stream") = nb::none(),
          "Sets the arguments that vary() named to these values, and queues the launch.")
      .def_prop_ro("kernel", [](Launch &self) { return self.kernel; }, "The kernel.");
}

} // namespace sextant::python
