// Random graphs for the compiler, as the files that it reads: graph, kernels, machine, profile.
//
// Stages read one or two of the eight before them. Each takes 5 to 60 us, a different time on every controller; each
// edge carries up to 30 KiB. None of it can be run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/compiler.h"

namespace woa::bench {

class RandomGraph {
 public:
  // Makes a folder, removed with this object. The same seed gives the same graph.
  RandomGraph(std::uint32_t stages, std::uint32_t controllers, std::uint32_t seed);
  ~RandomGraph();
  RandomGraph(const RandomGraph&) = delete;
  RandomGraph& operator=(const RandomGraph&) = delete;

  // kExhausted: the files do not fit.
  [[nodiscard]] Status write() const;
  [[nodiscard]] std::filesystem::path graph() const { return path("graph.yaml"); }
  [[nodiscard]] std::filesystem::path machine() const { return path("machine.yaml"); }
  // Writes the profile of the graph with this hash (GraphFacts), which compiling the graph gives.
  [[nodiscard]] Status write_profile(const std::string& hash);
  [[nodiscard]] std::filesystem::path profile() const { return path("profile.json"); }

 private:
  [[nodiscard]] std::filesystem::path path(const char* name) const { return std::filesystem::path(folder_) / name; }
  [[nodiscard]] std::vector<bool> read_by_somebody() const;
  [[nodiscard]] std::string graph_text() const;
  [[nodiscard]] std::string stages_of_profile();
  [[nodiscard]] std::string edges_of_profile();

  std::uint32_t controllers_;
  std::mt19937 random_;
  std::string folder_;  // empty: it could not be made
  std::vector<std::set<std::uint32_t>>
      reads_;  // by stage: the stages that it reads; none for stage 0, which reads the graph's input
  std::string machine_;
};

}  // namespace woa::bench
