// Tokens as kernels see them: the views of woa/woa_kernel.h over payloads and blocks. The dimensions in front of a
// payload (docs/packet.md) are read and written here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"
#include "woa/woa_kernel.h"

namespace woa {

// A port's type, prepared: what is fixed is computed once. A value; the type outlives it. Any thread.
//
// The questions answer with a bool, since a "yes" is asked for every token. After a "no" ask why.
class PortShape {
 public:
  explicit PortShape(const PortType& type);

  // The view of a payload, dimensions included. False: it is no token of this type.
  [[nodiscard, gnu::always_inline]] bool show(std::span<const std::byte> payload, woa_input& input) const noexcept {
    input = input_;
    if (payload.size() < prefix_bytes_) return false;
    input.data = reinterpret_cast<const std::uint8_t*>(payload.data() + prefix_bytes_);
    input.bytes = payload.size() - prefix_bytes_;
    switch (kind_) {
      case Kind::kBytes:
        input.dims[0] = static_cast<std::uint32_t>(input.bytes < kMostDim ? input.bytes : kMostDim);
        return input.bytes <= most_bytes_;
      case Kind::kFixed: return input.bytes == fixed_bytes_ && input.bytes <= most_bytes_;
      case Kind::kVariable: break;
    }
    return show_variable(payload, input);
  }
  // The view of a payload of which only the dimensions lie in host memory: `data` is null.
  [[nodiscard]] bool show_in_device(std::span<const std::byte> payload, woa_input& input) const noexcept {
    const bool shown = show(payload, input);  // it reads the dimensions alone
    input.data = nullptr;
    return shown;
  }
  // Why show() said no. kInvalid.
  [[nodiscard]] Status why_not_shown(std::span<const std::byte> payload) const;
  // Ok, or why show() would say no.
  [[nodiscard]] Status check(std::span<const std::byte> payload) const {
    woa_input input;
    return show(payload, input) ? Status() : why_not_shown(payload);
  }

  // The view of a reserved block: data behind the prefix, room for the type's largest payload.
  void reserve(std::byte* block, woa_output& output) const noexcept {
    output = output_;
    output.data = reinterpret_cast<std::uint8_t*>(block + prefix_bytes_);
  }
  // May a kernel have written this? Its bytes fit the block; its dimensions fit the type and the bytes.
  [[nodiscard]] bool fits(const woa_output& output) const noexcept {
    if (output.bytes > output_.capacity) return false;
    switch (kind_) {
      case Kind::kBytes: return true;
      case Kind::kFixed: return output.bytes == fixed_bytes_ && has_fixed_dims(output);
      case Kind::kVariable: break;
    }
    return fits_variable(output);
  }
  // Why fits() said no. kTooLarge: the port's bound is too small. kBrokenContract: the kernel must be mended. `port` is
  // its name.
  [[nodiscard]] Status why_unfit(const std::string& port, const woa_output& output) const;
  // Writes the dimensions that the kernel set in front of the block's data.
  void write_prefix(std::byte* block, const woa_output& output) const noexcept {
    if (prefix_bytes_ != 0) write_dims(block, output);
  }

  [[nodiscard]] std::uint64_t prefix_bytes() const noexcept { return prefix_bytes_; }
  [[nodiscard]] std::uint64_t payload_bytes(const woa_output& output) const noexcept {
    return prefix_bytes_ + output.bytes;
  }
  [[nodiscard]] std::uint64_t payload_bytes(const woa_input& input) const noexcept {
    return input.absent != 0 ? 0 : prefix_bytes_ + input.bytes;
  }
  // The whole payload, dimensions included, behind a view.
  [[nodiscard]] std::span<const std::byte> payload(const woa_input& input) const noexcept {
    if (input.absent != 0) return {};
    return {reinterpret_cast<const std::byte*>(input.data) - prefix_bytes_, prefix_bytes_ + input.bytes};
  }
  // The whole reserved block behind a view, from the dimensions to the end of its last line.
  [[nodiscard]] std::span<std::byte> block(const woa_output& output) const noexcept {
    return {reinterpret_cast<std::byte*>(output.data) - prefix_bytes_, type_->block_bytes()};
  }

 private:
  enum class Kind : std::uint8_t { kBytes, kFixed, kVariable };
  static constexpr std::uint32_t kMostDim = ~std::uint32_t{0};

  [[nodiscard]] bool show_variable(std::span<const std::byte> payload, woa_input& input) const noexcept;
  [[nodiscard]] bool has_fixed_dims(const woa_output& output) const noexcept;
  [[nodiscard]] bool fits_variable(const woa_output& output) const noexcept;
  void write_dims(std::byte* block, const woa_output& output) const noexcept;

  const PortType* type_;
  Kind kind_ = Kind::kBytes;
  std::uint64_t prefix_bytes_ = 0;
  std::uint64_t most_bytes_ = 0;   // of an input's data
  std::uint64_t fixed_bytes_ = 0;  // of the data, if all dimensions are fixed
  woa_input input_{};              // what is fixed of the views
  woa_output output_{};
};

}  // namespace woa
