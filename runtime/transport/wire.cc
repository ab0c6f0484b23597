#include "runtime/transport/wire.h"

#include <vector>

namespace woa {
namespace {

constexpr std::size_t kLengthBytes = 2;

std::size_t length_of(std::string_view at) noexcept {
  return static_cast<std::size_t>(static_cast<unsigned char>(at[0])) |
         static_cast<std::size_t>(static_cast<unsigned char>(at[1])) << 8;
}

// The descriptions that `all` holds, as far as they are whole; what is left of `all` is behind them.
std::vector<std::string_view> take_apart(std::string_view& all) {
  std::vector<std::string_view> parts;
  while (all.size() >= kLengthBytes && all.size() - kLengthBytes >= length_of(all)) {
    parts.push_back(all.substr(kLengthBytes, length_of(all)));
    all.remove_prefix(kLengthBytes + parts.back().size());
  }
  return parts;
}

}  // namespace

std::string describe_all(std::span<const std::shared_ptr<Replica>> replicas) {
  std::string all;
  for (const std::shared_ptr<Replica>& replica : replicas) {
    const std::string description = replica->description();
    all += static_cast<char>(description.size() & 0xff);
    all += static_cast<char>(description.size() >> 8);
    all += description;
  }
  return all;
}

Status connect_all(Wire& wire, std::span<const std::shared_ptr<Replica>> replicas, std::string_view description) {
  std::string_view rest = description;
  const std::vector<std::string_view> parts = take_apart(rest);
  if (!rest.empty() || parts.size() != replicas.size())
    return {Code::kInvalid, "replicas: " + std::to_string(description.size()) + " bytes do not describe " +
                                std::to_string(replicas.size()) +
                                " segments; the other process must be of the same version and use the same sizes"};
  for (std::size_t k = 0; k < replicas.size(); ++k) WOA_RETURN_IF_ERROR(wire.connect(replicas[k], parts[k], {}));
  return {};
}

}  // namespace woa
