// A pipeline and a fan-out, the same for every library, with a check that payloads arrive whole.
//
// Payloads differ from one another, so that a lost, repeated or mixed up one is noticed. In the warm-up every byte of
// every payload is checked, from then on the first and the last, as ours do, and the payload is always the same one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/peers/messenger.h"
#include "bench/peers/peer_program.h"

namespace woa::bench {

// Where a side sends to, and what it receives.
struct Routing {
  std::vector<std::size_t> targets;  // numbers of the sides that each of its messages goes to
  std::size_t bytes = 0;             // of a message that it receives
  std::size_t rooms = 0;             // that many can have come and be sent on without one being overwritten
};
// Of a pipeline or a fan-out.
Routing routing_of(const PeerArguments& job, std::size_t number);

// The payloads of a job, by their number in it, from 0.
class Payloads {
 public:
  explicit Payloads(const PeerArguments& job);
  [[nodiscard]] std::span<const std::byte> at(std::uint64_t payload) const noexcept;
  // kDataLoss unless `message` is the payload, its first and its last byte `added` more.
  [[nodiscard]] Status check(std::uint64_t payload, std::span<const std::byte> message, unsigned added) const;

 private:
  [[nodiscard]] std::size_t kind_of(std::uint64_t payload) const noexcept;
  std::uint64_t warm_up_;
  std::vector<std::vector<std::byte>> kinds_;
};

// What a worker of a pipeline does with an item.
void add_one(std::span<std::byte> item) noexcept;

// Side `number`: of a pipeline the source and sink (0) or a worker, of a fan-out the source (0) or a consumer, which
// answers with an empty message. kDataLoss: a payload came otherwise than it was sent. Otherwise as the messenger.
Side side_of(const PeerArguments& job, std::size_t number, std::shared_ptr<Messenger> messenger);

}  // namespace woa::bench
