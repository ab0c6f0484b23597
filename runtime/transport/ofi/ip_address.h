// IPv4 and IPv6 addresses and networks, as text and as bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace woa::ofi {

// A numeric address. IPv4 is kept as IPv4-mapped IPv6 (::ffff:a.b.c.d), so that one comparison serves both.
class IpAddress {
 public:
  // Numeric text only; no names are looked up.
  static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] bool is_v4() const noexcept;
  // Can the whole internet reach it? False for the ranges of IANA's special-purpose registries (RFC 6890) that a host
  // may have: private, loopback, link-local, shared, documentation, benchmarking, unique-local.
  [[nodiscard]] bool is_public() const noexcept;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }
  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// A network in CIDR notation.
class IpNetwork {
 public:
  static std::optional<IpNetwork> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;

 private:
  IpAddress base_;
  unsigned bits_ = 0;  // of the 128 that must agree
};

}  // namespace woa::ofi
