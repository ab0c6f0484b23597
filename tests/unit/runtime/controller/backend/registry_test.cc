#include "runtime/controller/backend.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

BackendFactory named(const std::string& name) {
  return {.name = name, .kind = ControllerKind::kCpu, .probe = {}, .make = {}};
}

TEST_CASE("backends are found by name, and a name is taken once") {
  BackendRegistry registry;
  CHECK(registry.find("cpu") == nullptr);
  REQUIRE(registry.add(named("cpu")).ok());
  REQUIRE(registry.add(named("opencl")).ok());
  REQUIRE(registry.find("opencl") != nullptr);
  CHECK(registry.find("opencl")->name == "opencl");
  CHECK(registry.all().size() == 2);
  const Status twice = registry.add(named("cpu"));
  CHECK(twice.code() == Code::kInvalid);
  CHECK(twice.message().find("cpu") != std::string::npos);
  CHECK(registry.all().size() == 2);
}

}  // namespace
}  // namespace woa
