#include "runtime/node/join_listener.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/node/control.h"
#include "runtime/node/handshake.h"
#include "runtime/node/roster.h"
#include "runtime/node/tcp_socket.h"
#include "runtime/node/turned_away.h"

namespace woa {
namespace {

constexpr std::uint64_t kAnswerNs = 5'000'000'000;  // for a connection to say who it is
constexpr std::uint64_t kTellNs = 1'000'000'000;    // for processes of a job of another size to come and be told
constexpr std::size_t kMostStrangers = 256;         // connections that have not said who they are
constexpr int kMostAtOnce = 32;                     // accepted before the others are heard again

// A connection that has not said who it is.
struct Stranger {
  UniqueFd socket;
  std::string address, host;  // with and without its port
  handshake::Greeting greeting;
  handshake::Answer answer;
  std::size_t got = 0;
  std::uint64_t deadline_ns = 0;
};

// One wait for nodes.
class Admittance {
 public:
  Admittance(int listener, const RunSecret& secret, Roster& roster, std::uint64_t begins_by_ns,
             const JoinListener::OnEvent& on_event)
      : listener_(listener),
        secret_(&secret),
        roster_(&roster),
        begins_by_ns_(begins_by_ns),
        on_event_(&on_event),
        turned_away_(on_event) {}

  // Waits for an event, until `deadline_ns` at most, and handles it.
  Status step(std::uint64_t deadline_ns);

 private:
  Status let_in();
  [[nodiscard]] bool accept_one(Status& status);
  void make_room(int error);
  void drop_one(const std::string& why);
  // True while the stranger has more to say.
  bool hear(Stranger& stranger);
  void admit(Stranger& stranger);
  void turn_away(const Stranger& stranger, const std::string& why);

