#include <cstring>
#include <string>
#include <vector>

#include "runtime/controller/kernel_call.h"
#include "runtime/controller/port_shape.h"
#include "tests/support/catch.h"
#include "tests/support/says.h"

namespace woa {
namespace {

using test::says;

const PortType kImage{.element = "u16", .dims = {{"height", 0, 8}, {"width", 0, 0}, {"", 3, 0}}, .max_bytes = 4096};
const PortType kRaw{.element = "bytes", .dims = {}, .max_bytes = 100};
const PortType kFixed{.element = "f64", .dims = {{"", 2, 0}, {"", 4, 0}}, .max_bytes = 64};

std::vector<std::byte> image(std::uint32_t height, std::uint32_t width, std::size_t data_bytes) {
  std::vector<std::byte> payload(64 + data_bytes);
  std::memcpy(payload.data(), &height, sizeof height);
  std::memcpy(payload.data() + 4, &width, sizeof width);
  return payload;
}

TEST_CASE("a kernel sees the dimensions and the data behind them") {
  const auto payload = image(2, 5, 60);
  woa_input input{};
  REQUIRE(PortShape(kImage).show(payload, input));
  CHECK(input.rank == 3);
  CHECK(input.dims[0] == 2);
  CHECK(input.dims[1] == 5);
  CHECK(input.dims[2] == 3);
  CHECK(input.bytes == 60);
  CHECK(input.data == reinterpret_cast<const std::uint8_t*>(payload.data()) + 64);

  const std::vector<std::byte> raw(7);
  REQUIRE(PortShape(kRaw).show(raw, input));
  CHECK(input.rank == 1);
  CHECK(input.dims[0] == 7);
  CHECK(input.bytes == 7);
  REQUIRE(PortShape(kRaw).show({}, input));
  CHECK(input.bytes == 0);

  const std::vector<std::byte> fixed(64);
  REQUIRE(PortShape(kFixed).show(fixed, input));
  CHECK(input.rank == 2);
  CHECK(input.dims[1] == 4);
  CHECK(input.data == reinterpret_cast<const std::uint8_t*>(fixed.data()));
}

TEST_CASE("payloads that do not fit their type are refused") {
  woa_input input{};
  const auto refused = [&](const PortType& type, const std::vector<std::byte>& payload, const std::string& text) {
    const PortShape shape(type);
    CHECK_FALSE(shape.show(payload, input));
    const Status status = shape.why_not_shown(payload);
    INFO(status.message());
    CHECK(status.code() == Code::kInvalid);
    CHECK(says(status, text));
  };
  refused(kImage, std::vector<std::byte>(63), "shorter");
  refused(kImage, image(2, 5, 59), "u16[2,5,3]");
  refused(kImage, image(2, 5, 66), "u16[2,5,3], 60 bytes");
  refused(kImage, image(9, 1, 54), "dimension 'height'");
  refused(kImage, image(8, 86, 8 * 86 * 6), "bound of 4096");
  refused(kImage, image(0xffffffff, 0xffffffff, 0), "u16[4294967295,4294967295,3]");
  refused(kRaw, std::vector<std::byte>(101), "bound of 100");
  refused(kFixed, std::vector<std::byte>(56), "expected f64[2,4], 64 bytes");
}

TEST_CASE("a kernel gets the room behind the prefix, at most its bound") {
  std::vector<std::byte> block(kImage.block_bytes());
  woa_output output{};
  output.written = 1;
  PortShape(kImage).reserve(block.data(), output);
  CHECK(output.data == reinterpret_cast<std::uint8_t*>(block.data()) + 64);
  CHECK(output.capacity == 4096);
  CHECK(output.written == 0);
  std::vector<std::byte> small(kRaw.block_bytes());
  PortShape(kRaw).reserve(small.data(), output);
  CHECK(output.data == reinterpret_cast<std::uint8_t*>(small.data()));
  CHECK(output.capacity == 100);
}

// What a kernel wrote: these dimensions and bytes.
woa_output written(const PortType& type, const std::vector<std::uint32_t>& dims, std::uint64_t bytes,
                   std::vector<std::byte>& block) {
  block.assign(type.block_bytes(), std::byte{0xee});
  woa_output output{};
  PortShape(type).reserve(block.data(), output);
  std::copy(dims.begin(), dims.end(), output.dims);
  output.bytes = bytes;
  output.written = 1;
  return output;
}

TEST_CASE("what a kernel wrote gets its prefix") {
  std::vector<std::byte> block;
  const auto finish = [&](const PortType& type, const std::vector<std::uint32_t>& dims, std::uint64_t bytes) {
    const PortShape shape(type);
    const woa_output output = written(type, dims, bytes, block);
    REQUIRE(shape.fits(output));
    shape.write_prefix(block.data(), output);
    return shape.payload_bytes(output);
  };
  CHECK(finish(kImage, {2, 5, 3}, 60) == 124);
  std::vector<std::byte> prefix = image(2, 5, 0);
  CHECK(std::memcmp(block.data(), prefix.data(), 64) == 0);
  CHECK(block[64] == std::byte{0xee});

  CHECK(finish(kRaw, {}, 100) == 100);
  CHECK(block[0] == std::byte{0xee});
  CHECK(finish(kFixed, {2, 4}, 64) == 64);
  CHECK(block[0] == std::byte{0xee});
}

TEST_CASE("a kernel that breaks its declaration is told so") {
  std::vector<std::byte> block;
  const auto refused = [&](const PortType& type, const std::vector<std::uint32_t>& dims, std::uint64_t bytes,
                           Code code) {
    const PortShape shape(type);
    const woa_output output = written(type, dims, bytes, block);
    CHECK_FALSE(shape.fits(output));
    const Status status = shape.why_unfit("out", output);
    INFO(status.message());
    CHECK(status.code() == code);
    CHECK(says(status, "'out'"));
  };
  refused(kRaw, {}, 101, Code::kTooLarge);
  refused(kImage, {8, 86, 3}, 8 * 86 * 6, Code::kTooLarge);
  refused(kImage, {9, 1, 3}, 54, Code::kTooLarge);
  refused(kImage, {2, 5, 3}, 59, Code::kBrokenContract);
  refused(kImage, {2, 5, 4}, 80, Code::kBrokenContract);
  refused(kImage, {8, 0xffffffff, 3}, 60, Code::kBrokenContract);
  refused(kFixed, {2, 3}, 48, Code::kBrokenContract);
}

TEST_CASE("kernel answers are codes") {
  CHECK(to_code(WOA_OK) == Code::kOk);
  CHECK(to_code(WOA_UNAUTHENTIC) == Code::kUnauthentic);
  CHECK(to_code(WOA_TOO_LARGE) == Code::kTooLarge);
}

}  // namespace
}  // namespace woa
