// Tokens as kernels see them: the dimension prefix is read and written here and nowhere else.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "runtime/base/text.h"
#include "runtime/controller/backend.h"

namespace woa {
namespace {

static_assert(std::endian::native == std::endian::little, "dimensions are little-endian in a payload");

std::string describe(const PortType& type, std::span<const std::uint32_t> dims) {
  std::string text = type.element + "[";
  for (const std::uint32_t dim : dims) text.append(std::to_string(dim)).append(",");
  text.back() = ']';
  return text;
}

constexpr std::uint64_t kNoBytes = std::numeric_limits<std::uint64_t>::max();

// Bytes of data with these dimensions, or kNoBytes if that does not fit 64 bits.
std::uint64_t data_bytes(const PortType& type, std::span<const std::uint32_t> dims) noexcept {
  std::uint64_t bytes = element_bytes(type.element);
  for (const std::uint32_t dim : dims) {
    if (__builtin_mul_overflow(bytes, std::uint64_t{dim}, &bytes)) return kNoBytes;
  }
  return bytes;
}

// The first dimension beyond its declared bound, or null.
const Dimension* beyond_bound(const PortType& type, std::span<const std::uint32_t> dims) noexcept {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (type.dims[i].size == 0 && type.dims[i].max != 0 && dims[i] > type.dims[i].max) return &type.dims[i];
  }
  return nullptr;
}

void read_dims(const PortType& type, std::span<const std::byte> payload, woa_input& input) noexcept {
  const std::byte* variable = payload.data();
  input.rank = static_cast<std::uint32_t>(type.dims.size());
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    input.dims[i] = type.dims[i].size;
    if (type.dims[i].size != 0) continue;
    std::memcpy(&input.dims[i], variable, sizeof input.dims[i]);
    variable += sizeof input.dims[i];
  }
}

void write_dims(const PortType& type, const woa_output& output, std::span<std::byte> prefix) noexcept {
  std::array<std::uint32_t, kPayloadAlignment / sizeof(std::uint32_t)> words{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i].size == 0) words[next++] = output.dims[i];
  }
  std::memcpy(prefix.data(), words.data(), prefix.size());
}

Status check_dims(const OutputPortPlan& port, const woa_output& output) {
  const PortType& type = port.type;
  const std::span dims(output.dims, type.dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (type.dims[i].size != 0 && dims[i] != type.dims[i].size) {
      return {Code::kBrokenContract, "output '" + port.name + "': the kernel wrote " + describe(type, dims) +
                                         " where " + to_string(type) + " is declared"};
    }
  }
  if (const Dimension* dim = beyond_bound(type, dims)) {
    return {Code::kTooLarge, "output '" + port.name + "': " + describe(type, dims) + " is beyond the bound " +
                                 std::to_string(dim->max) + " of dimension '" + dim->name + "'"};
  }
  if (data_bytes(type, dims) != output.bytes) {
    return {Code::kBrokenContract, "output '" + port.name + "': the kernel wrote " + counted(output.bytes, "byte") +
                                       ", which is not " + describe(type, dims)};
  }
  return {};
}

}  // namespace

Status to_kernel_input(const PortType& type, std::span<const std::byte> payload, woa_input& input) noexcept {
  const std::uint64_t prefix = type.prefix_bytes();
  if (payload.size() < prefix) {
    return {Code::kInvalid, "a payload of " + counted(payload.size(), "byte") + " is shorter than the dimensions of " +
                                to_string(type) + ", which take " + std::to_string(prefix)};
  }
  input.bytes = payload.size() - prefix;
  input.data = reinterpret_cast<const std::uint8_t*>(payload.data() + prefix);
  if (type.max_bytes != 0 && input.bytes > type.max_bytes) {
    return {Code::kInvalid, "a token of " + counted(input.bytes, "byte") + " exceeds the input's bound of " +
                                std::to_string(type.max_bytes) + "; set a larger `max` of this port at its stage"};
  }
  if (type.dims.empty()) {
    input.rank = 1;
    input.dims[0] = static_cast<std::uint32_t>(std::min<std::uint64_t>(input.bytes, ~0U));
    return {};
  }
  read_dims(type, payload, input);
  const std::span dims(input.dims, input.rank);
  if (data_bytes(type, dims) != input.bytes) {
    const std::uint64_t expected = data_bytes(type, dims);
    const std::string stated = type.variable_dims() == 0 ? "expected " : "its dimensions say ";
    return {Code::kInvalid, "a token of " + counted(input.bytes, "byte") + " of data was found; " + stated +
                                describe(type, dims) + (expected == kNoBytes ? "" : ", " + counted(expected, "byte"))};
  }
  if (const Dimension* dim = beyond_bound(type, dims)) {
    return {Code::kInvalid, "a token of " + describe(type, dims) + " is beyond the bound " + std::to_string(dim->max) +
                                " of dimension '" + dim->name + "'"};
  }
  return {};
}

Status to_kernel_input(const InputPortPlan& port, const FiringInput& token, woa_input& input) noexcept {
  input = {};
  if (token.absent) {
    input.absent = 1;
    return {};
  }
  Status status = to_kernel_input(port.type, token.payload, input);
  return status.ok() ? status : status.with_context("input '" + port.name + "'");
}

void to_kernel_output(const PortType& type, std::span<std::byte> block, woa_output& output) noexcept {
  const std::span<std::byte> data = block.subspan(std::min<std::size_t>(type.prefix_bytes(), block.size()));
  output = {};
  output.data = reinterpret_cast<std::uint8_t*>(data.data());
  output.capacity = std::min<std::uint64_t>(type.max_bytes, data.size());
}

Status finish_output(const OutputPortPlan& port, const woa_output& output, FiringOutput& firing_output) noexcept {
  if (output.written == 0) return {};
  if (output.bytes > output.capacity) {
    return {Code::kTooLarge, "output '" + port.name + "': " + counted(output.bytes, "byte") + " exceed the " +
                                 std::to_string(output.capacity) + " that are reserved; set `max: {" + port.name +
                                 ": SIZE}` at this stage of the graph, or raise the kernel's own in its kernel.yaml"};
  }
  const std::uint64_t prefix = port.type.prefix_bytes();
  if (!port.type.dims.empty()) WOA_RETURN_IF_ERROR(check_dims(port, output));
  if (prefix != 0) write_dims(port.type, output, firing_output.block.first(prefix));
  firing_output.payload_bytes = prefix + output.bytes;
  firing_output.written = true;
  return {};
}

}  // namespace woa
