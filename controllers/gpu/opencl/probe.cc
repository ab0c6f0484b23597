// probe_devices(): a child process lists the devices and writes one line for each into a pipe; nothing else comes back.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "controllers/gpu/opencl/devices.h"
#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr std::uint64_t kTimeoutNs = 20'000'000'000;  // a cold driver compiles its own library first

// Report: a line per device, "S" or "D" (simulated or not) and its name; or "E" and the reason why there is none.
std::string report() {
  const Result<OpenCl>& cl = open_cl();
  if (!cl.ok()) return "E" + cl.status().message() + "\n";
  const auto devices = list_devices(*cl);
  if (!devices.ok()) return "E" + devices.status().message() + "\n";
  std::string lines;
  for (const OpenClDevice& device : *devices) {
    lines.append(device.description.simulated ? "S" : "D").append(device.description.device).append("\n");
  }
  return lines;
}

[[noreturn]] void run_child(int out) {
  const std::string lines = report();
  std::size_t written = 0;
  while (written < lines.size()) {
    const ssize_t n = ::write(out, lines.data() + written, lines.size() - written);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  ::_exit(written == lines.size() ? 0 : 1);  // no destructors: the drivers' threads may still run
}

// All that the child writes until it closes the pipe; false if that takes too long.
bool read_all(int in, std::string& text) {
  const std::uint64_t end = now_ns() + kTimeoutNs;
  for (std::uint64_t now = now_ns(); now < end; now = now_ns()) {
    pollfd ready{.fd = in, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>((end - now) / 1'000'000 + 1)) <= 0) continue;
    char buffer[4096];
    const ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
  return false;
}

Result<std::vector<DeviceDescription>> parse(std::string_view text) {
  std::vector<DeviceDescription> devices;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with('E')) return {Code::kUnavailable, std::string(line.substr(1))};
    devices.push_back({.backend = "opencl", .device = std::string(line.substr(1)), .simulated = line.starts_with('S')});
  }
  return devices;
}

Result<std::vector<DeviceDescription>> wait_for(pid_t child, int in) {
  std::string text;
  const bool finished = read_all(in, text);
  if (!finished) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!finished) return {Code::kUnavailable, "the OpenCL driver did not answer within 20 s"};
  if (WIFSIGNALED(status)) {
    return {Code::kUnavailable, "the OpenCL driver aborted while its devices were listed (signal " +
                                    std::to_string(WTERMSIG(status)) + ")"};
  }
  if (status != 0 || text.empty())
    return {Code::kUnavailable, "the OpenCL driver ended the process that listed its devices"};
  return parse(text);
}

Result<std::vector<DeviceDescription>> probe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {Code::kUnavailable, "no pipe for the OpenCL probe: " + std::generic_category().message(errno)};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(ends[1]);
  }
  const int error = errno;
  ::close(ends[1]);
  auto devices =
      child < 0 ? Result<std::vector<DeviceDescription>>(
                      Code::kUnavailable, "no process for the OpenCL probe: " + std::generic_category().message(error))
                : wait_for(child, ends[0]);
  ::close(ends[0]);
  return devices;
}

}  // namespace

const Result<std::vector<DeviceDescription>>& probe_devices() {
  static const Result<std::vector<DeviceDescription>> devices = probe();
  return devices;
}

}  // namespace woa
