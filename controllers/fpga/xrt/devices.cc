#include "controllers/fpga/xrt/devices.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "controllers/fpga/xrt/xclbin.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVendor = "0x10ee";
constexpr unsigned kMostDevices = 64;  // a library that opens any number is asked no further
constexpr std::uint64_t kMostLineBytes = 4096;

// The first line of a file of the system; empty: there is none.
std::string line_of(const fs::path& file) {
  const auto text = read_regular_file(file, kMostLineBytes);
  return text.ok() ? printable(std::string_view(*text).substr(0, text->find('\n'))) : "";
}

// Entries of a folder whose names begin so, in their order; none if there is no folder.
std::vector<fs::path> entries(const fs::path& folder, std::string_view begin = "") {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(begin)) found.push_back(entry->path());
  std::ranges::sort(found);
  return found;
}

CardFunction describe(const fs::path& folder, const fs::path& root) {
  CardFunction function{.address = folder.filename().string(), .driver = {}, .shell = {}, .node = {}};
  std::error_code error;
  function.driver = fs::read_symlink(folder / "driver", error).filename().string();
  for (const fs::path& rom : entries(folder, "rom."))
    if (function.shell.empty()) function.shell = line_of(rom / "VBNV");
  for (const fs::path& node : entries(folder / "drm", "renderD")) function.node = root / "dev/dri" / node.filename();
  return function;
}

std::string name_of(const std::vector<CardFunction>& functions, unsigned index) {
  std::vector<std::string> shells;
  for (const CardFunction& function : functions)
    if (function.driver == kUserDriver) shells.push_back(function.shell);
  // XRT's order of cards is its own, so a card's name is known where all have the same.
  const bool alike = !shells.empty() && !shells.front().empty() &&
                     std::ranges::count(shells, shells.front()) == static_cast<std::ptrdiff_t>(shells.size());
  return alike ? shells.front() : "XRT device " + std::to_string(index);
}

}  // namespace

std::vector<CardFunction> card_functions(const fs::path& root) {
  std::vector<CardFunction> functions;
  for (const fs::path& folder : entries(root / "sys/bus/pci/devices"))
    if (line_of(folder / "vendor") == kVendor) functions.push_back(describe(folder, root));
  return functions;
}

std::string user_driver_version(const fs::path& root) {
  const fs::path folder = root / "sys/module" / kUserDriver;
  std::error_code error;
  if (!fs::exists(folder, error)) return "";
  const std::string version = line_of(folder / "version");
  return version.empty() ? "loaded" : version;
}

std::string other_shell(const std::vector<CardFunction>& functions, std::string_view platform) {
  std::string shells;
  for (const CardFunction& function : functions) {
    if (function.shell.empty()) continue;
    if (same_platform(function.shell, platform)) return "";
    shells.append(shells.empty() ? "the card's shell is " : " or ").append(function.shell);
  }
  return shells;
}

NoCard why_no_card(const std::vector<CardFunction>& functions) {
  if (functions.empty())
    return {"no card: no PCI device has AMD's vendor number 10ee (`lspci -d 10ee:`)",
            "pass the card through to a virtual machine or container, or use the back-end `verilator`, which simulates "
            "the same RTL"};
  const std::string first = "card " + functions.front().address;
  const auto user = std::ranges::find(functions, kUserDriver, &CardFunction::driver);
  if (user == functions.end()) {
    if (std::ranges::find(functions, "ami", &CardFunction::driver) != functions.end())
      return {first + " has the driver ami, which XRT does not serve", "use a card with a Vitis shell (docs/fpga.md)"};
    return {first + " has no driver xocl", "load it (`modprobe xocl`; AMD's package xrt brings it)"};
  }
  const std::string name = "card " + user->address, node = user->node.string();
  if (node.empty())
    return {name + " has no device file below /dev/dri",
            "see in the kernel's log why xocl did not start it (`dmesg | grep xocl`)"};
  if (::access(node.c_str(), R_OK | W_OK) != 0)
    return {"no permission for " + node + " (" + std::strerror(errno) + ")",
            "join the group that owns it (`ls -l " + node + "`)"};
  return {name + " is there, and XRT does not open it",
          "see if its shell is ready (`xbutil examine`, in later versions `xrt-smi examine`)"};
}

Result<std::vector<DeviceDescription>> list_xrt_devices(const XrtLibrary& library, const fs::path& root) {
  const auto functions = card_functions(root);
  std::vector<DeviceDescription> devices;
  const unsigned most = library.opens_any ? 1 : kMostDevices;
  for (unsigned k = 0; k < most; ++k) {
    const xrt::DeviceHandle device = library.functions.device_open(k);
    if (device == nullptr) break;
    (void)library.functions.device_close(device);
    devices.push_back({.backend = "xrt",
                       .device = library.stand_in.empty() ? name_of(functions, k) : library.stand_in,
                       .simulated = !library.stand_in.empty(),
                       .forwards = "device"});
  }
  if (devices.empty()) {
    const NoCard none = why_no_card(functions);
    return {Code::kUnavailable, none.why + ": " + none.advice};
  }
  return devices;
}

}  // namespace woa
