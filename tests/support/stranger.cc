// stranger PORT COUNT BYTES: sends COUNT messages by libfabric to whoever listens there on this host, every other one
// tagged. Prints "sent" once they have left, and stays connected until its stdin ends.
#include <arpa/inet.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/ofi_stranger.h"

int main(int count, char** argv) {
  using namespace woa;
  if (count != 4) return 2;
  auto objects = ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1", ofi::Sleeping::kNever);
  if (!objects.ok()) return std::fprintf(stderr, "%s\n", objects.status().message().c_str()), 3;
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[1])));
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  test::OfiStranger stranger(std::move(*objects), {reinterpret_cast<const char*>(&there), sizeof there});
  const auto bytes = static_cast<std::size_t>(std::atol(argv[3]));
  for (long k = std::atol(argv[2]); k > 1; --k)
    if (!stranger.send(bytes, k % 2 == 0)) return 1;
  if (!stranger.send_last()) return 1;
  std::puts("sent");
  std::fflush(stdout);
  (void)std::getchar();
  return 0;
}
