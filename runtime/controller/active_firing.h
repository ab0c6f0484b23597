// A firing, and what the controller notes about it from its claims to its completion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/publications.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/token.h"

namespace woa {

// What a firing has room for.
struct FiringRoom {
  std::size_t ports = 0, gathered = 0, outputs = 0, claims = 0, packets = 0, behind = 0;
  std::size_t inline_bytes = 0;  // of a token

  // What a firing of the stage takes.
  static FiringRoom of(const StageProgram& stage, std::size_t inline_bytes) noexcept;
  // Makes room for whatever fits `other`, too.
  void include(const FiringRoom& other) noexcept;
};

// A firing of one stage at a time, which is used again and again.
struct ActiveFiring : Firing {
  explicit ActiveFiring(const FiringRoom& room);
  // From now on it is one of the stage, for which it has room. It does not run.
  void bind(StageProgram& stage) noexcept;

  StageProgram* program = nullptr;
  ActiveFiring* link = nullptr;    // the next of its stage that runs, or of those that no stage has
  ActiveFiring** place = nullptr;  // where its stage, or the one before, names it while it runs
  StageInstance* entry = nullptr;
  bool running = false;     // on a worker or a device, between start and completion
  bool is_long = false;     // while it runs: its stage takes long
  bool shared = false;      // any stage of the controller may have it
  std::uint64_t order = 0;  // the number of its start if the device orders firings; else 0
  // By input port: the token that it consumes, in `kept` or where it arrived. Null: it is held, or was passed on.
  std::vector<const Token*> tokens;
  std::vector<Token> kept;
  std::vector<Token> elements;    // of all inputs that gather, in order
  InlineStore inline_payloads;    // a place for each kept token, then one for each element
  std::vector<PortClaim> claims;  // by output port; a scatter's port has one for each element
  Prepared prepared;              // packets for its device to publish
  std::vector<woa_input> input_views, element_inputs;
  std::vector<woa_output> output_views, element_outputs;
  std::vector<PortMemory> memory;                      // by input port, then by output port
  std::vector<std::unique_ptr<ActiveFiring>> follows;  // room for those that a device runs behind it
  std::vector<Firing*> behind;   // the firings of `joined` behind this one, which always go with it
  std::uint32_t stands_for = 1;  // number of firings that its time counts for, if it is timed
  struct {
    const Token* token = nullptr;
    std::uint32_t port = 0;
  } unfit;  // the first input whose token does not have its type; null: none
  [[nodiscard]] Activation activation() const noexcept { return {instance, tag, deadline}; }
  void set(const Activation& of) noexcept { instance = of.instance, tag = of.tag, deadline = of.deadline; }

 private:
  void bind_behind() noexcept;
};

// Visits the firings that a device runs as one: the first, then those joined to it.
template <class Visit>
void each_joined(const ActiveFiring& first, const Visit& visit) {
  for (Firing* const firing : first.joined) visit(static_cast<ActiveFiring&>(*firing));
}

}  // namespace woa
