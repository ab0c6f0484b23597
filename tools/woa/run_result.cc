#include "tools/woa/run_result.h"

#include <algorithm>
#include <cstdio>

#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "tools/woa/columns.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using nlohmann::json;

json files_json(const std::vector<OutputFiles::Summary>& outputs) {
  json list = json::array();
  for (const OutputFiles::Summary& output : outputs) {
    list.push_back({{"name", output.name},
                    {"bytes", output.bytes},
                    {"absent", output.absent},
                    {"files", output.files},
                    {"sha256", output.sha256.empty() ? json(nullptr) : json(output.sha256)}});
  }
  return list;
}

// "12.35 us" of a key in microseconds.
std::string time_of(const json& times, const char* key) { return us_text(times[key].get<double>()); }

// A remedy is worth reading after a run that took long.
void print_limit(const json& limit, double wall_s) {
  constexpr double kLongS = 1;
  const auto text = [&](const char* key) { return limit[key].get_ref<const std::string&>().c_str(); };
  std::printf("  %s\n", text("text"));
  if (wall_s > kLongS && *text("remedy") != 0) std::printf("    %s\n", text("remedy"));
}

void print_counts(const CommandResult& result, const json& all) {
  const auto number = [&](const char* key) { return all[key].get<std::uint64_t>(); };
  const std::string placed = result.objective.empty() ? "" : ", placed for " + result.objective;
  std::printf("%s: %llu of %s done (%s, %s, window %llu%s)\n", all["graph"].get<std::string>().c_str(),
              static_cast<unsigned long long>(result.done), counted(result.instances, "instance").c_str(),
              all["model"].get<std::string>().c_str(), result.processes.c_str(),
              static_cast<unsigned long long>(number("window")), placed.c_str());
  if (!all["limit"].is_null()) print_limit(all["limit"], all["wall_s"].get<double>());
  if (result.latencies.count() > 0)
    std::printf("  %.2f instances/s, latency p50 %s, p99 %s\n", all["throughput_per_s"].get<double>(),
                time_of(all["latency_us"], "p50").c_str(), time_of(all["latency_us"], "p99").c_str());
  std::printf("  %s, %s of payload, %s copied\n", counted(number("messages"), "message").c_str(),
              bytes_text(number("payload_bytes")).c_str(), bytes_text(number("copied_bytes")).c_str());
}

void print_devices(const json& controllers) {
  for (std::size_t c = 1; c < controllers.size(); ++c) {
    const json& controller = controllers[c];
    const std::string on = controller.contains("processors")
                               ? ", on " + processors_text(controller["processors"].get<Processors>())
                               : std::string();
    std::printf("  %-8s %-10s %s%s%s\n", controller["name"].get<std::string>().c_str(),
                controller["backend"].get<std::string>().c_str(), controller["device"].get<std::string>().c_str(),
                controller["simulated"].get<bool>() ? " (simulated)" : "", on.c_str());
  }
}

void print_what_is_missing(const json& controllers, bool traced) {
  for (const json& controller : controllers) {
    const std::string name = controller["name"];
    if (!controller["counted"].get<bool>())
      std::fprintf(stderr,
                   "woa: %s did not report before --end-limit, so its counts are missing: it is inside a kernel of a "
                   "failed instance, or its process is stopped\n",
                   name.c_str());
    if (const auto lacking = controller["lacking_workers"].get<std::uint32_t>(); lacking > 0) {
      const auto workers = controller["workers"].get<std::uint32_t>();
      print_warning(name + " had " + counted(workers, "worker") + " of " + std::to_string(workers + lacking) +
                    ": the system refused it more threads; see `ulimit -u`, and `pids.max` of its control group");
    }
    if (const auto untraced = controller["untraced"].get<std::uint64_t>(); traced && untraced > 0)
      print_warning("the trace has the first " + counted(controller["traced"].get<std::uint64_t>(), "event") + " of " +
                    name + ", not the " + std::to_string(untraced) +
                    " after them; raise --trace-limit, or run fewer instances");
  }
}

// A line for each stage: the part of an instance's time, and of its controller's, that it takes.
void print_stages(const json& stages) {
  std::vector<Cells> rows;
  for (const json& stage : stages) {
    Cells& row = rows.emplace_back(Cells{"stage " + stage["name"].get<std::string>(), stage["controller"]});
    if (stage["mean_us"].is_null()) {
      row.emplace_back("never fired");
      continue;
    }
    row.push_back(time_of(stage, "instance_us") + " an instance");
    row.push_back(to_text("%.0f %% of its controller", 100 * stage["share"].get<double>()));
    row.push_back(counted(stage["firings"].get<std::uint64_t>(), "firing") + " of " + time_of(stage, "mean_us"));
  }
  for (const std::string& line : in_columns(rows)) std::printf("  %s\n", line.c_str());
}

void print_providers(const json& providers) {
  for (const json& entry : providers) {
    std::string lanes;
    for (const json& lane : entry["lanes"])
      lanes += (lanes.empty() ? "" : ", ") + (lane == "" ? "the one without a name" : lane.get<std::string>());
    std::printf("  over %s: %s (lanes: %s)%s\n", entry["provider"].get<std::string>().c_str(),
                counted(entry["packets"].get<std::uint64_t>(), "packet").c_str(), lanes.c_str(),
                entry["payload_crc"] ? "" : ", payloads without CRC");
  }
}

void print_outputs(const std::vector<OutputFiles::Summary>& outputs, std::uint64_t done) {
  for (const OutputFiles::Summary& output : outputs) {
    const std::string digest = output.sha256.empty() ? "not computed: built without OpenSSL" : output.sha256;
    const std::string what = counted(output.bytes, "byte") +
                             (output.own_files ? " in " + counted(output.files.size(), "file") : ", sha256 " + digest);
    std::printf("  output %s: %s\n", output.name.c_str(), done == 0 ? "nothing was written" : what.c_str());
    if (output.absent > 0) std::printf("    absent in %s\n", counted(output.absent, "instance").c_str());
  }
}

}  // namespace

json to_json(const CommandResult& result) {
  json out = woa::to_json(static_cast<const RunResult&>(result));
  out["objective"] = result.objective.empty() ? json(nullptr) : json(result.objective);
  out["turnaround_us"] = woa::to_json(result.turnarounds);
  out["throughput_per_s"] = result.wall_s > 0 ? static_cast<double>(result.done) / result.wall_s : 0;
  out["outputs"] = files_json(result.files);
  if (!result.status.ok()) out["error"] = error_json({result.status.code(), result.status.message() + result.so_far});
  return out;
}

void print(const CommandResult& result, bool summary, bool traced) {
  std::vector<FailedInstance> own = result.failures;  // the failure that ended the run is printed once
  const std::size_t lost = std::erase_if(own, [&](const FailedInstance& failed) {
    return !result.status.ok() && failed.failure.message == result.status.message();
  });
  print_failures(own);
  if (const std::uint64_t rest = result.failed - result.failures.size(); rest > 0)
    print_warning(counted(rest, "more instance") + " failed; only the first " + std::to_string(result.failures.size()) +
                  " are listed");
  const std::string all = lost == 0 ? "" : "; " + counted(lost, "instance") + " in flight failed with it";
  if (!result.status.ok()) print_error({result.status.code(), result.status.message() + all + result.so_far});
  const json object = to_json(result);
  print_what_is_missing(object["controllers"], traced);
  if (!summary || result.report == nullptr) return;
  print_counts(result, object);
  print_providers(object["providers"]);
  print_devices(object["controllers"]);
  print_stages(object["stages"]);
  print_outputs(result.files, result.done);
}

}  // namespace woa::tools
