// The interface that a fabric listens on: nothing is guessed, and a refusal lists the choices.
#include "runtime/transport/ofi/interface_policy.h"

#include <algorithm>

#include "runtime/transport/ofi/ip_address.h"
#include "tests/support/catch.h"

namespace woa::ofi {
namespace {

const std::vector<Interface> kHost{
    {"lo", true, true, false, {"127.0.0.1", "::1"}}, {"eth0", true, false, false, {"10.1.2.3", "fd00::3"}},
    {"eth1", true, false, false, {"8.8.4.4"}},       {"br0", true, false, true, {"10.1.9.1"}},
    {"eth2", false, false, false, {"10.2.0.1"}},     {"ib0", true, false, false, {"2001:4860::1", "10.3.0.1"}},
};

std::string chosen(std::string_view requested) {
  const auto address = choose_address(requested, kHost);
  INFO(address.status().message());
  REQUIRE(address.ok());
  return *address;
}

std::string refusal(std::string_view requested, const std::vector<Interface>& host = kHost) {
  const auto address = choose_address(requested, host);
  REQUIRE(address.status().code() == Code::kInvalid);
  return address.status().message();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("without a request it is the loopback interface") { REQUIRE(chosen("") == "127.0.0.1"); }

TEST_CASE("an interface is named by its name, an address or a network") {
  REQUIRE(chosen("eth0") == "10.1.2.3");
  REQUIRE(chosen("fd00::3") == "fd00::3");
  REQUIRE(chosen("10.1.2.0/24") == "10.1.2.3");
  REQUIRE(chosen("fd00::/8") == "fd00::3");
}

TEST_CASE("a public address is chosen only when it is named itself") {
  REQUIRE(chosen("8.8.4.4") == "8.8.4.4");
  REQUIRE(chosen("ib0") == "10.3.0.1");  // the other one is public
  const std::string why = refusal("eth1");
  REQUIRE(has(why, "Requested: 'eth1'"));
  REQUIRE(has(why, "translated: eth1 8.8.4.4"));
  REQUIRE(has(why, "available: lo 127.0.0.1"));
  REQUIRE(has(why, "8.8.4.4 (public)"));
  REQUIRE(has(refusal("8.0.0.0/8"), "translated: eth1 8.8.4.4"));
}

TEST_CASE("a bridge is chosen only by name or address, never because a network fits") {
  REQUIRE(chosen("br0") == "10.1.9.1");
  REQUIRE(chosen("10.1.9.1") == "10.1.9.1");
  REQUIRE(chosen("10.1.0.0/16") == "10.1.2.3");
  REQUIRE(has(refusal("10.1.9.0/24"), "br0 (bridge) 10.1.9.1"));
}

TEST_CASE("what is not there, is down, or fits several interfaces is refused") {
  REQUIRE(has(refusal("eth9"), "translated: nothing"));
  REQUIRE(has(refusal("10.9.9.9"), "translated: nothing"));
  REQUIRE(has(refusal("eth2"), "eth2 (down)"));
  REQUIRE(has(refusal("10.0.0.0/8"), "Several interfaces"));
  REQUIRE(has(refusal("", {}), "available: nothing"));
  REQUIRE(has(refusal("10.0.0.0/99"), "translated: nothing"));
}

TEST_CASE("this host's own interfaces are listed, and loopback can be chosen") {
  const auto here = list_interfaces();
  REQUIRE(here.ok());
  REQUIRE(std::any_of(here->begin(), here->end(), [](const Interface& one) { return one.loopback && one.up; }));
  const auto address = choose_address("", *here);
  REQUIRE(address.ok());
  REQUIRE((*address == "127.0.0.1" || *address == "::1"));
}

TEST_CASE("public are the addresses that no special-purpose registry lists") {
  for (const char* text : {"10.0.0.1", "127.5.5.5", "169.254.1.1", "172.31.0.1", "192.168.1.1", "100.64.0.1",
                           "192.0.2.2", "198.18.0.1", "::1", "fd00::1", "fe80::1", "2001:db8::5"}) {
    INFO(text);
    REQUIRE_FALSE(IpAddress::parse(text)->is_public());
  }
  for (const char* text :
       {"8.8.8.8", "172.32.0.1", "192.0.3.1", "100.128.0.1", "11.0.0.1", "2001:4860::1", "2600::1"}) {
    INFO(text);
    REQUIRE(IpAddress::parse(text)->is_public());
  }
  for (const char* text : {"", "10.0.0", "10.0.0.256", "host", "10.0.0.1 ", "::g"})
    REQUIRE_FALSE(IpAddress::parse(text));
  for (const char* text : {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "/8", "10.0.0.0/8x"})
    REQUIRE_FALSE(IpNetwork::parse(text));
}

}  // namespace woa::ofi
