// The options of a compilation, and its limits.
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
inline constexpr std::uint32_t kMostCpus = 1024;         // controllers of a kind: their numbers go to 1023

// A kernel that the program brings itself, in place of a folder (docs/embedding.md).
struct DescribedKernel {
  std::string description;   // a kernel.yaml that check_description() has accepted
  std::uint32_t number = 0;  // of stages that run it: StagePlan::program_kernel
};

struct CompileOptions {
  std::vector<std::filesystem::path> kernel_path;          // folders that hold <name>/kernel.yaml; first match wins
  std::map<std::string, DescribedKernel> program_kernels;  // by name; each goes before all others of its name
  // Machine file; absent: a cpu controller for each of `nodes`, and gpu:0 and fpga:0 if a stage asks for them.
  std::optional<std::filesystem::path> machine;
  std::uint32_t nodes = 1;
  std::string transport = "shm";                  // between controllers; selects the machine file's calibration
  std::map<std::string, std::string> params;      // "stage.name" -> value, from the command line
  std::map<std::string, std::uint32_t> replicas;  // by stage, from the command line
  std::optional<std::uint32_t> window;
  std::optional<std::uint32_t> workers;     // of every cpu controller, whatever the machine file says
  std::optional<std::uint32_t> processors;  // for costs of controllers with all workers; nothing: those of this process
  std::optional<std::uint64_t> timeout_ns;
  std::optional<std::filesystem::path> profile;  // of `woa profile` on the graph (docs/profile.md)
  std::map<std::string, std::string> pins;       // stage -> kind or controller; replaces `on` and `needs`
  std::uint64_t max_stages = 200'000;            // of a graph with its sub-graphs; the text alone does not bound them
  UnsavedTexts unsaved = {};                     // read instead of the files on the disk
  bool warn_of_unbuilt = false;                  // kernels whose library is not there: E0208, a warning
  bool only_check = false;  // stops before it sizes channels and makes a plan; Compilation has none
  // With a profile: the goal of the placement, and the longest time of the search for it.
  PlacementGoal goal;
  std::chrono::milliseconds placement_limit{10'000};
};

}  // namespace woa
