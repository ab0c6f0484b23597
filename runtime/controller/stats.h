// What a controller counts while it runs. Plain numbers, always on; read by others only after the run or by copy.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/transport/idle.h"

namespace woa {

struct EdgeStats {
  std::uint64_t messages = 0;       // activate, poison and count packets that crossed between controllers
  std::uint64_t payload_bytes = 0;  // payload that crossed, once per controller
  std::uint64_t copied_bytes = 0;   // moved by the runtime after the kernel wrote it
  EdgeStats& operator+=(const EdgeStats& other) noexcept {
    messages += other.messages, payload_bytes += other.payload_bytes, copied_bytes += other.copied_bytes;
    return *this;
  }
};

struct StageStats {
  std::uint64_t firings = 0;
  std::uint64_t busy_ns = 0;  // an estimate for kernels under a microsecond: one in 64 is timed (all that are traced)
};

struct ControllerStats {
  std::vector<EdgeStats> edges;    // by edge of the plan; what this controller contributed
  std::vector<StageStats> stages;  // by stage of the plan
  std::uint64_t control = 0;       // credit, retire and end packets sent
  std::uint64_t dropped = 0;       // tokens and poison of retired or dead instances that were freed unread
  std::uint64_t cycles = 0;        // of a simulated device
  std::uint64_t untraced = 0;      // events past the trace's limit
  std::uint32_t workers = 0;       // of the device, at the end: some threads may not have started; 0: not counted
  WaitCounts waits;                // of the thread that drives it
};

// One span or instant of a trace. Names are found through the plan.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    kFiring,   // a kernel ran, or a relay passed its tokens on
    kReceive,  // a packet came from another controller
    kWrite,    // a firing's token left on an edge, to whichever controller
  };
  Kind kind = Kind::kFiring;
  std::uint32_t worker = 0;                // that ran the firing
  std::uint64_t begin_ns = 0, end_ns = 0;  // the same for an instant
  std::uint32_t stage = 0;                 // firing, write: the stage; receive: the destination
  std::uint32_t edge = 0;                  // receive, write
  std::uint64_t instance = 0, tag = 0;     // firing, write: the firing's tag; receive: the packet's
  std::uint64_t bytes = 0;                 // of payload: that the firing read, of the token
  std::uint64_t cycles = 0;                // firing: of a simulated device
};

}  // namespace woa
