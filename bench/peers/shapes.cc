#include "bench/peers/shapes.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace woa::bench {
namespace {

using Shape = PeerArguments::Shape;

std::byte more(std::byte byte, unsigned by) { return std::byte(std::to_integer<unsigned>(byte) + by); }

std::vector<std::byte> payload_of(std::size_t bytes, std::size_t kind) {
  constexpr std::size_t kBetween = 97, kPage = 4096;  // pages of one payload differ, and bytes of two at one place
  std::vector<std::byte> payload(bytes);
  for (std::size_t k = 0; k < bytes; ++k) payload[k] = std::byte(1 + k + k / kPage + kind * kBetween);
  return payload;
}

Status wrong(std::uint64_t payload, const std::string& what) {
  return {Code::kDataLoss, "payload " + std::to_string(payload) + " arrived otherwise than it was sent: " + what};
}

struct SideState {
  PeerArguments job;
  Payloads payloads{job};
  std::shared_ptr<Messenger> messenger;  // goes before the payloads, which it may have registered
  std::uint64_t next = 0;                // payload
  [[nodiscard]] std::size_t others() const { return job.sides.processors.size() - 1; }
};

Status source_and_sink(SideState& side, std::uint64_t items) {
  const std::uint64_t all = side.next + items;
  for (std::uint64_t started = side.next; side.next < all; ++side.next) {
    for (; started < all && started - side.next < side.job.window; ++started)
      WOA_RETURN_IF_ERROR(side.messenger->send(side.payloads.at(started)));
    WOA_ASSIGN_OR_RETURN(const auto item, side.messenger->receive());
    WOA_RETURN_IF_ERROR(side.payloads.check(side.next, item, static_cast<unsigned>(side.others())));
  }
  return side.messenger->settle();
}

Status work(Messenger& messenger, std::size_t bytes, std::uint64_t items) {
  for (std::uint64_t k = 0; k < items; ++k) {
    WOA_ASSIGN_OR_RETURN(const auto item, messenger.receive());
    if (item.size() != bytes) return {Code::kDataLoss, "a worker got " + std::to_string(item.size()) + " bytes"};
    add_one(item);
    WOA_RETURN_IF_ERROR(messenger.send(item));
  }
  return messenger.settle();
}

Status fan_out(SideState& side, std::uint64_t payloads) {
  for (const std::uint64_t all = side.next + payloads; side.next < all; ++side.next) {
    WOA_RETURN_IF_ERROR(side.messenger->send(side.payloads.at(side.next)));
    for (std::size_t k = 0; k < side.others(); ++k) {
      WOA_ASSIGN_OR_RETURN(const auto answer, side.messenger->receive());
      if (!answer.empty()) return wrong(side.next, "its answer is not empty");
    }
  }
  return side.messenger->settle();
}

Status consume(SideState& side, std::uint64_t payloads) {
  for (const std::uint64_t all = side.next + payloads; side.next < all; ++side.next) {
    WOA_ASSIGN_OR_RETURN(const auto payload, side.messenger->receive());
    WOA_RETURN_IF_ERROR(side.payloads.check(side.next, payload, 0));
    WOA_RETURN_IF_ERROR(side.messenger->send({}));
  }
  return side.messenger->settle();
}

}  // namespace

Routing routing_of(const PeerArguments& job, std::size_t number) {
  const std::size_t sides = job.sides.processors.size();
  if (job.shape == Shape::kPipeline) return {{(number + 1) % sides}, job.bytes, job.window + 1};
  if (number != 0) return {{0}, job.bytes, job.window + 1};
  Routing source{{}, 0, sides - 1};
  source.targets.resize(sides - 1);
  std::iota(source.targets.begin(), source.targets.end(), std::size_t{1});
  return source;
}

Payloads::Payloads(const PeerArguments& job) : warm_up_(job.sides.warm_up) {
  for (std::size_t kind = 0; kind <= job.window; ++kind) kinds_.push_back(payload_of(job.bytes, kind));
}

std::size_t Payloads::kind_of(std::uint64_t payload) const noexcept {
  return payload < warm_up_ ? static_cast<std::size_t>(payload % kinds_.size()) : 0;
}

std::span<const std::byte> Payloads::at(std::uint64_t payload) const noexcept { return kinds_[kind_of(payload)]; }

Status Payloads::check(std::uint64_t payload, std::span<const std::byte> message, unsigned added) const {
  const auto sent = at(payload);
  if (message.size() != sent.size())
    return wrong(payload, std::to_string(message.size()) + " bytes, not " + std::to_string(sent.size()));
  if (message.front() != more(sent.front(), added) || message.back() != more(sent.back(), added))
    return wrong(payload, "its first or its last byte");
  const std::size_t between = sent.size() > 1 && payload < warm_up_ ? sent.size() - 2 : 0;
  if (between == 0 || std::ranges::equal(message.subspan(1, between), sent.subspan(1, between))) return {};
  return wrong(payload, "a byte between its first and its last");
}

void add_one(std::span<std::byte> item) noexcept {
  item.front() = more(item.front(), 1);
  item.back() = more(item.back(), 1);
}

Side side_of(const PeerArguments& job, std::size_t number, std::shared_ptr<Messenger> messenger) {
  const bool pipeline = job.shape == Shape::kPipeline;
  if (pipeline && number != 0)
    return [=, bytes = job.bytes](std::uint64_t items) { return work(*messenger, bytes, items); };
  const auto state = std::make_shared<SideState>(SideState{job, Payloads(job), std::move(messenger)});
  if (number != 0) return [=](std::uint64_t payloads) { return consume(*state, payloads); };
  return [=](std::uint64_t count) { return pipeline ? source_and_sink(*state, count) : fan_out(*state, count); };
}

}  // namespace woa::bench
