// woa calibrate: measures the costs that decide between transfer methods, and writes a machine file.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "library/local_run.h"
#include "library/machine_choice.h"
#include "library/option_values.h"
#include "runtime/base/quantities.h"
#include "runtime/measure/methods.h"
#include "tools/woa/calibration_file.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/kept_files.h"
#include "tools/woa/progress.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr const char* kAboutCalibrate =
    R"(A small payload travels fastest behind its header, a large one in the block that the kernel wrote. The crossing
point depends on the processor: this measures hops of 8 B to 1 MiB from controller to
controller either way, between processes (shm) and between threads (loopback), every launch with processes and
memory of its own and all in turns, and writes the limit that loses least. It takes about a minute and both
processors; let nothing else run meanwhile. `host state: mixed` means that the host of a virtual machine moved
the processors while it measured: run it again.

It also measures links, some seconds for each transport: what a hop costs between two controllers more than
within one, through each device that is here more than through a cpu, and what it takes to wake a controller;
and what controllers add to kernels: a firing, and a message at either end.
Placement and predictions reckon with them.

The file is read by `woa compile`, `run`, `check`, `explain`, `compare` and `lsp`, by itself or for --machine.

  woa calibrate
  woa calibrate -o machine.yaml && woa explain GRAPH --machine machine.yaml)";

constexpr std::uint64_t kMostBytes = 1 << 20;

struct CalibrateArguments {
  std::string output;
  measure::MethodOptions methods{measure::doubling_sizes(kMostBytes)};
  LocalRunOptions local;
  bool json = false;
};

// A progress bar over some launches; it appears with the first.
class Bar {
 public:
  explicit Bar(std::uint64_t launches) : launches_(launches) {}
  void update(std::uint64_t done) {
    if (!progress_) progress_.emplace(launches_, "launches");
    progress_->update(done);
  }
  void next() { update(++done_); }

 private:
  std::uint64_t launches_, done_ = 0;
  std::optional<Progress> progress_;
};

Result<measure::MethodCalibration> measure_methods(const RunOptions& options, const CalibrateArguments& arguments) {
  std::optional<Bar> bar;
  measure::MethodOptions methods = arguments.methods;
  methods.progress = [&bar](std::uint64_t done, std::uint64_t all) {
    if (!bar) bar.emplace(all);
    bar->update(done);
  };
  return measure::calibrate_methods(options, methods);
}

Result<LinksCalibration> measure_links(const RunOptions& options, const CalibrateArguments& arguments) {
  measure::LinkOptions links;
  links.repetitions = std::min(links.repetitions, arguments.methods.repetitions);
  links.count = arguments.methods.count;
  Bar bar(links_launches(*options.backends, links));
  links.launched = [&bar] { bar.next(); };
  return calibrate_links(options, links);
}

// Measures over processes and shared memory, then over threads.
Result<CalibrationResult> measure(const CalibrateArguments& arguments) {
  const BackendRegistry backends = all_backends();
  CalibrationResult result;
  result.cores = calibrate_cores(backends);
  for (const char* processes : {"per-controller", "one"}) {
    LocalRunOptions local = arguments.local;
    local.processes = processes;
    RunOptions options = local_run(local, backends);
    const std::unique_ptr<SharedMemory> transport = local_transport(local);
    options.transport = transport.get();
    WOA_ASSIGN_OR_RETURN(auto methods, measure_methods(options, arguments));
    WOA_ASSIGN_OR_RETURN(auto links, measure_links(options, arguments));
    result.transports.push_back(std::move(methods));
    result.links.push_back(std::move(links));
  }
  return result;
}

json to_json(const measure::MethodCalibration& transport, const LinksCalibration& measured) {
  json medians = json::array(), links = json::array(), controllers = json::array();
  for (const MeasuredController& each : measured.controllers)
    controllers.push_back({{"kind", each.kind}, {"firing_ns", each.firing_ns}, {"message_ns", each.message_ns}});
  for (const MeasuredLink& link : measured.links) {
    links.push_back({{"between", {link.one, link.other}},
                     {"latency_ns", link.time.latency_ns},
                     {"ns_per_kib", link.time.ns_per_kib}});
  }
  for (const measure::MethodTimes& times : transport.medians) {
    medians.push_back({{"bytes", times.bytes},
                       {"inline_ns", times.inline_ns > 0 ? json(times.inline_ns) : json(nullptr)},
                       {"in_place_ns", times.in_place_ns}});
  }
  return {{"transport", transport.transport},        {"host_state", transport.host_state},
          {"inline_bytes", transport.inline_bytes},  {"medians", std::move(medians)},
          {"links_host_state", measured.host_state}, {"links", std::move(links)},
          {"controllers", std::move(controllers)},   {"wake_ns", measured.wake_ns}};
}

std::string ns_text(double ns) {
  constexpr double kNsPerUs = 1000;
  return us_text(ns / kNsPerUs);
}

