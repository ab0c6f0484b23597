// Which address of this host a fabric listens on.
//
// Nothing is guessed: without a request it is the loopback interface, which no other host reaches. A network interface
// must be named, by its name, by one of its addresses, or by a network (10.77.0.0/16). A name or a network never leads
// to a bridge or to an address that the whole internet may reach: those must be requested by the address itself (a
// bridge also by its name). A refusal says what was requested, what that was taken for, and what there is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa::ofi {

struct Interface {
  std::string name;
  bool up = false, loopback = false, bridge = false;
  std::vector<std::string> addresses;  // numeric, IPv4 and IPv6; link-local IPv6 is left out: it needs a scope
};

// This process's network interfaces. kUnavailable with the system's reason.
Result<std::vector<Interface>> list_interfaces();

// The address to listen on, numeric. kInvalid: no such interface or address, or one that must be named more plainly.
Result<std::string> choose_address(std::string_view requested, std::span<const Interface> interfaces);

}  // namespace woa::ofi
