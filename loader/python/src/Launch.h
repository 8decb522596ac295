// Prepared launches.
#pragma once

#include "Arguments.h"
#include "Keeper.h"
#include "Libraries.h"
#include "Program.h"

namespace sextant::python {

/// A launch whose arguments are checked already.
struct Launch {
  std::shared_ptr<Kernel> kernel;
  sxt_kernel *variant = nullptr;
  Owned<sxt_launch, sxt_launch_release> handle;
  Keeper keeper; ///< an object for each argument
  const dlpack::ExchangeApi *library = nullptr;
  std::vector<size_t> varying;
  bool isInUse = false;

  void set(size_t index, nb::handle value);
  void enqueue(nb::handle stream);

private:
  void setOne(size_t index, const sxt_argument &argument);
};

std::shared_ptr<Launch> prepare(std::shared_ptr<Kernel> kernel, nb::args positions,
                                nb::kwargs keywords);

/// The stream for work on prepared arguments that names none.
Stream &streamOf(Device &device, const dlpack::ExchangeApi *library);

} // namespace sextant::python