  int listener_;
  const RunSecret* secret_;
  Roster* roster_;
  std::uint64_t begins_by_ns_;  // the run has said hello or given up
  const JoinListener::OnEvent* on_event_;
  TurnedAway turned_away_;
  std::vector<Stranger> strangers_;  // by age
  bool said_full_ = false;           // that no descriptor is left
};

Status Admittance::step(std::uint64_t deadline_ns) {
  std::vector<pollfd> polled{{listener_, POLLIN, 0}};
  for (const Stranger& stranger : strangers_) {
    polled.push_back({stranger.socket.get(), POLLIN, 0});
    deadline_ns = std::min(deadline_ns, stranger.deadline_ns);
  }
  const std::size_t members = polled.size();
  for (const int socket : roster_->sockets()) polled.push_back({socket, POLLIN, 0});
  if (::poll(polled.data(), polled.size(), milliseconds_until(deadline_ns)) < 0 && errno != EINTR)
    return {Code::kInternal, std::string("waiting for nodes: ") + std::strerror(errno)};
  for (std::size_t k = members; k < polled.size(); ++k) {
    if (polled[k].revents != 0) (*on_event_)(roster_->leave(polled[k].fd));
  }
  std::vector<Stranger> known;
  known.swap(strangers_);
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (polled[k + 1].revents != 0 && !hear(known[k])) continue;
    if (now_ns() > known[k].deadline_ns) {
      turn_away(known[k], "it did not say who it is");
      continue;
    }
    strangers_.push_back(std::move(known[k]));
  }
  return polled[0].revents != 0 ? let_in() : Status{};
}

// True for errors that end the wait. Those of a connection that came to nothing are no reason to end a run.
bool no_more_descriptors(int error) { return error == ENOBUFS || error == ENOMEM || error == EBADF || error == EINVAL; }

// Idle connections may hold all the descriptors, and a node may wait in the queue.
void Admittance::make_room(int error) {
  constexpr useconds_t kPause_us = 50'000;
  if (!strangers_.empty()) {
    drop_one("this process has no more descriptors, and it had not said who it is");
  } else if (!said_full_) {
    said_full_ = true;
    (*on_event_)(limit_reached("somebody waits to be let in", error).message());
  }
  ::usleep(kPause_us);
}

// Drops the oldest connection of the host that has most: another host's node keeps its place however many come from
// one. Closes by reset, so that a node knows that it may try again.
void Admittance::drop_one(const std::string& why) {
  std::map<std::string_view, std::size_t> counts;
  for (const Stranger& stranger : strangers_) ++counts[stranger.host];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  const auto oldest = std::ranges::find(strangers_, most->first, &Stranger::host);
  turn_away(*oldest, why);
  close_by_reset(std::move(oldest->socket));
  strangers_.erase(oldest);
}

Status Admittance::let_in() {
  Status status;
  for (int k = 0; k < kMostAtOnce && accept_one(status); ++k) {
  }
  return status;
}

// False: nobody waits, or `status` says why nobody can be accepted.
bool Admittance::accept_one(Status& status) {
  Stranger stranger;
  stranger.socket = UniqueFd(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
  if (stranger.socket.get() < 0) {
    if (is_limit(errno))
      make_room(errno);
    else if (no_more_descriptors(errno))
      status = {Code::kExhausted, std::string("a node cannot be let in: ") + std::strerror(errno)};
    return false;
  }
  tune_tcp(stranger.socket.get());
  stranger.address = peer_address(stranger.socket.get());
  stranger.host = stranger.address.substr(0, stranger.address.rfind(':'));
  stranger.deadline_ns = now_ns() + kAnswerNs;
  auto greeting = handshake::greet();
  if (!greeting.ok()) {
    status = greeting.status();
    return false;
  }
  stranger.greeting = *greeting;
  // hear() notices a stranger that is gone again.
  (void)write_exactly(stranger.socket.get(), handshake::bytes_of(stranger.greeting));
  // Else idle connections would keep nodes out.
  if (strangers_.size() == kMostStrangers) drop_one("others came, and it had not said who it is");
  strangers_.push_back(std::move(stranger));
  return true;
}

bool Admittance::hear(Stranger& stranger) {
  const std::span<std::byte> rest = handshake::bytes_of(stranger.answer).subspan(stranger.got);
  const ssize_t got = ::recv(stranger.socket.get(), rest.data(), rest.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) {
    turn_away(stranger, "it closed the connection before it said who it is");
    return false;
  }
  stranger.got += static_cast<std::size_t>(got);
  if (stranger.got < sizeof stranger.answer) return true;
  admit(stranger);
  return false;
}

void Admittance::admit(Stranger& stranger) {
  const std::uint64_t begins_within_ns = begins_by_ns_ - std::min(begins_by_ns_, now_ns());
  auto admission = handshake::admit(stranger.greeting, stranger.answer, begins_within_ns, *secret_);
  if (!admission.ok()) return turn_away(stranger, admission.status().message());
  const std::string wanted = handshake::wanted(stranger.answer);
  if (!write_exactly(stranger.socket.get(), handshake::bytes_of(*admission)).ok()) return;
  JoinedNode node{ControlSocket(std::move(stranger.socket)), stranger.address};
  if (Status status = roster_->take(node, wanted, stranger.answer.job); !status.ok()) {
    // One that is gone need not be told.
    (void)node.socket.send(control::FromHost(control::Refused{status.message()}));
    return turn_away(stranger, status.message());
  }
  (*on_event_)("joined: " + roster_->present());
}

void Admittance::turn_away(const Stranger& stranger, const std::string& why) {
  turned_away_.add(stranger.address, why);
}

}  // namespace

JoinListener::JoinListener(UniqueFd socket, RunSecret secret)
    : socket_(std::move(socket)), secret_(std::move(secret)) {}
JoinListener::~JoinListener() = default;

Result<std::unique_ptr<JoinListener>> JoinListener::open(const std::string& address, std::uint16_t port,
                                                         RunSecret secret) {
  auto socket = listen_tcp(address, port);
  if (!socket.ok()) return socket.status();
  return std::unique_ptr<JoinListener>(new JoinListener(std::move(*socket), std::move(secret)));
}

std::string JoinListener::address() const { return local_address(socket_.get()); }

Result<JoinedNodes> JoinListener::admit(const Plan& plan, std::size_t nodes, JobPlace run, std::uint64_t timeout_ns,
                                        std::uint64_t start_ns, const OnEvent& on_event) {
  if (nodes == 0 || nodes >= plan.controllers.size()) {
    return {Code::kInvalid, std::to_string(nodes) + " nodes were to join, but the plan has " +
                                std::to_string(plan.controllers.size() - 1) + " controllers for them"};
  }
  Roster roster(plan, nodes, run);
  std::uint64_t deadline = now_ns() + timeout_ns;
  Admittance admittance(socket_.get(), secret_, roster, deadline + start_ns, on_event);
  std::string why;
  while (!roster.complete() && why.empty()) {
    if (Status status = admittance.step(deadline); !status.ok()) why = status.message();
    if (roster.hopeless()) deadline = std::min(deadline, now_ns() + kTellNs);  // the others of that job must hear why
    if (roster.hopeless() && (roster.all_told() || now_ns() >= deadline)) {
      why = "the launcher of the nodes started another number of processes than --nodes says";
    } else if (why.empty() && !roster.complete() && now_ns() >= deadline) {
      why = roster.present() + " joined within " + std::to_string(timeout_ns / 1'000'000'000) +
            " s; missing: " + roster.missing() + "; start `woa node --join ADDR --secret FILE`";
    }
  }
  if (why.empty()) return std::move(roster).assign();
  roster.dismiss(why);
  return {Code::kUnavailable, why};
}

}  // namespace woa
