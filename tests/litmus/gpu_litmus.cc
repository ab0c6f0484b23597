// gpu_litmus: do payloads that a GPU published arrive whole? Messages through the memory, the rings and the back-end of
// a real run, by streams and by a resident worker; every payload is checked as soon as its packet can be seen.
//
//     gpu_litmus [--count N] [--seconds S] [--publishes worker|queue] [--first]
//
// Prints one JSON. Exit code: 0 all messages came and none was wrong, 1 otherwise, 2 wrong usage, 77 no GPU (the reason
// on stdout).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "controllers/gpu/cuda/register.h"
#include "runtime/base/clock.h"
#include "tests/litmus/litmus_run.h"

namespace woa {
namespace {

using Json = nlohmann::ordered_json;

Json spread(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::ranges::sort(values);
  return {{"min", values.front()}, {"median", values[values.size() / 2]}, {"max", values.back()}};
}

Json to_json(const LitmusCase& what, const LitmusOutcome& outcome) {
  Json json{{"publishes", what.resident ? "worker" : "queue"},
            {"way", what.from_host ? "cpu-gpu-cpu" : "gpu-cpu"},
            {"bytes", what.bytes},
            {"messages", outcome.messages},
            {"wrong", outcome.wrong},
            {"seconds", outcome.seconds},
            {"messages_per_s", spread(outcome.messages_per_s)}};
  if (outcome.wrong != 0) json["first_wrong"] = outcome.first_wrong;
  return json;
}

struct Options {
  std::uint64_t count = 10'000'000;
  double seconds = 300;
  std::string publishes;  // "worker", "queue" or both
  bool first = false;     // ends with the first wrong message
};

std::vector<LitmusCase> cases_of(const Options& options) {
  std::vector<LitmusCase> cases;
  for (const bool resident : {true, false})
    if (options.publishes != (resident ? "queue" : "worker"))
      for (const bool from_host : {false, true})
        for (const std::uint32_t bytes : {8U, 64U, 512U, 4096U}) cases.push_back({resident, from_host, bytes});
  return cases;
}

// Each case has its share of the messages, and of the time that those before it left. The first that cannot go on ends
// it.
Status run_cases(const Options& options, const std::string& folder, Json& json) {
  const BackendFactory factory = cuda_factory();
  const auto devices = factory.probe();
  if (!devices.ok()) return devices.status();
  json = {{"device", devices->front().device},
          {"simulated", devices->front().simulated},
          {"messages", 0},
          {"wrong", 0},
          {"cases", Json::array()}};
  const std::vector<LitmusCase> cases = cases_of(options);
  const std::uint64_t messages = (options.count + cases.size() - 1) / cases.size();
  const std::uint64_t end = now_ns() + static_cast<std::uint64_t>(options.seconds * 1e9);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const LitmusCase& what = cases[k];
    const double left_s = static_cast<double>(end - std::min(end, now_ns())) / 1e9;
    auto outcome =
        run_litmus(factory, what, messages, left_s / static_cast<double>(cases.size() - k), options.first, folder);
    if (!outcome.ok())
      return outcome.status().with_context(std::string(what.resident ? "worker" : "queue") + ", " +
                                           (what.from_host ? "cpu-gpu-cpu" : "gpu-cpu") + ", " +
                                           std::to_string(what.bytes) + " bytes");
    json["messages"] = json["messages"].get<std::uint64_t>() + outcome->messages;
    json["wrong"] = json["wrong"].get<std::uint64_t>() + outcome->wrong;
    json["cases"].push_back(to_json(what, *outcome));
    if (options.first && outcome->wrong != 0) return {};
  }
  const auto found = json["messages"].get<std::uint64_t>();
  if (found >= options.count) return {};
  return {Code::kDataLoss, std::to_string(found) + " messages came in the time that there was, expected " +
                               std::to_string(options.count) + "; give more --seconds, or ask for fewer by --count"};
}

int main(int argc, char** argv) {
  CLI::App app("Sends messages through a GPU and checks every payload.", "gpu_litmus");
  Options options;
  app.add_option("--count", options.count, "messages of all cases together")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "end after so long; fewer messages than asked for are an error")
      ->check(CLI::PositiveNumber);
  app.add_option("--publishes", options.publishes, "cases of one publisher")->check(CLI::IsMember({"worker", "queue"}));
  app.add_flag("--first", options.first, "end with the first wrong message");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Json json;
  const Status status = run_cases(options, std::filesystem::read_symlink("/proc/self/exe").parent_path(), json);
  if (json.is_null() && status.code() == Code::kUnavailable) {
    std::puts(status.message().c_str());
    return 77;
  }
  if (!status.ok()) json["error"] = status.message();
  std::puts(json.dump(2).c_str());
  return status.ok() && json["wrong"] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace woa

int main(int argc, char** argv) { return woa::main(argc, argv); }
