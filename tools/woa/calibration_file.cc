#include "tools/woa/calibration_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/compiler.h"
#include "library/machine_choice.h"
#include "runtime/base/file.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

// Adds to a failure what to do where nothing can be written.
Status advise_another_place(Status status) {
  if (status.ok()) return status;
  return {status.code(), status.message() + "; choose another place with -o"};
}

// A text in double quotes reads the same in JSON and in YAML.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string median_text(const measure::MethodTimes& times) {
  std::ostringstream out;
  out << "        - {bytes: " << times.bytes;
  if (times.inline_ns > 0) out << ", inline: " << std::llround(std::max(times.inline_ns, 1.0));
  out << ", in_place: " << std::llround(std::max(times.in_place_ns, 1.0)) << "}\n";
  return out.str();
}

std::string link_text(const MeasuredLink& link) {
  constexpr double kMost = 1e9;  // megabytes a second: a KiB in a picosecond
  const double rate = link.time.ns_per_kib > 0 ? 1024e3 / link.time.ns_per_kib : kMost;
  std::ostringstream out;
  out << "        - {between: [" << link.one << ", " << link.other
      << "], latency: " << std::llround(std::max(link.time.latency_ns, 0.0))
      << "ns, bandwidth: " << std::llround(std::clamp(rate, 1.0, kMost)) << "MB/s}\n";
  return out.str();
}

std::string controllers_text(const std::vector<MeasuredController>& controllers) {
  std::string text;
  for (const MeasuredController& each : controllers)
    text += (text.empty() ? "" : ", ") + each.kind + ": {firing: " + std::to_string(std::llround(each.firing_ns)) +
            "ns, message: " + std::to_string(std::llround(each.message_ns)) + "ns}";
  return "      controllers: {" + text + "}\n";
}

std::string cores_text(const CoresCalibration& cores) {
  std::string text = "  cores: {count: " + std::to_string(cores.count) + ", kinds: [";
  for (const std::string& kind : cores.kinds) text += (kind == cores.kinds.front() ? "" : ", ") + kind;
  return text + "]}\n";
}

std::string file_text(const CalibrationResult& result) {
  std::string text =
      "# Written by `woa calibrate`; docs/machine.md explains it. Payloads of up to inline_bytes travel behind their\n"
      "# headers; medians_ns is what a hop took with either method, in nanoseconds. Links are what a hop costs one "
      "way,\n# controllers what a firing and a message take them.\n"
      "woa_machine: 1\ncalibration:\n  processor: " +
      quoted(processor_name()) + "\n" + cores_text(result.cores) + "  transports:\n";
  for (std::size_t k = 0; k < result.transports.size(); ++k) {
    const measure::MethodCalibration& each = result.transports[k];
    text += "    " + each.transport + ":\n      host_state: " + quoted(each.host_state) +
            "\n      inline_bytes: " + std::to_string(each.inline_bytes) + "\n      medians_ns:\n";
    for (const measure::MethodTimes& times : each.medians) text += median_text(times);
    text += "      links_host_state: " + quoted(result.links[k].host_state) +
            "\n      wake: " + std::to_string(std::llround(result.links[k].wake_ns)) + "ns\n" +
            controllers_text(result.links[k].controllers) + "      links:\n";
    for (const MeasuredLink& link : result.links[k].links) text += link_text(link);
  }
  return text;
}

// An existing file may lose only what `woa calibrate` measures.
Status loses_nothing(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::is_empty(path, error)) return {};
  const MachineFile file = read_machine_file(path);
  if (file.has_controllers) {
    return {
        Code::kInvalid,
        "'" + path.string() +
            "' says which controllers there are, or what links cost, and would lose that; write to another file with "
            "-o, and copy its `calibration` into this one"};
  }
  if (file.diagnostics.empty()) return {};
  return {Code::kInvalid, "'" + path.string() +
                              "' cannot be read as a machine file, and whatever it says would be lost (" +
                              first_problem(file) + "); mend or remove it, or write to another file with -o"};
}

}  // namespace

Status prepare_calibration_file(const fs::path& path) {
  WOA_RETURN_IF_ERROR(loses_nothing(path));
  std::error_code error;  // the folder may not exist yet
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error)
    return advise_another_place(
        {Code::kUnavailable, "cannot write '" + path.string() + "': no folder: " + error.message()});
  return advise_another_place(check_writable(path));
}

Status write_calibration_file(const fs::path& path, const CalibrationResult& result) {
  return advise_another_place(write_file(path, file_text(result)));
}

}  // namespace woa::tools
