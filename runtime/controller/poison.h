// Poison: how the failure of an instance travels forward (rule 6). It kills the instance at each stage that it reaches,
// frees what the stage holds of it, and goes on along the stage's edges to the sink.
//
// One thread. Allocates for messages, since failures are rare; where there is no memory a message is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/matching.h"
#include "runtime/controller/sending.h"
#include "runtime/controller/stage_program.h"

namespace woa {

// Who hears that an instance was poisoned at the sink (the host). Called on the controller's thread.
class InstanceObserver {
 public:
  virtual ~InstanceObserver() = default;
  // The first poison of `instance` to reach the sink. `origin`: the stage that failed, kNoStage for the run itself.
  virtual void on_poisoned(std::uint64_t instance, Code code, std::uint32_t origin,
                           std::string_view message) noexcept = 0;
};

// Poison that waits for a place in its rings: over one edge, or by a device that writes its own headers over all edges
// of the stage.
struct WaitingPoison {
  StageProgram* stage;
  OutEdge* edge;  // null: by the device
  ActivationPacket header;
  std::string message;
};

// A device that writes the headers of poison, too.
class DevicePoison {
 public:
  virtual ~DevicePoison() = default;
  // False: try again later.
  [[nodiscard]] virtual bool start(const WaitingPoison& poison) noexcept = 0;
};

// The header of poison for `stage`, with `text` behind it.
ActivationPacket poison_header(std::uint32_t stage, std::uint64_t instance, Code code, std::uint32_t origin,
                               std::string_view text) noexcept;

class Poison {
 public:
  // Everything outlives it. `observer`: of the host's sink, else null. `oldest`: the oldest instance in flight.
  Poison(StagePrograms& programs, Matching& matching, Sending& sending, ControllerStats& stats,
         InstanceObserver* observer, const std::uint64_t& oldest)
      : programs_(programs),
        matching_(matching),
        sending_(sending),
        stats_(stats),
        observer_(observer),
        oldest_(oldest) {}

  // The most that may wait: of each instance in flight, over each edge from here.
  void reserve(std::size_t most) { waiting_.reserve(most); }
  // Poison came for a stage. False: a firing of a retired instance uses its place; it must come again.
  [[nodiscard]] bool arrive(const ActivationPacket& packet, std::span<const std::byte> text) noexcept;
  // The instance fails at a stage, which forwards it. `origin`: the stage to blame, kNoStage for the run itself.
  void kill(std::uint32_t stage, std::uint64_t instance, Code code, std::uint32_t origin,
            std::string_view message) noexcept;
  // The instance is dead at a stage whose device forwards the poison: frees what the stage holds of it; running firings
  // keep theirs until they complete.
  void bury(StageProgram& stage, StageInstance& entry) noexcept {
    entry.dead = true;
    matching_.drop(stage, entry);
  }
  // True if some waits for a place.
  [[nodiscard]] bool waits() const noexcept { return !waiting_.empty(); }
  // Sends what has a place now. Returns how much left.
  std::size_t send(DevicePoison& device) noexcept { return waits() ? send_waiting(device) : 0; }

 private:
  void spread(StageProgram& stage, const ActivationPacket& header, const std::string& text);
  std::size_t send_waiting(DevicePoison& device) noexcept;
  [[nodiscard]] bool send(WaitingPoison& poison, DevicePoison& device) noexcept;

  StagePrograms& programs_;
  Matching& matching_;
  Sending& sending_;
  ControllerStats& stats_;
  InstanceObserver* observer_;
  const std::uint64_t& oldest_;
  std::vector<WaitingPoison> waiting_;
};

}  // namespace woa
