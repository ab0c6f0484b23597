#include "bench/micro/raw_pipeline.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/micro/mailbox_ring.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/spin.h"

namespace woa::bench {

using namespace measure;
namespace {

constexpr std::size_t kWorkers = 3;

// One direction between two processes. Each process has a copy and uses one end of it.
class Link {
 public:
  static Result<Link> make(std::uint32_t slots, std::size_t bytes) {
    WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(MailboxRing::bytes(slots, bytes), Memory::Sharing::kWithChildren));
    return Link(std::move(memory), slots, bytes);
  }

  [[nodiscard]] bool send(std::span<const std::byte> message) {
    const auto place = [&] {
      if (ring_.position() - credits_ >= ring_.slots()) credits_ = ring_.credits().load(std::memory_order_acquire);
      return ring_.position() - credits_ < ring_.slots();
    };
    if (!yield_until(place)) return false;
    std::memcpy(ring_.payload().data(), message.data(), message.size());
    ring_.flag().store(ring_.position() + 1, std::memory_order_release);
    ring_.advance();
    return true;
  }
  [[nodiscard]] bool ready() const noexcept {
    return ring_.flag().load(std::memory_order_acquire) == ring_.position() + 1;
  }
  // The next message, in place until release(); empty if none came in time.
  [[nodiscard]] std::span<std::byte> receive() {
    if (!yield_until([&] { return ready(); })) return {};
    return ring_.payload();
  }
  void release() noexcept {
    ring_.advance();
    ring_.credits().store(ring_.position(), std::memory_order_release);
  }

 private:
  Link(Memory memory, std::uint32_t slots, std::size_t bytes)
      : memory_(std::move(memory)), ring_(memory_.bytes(), slots, bytes) {}
  Memory memory_;
  MailboxRing ring_;
  std::uint64_t credits_ = 0;
};

struct Links {
  std::vector<Link> links;  // into A, B, C and, if forwarding, back to the client; then, for a hub, out of A, B, C
  Route route;
  Link& into(std::size_t worker) { return links[worker]; }
  Link& out_of(std::size_t worker) { return links[route == Route::kForward ? worker + 1 : kWorkers + worker]; }
};

// Finds a message's payload: in the message, or in the pool that its index points into.
class Payloads {
 public:
  Payloads(const RawPipeline& pipeline, std::span<std::byte> pool) : pipeline_(pipeline), pool_(pool) {}
  [[nodiscard]] std::span<std::byte> of(std::span<std::byte> message) const noexcept {
    if (pipeline_.carried == Carried::kPayload) return message;
    std::uint64_t index;
    std::memcpy(&index, message.data(), sizeof index);
    return at(index);
  }
  [[nodiscard]] std::span<std::byte> at(std::uint64_t index) const noexcept {
    return pool_.subspan(index * pipeline_.size, pipeline_.size);
  }

 private:
  RawPipeline pipeline_;
  std::span<std::byte> pool_;
};

int work(Link& in, Link& out, const Payloads& payloads, std::uint64_t items) {
  for (std::uint64_t k = 0; k < items; ++k) {
    const std::span<std::byte> message = in.receive();
    if (message.empty()) return 1;
    const std::span<std::byte> payload = payloads.of(message);
    payload.front() = std::byte(std::to_integer<int>(payload.front()) + 1);
    payload.back() = std::byte(std::to_integer<int>(payload.back()) + 1);
    if (!out.send(message)) return 1;
    in.release();
  }
  return 0;
}

class Client {
 public:
  Client(const RawPipeline& pipeline, Links& links, const Payloads& payloads)
      : pipeline_(pipeline), links_(links), payloads_(payloads), source_(pipeline.size, std::byte{1}) {}

