// Relays: stages of a call model that pass tokens on, payloads by reference (docs/call-models.md). A caller's arguments
// go to the stage that it calls (rpc-hub), or an output's token to further readers
// (docs/adr/0022-fan-out-trees.md).
//
// One thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/controller/block_returns.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/firings.h"
#include "runtime/controller/matching.h"
#include "runtime/controller/sending.h"
#include "runtime/controller/trace.h"

namespace woa {

class Relays {
 public:
  // Everything outlives it.
  Relays(StagePrograms& programs, Matching& matching, Claims& claims, Sending& sending, BlockReturns& returns,
         Trace& trace)
      : programs_(programs),
        matching_(matching),
        claims_(claims),
        sending_(sending),
        returns_(returns),
        trace_(trace) {}

  // The tokens of a match are all there, so they go on. Of what the relay waits for without passing it on, a
  // count without elements, the packet ends here (docs/adr/0033-signals-make-calls-return.md). kStarted or kNotYet.
  [[nodiscard]] Fired fire(StageProgram& stage, const MatchKey& match, const Consumed& consumed) noexcept;

 private:
  [[nodiscard]] bool claim(StageProgram& stage, std::uint32_t port, const Activation& of,
                           const Consumed& consumed) noexcept;
  void abort(StageProgram& stage, std::uint32_t port, std::uint32_t elements, const Activation& of,
             const Consumed& consumed) noexcept;
  [[nodiscard]] bool sends(const InPort& port, const MatchKey& match) noexcept;
  void pass_on(StageProgram& stage, std::uint32_t port, const MatchKey& match, const Consumed& consumed) noexcept;
  void send(OutPort& port, const Token& token) noexcept;

  StagePrograms& programs_;
  Matching& matching_;
  Claims& claims_;
  Sending& sending_;
  BlockReturns& returns_;
  Trace& trace_;
};

}  // namespace woa