void print_table(const measure::MethodCalibration& transport) {
  std::printf("%s, host state: %s; inline limit %s\n", transport.transport.c_str(), transport.host_state.c_str(),
              bytes_text(transport.inline_bytes).c_str());
  std::printf("  %-10s %14s %14s  %s\n", "PAYLOAD", "INLINE", "IN PLACE", "CHOSEN");
  for (const measure::MethodTimes& times : transport.medians) {
    std::printf("  %-10s %14s %14s  %s\n", bytes_text(times.bytes).c_str(),
                times.inline_ns > 0 ? ns_text(times.inline_ns).c_str() : "-", ns_text(times.in_place_ns).c_str(),
                times.bytes <= transport.inline_bytes ? "inline" : "in place");
  }
}

void print_links(const LinksCalibration& measured) {
  std::printf("  links, host state: %s\n  %-14s %14s %14s\n", measured.host_state.c_str(), "BETWEEN", "LATENCY",
              "PER KiB");
  for (const MeasuredLink& link : measured.links) {
    std::printf("  %-14s %14s %14s\n", (link.one + ", " + link.other).c_str(), ns_text(link.time.latency_ns).c_str(),
                ns_text(link.time.ns_per_kib).c_str());
  }
}

void print_controllers(const LinksCalibration& measured) {
  std::printf("  %-14s %14s %14s\n", "CONTROLLER", "FIRING", "MESSAGE");
  for (const MeasuredController& each : measured.controllers)
    std::printf("  %-14s %14s %14s\n", each.kind.c_str(), ns_text(each.firing_ns).c_str(),
                ns_text(each.message_ns).c_str());
}

void print_wake(const LinksCalibration& measured) {
  std::printf("  waking a controller that sleeps: %s\n", ns_text(measured.wake_ns).c_str());
}

void print_result(const CalibrationResult& result, const std::filesystem::path& path, bool as_json) {
  if (as_json) {
    json list = json::array();
    for (std::size_t k = 0; k < result.transports.size(); ++k)
      list.push_back(to_json(result.transports[k], result.links[k]));
    print_json({{"ok", true},
                {"processor", processor_name()},
                {"cores", {{"count", result.cores.count}, {"kinds", result.cores.kinds}}},
                {"file", path.string()},
                {"transports", std::move(list)}});
    return;
  }
  std::printf("%s\n", processor_name().c_str());
  for (std::size_t k = 0; k < result.transports.size(); ++k) {
    print_table(result.transports[k]);
    print_links(result.links[k]);
    print_controllers(result.links[k]);
    print_wake(result.links[k]);
  }
  std::printf("written to %s\n", path.c_str());
}

// A quiet machine always takes the smallest payload quicker behind its header.
void warn_of_disturbance(const CalibrationResult& result) {
  for (std::size_t k = 0; k < result.transports.size(); ++k) {
    const measure::MethodCalibration& transport = result.transports[k];
    const bool moved = transport.host_state == "mixed" || result.links[k].host_state == "mixed";
    if (!moved && transport.inline_bytes > 0) continue;
    print_warning("something disturbed the measurement of " + transport.transport + ": " +
                  (moved ? "the host moved the processors" : "no size is quicker behind its header") +
                  "; let nothing else run, and repeat `woa calibrate`");
  }
}

int calibrate(const CalibrateArguments& arguments) {
  std::optional<std::filesystem::path> path = arguments.output;
  if (arguments.output.empty()) path = default_machine_file();
  if (!path) {
    return fail({Code::kInvalid, "neither XDG_CONFIG_HOME nor HOME is set: say with -o where to write"}, kUsage,
                arguments.json);
  }
  if (const Status kept = check_kept({{"-o", *path}}, {}); !kept.ok()) return fail(kept, kUsage, arguments.json);
  if (Status status = prepare_calibration_file(*path); !status.ok()) return fail(status, kFailed, arguments.json);
  const auto result = measure(arguments);
  if (!result.ok()) {
    const bool absent = result.status().code() == Code::kUnavailable;
    return fail(result.status(), absent ? kUnavailable : kFailed, arguments.json);
  }
  if (Status status = write_calibration_file(*path, *result); !status.ok())
    return fail(status, kFailed, arguments.json);
  print_result(*result, *path, arguments.json);
  warn_of_disturbance(*result);
  return kDone;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("calibrate", "Measure transfer methods and write a machine file");
  command.footer(kAboutCalibrate);
  auto arguments = std::make_shared<CalibrateArguments>();
  command
      .add_option("-o,--output", arguments->output,
                  "Machine file to write (default: woa/machine.yaml in $XDG_CONFIG_HOME or ~/.config)")
      ->type_name("FILE");
  add_limit_options(command, arguments->local);
  command.add_option("--count", arguments->methods.count, "Hops of a launch")
      ->transform(positive())
      ->option_text("UINT [256 MiB, 8 to 20,000 hops]");
  command.add_option("--repetitions", arguments->methods.repetitions, "Launches of each size and method, in turns")
      ->transform(positive())
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "Print one JSON object on stdout");
  command.callback([arguments, &action] { action = [arguments] { return calibrate(*arguments); }; });
}

}  // namespace woa::tools
