#include "runtime/plan/backends.h"

#include <set>

#include "runtime/plan/plan.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

TEST_CASE("back-ends have names of their own, and each but the host's runs a variant") {
  std::set<std::string_view> names;
  for (const KnownBackend& backend : kBackends) {
    CHECK(names.insert(backend.name).second);
    CHECK(find_backend(backend.name) == &backend);
    CHECK(variant_of(backend.name) == backend.variant);
    CHECK(backend.variant.empty() == (backend.kind == ControllerKind::kHost));
  }
}

TEST_CASE("each kind has a default, the first of its back-ends") {
  CHECK(default_backend(ControllerKind::kHost).name == "host");
  CHECK(default_backend(ControllerKind::kCpu).name == "cpu");
  CHECK(default_backend(ControllerKind::kGpu).name == "opencl");
  CHECK(find_backend("cuda")->kind == ControllerKind::kGpu);
  CHECK(default_backend(ControllerKind::kFpga).name == "verilator");
  CHECK(find_backend("xrt")->kind == ControllerKind::kFpga);
  for (const KnownBackend& backend : kBackends) CHECK(&default_backend(backend.kind) <= &backend);
}

TEST_CASE("a name that the table lacks has no row and no variant") {
  CHECK(find_backend("function") == nullptr);
  CHECK(find_backend("") == nullptr);
  CHECK(variant_of("function").empty());
}

TEST_CASE("a controller gets its back-end's traits; one made by hand of an unknown back-end, the host's") {
  const ControllerPlan fpga = make_controller("fpga:3", *find_backend("verilator"));
  CHECK(fpga ==
        ControllerPlan{"fpga:3", ControllerKind::kFpga, "verilator", 1, {.writes_packets = true, .joins = true}});
  CHECK(fpga.traits.headers() == HeaderWriter::kDevice);
  CHECK(make_controller("cpu:0", *find_backend("cpu"), 7).workers == 7);
  const ControllerPlan by_hand{"cpu:0", ControllerKind::kCpu, "function", 1};
  CHECK(by_hand.traits == find_backend("cpu")->traits);
  CHECK(by_hand.traits.headers() == HeaderWriter::kHost);
}

TEST_CASE("names of who writes and who publishes") {
  CHECK(to_string(HeaderWriter::kHost) == "host");
  CHECK(to_string(HeaderWriter::kDevice) == "device");
  CHECK(to_string(Publisher::kHost) == "host");
  CHECK(to_string(Publisher::kQueue) == "queue");
  CHECK(to_string(Publisher::kWorker) == "worker");
}

}  // namespace
}  // namespace woa
