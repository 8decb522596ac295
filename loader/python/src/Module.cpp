// Modules and programs: opening, and what they say of themselves.
#include "Arguments.h"
#include "Array.h"
#include "Program.h"

#include <cstring>

namespace sextant::python {

size_t Module::kernelCount() const {
  size_t count = 0;
  check(sxt_module_kernel_count(handle.get(), &count));
  return count;
}

std::shared_ptr<const Signature> Module::signature(size_t kernel) {
  if (signatures.empty())
    signatures.resize(kernelCount());
  if (!signatures[kernel])
    signatures[kernel] = std::make_shared<const Signature>(handle.get(), kernel);
  return signatures[kernel];
}

namespace {

std::vector<sxt_public_key> keysFrom(nb::handle given) {
  std::vector<sxt_public_key> keys;
  if (PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()))
    raise(SXT_ERROR_SIGNATURE, "public_keys: expected a list of keys, given one %s",
          typeName(given).c_str());
  for (nb::handle each : given) {
    nb::object bytes = nb::borrow(each);
    if (PyUnicode_Check(each.ptr())) {
      bytes = nb::steal(PyObject_CallMethod(reinterpret_cast<PyObject *>(&PyBytes_Type), "fromhex",
                                            "O", each.ptr()));
      if (!bytes.is_valid())
        clearMismatch();
    }
    sxt_public_key key;
    if (!bytes.is_valid() || !PyBytes_Check(bytes.ptr()) ||
        PyBytes_Size(bytes.ptr()) != sizeof key.bytes)
      raise(SXT_ERROR_INVALID_ARGUMENT,
            "a public key is 32 bytes, or 64 hexadecimal digits, as `sextant keygen` prints it; "
            "given %s",
            shown(each).c_str());
    std::memcpy(key.bytes, PyBytes_AsString(bytes.ptr()), sizeof key.bytes);
    keys.push_back(key);
  }
  return keys;
}

/// \param source a path, or an object with the module's bytes
std::shared_ptr<Module> openModule(nb::object source, nb::object publicKeys) {
  auto module = std::make_shared<Module>();
  std::vector<sxt_public_key> keys;
  auto options = sized<sxt_module_options>();
  if (!publicKeys.is_none()) {
    keys = keysFrom(publicKeys);
    if (keys.empty())
      raise(SXT_ERROR_INVALID_ARGUMENT,
            "public_keys is empty: give the keys that are trusted, or None");
    options.public_keys = keys.data();
    options.public_key_count = keys.size();
  }
  if (PyObject_CheckBuffer(source.ptr())) {
    if (PyObject_GetBuffer(source.ptr(), &module->memory, PyBUF_SIMPLE) != 0)
      throw nb::python_error();
    unlocked([&] {
      return sxt_module_open_memory_with(module->memory.buf, size_t(module->memory.len), &options,
                                         module->handle.place());
    });
    return module;
  }
  PyObject *encoded = nullptr; // str, bytes and os.PathLike
  if (!PyUnicode_FSConverter(source.ptr(), &encoded))
    throw nb::python_error();
  const nb::object path = nb::steal(encoded);
  unlocked([&] {
    return sxt_module_open_file_with(PyBytes_AsString(path.ptr()), &options,
                                     module->handle.place());
  });
  return module;
}

/// A program, with the kernels that were asked for.
struct Program {
  std::shared_ptr<LoadedProgram> loaded;
  nb::dict kernels; ///< found by the names that were asked for

