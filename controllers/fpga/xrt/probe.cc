#include "controllers/fpga/xrt/probe.h"

#include <algorithm>
#include <cstdlib>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/devices.h"
#include "runtime/base/text.h"
#include "runtime/controller/probe_in_child.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

const DeviceDescription kLike{.backend = "xrt", .device = "", .forwards = "device"};

// The value of WOA_XCLBIN; null: it is not set, or empty.
const char* named_xclbin() {
  const char* const named = std::getenv(kXclbinVariable);
  return named == nullptr || *named == '\0' ? nullptr : named;
}

// A library that cannot be opened needs no child process to say so.
Result<Descriptions> list_in_child(const fs::path& root) {
  const auto& library = open_xrt();
  if (!library.ok()) return library.status();
  return probe_in_child("XRT", kLike, [&] { return list_xrt_devices(*library, root); });
}

Result<Descriptions> probe() {
  auto devices = list_in_child("/");
  if (!devices.ok()) return devices;
  const auto xclbin = choose_xclbin();
  if (!xclbin.ok()) return xclbin.status();
  Descriptions units;
  for (const DeviceDescription& device : *devices) units.insert(units.end(), node_units(xclbin->contents), device);
  return units;
}

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

XrtCheck good(std::string subject, std::string asked, std::string found) {
  return {std::move(subject), true, std::move(asked), std::move(found)};
}
XrtCheck bad(std::string subject, std::string asked, std::string found, std::string advice) {
  return {std::move(subject), false, std::move(asked), std::move(found), std::move(advice)};
}

void check_library(std::vector<XrtCheck>& checks) {
  const auto& library = open_xrt();
  const std::string asked = std::string(kXrtLibrary) + " with the C functions of XRT 2.13";
  if (!library.ok()) {
    checks.push_back(
        bad("library", asked, library.status().message(), "install XRT 2.13 or newer, or mend what is named"));
    return;
  }
  checks.push_back(good("library", asked, library->file.string()));
  checks.push_back(
      good("version", "2.13 or newer",
           library->version.empty() ? "all functions are there; the file's name has no version" : library->version));
}

// A stand-in for a card needs neither driver nor card.
void check_card(std::vector<XrtCheck>& checks, const std::vector<CardFunction>& functions, const fs::path& root) {
  const auto& library = open_xrt();
  if (!library.ok() || library->stand_in.empty()) {
    const std::string asked = "the kernel's module xocl", version = user_driver_version(root);
    checks.push_back(version.empty() ? bad("driver", asked, "it is not loaded",
                                           "install AMD's package xrt for the kernel that runs, and `modprobe xocl`")
                                     : good("driver", asked, version));
  }
  const std::string asked = "a card that XRT opens";
  const NoCard none = why_no_card(functions);
  if (!library.ok()) {
    checks.push_back(functions.empty() ? bad("card", asked, none.why, none.advice)
                                       : good("card", asked, list_of(functions, &CardFunction::address)));
  } else if (const auto devices = list_in_child(root); devices.ok()) {
    checks.push_back(
        good("card", asked,
             list_of(*devices, &DeviceDescription::device) + (devices->front().simulated ? " (simulated)" : "")));
  } else if (devices.status().message().starts_with(none.why)) {
    checks.push_back(bad("card", asked, none.why, none.advice));
  } else {
    checks.push_back(
        bad("card", asked, devices.status().message(), "see if XRT's own program can use it (`xbutil validate`)"));
  }
}

void check_shell(std::vector<XrtCheck>& checks, const std::vector<CardFunction>& functions, const Xclbin* xclbin) {
  for (const CardFunction& function : functions) {
    if (function.driver != kUserDriver) continue;
    const std::string asked = xclbin == nullptr ? "a shell" : "a shell for the xclbin's platform " + xclbin->platform;
    const std::string found = function.address + ": " + (function.shell.empty() ? "none is named" : function.shell);
    if (!function.shell.empty() && (xclbin == nullptr || same_platform(function.shell, xclbin->platform)))
      checks.push_back(good("shell", asked, found));
    else
      checks.push_back(bad("shell", asked, found,
                           "name an xclbin for the card's shell, or flash the shell of the xclbin's platform "
                           "(`xbmgmt program --base`, then a cold restart)"));
  }
}

