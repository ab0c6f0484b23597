// Any bytes as a profile: a placement by it must verify. A hash of sixteen zeros stands for that of the graph.
#include <cstdint>
#include <string>

#include "tests/fuzz/compiled.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace woa::fuzz;
  woa::CompileOptions chosen = options();
  static const std::string hash = woa::compile_text(kSmallGraph, "graph.yaml", folder(), chosen).facts.hash;
  const std::string zeros(hash.size(), '0');
  std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto at = text.find(zeros); at != std::string::npos) text.replace(at, zeros.size(), hash);
  chosen.profile = write("profile.json", text);
  chosen.placement_limit = std::chrono::milliseconds(500);
  for (const char* objective : {"latency", "throughput"}) {
    chosen.goal.objective = objective;
    check(woa::compile_text(kSmallGraph, "graph.yaml", folder(), chosen));
  }
  return 0;
}