  nb::object kernel(nb::str name) {
    if (PyObject *known = PyDict_GetItemWithError(kernels.ptr(), name.ptr()))
      return nb::borrow(known);
    if (PyErr_Occurred())
      throw nb::python_error();
    nb::object made = nb::cast(openKernel(loaded, stringFrom(name, "the kernel's name")));
    kernels[name] = made;
    return made;
  }
};

std::shared_ptr<Program> makeProgram(std::shared_ptr<Module> module, nb::object device,
                                     nb::object variant, nb::object blocked, nb::object wave,
                                     nb::object preferences) {
  auto program = std::make_shared<Program>();
  program->loaded = std::make_shared<LoadedProgram>();
  LoadedProgram &loaded = *program->loaded;
  loaded.module = module;
  if (device.is_none()) {
    sxt_device *opened = nullptr;
    unlockedQuietly([&] { return sxt_device_open_for(module->handle.get(), &opened); });
    loaded.device = std::make_shared<Device>(opened);
  } else if (PyUnicode_Check(device.ptr())) {
    loaded.device = Device::open(stringFrom(device, "device").c_str());
  } else if (!nb::try_cast(device, loaded.device, false)) {
    raise(SXT_ERROR_SIGNATURE, "device: expected a sextant.Device, its name or None, given %s",
          typeName(device).c_str());
  }
  auto options = sized<sxt_program_options>();
  std::string variantText, blockedText, preferencesPath;
  options.variant = stringFrom(variant, "variant", variantText);
  options.blocked = stringFrom(blocked, "blocked", blockedText);
  options.preferences = stringFrom(preferences, "preferences", preferencesPath);
  options.wave = uint32_t(unsignedFrom(wave, "wave", 32));
  unlocked([&] {
    return sxt_program_create(module->handle.get(), loaded.device->handle.get(), &options,
                              loaded.handle.place());
  });
  size_t fields = 0;
  check(sxt_module_global_count(module->handle.get(), &fields));
  loaded.usesFields = fields > 0;
  return program;
}

nb::tuple kernelNames(Module &module) {
  nb::list names;
  for (size_t i = 0; i < module.kernelCount(); ++i)
    names.append(module.signature(i)->kernel);
  return nb::tuple(names);
}

nb::tuple fieldNames(Module &module) {
  size_t count = 0;
  check(sxt_module_global_count(module.handle.get(), &count));
  nb::list names;
  for (size_t i = 0; i < count; ++i) {
    auto info = sized<sxt_global_info>();
    check(sxt_module_global(module.handle.get(), i, &info));
    names.append(info.name);
  }
  return nb::tuple(names);
}

nb::list verdicts(Program &program, nb::str given) {
  const std::string kernel = stringFrom(given, "the kernel's name");
  sxt_program *handle = program.loaded->open();
  size_t count = 0;
  check(sxt_program_verdict_count(handle, kernel.c_str(), &count));
  nb::list all;
  for (size_t i = 0; i < count; ++i) {
    auto verdict = sized<sxt_verdict>();
    check(sxt_program_verdict(handle, kernel.c_str(), i, &verdict));
    nb::dict facts;
    facts["target"] = verdict.target;
    facts["usable"] = verdict.usable != 0;
    facts["selected"] = verdict.selected != 0;
    facts["reason"] = verdict.reason;
    all.append(facts);
  }
  return all;
}

nb::object explain(Program &program, nb::object kernel) {
  sxt_program *handle = program.loaded->open();
  const auto one = [&](const std::string &name) {
    const char *text = nullptr;
    check(sxt_program_explain(handle, name.c_str(), &text));
    return std::string(text);
  };
  if (!kernel.is_none())
    return nb::cast(one(stringFrom(kernel, "the kernel's name")));
  std::string all;
  for (nb::handle name : kernelNames(*program.loaded->module)) {
    const auto text = nb::cast<std::string>(name);
    all += text + ":\n" + one(text);
    if (all.back() != '\n')
      all += '\n';
  }
  return nb::cast(all);
}

nb::object kernelAsAttribute(Program &self, nb::str name) {
  if (stringFrom(name, "name").rfind("__", 0) == 0) { // Python asks for its own names
    PyErr_SetObject(PyExc_AttributeError, name.ptr());
    throw nb::python_error();
  }
  return asAttribute([&] { return self.kernel(name); });
}

void seedProgram(Program &self, nb::handle given, nb::object stream) {
  const auto seed = uint32_t(unsignedFrom(given, "seed", 32));
  sxt_program *program = self.loaded->open();
  Stream *in = streamFrom(*self.loaded->device, stream);
  unlocked([&] { return sxt_program_seed(program, seed, in ? in->handle : nullptr); });
}

void closeProgram(Program &self) {
  self.loaded->isClosed = true;
  self.kernels.clear();
}

/// The kernels stand beside what every object has.
nb::list namesIn(Program &self) {
  nb::list names(nb::handle(reinterpret_cast<PyObject *>(&PyBaseObject_Type))
                     .attr("__dir__")(nb::cast(&self)));
  for (nb::handle name : kernelNames(*self.loaded->module))
    names.append(name);
  return names;
}

} // namespace