void check_contents(std::vector<XrtCheck>& checks, const Xclbin& xclbin, bool on_card) {
  if (on_card)
    checks.push_back(xclbin.has_bitstream ? good("bitstream", "a bitstream", "one")
                                          : bad("bitstream", "a bitstream", "none: the file is for tests",
                                                "name the file that `v++ --link` wrote (docs/fpga.md)"));
  const std::string kernel(wact::kKernelName);
  if (const Status fits = check_node(xclbin); !fits.ok()) {
    checks.push_back(bad("kernel", "a unit of " + kernel, fits.message(), "build the file by docs/fpga.md"));
    return;
  }
  std::string units;
  for (const std::uint32_t unit : xclbin.units_of(kernel)) {
    units.append(units.empty() ? "" : "; ").append(xclbin.units[unit].name).append(" in ");
    units += list_of(xclbin.banks_of(unit, wact::kArgumentInput),
                     [&](std::uint32_t bank) { return xclbin.banks[bank].name; });
  }
  checks.push_back(good("kernel", "a unit of " + kernel, units));
  const Xclbin::Node& node = *xclbin.node;
  std::vector<std::string> cores = node.cores;
  std::erase(cores, "");
  checks.push_back(good("cores", "the rtl variants of a graph's kernels",
                        list_of(cores) + "; " + counted(node.stages, "stage") + ", " + counted(node.routes, "route") +
                            ", " + counted(node.channels, "channel") + ", " + std::to_string(node.width) + " bits at " +
                            std::to_string(node.clock_mhz) + " MHz"));
}

}  // namespace

Result<ChosenXclbin> choose_xclbin() {
  const char* const named = named_xclbin();
  if (named == nullptr)
    return {Code::kUnavailable, std::string(kXclbinVariable) +
                                    " names no xclbin: set it to the file that configures the card (docs/fpga.md "
                                    "tells how to build one)"};
  auto contents = read_xclbin(named);
  Status status = contents.status();
  if (contents.ok()) status = check_node(*contents).with_context(named);
  if (!status.ok()) return {Code::kUnavailable, std::string(kXclbinVariable) + "=" + status.message()};
  return ChosenXclbin{named, std::move(*contents)};
}

std::size_t node_units(const Xclbin& xclbin) { return xclbin.units_of(wact::kKernelName).size(); }

const Result<Descriptions>& probe_xrt_devices() {
  static const Result<Descriptions> devices = probe();
  return devices;
}

std::vector<XrtCheck> check_xrt(const fs::path& root) {
  std::vector<XrtCheck> checks;
  check_library(checks);
  const auto functions = card_functions(root);
  check_card(checks, functions, root);
  const char* const named = named_xclbin();
  const std::string asked = std::string(kXclbinVariable) + ", the file that configures the card";
  const Result<Xclbin> xclbin = named == nullptr ? Status(Code::kNotFound, "it is not set") : read_xclbin(named);
  check_shell(checks, functions, xclbin.ok() ? &*xclbin : nullptr);
  if (!xclbin.ok()) {
    checks.push_back(bad("xclbin", asked, xclbin.status().message(), "set it to the file of a build (docs/fpga.md)"));
    return checks;
  }
  checks.push_back(
      good("xclbin", asked, std::string(named) + ", for " + xclbin->platform + ", UUID " + hex(xclbin->uuid)));
  const auto& library = open_xrt();
  check_contents(checks, *xclbin, library.ok() && library->stand_in.empty());
  return checks;
}

}  // namespace woa
