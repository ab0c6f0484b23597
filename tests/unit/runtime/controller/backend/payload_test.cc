#include <cstring>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/controller/kernel_call.h"
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
  REQUIRE(to_kernel_input(kImage, payload, input).ok());
  CHECK(input.rank == 3);
  CHECK(input.dims[0] == 2);
  CHECK(input.dims[1] == 5);
  CHECK(input.dims[2] == 3);
  CHECK(input.bytes == 60);
  CHECK(input.data == reinterpret_cast<const std::uint8_t*>(payload.data()) + 64);

  const std::vector<std::byte> raw(7);
  REQUIRE(to_kernel_input(kRaw, raw, input).ok());
  CHECK(input.rank == 1);
  CHECK(input.dims[0] == 7);
  CHECK(input.bytes == 7);
  REQUIRE(to_kernel_input(kRaw, {}, input).ok());
  CHECK(input.bytes == 0);

  const std::vector<std::byte> fixed(64);
  REQUIRE(to_kernel_input(kFixed, fixed, input).ok());
  CHECK(input.rank == 2);
  CHECK(input.dims[1] == 4);
  CHECK(input.data == reinterpret_cast<const std::uint8_t*>(fixed.data()));
}

TEST_CASE("an absent token is told from an empty one, also where there would be dimensions") {
  woa_input input{};
  const InputPortPlan port{"in", kImage, false, 0, true};
  FiringInput token;
  token.absent = true;
  REQUIRE(to_kernel_input(port, token, input).ok());
  CHECK(input.absent == 1);
  CHECK(input.data == nullptr);
  CHECK(input.rank == 0);
  const auto payload = image(0, 5, 0);
  token = {payload};
  REQUIRE(to_kernel_input(port, token, input).ok());
  CHECK(input.absent == 0);
  CHECK(input.rank == 3);
  token = {};
  CHECK(says(to_kernel_input(port, token, input), "input 'in'"));
}

TEST_CASE("payloads that do not fit their type are refused") {
  woa_input input{};
  const auto refused = [&](const PortType& type, const std::vector<std::byte>& payload, const std::string& text) {
    const Status status = to_kernel_input(type, payload, input);
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
  to_kernel_output(kImage, block, output);
  CHECK(output.data == reinterpret_cast<std::uint8_t*>(block.data()) + 64);
  CHECK(output.capacity == 4096);
  CHECK(output.written == 0);
  std::vector<std::byte> small(kRaw.block_bytes());
  to_kernel_output(kRaw, small, output);
  CHECK(output.data == reinterpret_cast<std::uint8_t*>(small.data()));
  CHECK(output.capacity == 100);
}

// The status for a kernel that wrote these dimensions and bytes.
Status finish(const PortType& type, std::vector<std::uint32_t> dims, std::uint64_t bytes, FiringOutput& result,
              std::vector<std::byte>& block) {
  block.assign(type.block_bytes(), std::byte{0xee});
  result = {block, 0, false};
  woa_output output{};
  to_kernel_output(type, block, output);
  std::copy(dims.begin(), dims.end(), output.dims);
  output.bytes = bytes;
  output.written = 1;
  return finish_output({"out", type, -1}, output, result);
}

TEST_CASE("what a kernel wrote gets its prefix") {
  FiringOutput result;
  std::vector<std::byte> block;
  REQUIRE(finish(kImage, {2, 5, 3}, 60, result, block).ok());
  CHECK(result.written);
  CHECK(result.payload_bytes == 124);
  std::vector<std::byte> prefix = image(2, 5, 0);
  CHECK(std::memcmp(block.data(), prefix.data(), 64) == 0);
  CHECK(block[64] == std::byte{0xee});

  REQUIRE(finish(kRaw, {}, 100, result, block).ok());
  CHECK(result.payload_bytes == 100);
  CHECK(block[0] == std::byte{0xee});
  REQUIRE(finish(kFixed, {2, 4}, 64, result, block).ok());
  CHECK(result.payload_bytes == 64);
}

TEST_CASE("a kernel that breaks its declaration is told so") {
  FiringOutput result;
  std::vector<std::byte> block;
  const auto refused = [&](const PortType& type, std::vector<std::uint32_t> dims, std::uint64_t bytes, Code code) {
    const Status status = finish(type, std::move(dims), bytes, result, block);
    INFO(status.message());
    CHECK(status.code() == code);
    CHECK(says(status, "'out'"));
    CHECK_FALSE(result.written);
  };
  refused(kRaw, {}, 101, Code::kTooLarge);
  refused(kImage, {8, 86, 3}, 8 * 86 * 6, Code::kTooLarge);
  refused(kImage, {9, 1, 3}, 54, Code::kTooLarge);
  refused(kImage, {2, 5, 3}, 59, Code::kBrokenContract);
  refused(kImage, {2, 5, 4}, 80, Code::kBrokenContract);
  refused(kImage, {8, 0xffffffff, 3}, 60, Code::kBrokenContract);
  refused(kFixed, {2, 3}, 48, Code::kBrokenContract);
}

TEST_CASE("an output that was not written stays so") {
  std::vector<std::byte> block(kRaw.block_bytes());
  FiringOutput result{block, 0, false};
  woa_output output{};
  to_kernel_output(kRaw, block, output);
  CHECK(finish_output({"out", kRaw, 0}, output, result).ok());
  CHECK_FALSE(result.written);
}

TEST_CASE("kernel answers are codes") {
  CHECK(to_code(WOA_OK) == Code::kOk);
  CHECK(to_code(WOA_UNAUTHENTIC) == Code::kUnauthentic);
  CHECK(to_code(WOA_TOO_LARGE) == Code::kTooLarge);
}

}  // namespace
}  // namespace woa
