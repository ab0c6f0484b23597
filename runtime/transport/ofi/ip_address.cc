#include "runtime/transport/ofi/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "runtime/base/scalar.h"

namespace woa::ofi {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kMappedBits = 8 * kMapped.size();

constexpr std::array kNotPublic = std::to_array<std::string_view>(
    {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
     "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "::/127", "fc00::/7",
     "fe80::/10", "2001:db8::/32"});

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  IpAddress address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
  std::copy(kMapped.begin(), kMapped.end(), address.bytes_.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + kMapped.size()) == 1) return address;
  return std::nullopt;
}

bool IpAddress::is_v4() const noexcept { return std::equal(kMapped.begin(), kMapped.end(), bytes_.begin()); }

bool IpAddress::is_public() const noexcept {
  return std::none_of(kNotPublic.begin(), kNotPublic.end(),
                      [&](std::string_view network) { return IpNetwork::parse(network)->contains(*this); });
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (is_v4())
    inet_ntop(AF_INET, bytes_.data() + kMapped.size(), out.data(), out.size());
  else
    inet_ntop(AF_INET6, bytes_.data(), out.data(), out.size());
  return out.data();
}

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto base = IpAddress::parse(text.substr(0, slash));
  const auto bits = parse_digits(text.substr(slash + 1));
  if (!base || !bits || *bits > (base->is_v4() ? 32U : 128U)) return std::nullopt;
  IpNetwork network;
  network.base_ = *base;
  network.bits_ = (base->is_v4() ? kMappedBits : 0) + static_cast<unsigned>(*bits);
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const noexcept {
  if (base_.is_v4() != address.is_v4()) return false;
  for (unsigned bit = 0; bit < bits_; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((base_.bytes()[bit / 8] & mask) != (address.bytes()[bit / 8] & mask)) return false;
  }
  return true;
}

}  // namespace woa::ofi
