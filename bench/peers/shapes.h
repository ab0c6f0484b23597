// A pipeline and a fan-out, the same for every library, with a check that payloads arrive whole.
//
// Payloads differ, so that a lost, repeated or mixed up one is noticed. The warm-up checks every byte of every payload.
// After it, as ours does, only the first and last byte are checked, and the payload is always the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/peers/messenger.h"
#include "bench/peers/peer_program.h"

namespace woa::bench {

// A side's targets, and room for its messages.
struct Routing {
  std::vector<std::size_t> targets;  // numbers of the sides that get each of its messages
  std::size_t bytes = 0;             // of a message that it receives
  std::size_t rooms = 0;             // that many messages can arrive and be sent on without overwriting one
};
// Routing of side `number` in a pipeline or a fan-out.
Routing routing_of(const PeerArguments& job, std::size_t number);

// The payloads of a job, by their number in it, from 0.
class Payloads {
 public:
  explicit Payloads(const PeerArguments& job);
  [[nodiscard]] std::span<const std::byte> at(std::uint64_t payload) const noexcept;
  // kDataLoss unless `message` is the payload with `added` added to its first and last byte.
  [[nodiscard]] Status check(std::uint64_t payload, std::span<const std::byte> message, unsigned added) const;

 private:
  [[nodiscard]] std::size_t kind_of(std::uint64_t payload) const noexcept;
  std::uint64_t warm_up_;
  std::vector<std::vector<std::byte>> kinds_;
};

// A pipeline's worker: adds 1 to the first and last byte.
void add_one(std::span<std::byte> item) noexcept;

// Side `number`: in a pipeline the source and sink (0) or a worker, in a fan-out the source (0) or a consumer, which
// answers with an empty message. kDataLoss: a payload did not arrive as it was sent. Other errors: the messenger's.
Side side_of(const PeerArguments& job, std::size_t number, std::shared_ptr<Messenger> messenger);

}  // namespace woa::bench
