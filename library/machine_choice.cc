#include "library/machine_choice.h"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>

#include "runtime/plan/plan.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

// Empty if the file holds for this processor, or for any.
std::string measured_elsewhere(const MachineFile& file) {
  if (!file.calibration || file.calibration->processor == processor_name()) return {};
  return "was measured on '" + file.calibration->processor + "', but this is '" + processor_name() + "'";
}

bool usable(const fs::path& path, const OnMessage& warn) {
  const MachineFile file = read_machine_file(path);
  if (!file.diagnostics.empty()) {
    warn(first_problem(file) + "\n  the file is not used; mend it, or remove it and run `woa calibrate` again");
    return false;
  }
  const std::string elsewhere = measured_elsewhere(file);
  if (elsewhere.empty()) return true;
  warn(path.string() + " " + elsewhere + "\n  it is not used; run `woa calibrate` here, or name it with --machine");
  return false;
}

}  // namespace

std::string first_problem(const MachineFile& file) {
  const Diagnostic& first = file.diagnostics.front();
  const std::string place =
      first.line == 0 ? "" : ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
  return first.file + place + ": error[" + first.code + "]: " + first.text;
}

std::optional<fs::path> default_machine_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && fs::path(config).is_absolute()) return fs::path(config) / "woa" / "machine.yaml";
  const char* home = std::getenv("HOME");
  if (home == nullptr || !fs::path(home).is_absolute()) return std::nullopt;
  return fs::path(home) / ".config" / "woa" / "machine.yaml";
}

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("model name") && value != std::string::npos) return line.substr(value + 2);
  }
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown";  // elsewhere than on x86 the system names no model
}

std::optional<fs::path> machine_file(const std::string& option, const OnMessage& warn) {
  if (!option.empty()) {
    const std::string elsewhere = measured_elsewhere(read_machine_file(option));
    if (!elsewhere.empty()) {
      warn(option + " " + elsewhere +
           "\n  its limits are used, since --machine names it; `woa calibrate` measures here");
    }
    return option;
  }
  const auto path = default_machine_file();
  std::error_code error;
  if (!path || !fs::exists(*path, error)) return std::nullopt;
  return usable(*path, warn) ? path : std::nullopt;
}

Result<std::uint32_t> measured_inline_limit(const std::string& option, std::string_view transport,
                                            const OnMessage& warn) {
  const auto path = machine_file(option, warn);
  if (!path) return kDefaultInlineBytes;
  const MachineFile file = read_machine_file(*path);
  if (!file.diagnostics.empty()) return {Code::kInvalid, first_problem(file)};
  if (!file.calibration) return kDefaultInlineBytes;
  const auto limit = file.calibration->inline_bytes.find(std::string(transport));
  return limit == file.calibration->inline_bytes.end() ? kDefaultInlineBytes : limit->second;
}

}  // namespace woa
