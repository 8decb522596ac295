// Prepared launches.
#pragma once

#include "Arguments.h"
#include "Keeper.h"
#include "Libraries.h"
#include "Program.h"

namespace sextant::python {

/// The stream for work on prepared arguments that names none: the current one of the library that
/// the arrays are of, or the device's default one.
Stream &streamOf(Device &device, const dlpack::ExchangeApi *library);

/// A launch whose arguments are checked already.
struct Launch {
  std::shared_ptr<Kernel> kernel;
  Owned<sxt_launch, sxt_launch_release> handle;
  Keeper keeper; ///< an object for each argument
  const dlpack::ExchangeApi *library = nullptr;
  std::vector<size_t> varying;
  Brief brief;
  uint64_t work = 1; ///< counts the changes on which the length of the work may depend
  bool isInUse = false;

  void set(size_t index, nb::handle value);
  void enqueue(nb::handle stream);

private:
  void setOne(size_t index, const sxt_argument &argument);
};

std::shared_ptr<Launch> prepare(std::shared_ptr<Kernel> kernel, nb::args positions,
                                nb::kwargs keywords);

/// Queues prepared work, where a call would queue it, and waits for it where a call would.
/// \param library whose current stream the work goes to if no stream is given; may be null
/// \param given the stream that the call named, or null
/// \param work as Brief has it
template <class Queue>
void queuePrepared(Device &device, const dlpack::ExchangeApi *library, Stream *given,
                   bool usesOwnMemory, Keeper &keeper, Brief &brief, uint64_t work, Queue queue) {
  Stream &theirs = streamOf(device, library);
  Stream &used = given ? *given : theirs;
  if (&used != &theirs && library)
    order(device, theirs, used);
  if (!given && usesOwnMemory)
    device.follow(used);
  unlockedQuietly([&] { return queue(used.handle); });
  if (!(library && &used == &theirs)) // libraries free memory in the order of their stream
    keeper.note(used);
  if (!given && device.family == Device::Cpu)
    brief.wait(work, [&](bool isBrief) {
      if (isBrief)
        unlocked([&] { return sxt_stream_synchronize(used.handle); });
      else
        used.synchronize();
    });
  deliverPrints();
}

} // namespace sextant::python