  [[nodiscard]] Status run(std::uint64_t items) {
    const Status lost{Code::kPeerLost, "a worker of the raw pipeline ended early"};
    for (std::uint64_t started = 0, done = 0; done < items;) {
      for (; started < items && started - done < pipeline_.window; ++started) {
        if (!inject()) return lost;
      }
      const auto moved = [&] {
        const std::uint64_t finished = pass_on();
        done += finished;
        return finished > 0 || passed_ || done == items;
      };
      if (!yield_until(moved)) return lost;
      if (wrong_) return {Code::kDataLoss, "an item of the raw pipeline came back without the changes of all workers"};
    }
    return {};
  }

 private:
  [[nodiscard]] bool inject() {
    if (pipeline_.carried == Carried::kPayload) return links_.into(0).send(source_);
    const std::uint64_t index = next_++ % (pipeline_.window + 1);
    std::memcpy(payloads_.at(index).data(), source_.data(), source_.size());
    return links_.into(0).send(std::as_bytes(std::span(&index, 1)));
  }

  // Takes the messages that came; returns how many items are through. A hub forwards the rest.
  std::uint64_t pass_on() {
    passed_ = false;
    for (std::size_t worker = 0; pipeline_.route == Route::kHub && worker + 1 < kWorkers; ++worker) {
      for (Link& out = links_.out_of(worker); out.ready(); out.release())
        passed_ = links_.into(worker + 1).send(out.receive()) || passed_;
    }
    std::uint64_t finished = 0;
    for (Link& out = links_.out_of(kWorkers - 1); out.ready(); out.release(), ++finished) check(out.receive());
    return finished;
  }

  void check(std::span<std::byte> message) {
    constexpr std::byte kThrough{1 + kWorkers};
    const std::span<const std::byte> payload = payloads_.of(message);
    wrong_ = wrong_ || payload.front() != kThrough || payload.back() != kThrough;
  }

  RawPipeline pipeline_;
  Links& links_;
  const Payloads& payloads_;
  std::vector<std::byte> source_;
  std::uint64_t next_ = 0;
  bool passed_ = false, wrong_ = false;
};

Result<Links> make_links(const RawPipeline& pipeline) {
  Links links{{}, pipeline.route};
  const std::size_t count = pipeline.route == Route::kForward ? kWorkers + 1 : 2 * kWorkers;
  const std::size_t bytes = pipeline.carried == Carried::kIndex ? sizeof(std::uint64_t) : pipeline.size;
  for (std::size_t k = 0; k < count; ++k) {
    WOA_ASSIGN_OR_RETURN(auto link, Link::make(pipeline.window + 1, bytes));
    links.links.push_back(std::move(link));
  }
  return links;
}

}  // namespace

Result<double> raw_pipeline_ns(const RawPipeline& pipeline, std::uint64_t items) {
  const std::uint64_t warm_up = std::min<std::uint64_t>(items, 4 * (pipeline.window + 1));
  WOA_ASSIGN_OR_RETURN(auto links, make_links(pipeline));
  WOA_ASSIGN_OR_RETURN(auto pool, Memory::map(pipeline.size * (pipeline.window + 1), Memory::Sharing::kWithChildren));
  const Payloads payloads(pipeline, pool.bytes());
  std::vector<Member> workers;
  for (std::size_t k = 0; k < kWorkers; ++k)
    workers.push_back(
        {pipeline.cores[k + 1], [&, k] { return work(links.into(k), links.out_of(k), payloads, warm_up + items); }});
  WOA_ASSIGN_OR_RETURN(auto group, PinnedGroup::start(workers, pipeline.cores[0]));
  Client client(pipeline, links, payloads);
  WOA_RETURN_IF_ERROR(client.run(warm_up));
  const std::uint64_t start_ns = now_ns();
  WOA_RETURN_IF_ERROR(client.run(items));
  const std::uint64_t end_ns = now_ns();
  if (group.wait() != 0) return {Code::kPeerLost, "a worker of the raw pipeline ended early"};
  return static_cast<double>(end_ns - start_ns);
}

}  // namespace woa::bench
