#include "runtime/plan/plan.h"

#include "tests/support/catch.h"

namespace woa {
namespace {

TEST_CASE("a port's block holds its dimensions and its data") {
  const PortType raw{.element = "bytes", .dims = {}, .max_bytes = 100};
  CHECK(raw.variable_dims() == 0);
  CHECK(raw.prefix_bytes() == 0);
  CHECK(raw.block_bytes() == 128);

  const PortType image{.element = "u8", .dims = {{"height", 0, 0}, {"width", 0, 0}, {"", 3, 0}}, .max_bytes = 65};
  CHECK(image.variable_dims() == 2);
  CHECK(image.prefix_bytes() == 64);
  CHECK(image.block_bytes() == 64 + 128);
  CHECK(to_string(image) == "u8[height,width,3]");
  CHECK(to_string(raw) == "bytes");

  const PortType fixed{.element = "f64", .dims = {{"", 8, 0}}, .max_bytes = 64};
  CHECK(fixed.prefix_bytes() == 0);
  CHECK(fixed.block_bytes() == 64);
  CHECK(PortType{.element = "bytes", .dims = {}, .max_bytes = 0}.block_bytes() == 64);
}

TEST_CASE("element sizes") {
  CHECK(element_bytes("bytes") == 1);
  CHECK(element_bytes("i8") == 1);
  CHECK(element_bytes("u16") == 2);
  CHECK(element_bytes("f32") == 4);
  CHECK(element_bytes("f64") == 8);
  CHECK(element_bytes("f16") == 0);
  CHECK(element_bytes("") == 0);
}

TEST_CASE("names of controller kinds") {
  CHECK(to_string(ControllerKind::kHost) == "host");
  CHECK(to_string(ControllerKind::kCpu) == "cpu");
  CHECK(to_string(ControllerKind::kGpu) == "gpu");
  CHECK(to_string(ControllerKind::kFpga) == "fpga");
}

}  // namespace
}  // namespace woa
