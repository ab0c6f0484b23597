// Any bytes as a machine file, without a profile and with one: a placement by its costs must verify.
#include <cstdint>
#include <string>

#include "tests/fuzz/compiled.h"

namespace {

// A profile of the small graph, with its stage and edges.
std::string profile_of(const std::string& hash) {
  const auto edge = [](const char* from, const char* to) {
    return std::string("  - {from: ") + from + ", to: " + to + ", tokens: 1, bytes: 64}\n";
  };
  return "woa_profile: 1\ngraph: g\ngraph_hash: \"" + hash +
         "\"\nstages:\n  s: {firings: 1.5, on: {cpu: {time_ps: 5000}, \"cpu:1\": {time_ps: 2000}}}\nedges:\n" +
         edge("source.x", "s.x") + edge("source.x", "s.y") + edge("s.a", "sink.y") + edge("s.b", "sink.y");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace woa::fuzz;
  woa::CompileOptions chosen = options();
  static const std::string hash = woa::compile_text(kSmallGraph, "graph.yaml", folder(), chosen).facts.hash;
  static const std::filesystem::path profile = write("profile.yaml", profile_of(hash));
  chosen.machine = write("machine.yaml", {reinterpret_cast<const char*>(data), size});
  (void)woa::read_machine_file(*chosen.machine);
  check(woa::compile_text(kSmallGraph, "graph.yaml", folder(), chosen));
  chosen.profile = profile;
  chosen.placement_limit = std::chrono::milliseconds(500);
  for (const char* objective : {"latency", "throughput"}) {
    chosen.goal.objective = objective;
    check(woa::compile_text(kSmallGraph, "graph.yaml", folder(), chosen));
  }
  return 0;
}
