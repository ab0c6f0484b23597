// Joins a node to a run over a connection between hosts: three messages of fixed size, little-endian, by which each end
// proves that it has the run's secret (three-pass mutual authentication as in ISO/IEC 9798-4, with HMAC-SHA256).
//
//   host -> node  Greeting   a number used once
//   node -> host  Answer     another, the controller and job of the node, and its proof over both messages
//   host -> node  Admission  the host's clock, when the run begins at the latest, and the host's proof over all three
//
// A stranger learns nothing of the secret and cannot replay what it overheard: both numbers are new in every
// connection. Later messages are neither hidden nor protected: networks that others can hear or change need a tunnel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/base/status.h"
#include "runtime/node/job_place.h"
#include "runtime/node/run_secret.h"

namespace woa::handshake {

inline constexpr std::array<char, 8> kMagic{'W', 'O', 'A', '-', 'J', 'O', 'I', 'N'};
// Any change of these messages or of control.h raises it.
inline constexpr std::uint32_t kVersion = 5;
inline constexpr std::size_t kNameBytes = 64;  // of a controller, its terminating zero included

using Nonce = std::array<std::byte, 16>;

struct Greeting {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion, reserved = 0;
  Nonce nonce{};
};

struct Answer {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion, reserved = 0;
  JobPlace job;
  std::array<char, kNameBytes> controller{};  // that the node wants; empty: any
  Nonce nonce{};
  RunSecret::Proof proof{};
};

struct Admission {
  std::uint64_t now_ns = 0;           // now_ns() of the host
  std::uint64_t hello_within_ns = 0;  // the longest time until the host's hello, or its refusal
  RunSecret::Proof proof{};
};

static_assert(sizeof(Greeting) == 32 && sizeof(Answer) == 136 && sizeof(Admission) == 48);
static_assert(std::is_trivially_copyable_v<Answer> && std::has_unique_object_representations_v<Answer>);

// kUnavailable: the system gives no random numbers.
Result<Greeting> greet();
// kInvalid: the controller's name is too long. kUnsupported: the host speaks another version, or is no woa host.
Result<Answer> answer(const Greeting& greeting, std::string_view controller, JobPlace job, const RunSecret& secret);
// The host's reply to an answer. kUnsupported: another version, or no node. kUnauthentic: another secret.
Result<Admission> admit(const Greeting& greeting, const Answer& answer, std::uint64_t hello_within_ns,
                        const RunSecret& secret);
// The node's check of an admission. kUnauthentic: the host has another secret.
Status accept(const Greeting& greeting, const Answer& answer, const Admission& admission, const RunSecret& secret);

// The name in an answer, cut at its zero.
std::string wanted(const Answer& answer);

template <typename Message>
std::span<std::byte> bytes_of(Message& message) {
  return std::as_writable_bytes(std::span(&message, 1));
}

}  // namespace woa::handshake
