// The start of a run: whichever node ends first is the reason for its failure, however long others would wait for it.
#include <poll.h>

#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/node/supervisor.h"
#include "runtime/node/tcp_socket.h"

namespace woa {
namespace {

// For a node to end, or to say why, after another lost it.
constexpr std::uint64_t kReasonNs = 200'000'000;

}  // namespace

std::optional<std::uint32_t> Supervisor::first_ended() const {
  for (std::uint32_t c = 1; c < nodes_.size(); ++c)
    if (nodes_[c].socket && has_ended(nodes_[c].socket->descriptor())) return c;
  return std::nullopt;
}

// Why a node's socket ended: the reason that the node gave, or how its process ended.
Status Supervisor::why_it_ended(std::uint32_t controller) {
  Status status;
  while (status.ok()) {  // skips messages from before the end
    control::FromNode message;
    status = hear(controller, message);
  }
  return in_context(controller, status);
}

Status Supervisor::why_not_connected(std::uint32_t controller, const Status& status) {
  if (status.code() != Code::kPeerLost) return in_context(controller, status);
  const auto ended = first_ended();
  return ended ? why_it_ended(*ended) : in_context(controller, status);
}

// Waits until that node says something. If another ends meanwhile, that is the reason why the run does not begin.
Status Supervisor::await_word(std::uint32_t controller) {
  std::vector<pollfd> polled;
  for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
    const auto wanted = static_cast<short>(c == controller ? POLLIN | POLLRDHUP : POLLRDHUP);
    polled.push_back({nodes_[c].socket->descriptor(), wanted, 0});
  }
  if (::poll(polled.data(), polled.size(), milliseconds_until(ready_by_ns_)) <= 0) return {};  // hear() says why
  if (polled[controller - 1].revents != 0) return {};
  const auto ended = first_ended();
  return ended ? why_it_ended(*ended) : Status();
}

// A process that ended is the reason. A node that lost another may blame a healthy one, so others are heard first.
Status Supervisor::await_all_ready() {
  std::vector<bool> ready(nodes_.size(), false);
  ready[kHostController] = true;
  Status lost;  // from the first node that lost another
  std::uint64_t limit_ns = ready_by_ns_;
  while (!std::ranges::all_of(ready, [](bool is) { return is; })) {
    std::vector<pollfd> polled;
    for (std::uint32_t c = 1; c < nodes_.size(); ++c)
      polled.push_back({ready[c] && !lost.ok() ? -1 : nodes_[c].socket->descriptor(), POLLIN, 0});
    const int words = ::poll(polled.data(), polled.size(), milliseconds_until(limit_ns));
    if (words < 0 && errno == EINTR) continue;
    if (words <= 0) return lost.ok() ? not_ready() : lost;
    for (std::uint32_t c = 1; c < nodes_.size(); ++c) {
      if (polled[c - 1].revents == 0) continue;
      const Status status = ready[c] ? why_it_ended(c) : in_context(c, await_ready(c));
      ready[c] = true;
      if (status.ok()) continue;
      if (status.code() != Code::kPeerLost || nodes_[c].ended) return status;
      if (lost.ok()) lost = status, limit_ns = std::min(limit_ns, now_ns() + kReasonNs);
    }
  }
  return lost;
}

}  // namespace woa
