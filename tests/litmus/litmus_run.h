// One course of gpu_litmus: messages through a GPU, by the memory, channels and back-end of a real run. A writer, the
// GPU's controller and a reader are threads of their own. The reader checks each payload as soon as it sees the packet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa {

struct LitmusCase {
  bool resident = false;    // a resident worker publishes, else a stream does
  bool from_host = false;   // the writer's payload comes back; else the GPU makes the payload
  std::uint32_t bytes = 8;  // of a payload; a multiple of 8
};

struct LitmusOutcome {
  std::uint64_t messages = 0, wrong = 0;
  std::string first_wrong;  // where, found and expected
  double seconds = 0;
  std::vector<double> messages_per_s{};  // of equal parts of the course
};

// Sends `messages`, or as many as `limit_s` allows; with `first`, ends with the first that is wrong. `folder` holds
// litmus.ptx. An error: the device failed, or nothing arrived for ten seconds. kUnavailable: no device.
Result<LitmusOutcome> run_litmus(const BackendFactory& factory, const LitmusCase& what, std::uint64_t messages,
                                 double limit_s, bool first, const std::string& folder);

// Word `at` of message `number`, as litmus.cu writes it, too.
constexpr std::uint64_t litmus_word(std::uint64_t number, std::uint64_t at) noexcept {
  return number * 0x9e3779b97f4a7c15 + at * 0xbf58476d1ce4e5b9;
}

}  // namespace woa