static void bindModule(nb::module_ &module) {
  nb::class_<Module>(
      module, "Module",
      "An opened module, on no device: `Module(\"app.sxt\")`, or of bytes.\n\n"
      "public_keys: if given, only an unaltered module that one of these keys signed is accepted;\n"
      "each is 32 bytes or 64 hexadecimal digits.")
      .def(nb::new_(&openModule), nb::arg("source").none(), nb::arg("public_keys") = nb::none())
      .def_prop_ro("kernels", &kernelNames, "The names of the kernels.")
      .def_prop_ro("fields", &fieldNames, "The names of the fields.")
      .def("attachment", &attachmentOf, nb::arg("name"),
           "Returns the bytes that `sextant compile --attach` put into the module under a name.");
}

static void bindProgram(nb::module_ &module) {
  nb::class_<Program>(module, "Program", nb::is_weak_referenceable(),
                      "A module on a device. Kernels are attributes: `program.saxpy(…)`, or "
                      "`program[\"saxpy\"](…)`.")
      .def(nb::new_(&makeProgram), nb::arg("module"), nb::arg("device") = nb::none(),
           nb::arg("variant") = nb::none(), nb::arg("blocked") = nb::none(), nb::arg("wave") = 0,
           nb::arg("preferences") = nb::none())
      .def("kernel", &Program::kernel, nb::arg("name"),
           "Returns a kernel. The first call chooses and loads its variant.")
      .def("__getitem__", &Program::kernel, nb::arg("name"))
      .def("__getattr__", &kernelAsAttribute)
      .def(
          "field", [](Program &self, nb::str name) { return fieldOf(self.loaded, name); },
          nb::arg("name"),
          "Returns a field of the kernel file as an array, which shares its memory.")
      .def(
          "bind",
          [](Program &self, nb::str name, const Pointer *memory) {
            bindField(*self.loaded, name, memory);
          },
          nb::arg("name"), nb::arg("memory").none(),
          "Moves a field into memory of yours, a Pointer with as many scalars: kernels use it from "
          "the next\n"
          "launch on, and its bytes are the field's value. None: back into memory of the program, "
          "zero. The\n"
          "Pointer's owner is kept alive. No other thread may use the program during the call.")
      .def_prop_ro(
          "kernels", [](Program &self) { return kernelNames(*self.loaded->module); },
          "The names of the kernels.")
      .def_prop_ro(
          "fields", [](Program &self) { return fieldNames(*self.loaded->module); },
          "The names of the fields.")
      .def_prop_ro(
          "device", [](Program &self) { return self.loaded->device; }, "The device.")
      .def_prop_ro(
          "module", [](Program &self) { return self.loaded->module; }, "The module.")
      .def("explain", &explain, nb::arg("kernel") = nb::none(),
           "Says which variant of the kernel, or of each kernel, runs here, and why the others do "
           "not.")
      .def("verdicts", &verdicts, nb::arg("kernel"),
           "The same for one kernel as dictionaries: target, usable, selected, reason.")
      .def("seed", &seedProgram, nb::arg("seed"), nb::arg("stream") = nb::none(),
           "Sets what `qd.random` draws from, after the work that is in the stream already.")
      .def(
          "close", &closeProgram,
          "Ends the program: later calls raise. Its memory goes with the last kernel or field that "
          "is in use.")
      .def("__enter__", [](nb::object self) { return self; })
      .def(
          "__exit__",
          [](Program &self, nb::args) {
            self.loaded->device->synchronize();
            closeProgram(self);
          },
          "Waits for the device, then closes the program.")
      .def("__dir__", &namesIn);
}

void bindModules(nb::module_ &module) {
  bindModule(module);
  bindProgram(module);
}

} // namespace sextant::python
