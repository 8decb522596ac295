// Launches through the generated header and the embedded module, without exceptions.
#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void expect(bool good, const char *what) {
  if (good)
    return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

/// The value of a call that has to succeed.
template <class T> static T need(sextant::Result<T> result) {
  if (!result)
    expect(false, result.error().message());
  return *std::move(result);
}
static void need(const sextant::Result<void> &result) {
  if (!result)
    expect(false, result.error().message());
}

/// An application's own struct. The kernel reads some of its members.
struct World {
  struct {
    sextant::Array<float> place;
    sextant::Vector<float, 2> speed;
    double mass;
  } body;
  float dt;
};

int main(int count, char **values) {
  const float offset = count > 1 ? static_cast<float>(std::atoi(values[1])) : 1.0f;
  const sextant::Device device = need(sextant::Device::open("cpu"));
  const kernels program = need(kernels::create(device));
  const sextant::Stream stream = device.defaultStream();

  std::vector<float> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
  }
  const auto dx = need(sextant::Array<float>::create(device, x));
  const auto dy = need(sextant::Array<float>::create(device, y));
  need(program.axpy(stream, 2.0f, dx, dy));
  y = need(dy.read());
  for (size_t i = 0; i < x.size(); ++i)
    expect(y[i] == 2 * x[i] + offset + 1.5f, "axpy");

  // Prepared, and as a step of a graph; arguments are replaced by name. Copies and moved-to
  // objects go on with the same program.
  need(dy.write(y));
  auto launch = need(program.axpy.prepare(1.0f, dx, dy));
  need(launch.set_a(3.0f));
  need(launch.enqueue(stream));
  std::vector<float> once = need(dy.read());
  need(dy.write(y));
  kernels copy = program, moved = std::move(copy);
  auto graph = need(sextant::Graph::create(device));
  auto step = need(graph.add(moved.axpy, 1.0f, dx, dy));
  need(step.set_a(3.0f));
  need(graph.enqueue(stream));
  std::vector<float> again = need(dy.read());
  for (size_t i = 0; i < x.size(); ++i)
    expect(once[i] == 3 * x[i] + offset + 3 * y[i] && again[i] == once[i], "prepared, graph");
  expect(!need(need(program.axpy.kernel()).variant()).empty(), "variant");
  expect(copy.axpy(stream, 1.0f, dx, dy).status() == SXT_ERROR_INVALID_ARGUMENT, "moved from");

  std::vector<int32_t> grid(12);
  for (int i = 0; i < 12; ++i)
    grid[static_cast<size_t>(i)] = i;
  const auto matrix = need(sextant::Array<int32_t, 2>::create(device, {3, 4}));
  need(matrix.write(grid));
  expect(need(program.total(stream, matrix)) == 66, "total");

  const auto list = need(sextant::Array<int32_t>::create(device, 12));
  need(list.write(grid));
  need(program.count(stream, list));
  std::vector<int32_t> counts(4);
  need(program.sextantProgram().read("counts", counts));
  expect(counts == std::vector<int32_t>{3, 3, 3, 3}, "count");
  expect(need(program.counts()).size() == 4, "field");

  // A struct of arrays: the application's own, the header's, and members that are replaced.
  const std::vector<float> ones(x.size(), 1.0f);
  const World world{{need(sextant::Array<float>::create(device, ones)), {{1, 10}}, 0.5}, 0.25f};
  need(program.move(stream, world, 2));
  need(program.move(stream, {{world.body.place, {{0, 1}}}, 1.0f}, 1));
  auto moves = need(program.move.prepare(world, 1));
  need(moves.set_world_dt(8.0f));
  need(moves.enqueue(stream));
  const std::vector<float> places = need(world.body.place.read());
  for (size_t i = 0; i < x.size(); ++i)
    expect(places[i] == (i % 2 == 0 ? 1 + 0.5f + 8 : 1 + 5 + 1 + 80), "a struct of arrays");

  // Arrays of structs in one piece, as the header defines them.
  std::vector<kernels::Grain> sand(2);
  for (size_t i = 0; i < sand.size(); ++i) {
    sand[i].kind = static_cast<uint8_t>(255 - i);
    sand[i].spot.on = true;
    sand[i].short_ = static_cast<int16_t>(-300 + static_cast<int>(i));
  }
  const std::vector<kernels::Point> points{{{{1, 2, 3}}, 40}, {{{5, 6, 7}}, 80}};
  const auto dsand = need(sextant::Array<kernels::Grain>::create(device, sand));
  const auto dpoints = need(sextant::Array<kernels::Point, 2>::create(device, {1, 2}));
  need(dpoints.write(points));
  need(program.grow(stream, dsand, dpoints));
  const std::vector<kernels::Grain> grown = need(dsand.read());
  const std::vector<kernels::Point> placed = need(dpoints.read());
  std::vector<kernels::Grain> kept(3);
  need(program.sextantProgram().read("grains", kept));
  for (size_t i = 0; i < 2; ++i) {
    const auto number = static_cast<float>(i);
    expect(grown[i].kind == (i == 0 ? 0 : 255) && grown[i].spot.on, "kind of a struct");
    expect(grown[i].spot.at[1] == -299.5f + number, "inner struct");
    expect(grown[i].turn(1, 2) == (i == 0 ? 40 : 80), "matrix of a struct");
    expect(placed[i].place[2] == static_cast<float>(grown[i].kind), "struct of one type");
    expect(placed[i].place[1] == points[i].place[1], "untouched member");
    expect(kept[i].short_ == 2 * (-300 + static_cast<int>(i)), "field of structs");
  }
  expect(need(program.grains()).size() == 3, "field of structs");

  // A call that fails says so: a result that is not looked at is a warning.
  const sextant::Result<sextant::Device> none = sextant::Device::open("abacus");
  expect(!none && none.status() == SXT_ERROR_NOT_FOUND && *none.error().message(), "no device");
  std::puts("typed: good");
}
