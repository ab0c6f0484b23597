// The physical limit of a stream: a ring of slots in shared memory that the producer copies into and the consumer
// polls, credits back, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"

namespace woa::bench {

struct MailboxSpec {
  std::uint32_t slots = 0;
  std::uint32_t credit_every = 1;  // messages; the producer learns of free slots so many at a time
};

// Nanoseconds for `messages` lines of eight words: seven are written, the last one publishes them, and the consumer
// reads them all. The job of a packet header. Errors as raw_mailbox_ns().
Result<double> line_stream_ns(const MailboxSpec& spec, std::uint64_t messages);

// Nanoseconds for `messages` times `payload`, copied once, into the slot where the consumer touches it. Up to 56 bytes
// share the flag's cache line; more have lines of their own. Errors as raw_mailbox_ns().
Result<double> mailbox_stream_ns(const MailboxSpec& spec, std::span<const std::byte> payload, std::uint64_t messages);

}  // namespace woa::bench
