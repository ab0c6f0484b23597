#include "tools/woa/calibration_file.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "compiler/compiler.h"
#include "tools/woa/machine_choice.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

Status system_failure(const fs::path& path, int error) {
  return {Code::kUnavailable, "cannot write '" + path.string() + "': " + std::generic_category().message(error) +
                                  "; choose another place with -o"};
}

// A text in double quotes is the same in JSON and in YAML.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string median_text(const bench::MethodTimes& times) {
  std::ostringstream out;
  out << "        - {bytes: " << times.bytes;
  if (times.inline_ns > 0) out << ", inline: " << std::llround(std::max(times.inline_ns, 1.0));
  out << ", in_place: " << std::llround(std::max(times.in_place_ns, 1.0)) << "}\n";
  return out.str();
}

std::string file_text(std::span<const bench::MethodCalibration> transports) {
  std::string text =
      "# Written by `woa calibrate`; docs/machine.md explains it. Payloads of up to inline_bytes travel behind their\n"
      "# headers; medians_ns is what a hop took with either method, in nanoseconds.\n"
      "woa_machine: 1\ncalibration:\n  processor: " +
      quoted(processor_name()) + "\n  transports:\n";
  for (const bench::MethodCalibration& each : transports) {
    text += "    " + each.transport + ":\n      host_state: " + quoted(each.host_state) +
            "\n      inline_bytes: " + std::to_string(each.inline_bytes) + "\n      medians_ns:\n";
    for (const bench::MethodTimes& times : each.medians) text += median_text(times);
  }
  return text;
}

}  // namespace

CalibrationFile::CalibrationFile(fs::path path)
    : path_(std::move(path)), aside_(path_.string() + "." + std::to_string(::getpid())) {}

CalibrationFile::CalibrationFile(CalibrationFile&& other) noexcept
    : path_(std::move(other.path_)), aside_(std::exchange(other.aside_, fs::path())) {}

CalibrationFile::~CalibrationFile() {
  std::error_code error;
  if (!aside_.empty()) fs::remove(aside_, error);
}

Result<CalibrationFile> CalibrationFile::open(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return system_failure(path, EISDIR);
  if (fs::exists(path, error) && read_machine_file(path).has_controllers) {
    return {
        Code::kInvalid,
        "'" + path.string() +
            "' says which controllers there are, or what links cost, and would lose that; write to another file with "
            "-o, and copy its `calibration` into this one"};
  }
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) return system_failure(path, error.value());
  CalibrationFile file(path);
  errno = 0;
  if (!std::ofstream(file.aside_)) return system_failure(path, errno);
  return file;
}

Status CalibrationFile::write(std::span<const bench::MethodCalibration> transports) {
  errno = 0;
  std::ofstream stream(aside_, std::ios::trunc);
  stream << file_text(transports) << std::flush;
  if (!stream) return system_failure(path_, errno);
  stream.close();
  std::error_code error;
  fs::rename(aside_, path_, error);
  if (error) return system_failure(path_, error.value());
  aside_.clear();
  return {};
}

}  // namespace woa::tools
