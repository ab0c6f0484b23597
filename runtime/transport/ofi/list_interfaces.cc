// What the system says of its network interfaces.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/interface_policy.h"

namespace woa::ofi {
namespace {

// Asks the driver's name through any socket: unlike the files of the system's device tree, this sees the interfaces of
// the process's own network namespace.
bool is_bridge(int socket, const char* name) {
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&driver);
  return ioctl(socket, SIOCETHTOOL, &request) == 0 && std::strcmp(driver.driver, "bridge") == 0;
}

// Empty for anything that is no address of the internet protocols, and for link-local IPv6.
std::string text_of(const sockaddr* address) {
  if (address == nullptr) return {};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (address->sa_family == AF_INET)
    return inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, out.data(), out.size());
  if (address->sa_family != AF_INET6) return {};
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&v6)) return {};
  return inet_ntop(AF_INET6, &v6, out.data(), out.size());
}

Interface& entry_for(std::vector<Interface>& all, const ifaddrs& found, int socket) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Interface& i) { return i.name == found.ifa_name; });
  if (known != all.end()) return *known;
  return all.emplace_back(Interface{found.ifa_name,
                                    (found.ifa_flags & IFF_UP) != 0,
                                    (found.ifa_flags & IFF_LOOPBACK) != 0,
                                    is_bridge(socket, found.ifa_name),
                                    {}});
}

}  // namespace

Result<std::vector<Interface>> list_interfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
    return {Code::kUnavailable, "ofi: the network interfaces cannot be listed: " + system_error("getifaddrs")};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(first, freeifaddrs);
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return {Code::kUnavailable, "ofi: the network interfaces cannot be looked at: " + system_error("socket")};
  std::vector<Interface> all;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    Interface& entry = entry_for(all, *one, socket);
    if (std::string text = text_of(one->ifa_addr); !text.empty()) entry.addresses.push_back(std::move(text));
  }
  close(socket);
  return all;
}

}  // namespace woa::ofi
