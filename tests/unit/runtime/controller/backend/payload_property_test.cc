// A kernel sees exactly what the one before it wrote, for any type.
#include <rapidcheck.h>

#include <cstring>
#include <vector>

#include "runtime/controller/port_shape.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

struct Sample {
  PortType type;
  std::vector<std::uint32_t> dims;
  std::uint64_t bytes = 0;
};

Sample any_sample() {
  Sample sample;
  sample.type.element = *rc::gen::element<std::string>("bytes", "u8", "i16", "u32", "f64");
  sample.bytes = element_bytes(sample.type.element);
  if (sample.type.element == "bytes") {
    sample.bytes = *rc::gen::inRange<std::uint64_t>(0, 5000);
  } else {
    const int rank = *rc::gen::inRange(1, 5);
    for (int d = 0; d < rank; ++d) {
      const auto extent = *rc::gen::inRange<std::uint32_t>(0, 9);
      const bool fixed = extent != 0 && *rc::gen::arbitrary<bool>();
      sample.type.dims.push_back(
          {fixed ? "" : "d", fixed ? extent : 0, *rc::gen::element<std::uint32_t>(0, 8, extent)});
      sample.dims.push_back(extent);
      sample.bytes *= extent;
    }
  }
  sample.type.max_bytes = sample.bytes + *rc::gen::inRange<std::uint64_t>(0, 100);
  return sample;
}

TEST_CASE("dimensions and data survive a payload") {
  CHECK(rc::check([] {
    const Sample sample = any_sample();
    std::vector<std::byte> block(sample.type.block_bytes());
    const PortShape shape(sample.type);
    woa_output output{};
    shape.reserve(block.data(), output);
    RC_ASSERT(output.capacity == sample.type.max_bytes);
    const auto data = *rc::gen::container<std::vector<std::uint8_t>>(sample.bytes, rc::gen::arbitrary<std::uint8_t>());
    if (!data.empty()) std::memcpy(output.data, data.data(), data.size());
    std::copy(sample.dims.begin(), sample.dims.end(), output.dims);
    output.bytes = sample.bytes;
    output.written = 1;
    RC_ASSERT(shape.fits(output));
    shape.write_prefix(block.data(), output);
    RC_ASSERT(shape.payload_bytes(output) <= block.size());

    woa_input input{};
    RC_ASSERT(shape.show(std::span<const std::byte>(block).first(shape.payload_bytes(output)), input));
    RC_ASSERT(input.bytes == sample.bytes);
    RC_ASSERT(input.rank == (sample.dims.empty() ? 1U : sample.dims.size()));
    for (std::size_t d = 0; d < sample.dims.size(); ++d) RC_ASSERT(input.dims[d] == sample.dims[d]);
    RC_ASSERT(std::vector<std::uint8_t>(input.data, input.data + input.bytes) == data);
  }));
}

TEST_CASE("any bytes as a payload give a view inside them or are refused") {
  CHECK(rc::check([] {
    const PortType type = any_sample().type;
    const auto bytes = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    const auto payload = std::as_bytes(std::span(bytes));
    woa_input input{};
    const PortShape shape(type);
    if (!shape.show(payload, input)) {
      RC_ASSERT(shape.why_not_shown(payload).code() == Code::kInvalid);
      return;
    }
    RC_ASSERT(type.prefix_bytes() + input.bytes == payload.size());
    std::uint64_t product = element_bytes(type.element);
    for (std::uint32_t d = 0; d < input.rank; ++d) product *= input.dims[d];
    RC_ASSERT(product == input.bytes);
  }));
}

}  // namespace
}  // namespace woa
