// Memory of the application: fields of a program that lie in it, and what a module carries for it.
#include "Arguments.h"
#include "Program.h"

namespace sextant::python {

nb::bytes attachmentOf(Module &module, nb::str given) {
  const std::string name = stringFrom(given, "name");
  const void *data = nullptr;
  size_t size = 0;
  unlocked([&] { return sxt_module_attachment(module.handle.get(), name.c_str(), &data, &size); });
  return nb::bytes(data, size);
}

void bindField(LoadedProgram &loaded, nb::str given, const Pointer *pointer) {
  const std::string name = stringFrom(given, "name");
  sxt_program *program = loaded.open();
  if (!pointer) {
    unlockedQuietly([&] { return sxt_program_global_bind(program, name.c_str(), nullptr, 0); });
    loaded.bound.erase(name);
    return deliverPrints();
  }
  const uint64_t bytes = bytesOf(pointer->dtype, pointer->full);
  BoundField field;
  check(
      sxt_buffer_wrap(loaded.device->handle.get(), pointer->address, bytes, field.buffer.place()));
  unlockedQuietly(
      [&] { return sxt_program_global_bind(program, name.c_str(), field.buffer.get(), 0); });
  field.owner = pointer->owner;
  loaded.bound[name] = std::move(field);
  deliverPrints();
}

} // namespace sextant::python
