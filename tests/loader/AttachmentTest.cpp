// The bytes that a module carries for its user, through the C and the C++ API.
#include "TestModule.h"
#include "sextant/sextant.hpp"

#include <algorithm>
#include <cstring>

using namespace sextant;
using namespace sextant::test;

namespace {

/// A module without kernels and with attachments.
std::vector<std::byte> attachedModule() {
  packager::ModuleBuilder builder("sextant", "");
  const std::string text = "{\"steps\": 3}";
  REQUIRE(builder.attach("scene.json", std::as_bytes(std::span(text))).ok());
  REQUIRE(builder.attach("zeros", std::vector<std::byte>(1 << 20)).ok());
  REQUIRE(builder.attach("nothing", {}).ok());
  return *builder.build();
}

} // namespace

TEST_CASE("an attachment is the module's, and the same each time") {
  const std::vector<std::byte> bytes = attachedModule();
  CHECK(bytes.size() < 4096);
  sxt_module *module = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  const void *data = nullptr, *again = nullptr;
  size_t size = 0;
  need(sxt_module_attachment(module, "scene.json", &data, &size));
  CHECK(std::string(static_cast<const char *>(data), size) == "{\"steps\": 3}");
  const void *zeros = nullptr;
  need(sxt_module_attachment(module, "zeros", &zeros, &size));
  REQUIRE(size == 1 << 20);
  const auto *begin = static_cast<const char *>(zeros);
  CHECK(std::all_of(begin, begin + size, [](char one) { return one == 0; }));
  need(sxt_module_attachment(module, "scene.json", &again, &size));
  CHECK(again == data);
  need(sxt_module_attachment(module, "nothing", &again, &size));
  CHECK(size == 0);
  CHECK(sxt_module_attachment(module, "scene", &again, &size) == SXT_ERROR_NOT_FOUND);
  CHECK(message() == "the module has no attachment 'scene'; it has nothing, scene.json, zeros");
  CHECK(sxt_module_attachment(nullptr, "scene", &again, &size) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_attachment(module, nullptr, &again, &size) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_attachment(module, "zeros", nullptr, &size) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_module_attachment(module, "zeros", &again, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_module_release(module);
}

TEST_CASE("the C++ wrapper returns an attachment as a span") {
  const std::vector<std::byte> bytes = attachedModule();
  auto module = Module::fromMemory(bytes.data(), bytes.size());
  REQUIRE(module);
  const auto scene = module->attachment("scene.json");
  REQUIRE(scene);
  CHECK(std::string(scene->data(), scene->data() + scene->size()) == "{\"steps\": 3}");
  CHECK(module->attachment("nothing")->size() == 0);
  CHECK(module->attachment("scene").error().status() == SXT_ERROR_NOT_FOUND);
}
