// A profile (docs/profile.md): the measurements of `woa profile` on a graph, for predictions and placement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/machine.h"

namespace woa {

struct StageProfile {
  std::map<std::string, std::uint64_t> time_ps;  // by kind of controller; per firing, median
  std::map<std::string, std::uint64_t> busy_ps;  // the same, where firings run on all workers at once
  std::map<std::string, std::uint64_t> cycles;   // by kind of controller; per firing, if the device counts them
  double firings = 1;                            // per instance
  std::map<std::string, std::string> missing;    // by kind: why there is no time, and how to get one
  // By kind of controller, or controller: what the stage takes of it, where its time is modelled.
  // No variant needs to exist there, and none runs.
  std::map<std::string, Resources> modelled;
  Place place = {};
};

struct EdgeProfile {
  double tokens = 1;  // per instance
  double bytes = 0;   // of payload, mean per token; an absent token has none
  // Tokens among them that were held for firings that never came; bytes as above.
  double unread = 0, unread_bytes = 0;
  Place place = {};
};

struct Profile {
  std::string graph;                           // its name
  std::string graph_hash;                      // compiler/check/profile_fit.h
  std::map<std::string, StageProfile> stages;  // by name
  // By "stage.port" of both ends; graph inputs are ports of `source`, graph outputs of `sink`.
  std::map<std::pair<std::string, std::string>, EdgeProfile> edges;
  std::uint64_t source_ps = 0;                                 // time of the host to write the inputs of an instance
  Place stages_place = {}, edges_place = {}, hash_place = {};  // of `stages`, `edges` and `graph_hash`
};

// Time of a firing on `controller`, in picoseconds: by its name, else by its kind. Counted cycles at the controller's
// clock win over times. `busy`: while other firings run beside it, if that was measured. Nothing if no time was.
std::optional<std::uint64_t> time_on(const StageProfile& stage, const MachineController& controller, bool busy = false);

// The resources of the stage on `controller` if time_on() is a modelled time; else null.
const Resources* modelled_on(const StageProfile& stage, const ControllerPlan& controller);

// Nothing, after a report, if the source is not a usable profile.
std::optional<Profile> read_profile(std::uint32_t source, Report& report);

}  // namespace woa
