#include "runtime/controller/port_shape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "runtime/base/text.h"

namespace woa {
namespace {

static_assert(std::endian::native == std::endian::little, "dimensions are little-endian in a payload");

constexpr std::uint64_t kNoBytes = std::numeric_limits<std::uint64_t>::max();

std::string describe(const PortType& type, std::span<const std::uint32_t> dims) {
  std::string text = type.element + "[";
  for (const std::uint32_t dim : dims) text.append(std::to_string(dim)).append(",");
  text.back() = ']';
  return text;
}

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

// The first fixed dimension that differs, or the number of dimensions.
std::size_t first_other(const PortType& type, std::span<const std::uint32_t> dims) noexcept {
  std::size_t i = 0;
  while (i < dims.size() && (type.dims[i].size == 0 || dims[i] == type.dims[i].size)) ++i;
  return i;
}

}  // namespace

PortShape::PortShape(const PortType& type) : type_(&type), prefix_bytes_(type.prefix_bytes()) {
  most_bytes_ = type.max_bytes == 0 ? kNoBytes : type.max_bytes;
  output_.capacity = type.max_bytes;
  input_.rank = static_cast<std::uint32_t>(std::max<std::size_t>(type.dims.size(), 1));
  for (std::size_t i = 0; i < type.dims.size(); ++i) input_.dims[i] = type.dims[i].size;
  if (type.dims.empty()) return;
  kind_ = type.variable_dims() == 0 ? Kind::kFixed : Kind::kVariable;
  fixed_bytes_ = data_bytes(type, std::span(input_.dims).first(type.dims.size()));
}

bool PortShape::show_variable(std::span<const std::byte> payload, woa_input& input) const noexcept {
  const std::byte* variable = payload.data();
  for (std::size_t i = 0; i < type_->dims.size(); ++i) {
    if (type_->dims[i].size != 0) continue;
    std::memcpy(&input.dims[i], variable, sizeof input.dims[i]);
    variable += sizeof input.dims[i];
  }
  const std::span dims(input.dims, type_->dims.size());
  return input.bytes <= most_bytes_ && data_bytes(*type_, dims) == input.bytes && beyond_bound(*type_, dims) == nullptr;
}

Status PortShape::why_not_shown(std::span<const std::byte> payload) const {
  const PortType& type = *type_;
  if (payload.size() < prefix_bytes_) {
    return {Code::kInvalid, "a payload of " + counted(payload.size(), "byte") + " is shorter than the dimensions of " +
                                to_string(type) + ", which take " + std::to_string(prefix_bytes_)};
  }
  woa_input input;
  if (show(payload, input)) return {Code::kInternal, "a payload of " + to_string(type) + " was refused without reason"};
  if (input.bytes > most_bytes_) {
    return {Code::kInvalid, "a token of " + counted(input.bytes, "byte") + " exceeds the input's bound of " +
                                std::to_string(type.max_bytes) + "; set a larger `max` of this port at its stage"};
  }
  const std::span dims(input.dims, type.dims.size());
  if (const std::uint64_t expected = data_bytes(type, dims); expected != input.bytes) {
    const std::string stated = type.variable_dims() == 0 ? "expected " : "its dimensions say ";
    return {Code::kInvalid, "a token of " + counted(input.bytes, "byte") + " of data was found; " + stated +
                                describe(type, dims) + (expected == kNoBytes ? "" : ", " + counted(expected, "byte"))};
  }
  const Dimension* const dim = beyond_bound(type, dims);
  return {Code::kInvalid, "a token of " + describe(type, dims) + " is beyond the bound " + std::to_string(dim->max) +
                              " of dimension '" + dim->name + "'"};
}

bool PortShape::has_fixed_dims(const woa_output& output) const noexcept {
  const std::span dims(output.dims, type_->dims.size());
  return first_other(*type_, dims) == dims.size();
}

bool PortShape::fits_variable(const woa_output& output) const noexcept {
  const std::span dims(output.dims, type_->dims.size());
  return has_fixed_dims(output) && beyond_bound(*type_, dims) == nullptr && data_bytes(*type_, dims) == output.bytes;
}

Status PortShape::why_unfit(const std::string& port, const woa_output& output) const {
  const PortType& type = *type_;
  const std::string where = "output '" + port + "': ";
  if (output.bytes > output_.capacity) {
    return {Code::kTooLarge, where + counted(output.bytes, "byte") + " exceed the " + std::to_string(output_.capacity) +
                                 " that are reserved; set `max: {" + port +
                                 ": SIZE}` at this stage of the graph, or raise the kernel's own in its kernel.yaml"};
  }
  const std::span dims(output.dims, type.dims.size());
  if (!has_fixed_dims(output)) {
    return {Code::kBrokenContract,
            where + "the kernel wrote " + describe(type, dims) + " where " + to_string(type) + " is declared"};
  }
  if (const Dimension* dim = beyond_bound(type, dims)) {
    return {Code::kTooLarge, where + describe(type, dims) + " is beyond the bound " + std::to_string(dim->max) +
                                 " of dimension '" + dim->name + "'"};
  }
  return {Code::kBrokenContract,
          where + "the kernel wrote " + counted(output.bytes, "byte") + ", which is not " + describe(type, dims)};
}

void PortShape::write_dims(std::byte* block, const woa_output& output) const noexcept {
  std::array<std::uint32_t, kPayloadAlignment / sizeof(std::uint32_t)> words{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < type_->dims.size(); ++i) {
    if (type_->dims[i].size == 0) words[next++] = output.dims[i];
  }
  std::memcpy(block, words.data(), sizeof words);
}

}  // namespace woa
