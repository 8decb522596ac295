// Graphs: launches, copies and fills that are recorded once and queued as a whole.
#include "Array.h"
#include "Launch.h"
#include "Tape.h"

#include <cinttypes>
#include <map>

namespace sextant::python {
namespace {

struct Graph {
  std::shared_ptr<Device> device;
  Owned<sxt_graph, sxt_graph_release> handle;
  /// The objects that a launch of the graph refers to.
  struct Step {
    std::shared_ptr<Kernel> kernel;
    size_t firstObject = 0; ///< in `keeper`, one for each argument
  };
  std::map<size_t, Step> launches; ///< launches by step
  Keeper keeper;
  const dlpack::ExchangeApi *library = nullptr;
  bool isInUse = false;
  Brief brief;
  uint64_t work = 1; ///< counts the changes

  /// The program of each launch must be there while the graph runs.
  void open() const {
    for (const auto &[number, step] : launches)
      (void)step.kernel->program->open();
  }
};

size_t addLaunch(Graph &graph, std::shared_ptr<Kernel> kernel, nb::args positions,
                 nb::kwargs keywords) {
  const Turn turn(graph.isInUse, "graph");
  ++graph.work;
  (void)kernel->program->open();
  const Signature &signature = *kernel->signature;
  const Values values(signature, positions, keywords);
  if (!values.stream().is_none())
    raise(SXT_ERROR_SIGNATURE, "a graph runs in one stream: give it to enqueue()");
  Arguments arguments(signature, kernel->device(), nullptr, kernel->program->usesFields);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  size_t number = 0;
  check(sxt_graph_add_launch(graph.handle.get(), kernel->handle, arguments.data(), arguments.size(),
                             &number));
  Graph::Step &step = graph.launches[number];
  step.firstObject = graph.keeper.size();
  for (size_t i = 0; i < arguments.size(); ++i)
    graph.keeper.add(arguments.objectOf(i).is_valid() ? keeperOf(arguments.objectOf(i))
                                                      : nb::object());
  if (arguments.library())
    graph.library = arguments.library();
  step.kernel = std::move(kernel);
  return number;
}

void setArgument(Graph &graph, nb::handle given, nb::handle argument, nb::handle value) {
  const Turn turn(graph.isInUse, "graph");
  const uint64_t number = unsignedFrom(given, "step");
  ++graph.work;
  const auto found = graph.launches.find(number);
  if (found == graph.launches.end())
    raise(SXT_ERROR_OUT_OF_RANGE, "step %" PRIu64 " of the graph is not a launch", number);
  const Graph::Step &step = found->second;
  const Signature &signature = *step.kernel->signature;
  const size_t index = signature.find(argument);
  Arguments arguments(signature, *graph.device, nullptr, step.kernel->program->usesFields);
  arguments.convert(index, value);
  check(sxt_graph_set_argument(graph.handle.get(), number, index, &arguments.data()[index]));
  if (arguments.objectOf(index).is_valid())
    graph.keeper.replace(step.firstObject + index, keeperOf(value));
}

Array &arrayFrom(nb::handle given, const char *what) {
  if (!nb::isinstance<Array>(given))
    raise(SXT_ERROR_SIGNATURE, "%s: expected a sextant.Array, given %s", what,
          typeName(given).c_str());
  return own<Array>(given);
}

void addCopy(Graph &graph, nb::handle destination, nb::handle source) {
  const Turn turn(graph.isInUse, "graph");
  ++graph.work;
  Array &to = arrayFrom(destination, "destination"), &from = arrayFrom(source, "source");
  if (to.bytes() != from.bytes())
    raise(SXT_ERROR_INVALID_ARGUMENT, "the destination has %" PRIu64 " bytes, the source %" PRIu64,
          to.bytes(), from.bytes());
  check(sxt_graph_add_copy(graph.handle.get(), to.buffer, 0, from.buffer, 0, from.bytes()));
  graph.keeper.add(nb::borrow(destination));
  graph.keeper.add(nb::borrow(source));
}

void addFill(Graph &graph, nb::handle destination, nb::handle value) {
  const Turn turn(graph.isInUse, "graph");
  ++graph.work;
  Array &to = arrayFrom(destination, "destination");
  uint64_t bits = 0;
  std::string why;
  if (!readScalar(to.dtype, value, bits, why))
    raise(SXT_ERROR_INVALID_ARGUMENT, "fill: expected %s, given %s", why.c_str(),
          shown(value).c_str());
  check(sxt_graph_add_fill(graph.handle.get(), to.buffer, 0, to.bytes(), &bits,
                           sxt_dtype_size(to.dtype)));
  graph.keeper.add(nb::borrow(destination));
}

void enqueue(Graph &graph, nb::handle stream) {
  refuseRecording("graphs");
  const Turn turn(graph.isInUse, "graph");
  graph.open();
  queuePrepared(*graph.device, graph.library, streamFrom(*graph.device, stream), true, graph.keeper,
                graph.brief, graph.work,
                [&](sxt_stream *in) { return sxt_graph_enqueue(graph.handle.get(), in); });
}

nb::dict describeGraph(Graph &graph) {
  const Turn turn(graph.isInUse, "graph");
  graph.open();
  auto info = sized<sxt_graph_info>();
  unlocked([&] { return sxt_graph_describe(graph.handle.get(), &info); });
  nb::dict facts;
  facts["step_count"] = info.step_count;
  facts["native"] = info.native != 0;
  facts["kept_bytes"] = info.kept_bytes;
  return facts;
}

} // namespace

void bindGraphs(nb::module_ &module) {
  nb::class_<Graph>(module, "Graph", nb::is_weak_referenceable(),
                    "Launches, copies and fills that are recorded once, and queued as a whole any "
                    "number of times:\n"
                    "Graph(device). It keeps its arrays alive. One thread uses it at a time.")
      .def(nb::new_([](std::shared_ptr<Device> device) {
             auto graph = std::make_shared<Graph>();
             check(sxt_graph_create(device->handle.get(), graph->handle.place()));
             graph->device = std::move(device);
             return graph;
           }),
           nb::arg("device"))
      .def("add", &addLaunch, nb::arg("kernel"), nb::arg("args"), nb::arg("kwargs"),
           "Appends a launch: the kernel, then its arguments. Returns the number of the step.")
      .def("set", &setArgument, nb::arg("step"), nb::arg("argument"), nb::arg("value"),
           "Replaces an argument of a launch, by its number in kernel.parameters or its name.")
      .def("add_copy", &addCopy, nb::arg("destination"), nb::arg("source"),
           "Appends a copy between two sextant.Arrays of one size.")
      .def("add_fill", &addFill, nb::arg("destination"), nb::arg("value"),
           "Appends a fill of a sextant.Array of scalars of 1, 2 or 4 bytes.")
      .def("enqueue", &enqueue, nb::arg("stream") = nb::none(),
           "Queues all steps. Without a stream they go where a call of the kernel would, and on "
           "the CPU it waits.")
      .def("describe", &describeGraph,
           "How the graph runs, as a dictionary: step_count, native, kept_bytes.");
}

} // namespace sextant::python
