#include "runtime/transport/ofi/interface_policy.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/transport/ofi/ip_address.h"

namespace woa::ofi {
namespace {

struct Candidate {
  const Interface* interface = nullptr;
  IpAddress address;
};

std::string describe(const Interface& interface) {
  std::string text = interface.name;
  if (!interface.up) text += " (down)";
  if (interface.bridge) text += " (bridge)";
  for (const std::string& address : interface.addresses) {
    const auto parsed = IpAddress::parse(address);
    text += " " + address + (parsed && parsed->is_public() ? " (public)" : "");
  }
  return text;
}

std::string list(std::span<const Interface> interfaces) {
  return interfaces.empty() ? "nothing" : list_of(interfaces, describe);
}

Status refuse(std::string_view requested, const std::string& translated, std::span<const Interface> interfaces,
              const std::string& advice) {
  return {Code::kInvalid, "ofi: cannot listen on the interface asked for. Requested: '" + std::string(requested) +
                              "'; translated: " + translated + "; available: " + list(interfaces) + ". " + advice};
}

std::vector<Candidate> all_of(std::span<const Interface> interfaces) {
  std::vector<Candidate> all;
  for (const Interface& interface : interfaces) {
    for (const std::string& text : interface.addresses) {
      if (const auto address = IpAddress::parse(text)) all.push_back({&interface, *address});
    }
  }
  return all;
}

std::string list(const std::vector<Candidate>& candidates) {
  const auto text = [](const Candidate& one) { return one.interface->name + " " + one.address.text(); };
  return candidates.empty() ? "nothing" : list_of(candidates, text);
}

// What a request stands for.
struct Translation {
  enum class Kind : std::uint8_t { kLoopback, kName, kAddress, kNetwork } kind = Kind::kLoopback;
  std::vector<Candidate> candidates;
};

Translation translate(std::string_view requested, std::span<const Interface> interfaces) {
  Translation out;
  const auto keep = [&](auto&& wanted) {
    for (const Candidate& one : all_of(interfaces)) {
      if (wanted(one)) out.candidates.push_back(one);
    }
  };
  if (requested.empty()) {
    keep([](const Candidate& one) { return one.interface->loopback; });
  } else if (const auto address = IpAddress::parse(requested)) {
    out.kind = Translation::Kind::kAddress;
    keep([&](const Candidate& one) { return one.address == *address; });
  } else if (const auto network = IpNetwork::parse(requested)) {
    out.kind = Translation::Kind::kNetwork;
    keep([&](const Candidate& one) { return network->contains(one.address); });
  } else {
    out.kind = Translation::Kind::kName;
    keep([&](const Candidate& one) { return one.interface->name == requested; });
  }
  return out;
}

// Was this candidate named plainly enough for what it is?
bool plain_enough(Translation::Kind kind, const Candidate& one) {
  if (kind == Translation::Kind::kAddress) return true;
  if (one.address.is_public()) return false;
  return !one.interface->bridge || kind == Translation::Kind::kName;
}

}  // namespace

Result<std::string> choose_address(std::string_view requested, std::span<const Interface> interfaces) {
  const Translation translation = translate(requested, interfaces);
  if (translation.candidates.empty())
    return refuse(requested, "nothing", interfaces, "Name an interface, an address or a network of this host.");
  std::vector<Candidate> up = translation.candidates;
  std::erase_if(up, [](const Candidate& one) { return !one.interface->up; });
  if (up.empty()) return refuse(requested, list(translation.candidates), interfaces, "Bring the interface up.");
  std::vector<Candidate> fit = up;
  std::erase_if(fit, [&](const Candidate& one) { return !plain_enough(translation.kind, one); });
  if (fit.empty())
    return refuse(requested, list(up), interfaces,
                  "A bridge or a public address is not chosen by itself: name the address if you mean it.");
  // IPv4 first: every provider has it.
  std::stable_partition(fit.begin(), fit.end(), [](const Candidate& one) { return one.address.is_v4(); });
  const bool several =
      translation.kind == Translation::Kind::kNetwork &&
      std::any_of(fit.begin(), fit.end(), [&](const Candidate& one) { return one.interface != fit.front().interface; });
  if (several) return refuse(requested, list(fit), interfaces, "Several interfaces fit: name one of them.");
  return fit.front().address.text();
}

}  // namespace woa::ofi
