// Streams and events.
#include "tests/loader/contract/Contract.h"

#include <memory>

using namespace sextant;
using namespace sextant::test;

TEST_CASE("streams and events", "[runs]") {
  Fixture f;
  Stream first = f.device.createStream(), second = f.device.createStream();
  Event begin(f.device), done(f.device);
  Array<int> x(f.device, 1 << 16);
  x.clear(first.get());
  Kernel bump = f.program.kernel("bump");
  begin.record(first);
  for (int i = 0; i < 50; ++i)
    bump(first, x);
  done.record(first);
  second.wait(done);
  for (int i = 0; i < 50; ++i)
    bump(second, x);
  second.synchronize();
  CHECK(done.ready());
  CHECK(done.since(begin) >= 0.0);
  CHECK(x.read() == std::vector<int>(1 << 16, 100));
}

TEST_CASE("an event that recorded nothing") {
  Fixture f;
  Event never(f.device), now(f.device);
  CHECK(never.ready());
  never.synchronize();
  f.stream.wait(never);
  now.record(f.stream);
  CHECK(failureOf([&] { now.since(never); }).first == SXT_ERROR_INVALID_ARGUMENT);
  now.synchronize();
  CHECK(now.ready());
  CHECK(now.since(now) == 0.0);
}

TEST_CASE("a stream that waits for an event goes on waiting when another records it again",
          "[runs]") {
  Fixture f;
  Stream works = f.device.createStream(), waits = f.device.createStream(),
         idles = f.device.createStream();
  Event event(f.device);
  Array<int> x(f.device, 1 << 16), copy(f.device, 1 << 16);
  Kernel bump = f.program.kernel("bump");
  x.clear(works.get());
  for (int round = 1; round <= 4; ++round) {
    for (int i = 0; i < 10; ++i)
      bump(works, x);
    event.record(works);
    waits.wait(event);
    event.record(idles); // which has nothing to do
    check(sxt_buffer_copy(copy.buffer().get(), 0, x.buffer().get(), 0, 4 << 16, waits.get()));
    CHECK(copy.read(waits.get()) == std::vector<int>(1 << 16, 10 * round));
    event.synchronize();
    CHECK(event.ready());
  }
}

TEST_CASE("everything may be released while work is queued, in any order") {
  for (bool streamFirst : {true, false}) {
    auto f = std::make_unique<Fixture>();
    auto stream = std::make_unique<Stream>(f->device.createStream());
    auto event = std::make_unique<Event>(f->device);
    auto x = std::make_unique<Array<int>>(f->device, 1 << 16);
    for (int i = 0; i < 20; ++i)
      f->program.kernel("bump")(*stream, *x);
    event->record(*stream);
    if (streamFirst) {
      stream.reset();
      event.reset();
      x.reset();
      f.reset();
    } else {
      x.reset();
      f.reset();
      event.reset();
      stream.reset();
    }
  }
}

TEST_CASE("the driver's stream") {
  Fixture f;
  CHECK((f.device.createStream().native() != nullptr) == f.subject().hasNativeStreams);
}
