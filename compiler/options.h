// What a compilation is asked for, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "compiler/certificate/certificate.h"
#include "compiler/diagnostics/diagnostic.h"

namespace woa {

inline constexpr std::size_t kMaxYamlBytes = 16U << 20;  // of a file
inline constexpr std::uint32_t kMostCopies = 8;          // of a stage (PlacementGoal::copies)

struct CompileOptions {
  std::vector<std::filesystem::path> kernel_path;  // folders that hold <name>/kernel.yaml; first match wins
  // Machine file; absent: cpu:0 and cpu:1, and gpu:0 and fpga:0 where a stage asks for them.
  std::optional<std::filesystem::path> machine;
  std::string transport = "shm";                  // between controllers: the machine file may know its inline limit
  std::map<std::string, std::string> params;      // "stage.name" -> value, from the command line
  std::map<std::string, std::uint32_t> replicas;  // by stage, from the command line
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> deadline_ns;
  std::optional<std::filesystem::path> profile;  // what `woa profile` measured of the graph (docs/profile.md)
  std::map<std::string, std::string> pins;       // stage -> kind or controller, in place of `on` and `needs`
  std::uint64_t max_stages = 200'000;            // of a graph with its sub-graphs, whose text does not bound them
  UnsavedTexts unsaved = {};                     // are read in place of what is on the disk
  bool only_check = false;  // ends before memory is dealt out and a plan is made; Compilation has none
  // With a profile, what stages are placed for, and how long the search for it may take.
  PlacementGoal goal;
  std::chrono::milliseconds placement_limit{10'000};
};

}  // namespace woa
